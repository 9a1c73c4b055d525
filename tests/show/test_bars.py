"""Progress bars on narrow terminals: the bar and the time left stay, figures give way."""

import io

import pytest
from rich.console import Console
from rich.progress import TextColumn

from sda.show.bars import NarrowBars, Pace, TimeLeft

FIGURES = ["loss 0.120", "NLL valid 1.340", "D real 0.900", "D fake 0.800", "reward 0.764"]


def shown(width: int, has_metric: bool = False) -> list[str]:
    """The lines of a run in its second stage."""
    text = io.StringIO()
    console = Console(file=text, force_terminal=True, width=width, color_system=None)
    clock = [0.0]
    bars = NarrowBars(TextColumn("{task.description}"), TimeLeft(), console=console)
    bars.get_time = lambda: clock[0]
    pace = Pace(0.0)
    bars.add_task("imitation 101", total=120, completed=101, parts=FIGURES, pace=pace)
    pace.step("imitation", 100.0)
    clock[0] = 130.0
    if has_metric:
        bars.add_task("metric", total=20_000, completed=10_000, parts=["calls"], begun=100.0)
    console.print(bars.get_renderable())
    return text.getvalue().splitlines()


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("has_metric", [False, True])
def test_bar_and_time_stay(width: int, has_metric: bool) -> None:
    lines = shown(width, has_metric)

    assert len(lines) == 1 + has_metric
    assert all(len(line.rstrip()) <= width for line in lines)
    assert lines[0].startswith("imitation 101 " + "━" * 8)
    assert "101/120" in lines[0]
    assert "0:31:10" in lines[0]  # 18 epochs of 100 seconds, and what is left of one
    assert "loss 0.120" in lines[0]
    if has_metric:
        assert "10000/20000 0:00:30 calls" in lines[1]


def test_figures_come_whole_or_not_at_all() -> None:
    rests = [shown(width)[0].partition("0:31:10 ")[2].rstrip() for width in range(60, 130)]

    assert set(rests) == {"  ".join(FIGURES[:count]) for count in range(1, len(FIGURES) + 1)}


def test_a_first_text_that_is_too_long_is_cut() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=40, color_system=None)
    bars = NarrowBars(TimeLeft(), console=console)
    bars.add_task("", total=2, parts=["a very long name of a file.txt"])
    console.print(bars.get_renderable())
    (line,) = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    # A bar without colours is blank as long as nothing is done.
    assert line == " " * 10 + " 0/2 -:--:-- a very long name…"


def test_the_pace_is_known_after_one_step_and_follows_the_stage() -> None:
    pace = Pace(10.0)
    assert pace.left(5, 12.0) is None
    pace.step("mle", 14.0)
    assert pace.left(5, 14.0) == 20.0
    assert pace.left(5, 15.0) == 19.0
    for now in (16.0, 18.0, 20.0, 22.0, 24.0):
        pace.step("mle", now)
    assert pace.left(3, 24.0) == 6.0  # the first is forgotten
    assert pace.left(3, 34.0) == 20.0  # the one that goes on takes longer than any before
    pace.step("imitation", 44.0)
    assert pace.left(2, 44.0) == 40.0
    assert pace.left(0, 44.0) == 0.0
