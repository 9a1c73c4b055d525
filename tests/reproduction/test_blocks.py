"""Generated blocks of a page follow the ledger, the rest of the page stays, markers are checked."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny import Answer

from reproduction.records import jobs_of, record_of, write_ledger
from sda.errors import UserError
from sda.reproduction.blocks import tables_of, updated
from sda.reproduction.definitions import experiment
from sda.reproduction.ledger import Ledger

Command = Callable[..., Answer]
JOBS = jobs_of("grammar")
EMPTY = Ledger(Path("nowhere"))


def run(row: str, seed: int, **changes: Any) -> dict[str, Any]:
    figures = {"scores": {"grammar-issues": 12.5}, "real": {"grammar-issues": 3.0}}
    return record_of(JOBS[row, seed], **{**figures, **changes})


def page(*markers: str) -> str:
    blocks = [f"<!-- begin {marker} -->\nold\n<!-- end -->\n" for marker in markers]
    return "before\n\n" + "\nbetween\n\n".join(blocks) + "\nafter\n"


def update(text: str, ledger: Ledger = EMPTY) -> str:
    return updated(text, tables_of(ledger, "small"), "page.md")


def test_a_changed_ledger_is_noticed(tmp_path: Path) -> None:
    ledger = write_ledger(tmp_path, [run("mle", 0)])
    text = update(page("table grammar"), ledger)
    assert update(text, ledger) == text

    changed = write_ledger(tmp_path, [run("mle", 0, scores={"grammar-issues": 12.6})])

    assert update(text, changed) != text


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
    once = update(page("table grammar", "provenance grammar rnn", "samples grammar"), ledger)

    assert update(once, ledger) == once


def test_a_block_without_a_base_has_all_that_ran(tmp_path: Path) -> None:
    leak = jobs_of("grammar", base="leakrnn")["mle", 0]
    other = record_of(leak, scores={"grammar-issues": 20.0})
    ledger = write_ledger(tmp_path, [run("mle", 0), other])

    both = update(page("table grammar"), ledger)
    assert "\n| RNN (single run)" in both and "\n| LeakRNN (single run)" in both
    assert both.count("grammar-issues, paper") == 1
    one = update(page("table grammar leakrnn"), ledger)
    assert "\n| RNN (single run)" not in one and "\n| LeakRNN (single run)" in one


def test_a_table_has_the_scores_that_are_named(tmp_path: Path) -> None:
    ledger = write_ledger(tmp_path, [run("mle", 0, scores={"bleu-3": 0.25, "length": 9.5})])

    text = update(page("table grammar rnn scores=bleu-3"), ledger)

    assert "\n|  | seeds | bleu-3 |\n" in text
    assert "\n| RNN (single run) | 1 | 0.250 |\n" in text


def test_a_table_without_named_scores_has_those_that_fit(tmp_path: Path) -> None:
    ledger = write_ledger(tmp_path, [run("mle", 0)])

    header = update(page("table grammar rnn"), ledger).split("\n|")[1]

    # No distance: there is one row. Eight columns hold two scores with the paper's, and two more.
    titles = "seeds | grammar-issues | grammar-issues, paper | length | length, paper | bleu-3"
    assert header == f"  | {titles} | self-bleu-3 |"


def test_a_block_has_the_rows_that_are_named(tmp_path: Path) -> None:
    ledger = write_ledger(tmp_path, [run("mle", 0), run("rl", 0), run("sda", 0)])

    text = update(page("table grammar rnn rows=mle,sda"), ledger)

    assert "RNN +SDA (single run)" in text and "RNN +RL (single run)" not in text


def test_what_is_true_of_one_base_names_it(tmp_path: Path) -> None:
    leak = record_of(jobs_of("grammar", base="leakrnn")["mle", 0], alarms=["duplicates"])
    ledger = write_ledger(tmp_path, [run("mle", 0), leak])

    text = update(page("table grammar"), ledger)

    assert "- LeakRNN: Alarms: duplicates: LeakRNN.\n" in text
    assert "- RNN: Missing runs: " in text


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
        ("<!-- begin table coco row=sda -->\n<!-- end -->\n", "line 1: a block begins with"),
        ("<!-- begin table coco rows=sdb -->\n<!-- end -->\n", "line 1: unknown row 'sdb'"),
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


def test_scores_that_a_table_cannot_have_are_named(tmp_path: Path) -> None:
    ledger = write_ledger(tmp_path, [run("mle", 0)])
    with pytest.raises(UserError, match=r"^page.md, line 3: unknown score 'blue-3' \(known: gramm"):
        update(page("table grammar scores=blue-3"), ledger)
    with pytest.raises(UserError, match=r"^page.md, line 3: more than 8 columns"):
        update(
            page("table grammar scores=grammar-issues,length,bleu-3,self-bleu-3,nll-test"), ledger
        )


def test_the_command_updates_all_pages_of_a_folder(tmp_path: Path, command: Command) -> None:
    write_ledger(tmp_path / "results", [run("mle", 0)])
    one, two, other = (tmp_path / "pages" / name for name in ("one.md", "two.md", "notes.txt"))
    one.parent.mkdir()
    for file in (one, other):
        file.write_text(page("table grammar rnn"))
    two.write_text("Without a block.\n")

    answer = command("table", "--update", one.parent, "--results", tmp_path / "results")

    assert answer.out == f"{one}: changed\n{two}: up to date\n"
    assert other.read_text() == page("table grammar rnn")


def test_a_folder_without_pages_is_named(tmp_path: Path, command: Command) -> None:
    (tmp_path / "pages").mkdir()
    answer = command("table", "--update", tmp_path / "pages", "--results", tmp_path)

    assert answer.code == 2 and "pages: no page" in answer.err


def test_a_missing_page_is_named(tmp_path: Path, command: Command) -> None:
    answer = command("table", "--update", tmp_path / "none.md", "--results", tmp_path)

    assert answer.code == 2 and "none.md: No such file" in answer.err
