"""Generated blocks of a page follow the ledger, the rest of the page stays, markers are checked."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny import Answer

from reproduction.records import jobs_of, record_of, write_ledger
from sda.errors import UserError
from sda.reproduction.blocks import updated
from sda.reproduction.definitions import experiment, experiment_names
from sda.reproduction.ledger import Ledger

Command = Callable[..., Answer]
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "results.md"
JOBS = jobs_of("grammar")
EMPTY = Ledger(Path("nowhere"))


def run(row: str, seed: int, **changes: Any) -> dict[str, Any]:
    figures = {"scores": {"grammar-issues": 12.5}, "real": {"grammar-issues": 3.0}}
    return record_of(JOBS[row, seed], **{**figures, **changes})


def page(*markers: str) -> str:
    blocks = [f"<!-- begin {marker} -->\nold\n<!-- end -->\n" for marker in markers]
    return "before\n\n" + "\nbetween\n\n".join(blocks) + "\nafter\n"


def update(text: str, ledger: Ledger = EMPTY) -> str:
    return updated(text, ledger, "small", "page.md")


def is_up_to_date(text: str, ledger: Ledger) -> bool:
    return updated(text, ledger, "small", "docs/results.md") == text


def test_the_page_of_results_is_up_to_date() -> None:
    assert is_up_to_date(PAGE.read_text(encoding="utf-8"), Ledger(ROOT / "results"))


def test_a_changed_ledger_is_noticed(tmp_path: Path) -> None:
    ledger = write_ledger(tmp_path, [run("mle", 0)])
    text = update(page("table grammar"), ledger)
    assert is_up_to_date(text, ledger)

    changed = write_ledger(tmp_path, [run("mle", 0, scores={"grammar-issues": 12.6})])

    assert not is_up_to_date(text, changed)


def test_the_page_of_results_follows_its_ledger(tmp_path: Path) -> None:
    ledger = write_ledger(tmp_path, [run("mle", 0, scores={"grammar-issues": 99.9})])

    assert not is_up_to_date(PAGE.read_text(encoding="utf-8"), ledger)


def test_the_page_has_a_section_for_every_experiment() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name in experiment_names():
        assert text.count(f"\n## {experiment(name).heading()}\n") == 1, name
        assert f"<!-- begin table {name} -->" in text
        assert f"<!-- begin question {name} -->" in text


def test_a_question_needs_no_runs() -> None:
    found = experiment("coco")
    words = " ".join(update(page("question coco")).split())

    assert found.question in words and found.note.strip() in words


def test_what_is_written_by_hand_stays() -> None:
    text = update(page("table coco rnn", "provenance coco"))

    assert text.startswith(
        "before\n\n<!-- begin table coco rnn -->\n\nNo runs yet.\n\n<!-- end -->"
    )
    assert "\nbetween\n" in text and text.endswith("<!-- end -->\n\nafter\n")
    assert "old" not in text


def test_a_second_time_changes_nothing(tmp_path: Path) -> None:
    ledger = write_ledger(tmp_path, [run("mle", 0), run("sda", 0)])
    once = update(page("table grammar", "differences grammar rnn", "samples grammar"), ledger)

    assert update(once, ledger) == once


def test_a_block_without_a_base_has_all_that_ran(tmp_path: Path) -> None:
    leak = jobs_of("grammar", base="leakrnn")["mle", 0]
    other = record_of(leak, scores={"grammar-issues": 20.0})
    ledger = write_ledger(tmp_path, [run("mle", 0), other])

    both = update(page("table grammar"), ledger)
    assert "base RNN" in both and "base LeakRNN" in both
    one = update(page("table grammar leakrnn"), ledger)
    assert "base RNN" not in one and "base LeakRNN" in one


def test_provenance_counts_a_shared_start_once(tmp_path: Path) -> None:
    hour = {"updates": 1, "written": 1, "seconds": 3600.0, "cpu_seconds": 3600.0}
    longer = {**hour, "cpu_seconds": 2 * 3600.0}
    ledger = write_ledger(
        tmp_path,
        [
            run("mle", 0, costs=hour, first_stage_costs=hour),
            run("rl", 0, costs=longer, first_stage_costs=hour, commit="fedcba987654"),
            run("sda", 0, costs=longer, first_stage_costs=hour),
            run("sda", 1, costs=longer, first_stage_costs=hour),
        ],
    )
    text = update(page("provenance grammar"), ledger)

    assert "\nsda reproduce grammar --profile small --data DATA\n" in text
    assert "- rnn: seeds 0, 1 (1 of 3 rows); seed 0 (2 of 3 rows)\n" in text
    assert "- leakrnn: no run (all rows)\n" in text
    assert "- commits: 0123456789ab (3 runs), fedcba987654 (1 run)\n" in text
    assert "- packages: python 3.11.7, torch 2.13.0, numpy 2.4.6, numba 0.68.1\n" in text
    assert "- ledger: results/grammar (4 runs)\n" in text
    assert "- CPU time: 4.0 hours\n" in text


def test_samples_of_the_first_seed_of_each_row(tmp_path: Path) -> None:
    ledger = write_ledger(
        tmp_path,
        [
            run("mle", 0, samples=["a cat", "a dog"]),
            run("mle", 1, samples=["never shown"]),
            run("sda", 1, samples=["two cats"]),
        ],
    )
    text = update(page("samples grammar rnn"), ledger)

    assert "RNN, seed 0:\n\n```text\na cat\na dog\n```\n" in text
    assert "RNN +SDA, seed 1:\n\n```text\ntwo cats\n```\n" in text
    assert "never shown" not in text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x\n<!-- begin tabel coco -->\n<!-- end -->\n", "line 2: a block begins with"),
        ("<!-- begin table -->\n<!-- end -->\n", "line 1: a block begins with"),
        ("<!-- begin table coco rnn 3 -->\n<!-- end -->\n", "line 1: a block begins with"),
        ("<!-- begin -->\n<!-- end -->\n", "line 1: a block begins with"),
        ("\n\n<!-- begin table cocoa -->\n<!-- end -->\n", "line 3: unknown experiment 'cocoa'"),
        ("<!-- begin table coco gpt -->\n<!-- end -->\n", "line 1: unknown model 'gpt'"),
        ("x\n<!-- begin table coco -->\n", "line 2: this block has no '<!-- end -->'"),
        (
            "<!-- begin table coco -->\n<!-- begin table emnlp -->\n<!-- end -->\n",
            "line 1: this block has no '<!-- end -->'",
        ),
        ("x\n<!-- end -->\n", "line 2: '<!-- end -->' ends no block"),
    ],
)
def test_wrong_markers_are_named_with_their_line(text: str, words: str) -> None:
    with pytest.raises(UserError) as caught:
        update(text)
    assert str(caught.value).startswith(f"page.md, {words}")


def test_the_command_updates_a_page(tmp_path: Path, command: Command) -> None:
    write_ledger(tmp_path / "results", [run("mle", 0)])
    file = tmp_path / "page.md"
    file.write_text(page("table grammar rnn"))
    arguments = ("table", "--update", file, "--results", tmp_path / "results")

    assert command(*arguments).out == f"{file}: changed\n"
    assert "RNN (single run)" in file.read_text()
    assert command(*arguments).out == f"{file}: up to date\n"


def test_a_missing_page_is_named(tmp_path: Path, command: Command) -> None:
    answer = command("table", "--update", tmp_path / "none.md", "--results", tmp_path)

    assert answer.code == 2 and "none.md: No such file" in answer.err
