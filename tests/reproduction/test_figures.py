"""Each experiment has a figure from whatever the ledger holds, and says what it does not hold."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from planes import kept_figures
from tiny import Answer

from reproduction.records import jobs_of, record_of, write_ledger
from sda.errors import UserError
from sda.reproduction import figures as module
from sda.reproduction.definitions import experiment, experiment_names
from sda.reproduction.figures import draw_figure, write_figure
from sda.reproduction.jobs import Job
from sda.reproduction.ledger import Ledger
from sda.reproduction.panels import panels_of

Command = Callable[..., Answer]
ROOT = Path(__file__).parents[2]
SHOWN = sorted((ROOT / "docs" / "figures").glob("*-small.svg"))

NAMES = (
    "bleu-2",
    "bleu-3",
    "bleu-5",
    "self-bleu-3",
    "self-bleu-5",
    "train-bleu-5",
    "rare-sentence-share",
    "grammatical-share",
    "grammar-issues",
    "nll-oracle",
    "nll-test",
)
GRAMMAR = ("grammatical sentences (higher is better)", "BLEU-5 (higher is better)")
LABELS = {
    "synthetic20": ("NLL_oracle (lower is better)", "NLL_valid (lower is more varied)"),
    "synthetic40": ("NLL_oracle (lower is better)", "NLL_valid (lower is more varied)"),
    **dict.fromkeys(("baselines", "recommended", "ablation"), GRAMMAR),
    "budget": ("grammatical share above the start's curve", "calls of the metric", "10,000"),
    "vocabulary": ("sentences with a rare word (more is the aim)", "BLEU-2 (higher is better)"),
    "repetition": ("self-BLEU-3 (lower is more varied)", "BLEU-3 (higher is better)"),
    "size": ("gain in BLEU-2 over MLE", "5 % of the training text", "gain of sda"),
    "memorization": ("BLEU-5 on training text (lower is less copying)", "1 - BLEU-5 on test text"),
    "grammar": ("grammar issues per 1,000 words", "real text (line)"),
}
PLANE = ("BLEU-5 (higher is better)", "self-BLEU-5 (lower is more varied)")


def measured(job: Job) -> dict[str, Any]:
    """A record with all that any figure shows; values rise with seed, and as text gets colder."""
    temperatures = (1.11, 1.0, 0.83)
    points = {
        temperature: [{name: 1.5 - temperature + 0.01 * job.seed for name in NAMES}]
        for temperature in temperatures
    }
    stage = "mle" if job.start is None else "imitation"
    lines = [
        {"stage": stage, "epoch": epoch, "nll_valid": 9 - epoch + job.seed, "nll_oracle": 9.0}
        for epoch in (1, 2)
    ]
    scores = {name: 0.5 + 0.01 * job.seed for name in NAMES}
    real = dict.fromkeys(NAMES, 0.7)
    return record_of(job, scores=scores, real=real, points=points, progress=lines)


def ledger_of(
    folder: Path, name: str, base: str = "rnn", leave: tuple[str, ...] = (), seeds: int = 2
) -> Ledger:
    """A ledger with all rows of the experiment but some."""
    jobs = jobs_of(name, "smoke", base, seeds)
    return write_ledger(folder, [measured(job) for job in jobs.values() if job.row not in leave])


@pytest.mark.parametrize("name", experiment_names())
def test_each_experiment_has_a_figure_with_labels(name: str, tmp_path: Path) -> None:
    ledger = ledger_of(tmp_path, name)
    text = draw_figure(experiment(name), "smoke", ledger, ".svg").decode()

    for label in LABELS.get(name, PLANE):
        assert label in text
    assert f"{experiment(name).heading()}, profile smoke" in text
    # What calls buy is told over the start, and real text has none.
    has_real = any(panel["kind"] != "calls" for panel in experiment(name).panels)
    assert ("real text" in text) == has_real
    assert "no run has these figures" not in text


@pytest.mark.parametrize("ending", [".svg", ".png", ".pdf"])
def test_the_same_ledger_draws_the_same_bytes(ending: str, tmp_path: Path) -> None:
    ledger = ledger_of(tmp_path / "results", "emnlp")
    files = [tmp_path / folder / f"figure{ending}" for folder in ("a", "b")]
    for file in files:
        write_figure(experiment("emnlp"), "smoke", ledger, file)

    assert files[0].read_bytes() == files[1].read_bytes()
    assert len(files[0].read_bytes()) > 1000


def test_missing_rows_and_single_runs_are_named(tmp_path: Path) -> None:
    ledger = ledger_of(tmp_path, "emnlp", leave=("rl", "eda"), seeds=1)
    text = draw_figure(experiment("emnlp"), "smoke", ledger, ".svg").decode()

    assert "RNN, not run: +RL; +EDA." in text
    assert "LeakRNN: no runs." in text
    assert "+SDA, single run" in text
    assert "+RL, " not in text


def test_runs_that_are_fewer_than_planned_are_counted(tmp_path: Path) -> None:
    text = draw_figure(
        experiment("emnlp"), "smoke", ledger_of(tmp_path, "emnlp"), ".svg", ["rnn"]
    ).decode()

    assert "+SDA, 2 runs" in text
    assert "LeakRNN" not in text
    assert "not run" not in text


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    return kept_figures(monkeypatch, module)


def test_the_plane_has_a_band_of_the_start_and_a_marker_at_one(
    tmp_path: Path, drawn: list[Figure]
) -> None:
    draw_figure(experiment("emnlp"), "smoke", ledger_of(tmp_path, "emnlp"), ".svg")
    axes = drawn[0].axes[0]
    lines = {str(line.get_label()): line for line in axes.lines}

    assert len(axes.collections) == 1
    assert lines["+SDA, 2 runs"].get_xdata() == pytest.approx([0.395, 0.505, 0.675])
    assert lines["+SDA, 2 runs"].get_markevery() == [1]
    assert lines["real text"].get_ydata() == pytest.approx([0.7])
    assert axes.xaxis_inverted()
    assert not axes.yaxis_inverted()


def test_stage_one_is_drawn_once_and_stage_two_goes_on_from_its_end(
    tmp_path: Path, drawn: list[Figure]
) -> None:
    ledger = ledger_of(tmp_path, "synthetic40")
    draw_figure(experiment("synthetic40"), "smoke", ledger, ".svg")
    lines = {str(line.get_label()): line for line in drawn[0].axes[1].lines}

    assert lines["MLE, 2 runs"].get_xdata() == pytest.approx([-1, 0])
    assert lines["MLE, 2 runs"].get_ydata() == pytest.approx([8.5, 7.5])
    assert lines["+SDA, 2 runs"].get_xdata() == pytest.approx([0, 1, 2])
    assert lines["+SDA, 2 runs"].get_ydata() == pytest.approx([7.5, 8.5, 7.5])
    assert len(drawn[0].axes[1].collections) == 3


def test_a_single_run_has_no_band(tmp_path: Path, drawn: list[Figure]) -> None:
    for name in ("synthetic40", "emnlp"):
        draw_figure(experiment(name), "smoke", ledger_of(tmp_path / name, name, seeds=1), ".svg")

    assert [len(axes.collections) for figure in drawn for axes in figure.axes] == [0] * 5


def test_bars_stand_for_means(tmp_path: Path, drawn: list[Figure]) -> None:
    draw_figure(experiment("grammar"), "smoke", ledger_of(tmp_path, "grammar"), ".svg")
    bars = [bar for bar in drawn[0].axes[0].patches if isinstance(bar, Rectangle)]

    assert [bar.get_height() for bar in bars] == pytest.approx([0.505] * 3)


def test_panels_without_figures_say_so(tmp_path: Path) -> None:
    jobs = jobs_of("grammar", "smoke", seeds=1)
    ledger = write_ledger(tmp_path, [record_of(job) for job in jobs.values()])
    text = draw_figure(experiment("grammar"), "smoke", ledger, ".svg").decode()

    assert text.count("no run has these figures") == len(panels_of(experiment("grammar")))


def test_an_empty_ledger_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no run of coco with profile small; make them with sda"):
        draw_figure(experiment("coco"), "small", Ledger(tmp_path), ".svg")


def test_the_command_writes_a_file_and_says_where(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger_of(tmp_path / "results", "samples")
    monkeypatch.chdir(tmp_path)
    default = Path("figures") / "samples-smoke.svg"

    assert command("figure", "samples", "--profile", "smoke") == Answer(0, f"{default}\n", "")
    assert default.read_text().startswith("<?xml")
    answer = command("figure", "samples", "--profile", "smoke", "-o", "figure.gif")
    assert answer.code == 2
    assert "figure.gif: a figure is written as .svg, .png, .pdf, not '.gif'" in answer.err
    alone = ("--results", "results")
    assert "no run of samples" in command("figure", "samples", *alone).err


def test_the_pages_show_figures_of_the_ledger() -> None:
    assert {path.stem.removesuffix("-small") for path in SHOWN} >= {"synthetic20", "coco", "size"}


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.stem)
def test_a_figure_in_the_pages_is_what_the_ledger_gives(path: Path) -> None:
    name = path.stem.removesuffix("-small")
    now = draw_figure(experiment(name), "small", Ledger(ROOT / "results"), ".svg").decode()
    shown = path.read_text(encoding="utf-8")

    assert words_of(shown) == words_of(now)
    # Other processors may round otherwise in the last digit.
    assert places_of(shown) == pytest.approx(places_of(now), abs=0.01)


def words_of(svg: str) -> list[str]:
    return re.findall(r">([^<>]+)</text>", svg)


def places_of(svg: str) -> list[float]:
    """The numbers of all lines and areas."""
    lines = " ".join(re.findall(r' d="([^"]*)"', svg))
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", lines)]
