"""The table for a terminal: it fits 80 columns, and the paper's figure stands beside the score."""

import io
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from reproduction.records import jobs_of, record_of, write_ledger
from sda.reproduction.definitions import Portion, experiment, experiment_names
from sda.reproduction.ledger import Ledger
from sda.reproduction.narrow import narrow_sheet
from sda.reproduction.shipped import shipped_folder
from sda.reproduction.tables import BaseTable, base_tables
from sda.show.rich_tables import show


def printed(tables: list[BaseTable], width: int = 80) -> list[str]:
    text = io.StringIO()
    for table in tables:
        show(narrow_sheet(table), Console(file=text, width=width))
    return text.getvalue().splitlines()


def table_of(folder: Path, rows: dict[tuple[str, int], float]) -> BaseTable:
    jobs = jobs_of("coco")
    records = [
        record_of(jobs[place], scores={"bleu-5": value, "bleu-2": 0.9, "self-bleu-5": 0.25})
        for place, value in rows.items()
    ]
    ledger = write_ledger(folder, records)
    return base_tables(experiment("coco"), ledger, Portion("small", ["rnn"]))[0]


def test_main_scores_with_the_papers_beside_them(tmp_path: Path) -> None:
    rows = {("mle", 0): 0.25, ("mle", 1): 0.27, ("sda", 0): 0.31, ("sda", 1): 0.33}
    found = narrow_sheet(table_of(tmp_path, rows))

    assert found.header == ["", "bleu-5", "paper", "self-bleu-5", "above the curve"]
    assert [row[:3] for row in found.body] == [
        ["RNN", "0.260 ± 0.014", "0.201"],
        ["+RL (no run)", "-", "0.211"],
        ["+EDA (no run)", "-", "0.220"],
        ["+SDA", "0.320 ± 0.014", "0.222"],
    ]
    assert found.notes[0] == "Mean ± standard deviation of 2 seeds."
    assert any(note.startswith("Missing runs: seed 2 of RNN, +SDA") for note in found.notes)
    assert found.notes[-1].endswith("--all.")


def test_rows_with_fewer_seeds_say_so(tmp_path: Path) -> None:
    several = {("mle", 0): 0.25, ("mle", 1): 0.27, ("mle", 2): 0.26}
    rows = several | {("sda", 0): 0.31, ("sda", 1): 0.33, ("rl", 0): 0.2}
    names = [row[0] for row in narrow_sheet(table_of(tmp_path, rows)).body]

    assert "+RL (single run)" in names and "+SDA (2 seeds)" in names and "RNN" in names


def test_single_runs_are_told(tmp_path: Path) -> None:
    assert narrow_sheet(table_of(tmp_path, {("mle", 0): 0.25})).notes[0] == "Single runs."


@pytest.mark.parametrize("name", experiment_names())
def test_main_columns_are_columns_of_the_table(name: str) -> None:
    found = experiment(name)

    assert found.main and set(found.main) <= {*found.scores, *found.beside}


def test_the_projects_tables_fit_the_terminal_and_break_no_figure() -> None:
    ledger = Ledger(shipped_folder())
    for name in ("coco", "grammar", "vocabulary"):
        lines = printed(base_tables(experiment(name), ledger, Portion("small", ["rnn"])))

        assert lines and max(map(cell_len, lines)) <= 80
        # A table is one: it has one line with the titles of columns.
        assert sum("above the curve" in line and "┃" in line for line in lines) == 1
        # No figure is cut off from its deviation.
        assert not any(line.rstrip(" │").endswith("±") for line in lines)
