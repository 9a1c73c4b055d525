"""Runs of several seeds become one row."""

import json
import shutil
from pathlib import Path

import pytest

from sda.errors import UserError
from sda.runs.hand_over import HandedOver
from sda.runs.run import Run
from sda.runs.seeds import METRIC_NOTE, SHORT, SeedRow, seed_rows, seed_table, verdicts
from sda.scoring.comparison import Comparison, Quality


def changed(run: Run, folder: Path, setting: str, higher: float) -> Run:
    """A copy of the run that says it had another setting, and every score so much higher."""
    shutil.copytree(run.path, folder)
    config = folder / "config.toml"
    key = setting.partition("=")[0] + "="
    config.write_text(
        "".join(
            f"{setting}\n" if line.startswith(key) else line
            for line in config.read_text().splitlines(keepends=True)
        )
    )
    scores = json.loads((folder / "scores.json").read_text())
    for row in scores["rows"]:
        for score in row["scores"]:
            score["value"] += higher
    (folder / "scores.json").write_text(json.dumps(scores))
    return Run(folder)


def test_seeds_of_one_setting_are_one_row(captions_run: Run, tmp_path: Path) -> None:
    other = changed(captions_run, tmp_path / "run-1", "seed = 1", higher=0.5)
    rows = seed_rows([captions_run, other])

    assert [row.name.rpartition(": ")[2] for row in rows] == [
        "real text",
        "mle",
        "mle at T = 0.8",
        "sda",
    ]
    assert all(row.seeds == (captions_run.settings.seed, 1) for row in rows)
    first = {score.name: score.value for score in captions_run.scores()[3].scores}
    assert rows[3].values["bleu-3"] == pytest.approx([first["bleu-3"], first["bleu-3"] + 0.5])


def test_other_settings_are_other_rows(captions_run: Run, tmp_path: Path) -> None:
    other = changed(captions_run, tmp_path / "other", "threads = 2", higher=0.5)
    names = [row.name for row in seed_rows([captions_run, other])]

    assert names.count("real text") == 2
    assert len(names) == len(set(names)) + 1 == 2 * len(captions_run.scores())


def test_runs_on_other_texts_are_refused(captions_run: Run, toy_run: Run) -> None:
    with pytest.raises(UserError, match="runs are compared on one text"):
        seed_rows([captions_run, toy_run])


def with_method(run: Run, folder: Path, method: str, start: str | None = None) -> Run:
    """A copy of the run that says its last row is another method's, and scored 0.5 higher."""
    shutil.copytree(run.path, folder)
    config = folder / "config.toml"
    changed = {"method =": f'method = "{method}"\n'}
    if start is not None:
        changed["# start is not set"] = f'start = "{start}"\n'
    config.write_text(
        "".join(
            next((new for old, new in changed.items() if line.startswith(old)), line)
            for line in config.read_text().splitlines(keepends=True)
        )
    )
    scores = json.loads((folder / "scores.json").read_text())
    last = scores["rows"][-1]
    last["name"] = method
    for score in last["scores"]:
        score["value"] += 0.5
    (folder / "scores.json").write_text(json.dumps(scores))
    return Run(folder)


def test_a_shared_start_stands_once(captions_run: Run, tmp_path: Path) -> None:
    other = with_method(captions_run, tmp_path / "other-0", "raft")

    names = [row.name for row in seed_rows([captions_run, other])]

    assert names == ["real text", "mle", "mle at T = 0.8", "run: sda", "other: raft"]


def test_starts_that_differ_keep_the_names_of_their_runs(captions_run: Run, tmp_path: Path) -> None:
    other = with_method(
        changed(captions_run, tmp_path / "a", "seed = 1", higher=0.5), tmp_path / "b", "raft"
    )

    names = [row.name for row in seed_rows([captions_run, other])]

    assert names[1:3] == ["run: mle", "run: mle at T = 0.8"]
    assert names[5:7] == ["b: mle", "b: mle at T = 0.8"]


def test_a_start_of_its_own_for_each_seed_splits_no_row(captions_run: Run, tmp_path: Path) -> None:
    first = with_method(captions_run, tmp_path / "x-0", "sda", start="starts/0")
    copy = changed(captions_run, tmp_path / "copy", "seed = 1", higher=0.5)
    second = with_method(copy, tmp_path / "x-1", "sda", start="starts/1")

    rows = seed_rows([first, second])

    assert first.settings.start != second.settings.start
    assert [row.seeds for row in rows] == [(0, 1)] * 4
    assert rows[-1].name == "x: sda"


def test_folders_of_an_experiment_lose_seed_and_key(captions_run: Run, tmp_path: Path) -> None:
    names = ("coco-rnn-sda-small-0-0123456789", "coco-rnn-raft-small-0-0123456789abc")
    first = shutil.copytree(captions_run.path, tmp_path / names[0])
    second = with_method(captions_run, tmp_path / names[1], "raft")

    rows = seed_rows([Run(first), second])

    assert [row.name for row in rows[-2:]] == [
        "sda-small: sda",
        "raft-small-0-0123456789abc: raft",
    ]


def test_the_own_metric_of_a_run_is_a_column_and_its_verdict_stands_below(
    captions_run: Run, tmp_path: Path
) -> None:
    shutil.copytree(captions_run.path, tmp_path / "mine")
    quality = Quality("mine", start=0.25, result=0.5, error=0.01, scored=100, needed=1.64)
    handed = HandedOver("last", "Stage II bought something.", Comparison((), quality))
    (tmp_path / "mine" / "handed_over.json").write_text(json.dumps(handed.as_dict()))
    run = Run(tmp_path / "mine")
    rows = seed_rows([run])
    table = seed_table(rows, SHORT, notes=verdicts([run]))

    assert table.header[:3] == ["", "seeds", "metric"]
    assert [row[2] for row in table.body] == ["-", "0.250", "-", "0.500"]
    assert table.notes == ["mine: Stage II bought something.", METRIC_NOTE]


def test_a_run_given_twice_is_refused(captions_run: Run) -> None:
    with pytest.raises(UserError, match="one run twice"):
        seed_rows([captions_run, captions_run])


def test_an_unknown_score_is_named(captions_run: Run) -> None:
    with pytest.raises(UserError, match=r"no run has the score 'blue-3' \(known: bleu-2"):
        seed_table(seed_rows([captions_run]), ["blue-3"], strict=True)


@pytest.mark.parametrize("content", ["{}", "[]", "null", '{"rows": [1]}'])
def test_damaged_scores_are_named(captions_run: Run, tmp_path: Path, content: str) -> None:
    shutil.copytree(captions_run.path, tmp_path / "run")
    (tmp_path / "run" / "scores.json").write_text(content)
    with pytest.raises(UserError, match=r"scores\.json: .*(field required|should be an object)"):
        seed_rows([Run(tmp_path / "run")])


def test_an_unfinished_run_is_refused(captions_run: Run, tmp_path: Path) -> None:
    shutil.copytree(captions_run.path, tmp_path / "run")
    (tmp_path / "run" / "finished.json").unlink()
    with pytest.raises(UserError, match="not finished"):
        seed_rows([Run(tmp_path / "run")])


def test_cells() -> None:
    values = {"bleu-3": [0.25, 0.75], "length": [11.0], "types": [7.0], "rare-types": [2.0, 3.0]}
    row = SeedRow("x", (0, 1), values)

    table = seed_table([row], ["bleu-3", "length", "mauve-ngram", "types", "rare-types"])
    # A count is a whole number, and the mean of some is none.
    assert table.header == ["", "seeds", "bleu-3", "length", "types", "rare-types"]
    assert table.body == [["x", "2", "0.500 ± 0.354", "11.0", "7", "2.500 ± 0.707"]]
