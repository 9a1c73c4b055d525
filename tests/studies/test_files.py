"""Ratings out to files and in again; what is wrong with a file is told by its line."""

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny import Answer

from sda.errors import UserError
from sda.studies.adopt import Columns, Outputs, adopt_study
from sda.studies.cells import as_csv, harmless, read_rows
from sda.studies.from_files import study_from_texts
from sda.studies.hits import answer_name, hit_page, hit_table
from sda.studies.imports import import_ratings
from sda.studies.make_study import Wishes
from sda.studies.outcome import Outcome
from sda.studies.reading_back import read_outcome
from sda.studies.store import Store
from sda.studies.study import StudyFolder
from studies.people import MODELS, by_model, lines_of, rate_all, small_study, write_study


@pytest.fixture
def folder(tmp_path: Path) -> StudyFolder:
    return write_study(tmp_path / "study", small_study())


def stored(folder: StudyFolder) -> list[tuple[int, str, bool, str, int]]:
    store = Store.of(folder)
    found = store.all_ratings()
    store.close()
    return found


@pytest.mark.parametrize("text", ["=cmd|' /C calc'!A0", "+1", "-1+1", "@SUM(A1)", "\tx", "\rx"])
def test_a_cell_that_a_spreadsheet_would_run_is_harmless(text: str) -> None:
    assert harmless(text) == f"'{text}"
    (_, row) = csv.reader(io.StringIO(as_csv(["a"], [[text]]), newline=""))
    assert row == [f"'{text}"]
    assert harmless("a = b") == "a = b" and harmless(-3) == -3


def test_all_ratings_are_exported_with_judges_as_numbers(
    folder: StudyFolder, tmp_path: Path, command: Callable[..., Answer]
) -> None:
    study = folder.study()
    rate_all(folder, by_model(study, dict.fromkeys(MODELS, 3.0)))
    for name in ("out.csv", "out.jsonl"):
        assert command("judge", "export", folder.path, "-o", tmp_path / name).code == 0
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    objects = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]

    assert len(rows) == len(objects) == len(stored(folder)) == sum(map(len, study.blocks))
    assert {row["judge"] for row in rows} == {str(number) for number in range(1, 7)}
    assert {row["model"] for row in rows if row["is_check"] == "0"} == set(MODELS[:2])
    assert [str(each["value"]) for each in objects] == [row["value"] for row in rows]
    assert "csv or .jsonl" in command("judge", "export", folder.path, "-o", "x.txt").err
    assert "give -o FILE" in command("judge", "export", folder.path).err


def test_what_was_exported_can_be_imported(folder: StudyFolder, tmp_path: Path) -> None:
    study = folder.study()
    rate_all(folder, by_model(study, dict.fromkeys(MODELS, 3.0)))
    rows = [["judge", "item", "value", "is_repeat"]]
    rows += [[f"p{j}", item, str(v), str(int(again))] for j, item, again, _, v in stored(folder)]
    file = tmp_path / "ratings.csv"
    file.write_text("\n".join(map(",".join, rows)) + "\n")
    other = write_study(tmp_path / "other", study)

    assert import_ratings(other, file) == (len(rows) - 1, 6)
    assert stored(other) == stored(folder)
    assert read_outcome(other).is_plan_kept
    with pytest.raises(UserError, match=r"line 2: judge 'p1' has rated item '\w+' before"):
        import_ratings(other, file)


def hit_results(folder: StudyFolder, path: Path, long: bool = False) -> None:
    """A file as the crowd platform gives it back."""
    study = folder.study()
    rows: list[dict[str, object]] = []
    for number, block in enumerate(study.blocks, 1):
        row: dict[str, object] = {"HITId": "h", "WorkerId": f"W{number}", "Input.block": number}
        for page, _ in enumerate(block, 1):
            name, value = f"Answer.{answer_name(page, 'quality')}", page % 5 + 1
            if long:
                row |= {f"{name}.{v}": str(v == value).lower() for v in study.values}
            else:
                row[name] = value
        rows.append(row)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), restval="")
        writer.writeheader()
        writer.writerows(rows)


@pytest.mark.parametrize("long", [False, True])
def test_results_of_the_crowd_platform(folder: StudyFolder, tmp_path: Path, long: bool) -> None:
    hit_results(folder, tmp_path / "batch.csv", long)
    study = folder.study()

    assert import_ratings(folder, tmp_path / "batch.csv") == (sum(map(len, study.blocks)), 6)
    by_slot = {row[:3]: row[4] for row in stored(folder)}
    for judge, block in enumerate(study.blocks, 1):
        for page, slot in enumerate(block, 1):
            assert by_slot[judge, slot.item, slot.is_repeat] == page % 5 + 1


def test_the_page_and_the_table_of_a_task(tmp_path: Path) -> None:
    files = {"a": [f"=cmd() <b>bold</b> & {k} ." for k in range(6)], "b": lines_of(1)}
    wishes = Wishes(judges=3, ratings=3, checks=0, repeats=0)
    study = study_from_texts(files, None, None, 6, wishes).study
    rows = list(csv.DictReader(hit_table(study).splitlines()))
    page = hit_page(study)

    assert len(rows) == 3
    cells = [value for row in rows for name, value in row.items() if name.startswith("text_")]
    strange = [cell for cell in cells if "Cmd" in cell]
    assert strange and all(cell.startswith("&#61;Cmd() &lt;b&gt;") for cell in strange)
    assert set(re.findall(r"\$\{(\w+)\}", page)) == {f"text_{n}" for n in range(1, 13)}
    assert page.count('type="radio"') == 12 * 5 and "crowd-form" in page


def test_tasks_and_pages_are_written(
    folder: StudyFolder, tmp_path: Path, command: Callable[..., Answer]
) -> None:
    answer = command(
        *("judge", "export", folder.path, "--tasks", tmp_path / "t.csv"),
        *("--hits", tmp_path / "hits"),
    )
    text = (tmp_path / "t.csv").read_text() + (tmp_path / "hits" / "hits.csv").read_text()

    assert answer.code == 0, answer.err
    assert (tmp_path / "hits" / "hit.html").is_file()
    assert not any(name in text for name in MODELS)


ITEM = "ITEM"  # stands for the name of an item of the study


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["judge,item,value", "p,nothing,3"], "line 2: the study has no item 'nothing'"),
        (["judge,item,value", f"p,{ITEM},3", f"p,{ITEM},4"], "line 3: .* second time.* line 2"),
        (["judge,item,value", f"p,{ITEM},6"], "line 2: the rating '6' is not among 1 to 5"),
        (["judge,item,value", f"p,{ITEM},3.0"], "line 2: the rating '3.0' is not among"),
        (["judge,item,value", f"p,{ITEM}"], "line 2: 2 cells where the header has 3"),
        (["judge,item,value", f" ,{ITEM},3"], "line 2: no judge is named"),
        (["judge,value", "p,3"], "no column 'item' .*it has judge, value"),
        (["judge,item,value,question", f"p,{ITEM},3,taste"], "line 2: unknown question 'taste'"),
        (["WorkerId,Input.block", "w,99"], "line 2: Input.block is '99'"),
        (["WorkerId,Input.block", "w,1"], "line 2: no answer in Answer.rating_1_quality"),
        (["Input.block", "1"], "no column 'WorkerId'"),
        ([""], "empty"),
    ],
)
def test_what_is_wrong_is_told_by_its_line(
    folder: StudyFolder, tmp_path: Path, lines: list[str], said: str
) -> None:
    item = folder.study().rated[0].id
    file = tmp_path / "bad.csv"
    good = f"q,{folder.study().rated[1].id},3"
    file.write_text("\n".join(lines).replace(ITEM, item) + "\n")

    with pytest.raises(UserError, match=said) as told:
        import_ratings(folder, file)
    assert str(file) in str(told.value)
    assert stored(folder) == [] and good


def test_only_tables_are_read(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"read from \.csv"):
        read_rows(tmp_path / "x.txt")
    with pytest.raises(UserError, match="No such file"):
        read_rows(tmp_path / "x.csv")
    (tmp_path / "y.csv").write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match="not UTF-8"):
        read_rows(tmp_path / "y.csv")


SOURCES = ["good food .", "bad food .", "nice place ."]
ONE = ["bad food .", "good food .", "awful place ."]
TWO = ["bad food .", "great food .", "awful awful place ."]


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """A table of the form of Li et al. (2018): one rating an item, systems not named."""
    rows = ["item\tsource\tcandidate\tgrammaticality\ttopic"]
    for number, (source, one, two) in enumerate(zip(SOURCES, ONE, TWO, strict=True)):
        # The second stands first, and a quotation mark is a character.
        rows += [f"n-{number}\t{source}\t{two}\t{4 - number % 2}\t5"]
        rows += [f"n-{number}\t{source}\t{one}\t{2 - number % 2}\t3"]
    (tmp_path / "ratings.tsv").write_text("\n".join(rows) + "\n")
    for name, lines in (("source", SOURCES), ("one", ONE), ("two", TWO)):
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
    return tmp_path


def adopt(path: Path, **changes: object) -> Outcome:
    columns: dict[str, object] = {
        "text": "candidate",
        "questions": ["grammaticality", "topic"],
        "group": "item",
        "source": "source",
    }
    outputs = Outputs({n: [path / f"{n}.txt"] for n in ("one", "two")}, [path / "source.txt"])
    folder = StudyFolder(path / "study")
    wanted = Columns(**{**columns, **changes})  # type: ignore[arg-type]
    adopt_study(folder, path / "ratings.tsv", wanted, outputs, (1, 5), "published")
    return read_outcome(folder)


def test_published_ratings_become_a_study(published: Path) -> None:
    found = adopt(published)
    means = {
        each.criterion.name: {model.model: model.value for model in each.models}
        for each in found.criteria
    }

    # Both wrote "bad food ." for the first source: the first row is dealt to the first of them.
    assert means == {
        "grammaticality": {"one": pytest.approx(7 / 3), "two": pytest.approx(3.0)},
        "topic": {"one": pytest.approx(11 / 3), "two": pytest.approx(13 / 3)},
    }
    assert found.judges is None and not found.is_plan_kept
    assert "Nothing was fixed beforehand" in found.plan
    assert all(each.alpha is None for each in found.criteria)
    assert found.criteria[0].pairs[0].value == pytest.approx(-2 / 3)


def test_a_table_that_names_judges_and_systems(tmp_path: Path) -> None:
    rows = ["who,system,text,rating"]
    rows += [
        f"{w},{s},{s} text {k} .,{1 + (k + (s == 'b')) % 5}"
        for k in range(6)
        for s in "ab"
        for w in "xyz"
    ]
    (tmp_path / "r.csv").write_text("\n".join(rows) + "\n")
    folder = StudyFolder(tmp_path / "study")
    columns = Columns(text="text", questions=["rating"], system="system", judge="who")
    adopt_study(folder, tmp_path / "r.csv", columns, None, (1, 5), "t")
    found = read_outcome(folder)

    assert found.judges == 3 and found.ratings == 36
    assert found.criteria[0].alpha is not None and found.criteria[0].alpha.value == 1.0
    with (tmp_path / "r.csv").open("a") as file:
        file.write("x,a,a text 0 .,1\n")
    with pytest.raises(UserError, match="line 38: judge 'x' rates the same text of a "):
        adopt_study(StudyFolder(tmp_path / "s2"), tmp_path / "r.csv", columns, None, (1, 5), "t")


def test_a_text_that_no_system_wrote_is_told(published: Path) -> None:
    table = published / "ratings.tsv"
    table.write_text(table.read_text() + "n-9\tgood food .\tnobody's text .\t3\t3\n")

    with pytest.raises(UserError, match='line 8: no system wrote "nobody'):
        adopt(published)


def test_the_command_for_published_ratings(
    published: Path, command: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(published)
    made = command(
        *("judge", "import", "study", "ratings.tsv", "--text", "candidate"),
        *("--questions", "grammaticality,topic", "--source", "source", "--group", "item"),
        *("--model", "one=one.txt", "--model", "two=two.txt", "--sources", "source.txt"),
    )
    assert made.out == "study: 6 rows about 2 systems; next: sda judge results study\n", made.err
    told = command("judge", "results", "study").out
    assert "Agreement between judges cannot be had" in " ".join(told.split())
    refused = command("judge", "serve", "study")
    assert refused.code == 2 and "imported" in refused.err
    assert "need --text" in command("judge", "import", "s", "r.tsv", "--judge", "x").err
    assert (
        "belong together"
        in command(
            *("judge", "import", "s", "r.tsv", "--text", "t", "--questions", "q", "--sources", "x")
        ).err
    )
