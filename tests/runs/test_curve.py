"""Runs swept over temperatures, each with its own start, on one text and never twice."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from planes import MLE, REAL, SDA, track
from show.pages import page_of
from tiny import SMALL_ORACLE, train_tiny

from sda.errors import UserError
from sda.runs.curve import draw_runs, judge_all, sweep_runs
from sda.runs.report import write_report
from sda.runs.run import Run
from sda.runs.sweep import Sweep
from sda.scoring.row_scorer import RowScorer
from sda.show.terminal import Counter

SWEEP = Sweep((0.5, 1.0), samples=20, repeats=2)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The temperature of each sampling that is really made."""
    temperatures: list[float] = []
    original = RowScorer.sampled

    def noted(self: RowScorer, generator, decoding, *rest):  # type: ignore[no-untyped-def]
        temperatures.append(decoding.temperature)
        return original(self, generator, decoding, *rest)

    monkeypatch.setattr(RowScorer, "sampled", noted)
    return temperatures


@pytest.fixture
def copy(toy_run: Run, tmp_path: Path) -> Run:
    shutil.copytree(toy_run.path, tmp_path / "copy")
    return Run(tmp_path / "copy")


@pytest.fixture(scope="module")
def mle_run(toy_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Stage I, and nothing after it."""
    return train_tiny(toy_file, tmp_path_factory.mktemp("mle") / "plain", method="mle")


def test_a_run_is_swept_beside_its_start(toy_run: Run, tmp_path: Path) -> None:
    found = sweep_runs([toy_run], SWEEP, tmp_path, Counter())

    assert [(track["name"], track["start"]) for track in found["curves"]] == [
        ("mle", None),
        ("sda", "mle"),
    ]
    for track_found in found["curves"]:
        assert [point["decoding"] for point in track_found["points"]] == [1.0, 0.5]
        for point in track_found["points"]:
            first, second = point["samplings"]
            assert first != second
            # What needs no sampling is the same in both.
            assert first[-1] == second[-1]
            assert first[-1]["name"] == "nll-test"
            assert f"temperature:{point['decoding']:g}|" in first[-1]["signature"]
    assert found["primary"]["diversity"]["name"] == "self-bleu-5"
    planes = {
        (c["plane"]["diversity"]["name"], c["plane"]["quality"]["name"])
        for c in found["comparisons"]
    }
    # A file has no oracle.
    assert len(planes) == 5


def test_captions_have_an_oracle(captions_run: Run, tmp_path: Path) -> None:
    found = sweep_runs([captions_run], SWEEP, tmp_path, Counter())

    names = [score["name"] for score in found["curves"][1]["points"][0]["samplings"][0]]
    assert {"nll-oracle", "grammatical-share", "nll-test"} <= set(names)
    last = found["comparisons"][-1]["plane"]
    assert (last["diversity"]["name"], last["quality"]["name"]) == ("nll-test", "nll-oracle")
    assert "nll-test" in [score["name"] for score in found["real"]]


def test_the_lstm_oracle(tmp_path: Path) -> None:
    run = train_tiny("oracle", tmp_path / "run", SMALL_ORACLE)
    found = sweep_runs([run], SWEEP, tmp_path, Counter())

    assert found["comparisons"][-1]["plane"]["quality"]["name"] == "nll-oracle"


def test_top_p_is_a_curve_of_its_own(toy_run: Run, tmp_path: Path) -> None:
    sweep = Sweep((1.0,), (0.9, 0.5), samples=20, repeats=1)
    found = sweep_runs([toy_run], sweep, tmp_path, Counter())

    assert [track["name"] for track in found["curves"]] == [
        *("mle", "mle with top-p", "sda", "sda with top-p"),
    ]
    pairs = {(c["first"], c["second"]) for c in found["comparisons"]}
    assert {("mle with top-p", "mle"), ("sda with top-p", "sda"), ("sda", "mle")} <= pairs


def test_points_are_measured_once(toy_run: Run, tmp_path: Path, measured: list[float]) -> None:
    first = sweep_runs([toy_run], SWEEP, tmp_path, Counter())
    assert measured == [1.0, 1.0, 0.5, 0.5] * 2

    assert sweep_runs([toy_run], SWEEP, tmp_path, Counter()) == first
    assert len(measured) == 8
    # What is new is measured: a third sampling, and another temperature.
    sweep_runs([toy_run], Sweep((0.5, 1.0), samples=20, repeats=3), tmp_path, Counter())
    assert measured[8:] == [1.0, 0.5] * 2
    sweep_runs([toy_run], Sweep((0.7, 1.0), samples=20, repeats=2), tmp_path, Counter())
    assert measured[12:] == [0.7, 0.7] * 2
    # Other sentences, another number of them or another seed are another question.
    for sweep in (Sweep((1.0,), samples=10, repeats=1), Sweep((1.0,), (), 20, 1, seed=1)):
        before = len(measured)
        sweep_runs([toy_run], sweep, tmp_path, Counter())
        assert len(measured) == before + 2


@pytest.mark.usefixtures("curves_without_drawings")
def test_points_in_the_folder_of_a_run_are_found(
    copy: Run, tmp_path: Path, measured: list[float]
) -> None:
    draw_runs([copy], SWEEP, copy.path, Counter())
    before = len(measured)
    draw_runs([copy], SWEEP, tmp_path / "elsewhere", Counter())

    assert len(measured) == before
    assert (tmp_path / "elsewhere" / "curve.json").read_bytes() == copy.folder.curve.read_bytes()


def test_an_interrupted_sweep_goes_on(
    toy_run: Run, tmp_path: Path, measured: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    noted = RowScorer.sampled

    def third(self: RowScorer, *arguments):  # type: ignore[no-untyped-def]
        if len(measured) == 3:
            raise KeyboardInterrupt
        return noted(self, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(RowScorer, "sampled", third)
        with pytest.raises(KeyboardInterrupt):
            sweep_runs([toy_run], SWEEP, tmp_path, Counter())
    found = sweep_runs([toy_run], SWEEP, tmp_path, Counter())

    assert len(measured) == 8
    (tmp_path / "whole").mkdir()
    assert sweep_runs([toy_run], SWEEP, tmp_path / "whole", Counter()) == found


def test_runs_with_different_starts_have_a_curve_each(
    toy_run: Run, toy_file: Path, tmp_path: Path
) -> None:
    other = train_tiny(toy_file, tmp_path / "other", ["generator.hidden=9"])
    found = sweep_runs([toy_run, other], Sweep((1.0,), samples=20, repeats=1), tmp_path, Counter())

    assert [(track["name"], track["start"]) for track in found["curves"]] == [
        ("mle (run)", None),
        ("sda (run)", "mle (run)"),
        ("mle (other)", None),
        ("sda (other)", "mle (other)"),
    ]


def test_a_run_of_mle_alone(mle_run: Run, tmp_path: Path) -> None:
    found = sweep_runs([mle_run], SWEEP, tmp_path, Counter())

    assert [track["name"] for track in found["curves"]] == ["mle"]
    assert {(c["first"], c["second"]) for c in found["comparisons"]} == {("mle", "real text")}


def test_a_selection_is_applied_at_every_temperature(
    toy_file: Path, tmp_path: Path, measured: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Samples are drawn by what tells models apart, the name of the metric among it: one that does
    # not change with the folder gives the same ones every time.
    monkeypatch.chdir(tmp_path)
    metric = Path("longest.py")
    metric.write_text("def words(texts):\n    return [len(text.split()) for text in texts]\n")
    run = train_tiny(toy_file, tmp_path / "run", method="best-of-n", metric=f"{metric}:words")
    # The rows of the run's own table are sampled in the same way.
    measured.clear()
    found = sweep_runs([run], SWEEP, tmp_path, Counter())

    assert measured == [1.0, 1.0, 0.5, 0.5] * 2
    start, chosen = found["curves"]
    assert (chosen["name"], chosen["start"]) == ("best-of-n", "mle")
    for before, after in zip(start["points"], chosen["points"], strict=True):
        for plain, best in zip(before["samplings"], after["samplings"], strict=True):
            lengths = [score["value"] for score in (*plain, *best) if score["name"] == "length"]
            assert lengths[1] > lengths[0]
            assert "nll-test" in [score["name"] for score in plain]
            assert "nll-test" not in [score["name"] for score in best]
    held = [c["plane"]["diversity"]["name"] for c in found["comparisons"] if c["second"] == "mle"]
    assert "self-bleu-5" in held
    assert "nll-test" not in held
    assert sweep_runs([run], SWEEP, tmp_path, Counter()) == found
    assert len(measured) == 8


def test_a_selection_that_draws_gives_the_same_points_again(toy_file: Path, tmp_path: Path) -> None:
    run = train_tiny(toy_file, tmp_path / "run", method="d-rejection")
    once, again = (
        sweep_runs([run], SWEEP, tmp_path / name, Counter()) for name in ("once", "again")
    )

    assert [track["name"] for track in once["curves"]] == ["mle", "d-rejection"]
    assert once == again


def test_a_generator_that_reads_the_discriminator(toy_file: Path, tmp_path: Path) -> None:
    run = train_tiny(
        toy_file,
        tmp_path / "run",
        ["mle.epochs=1", "stage2.epochs=1"],
        generator="leakrnn",
    )
    found = sweep_runs([run], Sweep((0.5,), samples=10, repeats=1), tmp_path, Counter())

    assert [track["name"] for track in found["curves"]] == ["mle", "sda"]


def test_runs_on_other_texts_are_refused(
    toy_run: Run, captions_run: Run, toy_file: Path, tmp_path: Path
) -> None:
    other = train_tiny(toy_file, tmp_path / "other", ["mle.epochs=1", "stage2.epochs=0", "seed=1"])
    for run in (captions_run, other):
        with pytest.raises(UserError, match="curves are compared on one text") as caught:
            sweep_runs([toy_run, run], SWEEP, tmp_path, Counter())
        assert str(run.path) in str(caught.value)


def test_a_source_that_has_changed_is_refused(toy_run: Run, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    shutil.copy(toy_run.settings.source, text)
    run = train_tiny(text, tmp_path / "run", ["mle.epochs=1", "stage2.epochs=0"])
    lines = text.read_text().splitlines()
    text.write_text("\n".join([*lines[1:], "the old cat sang near bird"]))

    with pytest.raises(UserError, match="another text now"):
        sweep_runs([run], SWEEP, tmp_path, Counter())


@pytest.mark.usefixtures("curves_without_drawings")
def test_the_same_run_twice_is_one(copy: Run, tmp_path: Path) -> None:
    found = draw_runs([copy, Run(copy.path)], SWEEP, tmp_path / "out", Counter())

    assert [track["name"] for track in found["curves"]] == ["mle", "sda"]


@pytest.mark.usefixtures("drawings")
def test_the_report_of_the_run_shows_the_curve(copy: Run) -> None:
    write_report([copy], copy.folder.report)
    before = page_of(copy.folder.report)
    draw_runs([copy], SWEEP, copy.path, Counter())
    page = page_of(copy.folder.report)

    statement = json.loads(copy.folder.curve.read_text())["comparisons"][0]["statement"]
    assert statement in page.text and statement not in before.text
    # The first plane was there already, with points alone.
    assert page.tags.count("svg") == before.tags.count("svg") + 4
    copy.folder.clear_results()
    assert not copy.folder.curve.exists()


def test_a_damaged_curve_is_named(copy: Run, tmp_path: Path) -> None:
    for content in ("[]", "{}", '{"curves": 3, "comparisons": []}'):
        copy.folder.curve.write_text(content)
        with pytest.raises(UserError, match=r"curve\.json: not the points of a curve"):
            write_report([copy], tmp_path / "report.html")


def test_who_is_compared_with_whom() -> None:
    other = track("rl", "mle", {1.0: [(0.2, 0.2), (0.2, 0.2)], 0.5: [(0.6, 0.3), (0.6, 0.3)]})
    top_p = track("rl with top-p", "mle", {0.9: [(0.3, 0.2), (0.3, 0.2)]}, "top-p")
    found = judge_all([MLE, SDA, other, top_p], REAL)

    primary = [(c.first, c.second) for c in found if c.plane.diversity.name == "self-bleu-5"]
    assert primary == [
        ("sda", "mle"),
        ("rl", "mle"),
        ("rl", "sda"),
        ("rl with top-p", "rl"),
        ("mle", "real text"),
        ("sda", "real text"),
        ("rl", "real text"),
    ]
    others = [(c.first, c.second) for c in found if c.plane.diversity.name == "distinct-2"]
    assert others == primary[:4]
    # The means are lines 0.1 apart: 0.205 + x / 2 and 0.255 + x / 2.
    assert found[0].difference == pytest.approx(0.05)


def test_steps_are_counted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Counter() as counter:
        counter.begin(2)
        counter.step("a [bold]name[/]")
    assert capsys.readouterr().err == "1/2 a [bold]name[/]\n"

    monkeypatch.setenv("FORCE_COLOR", "1")
    with Counter() as counter:
        counter.begin(2)
        counter.step("a [bold]name[/]")
    said = capsys.readouterr().err
    assert "1/2" in said
    assert "[bold]name" in said
