"""One page that needs nothing else and trusts no text in it."""

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from sda.errors import UserError
from sda.runs.report import run_names, run_views, write_report
from sda.runs.run import Run
from sda.show.run_page import score_table
from sda.show.run_view import RunView
from show.pages import EVIL, page_of

pytestmark = pytest.mark.usefixtures("drawings")


@pytest.fixture
def copy(drawn_run: Run, tmp_path: Path) -> Run:
    shutil.copytree(drawn_run.path, tmp_path / "copy")
    return Run(tmp_path / "copy")


def test_the_page_of_a_run(drawn_run: Run) -> None:
    page = page_of(drawn_run.folder.report)

    assert "Self data augmentation on toy.txt, with the metric bleu" in page.text
    for words in ("Scores on test data", "real text", "mle, T = 0.8", "sda", "bleu-3"):
        assert words in page.text
    # An explanation for a group and for a score.
    assert "Whether each sentence reads like real text" in page.text
    assert "The share of samples that repeat another sample." in page.text
    assert drawn_run.folder.samples.read_text().splitlines()[0] in page.text
    assert "sentences in the buffer" in page.text
    assert "rollouts = 1  # --set" in page.text


def test_what_was_bought_comes_first_and_training_last(drawn_run: Run) -> None:
    page = drawn_run.folder.report.read_text()
    parts = (
        "<h1>",
        "From the start to sda: BLEU-5 ",
        "<h2>Quality and diversity</h2>",
        "<svg",
        "<h2>Sentences</h2>",
        "<h3>Real text</h3>",
        "<h3>Start</h3>",
        "<h3>Result (sda)</h3>",
        "<h2>Scores on test data</h2>",
        "<h2>Alarms</h2>",
        "<h2>Training</h2>",
    )
    places = [page.index(part) for part in parts]

    assert places == sorted(places)


def test_the_page_loads_nothing(drawn_run: Run) -> None:
    page = page_of(drawn_run.folder.report)

    assert not {"script", "link", "img", "iframe", "object", "embed", "base"} & set(page.tags)
    # A drawing refers to its own parts by name.
    assert page.loads
    assert all(target.startswith("#") for target in page.loads)
    assert not any("url(" in style and "url(#" not in style for style in page.styles)
    assert "@import" not in drawn_run.folder.report.read_text()


def test_texts_are_not_taken_for_html(copy: Run, tmp_path: Path) -> None:
    copy.folder.samples.write_text(f"{EVIL} sample\n")
    told = {"text": f"{EVIL} text", "by": f"{EVIL} by", "score": 1, "label": f"{EVIL} label"}
    sentence = {**told, "nearest": f"{EVIL} nearest", "similarity": 0.5}
    copy.folder.examples.write_text(json.dumps({"real": [sentence]}))
    record = {"text": f"{EVIL} buffer", "score": 1.0, "epoch": 2}
    copy.folder.buffer.write_text(json.dumps(record) + "\n")
    with copy.folder.config.open("a") as config:
        config.write(f"# {EVIL} settings\n")
    rows = copy.folder.read_scores()
    rows[-1]["name"] = f"{EVIL} row"
    rows[-1]["alarms"] = [{"name": f"{EVIL} of", "scores": [], "message": f"{EVIL} alarm"}]
    odd = {"name": f"{EVIL} score", "signature": f"{EVIL} sign"}
    rows[-1]["scores"].append({**rows[-1]["scores"][0], **odd})
    copy.folder.scores.write_text(json.dumps({"rows": rows}))
    write_report([copy], tmp_path / "report.html")
    page = page_of(tmp_path / "report.html")

    assert "script" not in page.tags
    places = ("sample", "buffer", "settings", "row", "alarm", "score", "sign")
    for place in (*places, "text", "by", "label", "nearest"):
        assert f"{EVIL} {place}" in page.text


def test_names_of_folders_are_not_taken_for_html_or_formulas(copy: Run, tmp_path: Path) -> None:
    odd = tmp_path / "<script>&$x^$"
    copy.path.rename(odd)
    other = tmp_path / "_plain"
    shutil.copytree(odd, other)
    write_report([Run(odd), Run(other)], tmp_path / "report.html")
    page = page_of(tmp_path / "report.html")

    assert "script" not in page.tags
    assert "g_loss, <script>&$x^$" in page.text
    assert "g_loss, _plain" in page.text


def test_several_runs(drawn_run: Run, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        shutil.copytree(drawn_run.path, folder)
    write_report([Run(first), Run(second)], tmp_path / "report.html")
    page = page_of(tmp_path / "report.html")

    named = ("first: sda", "second: sda", "Result of second", "g_loss, first", "g_loss, second")
    for words in named:
        assert words in page.text
    # Real text and start are the same in both.
    for words in ("second: real text", "second: mle", "second: Start"):
        assert words not in page.text
    # The scores of all rows; samples, buffer and settings of each run.
    assert page.tags.count("details") == 7


def test_runs_on_other_texts_are_refused(drawn_run: Run, captions_run: Run, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="runs are compared on one text"):
        write_report([drawn_run, captions_run], tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()


def test_runs_of_one_name_are_told_apart(drawn_run: Run, tmp_path: Path) -> None:
    shutil.copytree(drawn_run.path, tmp_path / drawn_run.path.name)
    other = Run(tmp_path / drawn_run.path.name)
    assert run_names([drawn_run]) == ["run"]
    assert run_names([drawn_run, other]) == [str(drawn_run.path), str(other.path)]
    write_report([drawn_run, other], tmp_path / "report.html")

    text = page_of(tmp_path / "report.html").text
    assert f"g_loss, {drawn_run.path}" in text
    assert f"g_loss, {other.path}" in text


def test_the_same_run_draws_the_same_bytes(drawn_run: Run, tmp_path: Path) -> None:
    write_report([drawn_run], tmp_path / "report.html")

    assert (tmp_path / "report.html").read_bytes() == drawn_run.folder.report.read_bytes()


def test_a_run_that_has_just_begun(copy: Run, tmp_path: Path) -> None:
    copy.folder.clear_results()
    copy.folder.progress.unlink()
    write_report([copy], tmp_path / "report.html")

    assert "No run is finished yet." in page_of(tmp_path / "report.html").text


def test_the_table_of_scores(drawn_run: Run, captions_run: Run) -> None:
    views = run_views([drawn_run, captions_run])
    table = score_table(views, ["bleu-3", "nll-oracle", "nothing"])
    bleu = [row.value("bleu-3") for run in (drawn_run, captions_run) for row in run.scores()]

    assert len(table.header) == 9
    body = table.body
    assert [row[0] for row in body] == ["bleu-3", "nll-oracle"]
    assert body[0][1:] == [f"{value:.3f}" for value in bleu]
    # A file has no oracle.
    assert body[1][1:5] == ["-"] * 4
    assert "-" not in body[1][5:]


def view(alarms: Mapping[str, Sequence[str]], hands_start: bool = False) -> RunView:
    """A run whose rows raise these alarms, by their names."""
    temperatures = {"real text": None, "mle": 1.0, "cold": 0.8, "sda": 1.0}
    rows = [
        {
            "name": name,
            "temperature": temperature,
            "scores": [{"name": "self-bleu-5", "value": 0.5, "signature": ""}],
            "alarms": [
                {"name": key, "scores": ["self-bleu-5"], "message": f"{name} is bad: very"}
                for key in alarms.get(name, ())
            ],
        }
        for name, temperature in temperatures.items()
    ]
    return RunView(
        *("run", "title", "facts", rows, [], None, {}, None, None, "", None, None, hands_start)
    )


def test_alarms_are_about_the_result_and_say_what_the_start_does_too() -> None:
    raised = {"mle": ["duplicates"], "cold": ["copies"], "sda": ["duplicates", "self-bleu"]}
    table = score_table([view(raised)])
    (first, one), (second, two) = table.alarms

    assert (first, second) == ("sda", "sda")
    assert one.startswith("sda is bad: very. The start does this too: mle is bad. Write with")
    assert two.startswith("sda is bad: very. Write at a higher temperature")
    assert table.body == [["self-bleu-5", "0.500", "0.500", "0.500", "0.500!"]]


def test_the_start_has_the_alarms_where_it_is_handed_over() -> None:
    table = score_table([view({"mle": ["copies"], "sda": ["duplicates"]}, hands_start=True)])

    assert [name for name, _ in table.alarms] == ["mle"]
    assert "The start does this too" not in table.alarms[0][1]
    assert table.body == [["self-bleu-5", "0.500", "0.500!", "0.500", "0.500"]]
