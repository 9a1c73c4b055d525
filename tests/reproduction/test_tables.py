"""The table of an experiment from records by hand: every kind of row, cell and note."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tiny import Answer

from reproduction.records import jobs_of, record_of, write_ledger
from sda.reproduction.contrasts import as_dict, difference_sheet, distance_sheet, main_sheets
from sda.reproduction.definitions import Portion, experiment
from sda.reproduction.tables import ABOVE, BaseTable, base_tables
from sda.show.markup import as_latex, as_markdown
from sda.show.rich_tables import wide_text
from sda.show.table import Table

Command = Callable[..., Answer]
JOBS = jobs_of("emnlp")
REAL = {"bleu-2": 0.9, "bleu-5": 0.5, "distinct-2": 0.7}
# A start whose BLEU-5 is its self-BLEU-5 plus 0.1 at every temperature.
CURVE = {1.0: 0.2, 0.83: 0.4, 0.5: 0.6}


def points(pairs: Mapping[float, tuple[float, float]]) -> dict[float, list[dict[str, float]]]:
    """Two samplings around each pair of self-BLEU-5 and BLEU-5."""
    return {
        temperature: [
            {"self-bleu-5": x - 0.01, "bleu-5": y - 0.01, "distinct-2": 0.5},
            {"self-bleu-5": x + 0.01, "bleu-5": y + 0.01, "distinct-2": 0.7},
        ]
        for temperature, (x, y) in pairs.items()
    }


def start(seed: int, **changes: Any) -> dict[str, Any]:
    """Maximum likelihood with BLEU-5 of 0.3, 0.4, 0.5 for seeds 0, 1, 2."""
    figures = {
        "scores": {"bleu-5": 0.3 + seed / 10, "self-bleu-5": 0.2, "length": 11.25},
        "real": REAL,
        "points": points({t: (x, x + 0.1) for t, x in CURVE.items()}),
    }
    return record_of(JOBS["mle", seed], **{**figures, **changes})


def sda(seed: int, **changes: Any) -> dict[str, Any]:
    """0.02, 0.03 and 0.04 above the curve of the start as trained."""
    figures = {
        "scores": {"bleu-5": 0.35 + seed / 10, "self-bleu-5": 0.3},
        "real": REAL,
        "points": points({1.0: (0.3, 0.42 + seed / 100), 0.83: (0.5, 0.6)}),
    }
    return record_of(JOBS["sda", seed], **{**figures, **changes})


def table(folder: Path, *records: dict[str, Any]) -> BaseTable:
    ledger = write_ledger(folder, records)
    return base_tables(experiment("emnlp"), ledger, Portion("small", ["rnn"]))[0]


def cells(sheet: Table, row: str) -> dict[str, str]:
    """The cells of a row by column."""
    found = next(each for each in sheet.body if each[0] == row)
    return dict(zip(sheet.header, found, strict=True))


def note(sheet: Table, beginning: str) -> str | None:
    return next((text for text in sheet.notes if text.startswith(beginning)), None)


def test_mean_and_deviation_beside_the_paper(tmp_path: Path) -> None:
    sheet = table(tmp_path, *(start(seed) for seed in range(3))).sheet()

    row = cells(sheet, "RNN")
    assert row["seeds"] == "3"
    assert row["bleu-5"] == "0.400 ± 0.100"
    assert row["bleu-5, paper"] == f"{experiment_paper('mle', 'bleu-5'):.3f}"
    assert row["length"] == "11.2 ± 0.0"
    assert (row["updates"], row["cpu-minutes"]) == ("100 ± 0", "2.0 ± 0.0")
    assert row[ABOVE] == "the curve"


def experiment_paper(row: str, score: str) -> float:
    return experiment("emnlp").row(row).paper["rnn"][score]


def test_columns_stand_as_in_the_paper(tmp_path: Path) -> None:
    header = table(tmp_path).sheet().header

    assert header[:6] == ["", "seeds", "bleu-2", "bleu-2, paper", "bleu-3", "bleu-3, paper"]
    # No paper has a self-BLEU.
    assert header[10:] == [*experiment("emnlp").beside, ABOVE]


def test_real_text_is_the_first_row(tmp_path: Path) -> None:
    sheet = table(tmp_path, start(0), sda(0)).sheet()

    assert sheet.body[0][0] == "real text"
    assert cells(sheet, "real text")["bleu-2"] == "0.900"
    assert [row[0] for row in sheet.body].count("real text") == 1


def test_real_text_of_another_vocabulary_is_another_row(tmp_path: Path) -> None:
    other = sda(0, real={**REAL, "bleu-2": 0.8})
    names = [row[0] for row in table(tmp_path, start(0), other).sheet().body]

    assert names[0] == "real text for RNN"
    assert names[names.index("RNN +SDA (single run)") - 1] == "real text for RNN +SDA"


def test_a_start_is_shown_colder(tmp_path: Path) -> None:
    sheet = table(tmp_path, start(0), start(1)).sheet()

    row = cells(sheet, "RNN at T = 0.83")
    assert row["bleu-5"] == "0.500 ± 0.000"
    assert row["distinct-2"] == "0.600 ± 0.000"
    # Points have no BLEU-2 and cost nothing more.
    assert (row["bleu-2"], row["updates"], row[ABOVE]) == ("-", "-", "-")
    assert note(sheet, "The start at a colder temperature") is not None


def told(data: dict[str, Any], sentences: int) -> dict[str, Any]:
    """The record as it is written now, with the number of sentences that points are about."""
    return {**data, "curve": {**data["curve"], "sentences": sentences}}


def test_points_measured_as_the_rows_are_need_no_note(tmp_path: Path) -> None:
    sheet = table(tmp_path, told(start(0), 2000), told(sda(0), 2000)).sheet()

    assert cells(sheet, "RNN at T = 0.83 (single run)")["bleu-5"] == "0.500"
    assert note(sheet, "The start at a colder temperature") is None
    assert note(sheet, "No distance") is None
    assert cells(sheet, "RNN +SDA (single run)")[ABOVE] == "+0.020"


def test_rows_about_other_numbers_than_their_start_are_named(tmp_path: Path) -> None:
    sheet = table(tmp_path, start(0), told(sda(0), 1000)).sheet()

    assert cells(sheet, "RNN +SDA (single run)")[ABOVE] == "-"
    assert note(sheet, "No distance: +SDA, whose curve is about another number") is not None
    # The start was measured before points and rows were about the same sentences.
    assert note(sheet, "The start at a colder temperature") is not None


def test_points_of_the_start_that_were_measured_again_give_a_distance(tmp_path: Path) -> None:
    lower = points({t: (x, x + 0.05) for t, x in CURVE.items()})
    older = {**start(0), "later_curve": told(start(0, points=lower), 1000)["curve"]}
    sheet = table(tmp_path / "new", older, told(sda(0), 1000)).sheet()

    assert cells(sheet, "RNN +SDA (single run)")[ABOVE] == "+0.070"
    assert cells(sheet, "RNN at T = 0.83 (single run)")["bleu-5"] == "0.450"
    assert note(sheet, "No distance") is None
    assert note(sheet, "The start at a colder temperature") is None
    # Beside rows that are as old as the start its first points stay.
    sheet = table(tmp_path / "old", older, sda(0)).sheet()
    assert cells(sheet, "RNN +SDA (single run)")[ABOVE] == "+0.020"
    assert cells(sheet, "RNN at T = 0.83 (single run)")["bleu-5"] == "0.500"


def test_points_about_other_sentences_bring_their_own_start(tmp_path: Path) -> None:
    other = start(0, real_points={"bleu-5": 0.4, "distinct-2": 0.6})
    sheet = table(tmp_path, other).sheet()

    names = [row[0] for row in sheet.body]
    assert names[2:4] == [f"RNN at T = {t} on the curve (single run)" for t in ("1", "0.83")]
    assert note(sheet, "Rows on the curve are about other numbers") is not None


def test_the_distance_above_the_curve(tmp_path: Path) -> None:
    runs = [make(seed) for seed in range(3) for make in (start, sda)]
    sheet = table(tmp_path, *runs).sheet()

    assert cells(sheet, "RNN +SDA")[ABOVE] == "+0.030 ± 0.010"


def test_seeds_outside_the_curve_are_counted(tmp_path: Path) -> None:
    outside = sda(1, points=points({1.0: (0.05, 0.9)}))
    sheet = table(tmp_path, start(0), sda(0), start(1), outside).sheet()

    assert cells(sheet, "RNN +SDA")[ABOVE] == "+0.020, 1 of 2 inside"

    sheet = table(tmp_path / "other", start(1), outside).sheet()
    assert cells(sheet, "RNN +SDA (single run)")[ABOVE] == "outside"


def test_a_row_whose_start_is_not_in_the_ledger_has_no_distance(tmp_path: Path) -> None:
    sheet = table(tmp_path, sda(0)).sheet()

    assert cells(sheet, "RNN +SDA (single run)")[ABOVE] == "-"


def test_missing_runs_are_named(tmp_path: Path) -> None:
    sheet = table(tmp_path, *(start(seed) for seed in range(3)), sda(1)).sheet()

    assert set(cells(sheet, "RNN +RL").values()) - {"RNN +RL", "-"} == {
        f"{experiment_paper('rl', score):.3f}" for score in experiment("emnlp").scores
    }
    assert note(sheet, "Missing") == (
        "Missing runs: seeds 0, 1, 2 of +RL, +EDA; seeds 0, 2 of +SDA."
    )


def test_an_empty_ledger_misses_all(tmp_path: Path) -> None:
    found = table(tmp_path)

    assert not found.has_runs
    assert note(found.sheet(), "Missing") == "Missing runs: seeds 0, 1, 2 of all rows."
    assert [sheet.title for sheet in main_sheets([found])] == [found.sheet().title]


def test_alarms_stand_below(tmp_path: Path) -> None:
    runs = [start(0, alarms=["copies"]), start(1), sda(0, alarms=["copies", "sameness"])]
    sheet = table(tmp_path, *runs).sheet()

    assert note(sheet, "Alarms") == ("Alarms: copies: RNN (1 of 2 seeds), +SDA; sameness: +SDA.")


def test_records_of_another_experiment_are_found(tmp_path: Path) -> None:
    # The start of E5 has the settings of the start of E3.
    elsewhere = record_of(jobs_of("grammar")["mle", 0], scores={"bleu-5": 0.3}, real=REAL)
    found = table(tmp_path, elsewhere)

    assert cells(found.sheet(), "RNN (single run)")["bleu-5"] == "0.300"
    assert as_dict(found)["records"]["mle"] == ["grammar/rnn-mle-small-0.json"]


def test_differences_are_paired_by_seed(tmp_path: Path) -> None:
    runs = [*(start(seed) for seed in range(3)), sda(0), sda(1)]
    sheet = difference_sheet(table(tmp_path, *runs))

    assert [row[0] for row in sheet.body] == ["+SDA minus RNN"]
    row = cells(sheet, "+SDA minus RNN")
    assert row["seeds"] == "2"
    # Both seeds gain 0.05; the means of all seeds, 0.4 and 0.4, would say nothing.
    assert row["bleu-5"] == "+0.050 (+0.050 to +0.050)"
    assert row["self-bleu-5"] == "+0.100 (+0.100 to +0.100)"
    # 0.02 and 0.03 above: 12.706 times 0.005 to either side.
    assert row[ABOVE] == "+0.025 (-0.039 to +0.089)"
    assert row["bleu-2"] == "-"


def test_a_seed_outside_its_curve_is_told_in_the_differences(tmp_path: Path) -> None:
    far = points({1.0: (0.9, 0.95), 0.83: (0.95, 0.99)})
    some = difference_sheet(table(tmp_path, start(0), sda(0), start(1), sda(1, points=far)))
    none = difference_sheet(table(tmp_path / "other", start(0), sda(0, points=far)))

    assert cells(some, "+SDA minus RNN")[ABOVE] == "+0.020, 1 of 2 inside"
    assert cells(some, "+SDA minus RNN")["bleu-5"] == "+0.050 (+0.050 to +0.050)"
    assert cells(none, "+SDA minus RNN (single run)")[ABOVE] == "outside"


def test_a_single_pair_is_called_a_single_run(tmp_path: Path) -> None:
    sheet = difference_sheet(table(tmp_path, start(0), sda(0)))

    assert cells(sheet, "+SDA minus RNN (single run)")["bleu-5"] == "+0.050"


@pytest.mark.parametrize(
    ("name", "rows", "pairs"),
    [
        # Two starts: no row is held against one that began elsewhere.
        (
            "synthetic20",
            ["mle", "sda", "raft", "mle-regular", "sda-regular"],
            ["+SDA minus RNN", "+SDA minus +RAFT", "regular start +SDA minus regular start"],
        ),
        # Of several forms of SDA the one without a mark is the subject.
        ("baselines", ["raft", "sda-gail", "sda"], ["sda minus raft", "sda minus sda-gail"]),
        ("size", ["mle-5", "sda-5", "mle-10"], ["5 % +SDA minus 5 %"]),
        (
            "recommended",
            ["mle", "paper", "recommended"],
            [
                f"metric as reward, data in turn minus {other}"
                for other in ("RNN", "SDA, preset paper")
            ],
        ),
        # Where the preset is an attempt beside the paper's row, that row is the subject.
        (
            "vocabulary",
            ["mle", "un", "sda", "recommended"],
            [
                "+SDA minus RNN",
                "+SDA minus +UN",
                "+SDA minus metric as reward, rare words alone",
            ],
        ),
    ],
)
def test_differences_are_of_one_row_and_within_a_start(
    tmp_path: Path, name: str, rows: list[str], pairs: list[str]
) -> None:
    jobs = jobs_of(name, seeds=1)
    ledger = write_ledger(tmp_path, [record_of(jobs[row, 0]) for row in rows])
    found = base_tables(experiment(name), ledger, Portion("small", ["rnn"]))[0]

    assert [row[0].partition(" (")[0] for row in difference_sheet(found).body] == pairs


def test_distances_on_every_plane(tmp_path: Path) -> None:
    sheet = distance_sheet(table(tmp_path, start(0), sda(0), start(1), sda(1)))

    assert [row[0] for row in sheet.body] == ["RNN +SDA"]
    row = cells(sheet, "RNN +SDA")
    assert row["bleu-5 at equal self-bleu-5"] == "+0.025 (-0.039 to +0.089)"
    # T = 0.83 is at 0 for both seeds.
    assert row["mean of its points"] == "+0.012 (-0.019 to +0.044)"
    assert row["bleu-5 at equal nll-test"] == "-"


def test_forms_hold_the_same_cells(tmp_path: Path) -> None:
    sheets = main_sheets([table(tmp_path, *(start(seed) for seed in range(3)))])

    assert "| RNN | 3 | - |" in as_markdown(sheets[0])
    assert "- Missing runs: " in as_markdown(sheets[0])
    assert r"0.400 $\pm$ 0.100" in as_latex(sheets[0])
    text = wide_text(sheets)
    assert "0.400 ± 0.100" in text
    assert max(map(len, text.splitlines())) <= 100


def test_json_holds_all_values(tmp_path: Path) -> None:
    runs = [make(seed) for seed in range(2) for make in (start, sda)]
    found = json.loads(json.dumps(as_dict(table(tmp_path, *runs))))

    line = next(line for line in found["lines"] if line["row"] == "mle")
    assert line["figures"]["bleu-5"]["values"] == pytest.approx([0.3, 0.4])
    assert line["paper"]["bleu-5"] == experiment_paper("mle", "bleu-5")
    distance = next(each for each in found["distances"] if each["decides"])
    assert distance["row"] == "sda"
    assert distance["as_trained"] == pytest.approx([0.02, 0.03])
    assert found["differences"][0]["figures"]["bleu-5"]["count"] == 2
    assert found["missing"]["sda"] == [2]


def test_the_command_writes_every_form(tmp_path: Path, command: Command) -> None:
    write_ledger(tmp_path / "results", [start(0), sda(0)])
    said = command("table", "emnlp", "--models", "rnn", "--results", tmp_path / "results")
    assert said.code == 0 and "Single runs." in said.out
    whole = command("table", "emnlp", "--all", "--models", "rnn", "--results", tmp_path / "results")
    assert whole.code == 0 and "single" in whole.out and "Differences" in whole.out

    for ending, piece in ((".md", "| --- |"), (".tex", "tabular"), (".json", '"figures"')):
        file = tmp_path / f"table{ending}"
        answer = command("table", "emnlp", "--results", tmp_path / "results", "-o", file)
        assert answer.code == 0 and not answer.out
        assert piece in file.read_text()
        form = {".md": "markdown", ".tex": "latex", ".json": "json"}[ending]
        said = command("table", "emnlp", "--results", tmp_path / "results", "--format", form)
        assert said.out == file.read_text()


def test_reproduce_ends_with_the_table(tmp_path: Path, command: Command) -> None:
    jobs = jobs_of("samples", "smoke", seeds=1)
    write_ledger(tmp_path, [record_of(job, scores={"bleu-5": 0.125}) for job in jobs.values()])
    choices = ("--profile", "smoke", "--models", "rnn", "--seeds", 1, "--results", tmp_path)
    answer = command("reproduce", "samples", *choices, "--out", tmp_path / "runs")

    assert answer.code == 0 and "runs done: 3, left: 0" in answer.err
    assert answer.out.count("0.125") == 3
    # Other seeds were not asked for, so none is missing.
    assert "Missing" not in answer.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["coco", "--update", "page.md"], "either an experiment or --update"),
        ([], "either an experiment or --update"),
        (["--update", "page.md", "-o", "x.md"], "--update takes no"),
        (["emnlp", "-o", "table.doc"], "table.doc: give --format"),
        (["cocoa"], "unknown experiment 'cocoa'"),
        (["emnlp", "--models", "gpt"], "unknown model 'gpt'"),
    ],
)
def test_mistakes_are_one_sentence(
    command: Command, arguments: list[str], words: str, tmp_path: Path
) -> None:
    answer = command("table", *arguments, "--results", tmp_path)

    assert answer.code == 2 and words in answer.err and answer.err.count("\n") == 1
