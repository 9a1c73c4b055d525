"""The commands as functions."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny import tiny_settings, tiny_table, toy_lines
from torch import Tensor

import sda
from sda.evaluation.evaluator import Options
from sda.runs.start import check_start


def prefers_cats(texts: list[str]) -> list[float]:
    return [float(text.split().count("cat")) for text in texts]


def test_names_of_the_package() -> None:
    assert all(hasattr(sda, name) for name in sda.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = sda.nothing


def test_train_with_a_function_as_the_metric(toy_file: Path, tmp_path: Path) -> None:
    run = sda.train(
        toy_file,
        tmp_path / "run",
        metric=prefers_cats,
        profile="smoke",
        preset="paper",
        seed=3,
        settings=tiny_table(),
    )

    assert isinstance(run, sda.Run)
    assert run.is_finished
    assert run.settings.seed == 3
    assert run.settings.stage2.rollouts == 1
    assert run.settings.metric[0]["function"].endswith("test_api:prefers_cats")
    assert [row.name for row in run.scores()] == ["real text", "mle", "mle", "sda"]
    assert len(run.sample(4)) == 4
    # The best sentences of the buffer are those with the word, and only fewer of it follow.
    texts = [line.split('"text": "')[1] for line in run.folder.buffer.read_text().splitlines()]
    counts = [text.count("cat") for text in texts]
    assert counts[0] > 0
    assert counts == sorted(counts, reverse=True)


def test_train_goes_on_with_a_function(toy_file: Path, tmp_path: Path) -> None:
    asked = []

    def broken(texts: list[str]) -> list[float]:
        # Not while it is tried: nothing would be left to go on with.
        asked.append(texts)
        return [1 / (len(asked) < 3)] * len(texts)

    settings = {**tiny_table(), "seed": 4, "calls": {"wait": 0.0}}
    choices: dict[str, Any] = {"profile": "smoke", "preset": "paper", "settings": settings}
    with pytest.raises(sda.UserError, match=r"metric .*broken: raised ZeroDivisionError"):
        sda.train(toy_file, tmp_path, metric=broken, **choices)

    # What was handed in is part of the settings of the run.
    with pytest.raises(sda.UserError, match=r"handed in as an object \(.*\.broken\)"):
        sda.train(toy_file, tmp_path, metric=prefers_cats, resume=True, **choices)


def test_train_reads_a_settings_file(
    toy_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "mine.toml"
    config.write_text(
        "seed = 5\n[mle]\nepochs = 1\n[stage2]\nepochs = 0\n[evaluation]\nfinal_samples = 20\n"
    )
    run = sda.train(
        str(toy_file), str(tmp_path / "run"), profile="smoke", config=str(config), quiet=False
    )

    assert [line["stage"] for line in run.progress()] == ["mle"]
    assert run.settings.seed == 5
    assert "MLE 1:" in capsys.readouterr().err


class Lines:
    """Keeps what it is called with, and ends training at one epoch."""

    def __init__(self, stage: str, epoch: int) -> None:
        self.end = (stage, epoch)
        self.seen: list[dict[str, Any]] = []

    def __call__(self, line: dict[str, Any]) -> bool:
        self.seen.append(line)
        return (line["stage"], line["epoch"]) == self.end


@pytest.mark.parametrize("every", [1, 10])
@pytest.mark.parametrize(
    ("stage", "epochs"), [("mle", 1), ("discriminator", 3), ("imitation", 4), ("no stage", 5)]
)
def test_a_callback_sees_every_epoch_and_may_end_training(
    stage: str, epochs: int, every: int, toy_file: Path, tmp_path: Path
) -> None:
    ending, watching = Lines(stage, 1), Lines("no stage", 0)
    run = sda.train(
        toy_file,
        tmp_path / "run",
        profile="smoke",
        preset="paper",
        settings={**tiny_table(), "checkpoint_every": every},
        callbacks=[ending, watching],
    )
    end = json.loads(run.folder.finished.read_text())

    assert run.is_finished and end["epochs"] == epochs
    assert end.get("stopped_in") == (stage if epochs < 5 else None)
    assert run.progress() == ending.seen == watching.seen and len(ending.seen) == epochs
    assert run.folder.checkpoints.latest() == f"{epochs:06}"
    names = [row.name for row in run.scores()]
    assert names == ["real text", "mle", "mle"] + (["sda"] if epochs > 3 else [])
    assert len(run.sample(3)) == len(run.sample(3, stage="mle")) == 3
    if epochs < 3:
        with pytest.raises(sda.UserError, match="a callback ended its Stage I"):
            sda.train(
                toy_file,
                tmp_path / "other",
                profile="smoke",
                preset="paper",
                settings={**tiny_table(), "start": str(run.path)},
            )


@pytest.mark.parametrize(("stage", "epochs"), [("mle", 1), ("discriminator", 3), ("imitation", 4)])
def test_a_callback_has_ended_training_also_if_scoring_is_interrupted(
    stage: str, epochs: int, toy_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*given: object) -> None:
        raise KeyboardInterrupt

    choices: dict[str, Any] = {"profile": "smoke", "preset": "paper", "settings": tiny_table()}
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("sda.runs.finishing.score_rows", killed)
        sda.train(toy_file, tmp_path / "run", callbacks=[Lines(stage, 1)], **choices)
    settings, _ = tiny_settings(toy_file, values={"start": str(tmp_path / "run")})
    # Only a Stage I that has all of its epochs may be the start of another run.
    for _ in range(2):
        if epochs < 3:
            with pytest.raises(sda.UserError, match="a callback ended its Stage I"):
                check_start(settings)
        else:
            check_start(settings)
        run = sda.train(toy_file, tmp_path / "run", resume=True, **choices)
    end = json.loads(run.folder.finished.read_text())

    assert len(run.progress()) == end["epochs"] == epochs
    assert end["stopped_in"] == stage


def test_arguments_of_a_metric_class_that_is_handed_in(toy_file: Path, tmp_path: Path) -> None:
    class Scaled(sda.ReferenceMetric):
        name = "scaled"

        def __init__(self, scale: float = 1.0) -> None:
            self.scale = scale

        def __call__(self, sentences: sda.Sentences) -> Tensor:
            return torch.full((len(sentences),), self.scale, dtype=torch.float64)

    def train(parts: object) -> sda.Run:
        return sda.train(
            toy_file,
            tmp_path / "run",
            method="raft",
            metric=Scaled,
            profile="smoke",
            settings={**tiny_table(), "metric": parts},
        )

    for wrong in ({"scale": 3.0}, [], [{"scale": 3.0}, {"scale": 4.0}], ["scale"]):
        with pytest.raises(sda.UserError, match=r"setting 'metric': the metric was handed in, so"):
            train(wrong)
    with pytest.raises(sda.UserError, match=r"unknown setting 'metric\.0\.scal' .* takes: scale"):
        train([{"scal": 3.0}])
    run = train([{"scale": 3.0, "weight": 2.0}])

    records = [json.loads(line) for line in run.folder.buffer.read_text().splitlines()]
    assert records[0]["parts"] == {"scaled": 6.0}
    assert run.settings.metric[0]["scale"] == 3.0


def test_a_wrong_setting_is_named(toy_file: Path, tmp_path: Path) -> None:
    with pytest.raises(sda.UserError, match=r"unknown setting 'stage2\.rolouts'"):
        sda.train(toy_file, tmp_path / "run", settings={"stage2": {"rolouts": 4}})
    assert not (tmp_path / "run").exists()


def test_evaluate_takes_lists_and_files(toy_file: Path, tmp_path: Path) -> None:
    samples = toy_lines()[:10]
    path = tmp_path / "samples.txt"
    path.write_text("\n".join(samples) + "\n")
    whole = Options(ceiling=False)
    lists = sda.evaluate(samples, toy_lines(), options=whole)

    assert sda.evaluate(path, toy_file, options=whole) == lists
    assert sda.evaluate(str(path), toy_lines(), options=whole) == lists
    scores = {score.name: score.value for score in lists.scores}
    assert scores["bleu-5"] == pytest.approx(1.0)
    assert scores["length"] == 6.0
    assert "copy-share" not in scores
    copies = sda.evaluate(samples, toy_file, toy_file, options=whole)
    assert copies.value("copy-share") == 1.0
    assert sda.evaluate(samples, toy_file).ceiling


def test_evaluate_says_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(sda.UserError, match=r"nothing\.txt does not exist"):
        sda.evaluate(["a b"], tmp_path / "nothing.txt")


def test_scores_are_plain_floats(toy_file: Path) -> None:
    found = sda.evaluate(toy_lines()[:20], toy_file)
    for score in (*found.scores, *found.ceiling):
        assert type(score.value) is float
        assert score.standard_error is None or type(score.standard_error) is float
        assert score.interval is None or set(map(type, score.interval)) == {float}


def test_what_there_is_to_use() -> None:
    assert {"train", "resume", "evaluate", "Run", "UserError"} <= set(dir(sda))
    assert all(getattr(sda, name) is not None for name in dir(sda))


def test_messages_do_not_show_all_of_a_list(tmp_path: Path) -> None:
    texts = toy_lines()
    with pytest.raises(sda.UserError) as caught:
        sda.train([texts], tmp_path / "run")  # type: ignore[list-item]
    assert str(caught.value) == (
        f"source: text 1 is ['{texts[0]}', '{texts[1]}', ...], not a string"
    )
    for wrong in ({"out": texts}, {"metric": texts}, {"generator": texts}):
        arguments: Any = {"out": tmp_path / "run", **wrong}
        with pytest.raises(sda.UserError) as caught:
            sda.train(texts, **arguments)
        assert len(str(caught.value)) < 250 and "--" not in str(caught.value)


def test_resume_needs_the_folder_alone(tmp_path: Path) -> None:
    def short(texts: list[str]) -> list[float]:
        return [-float(len(text)) for text in texts]

    def interrupt(line: dict[str, Any]) -> None:
        raise KeyboardInterrupt

    out, texts = tmp_path / "run", toy_lines()
    settings: Any = {"profile": "smoke", "preset": "paper", "settings": tiny_table()}
    with pytest.raises(KeyboardInterrupt):
        sda.train(texts, out, metric=short, callbacks=[interrupt], **settings)
    words = r"give it again in Python, as metric=\.\.\. of sda\.Run"
    with pytest.raises(sda.UserError, match=words):
        sda.resume(out)
    assert sda.resume(out, metric=short).is_finished
