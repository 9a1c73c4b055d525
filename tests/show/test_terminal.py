"""What a person sees while something runs: bars on a terminal, lines elsewhere, or nothing."""

import io
from typing import Any

import pytest
from rich.console import Console
from rich.progress import TimeElapsedColumn

from sda.show import terminal
from sda.show.bars import Pace
from sda.show.terminal import Counter, Terminal


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """A terminal in place of standard error."""
    text = io.StringIO()

    def console(**_: Any) -> Console:
        return Console(file=text, force_terminal=True, width=100, color_system=None)

    monkeypatch.setattr(terminal, "Console", console)
    return text


def test_lines_only_where_they_are_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    for lines in (True, False):
        with Counter(lines=lines) as counter:
            counter.begin(2)
            counter.step("[a]")
            counter.tell("now")
            counter.say("[done]")
    assert capsys.readouterr().err == "1/2 [a]\n[done]\n[done]\n"


def test_steps_have_one_bar_with_a_text_behind_it(screen: io.StringIO) -> None:
    with Counter() as counter:
        counter.begin(3)
        counter.step("[first]")
        counter.step()
    last = [line for line in screen.getvalue().splitlines() if "2/3" in line][-1]

    assert last.index("2/3") < last.index("[first]")


def test_works_have_a_bar_each_behind_their_names(screen: io.StringIO) -> None:
    with Counter() as counter:
        counter.show("learning", 5, 5)
        counter.show("writing", 1, 8)
    lines = screen.getvalue().splitlines()

    assert any(line.index("learning") < line.index("5/5") for line in lines if "5/5" in line)
    assert any(line.index("writing") < line.index("1/8") for line in lines if "1/8" in line)


def test_short_work_shows_nothing(screen: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: clock[0])
    with Counter(patience=2.0) as counter:
        clock[0] += 1.9
        counter.show("writing", 1, 8)
        assert screen.getvalue() == ""
        clock[0] += 0.2
        counter.show("writing", 2, 8)
    assert "2/8" in screen.getvalue()


def test_the_time_may_be_the_one_since_the_beginning(screen: io.StringIO) -> None:
    with Counter(time_column=TimeElapsedColumn) as counter:
        counter.begin(2)
        counter.tell("[job]: epoch 3")
        counter.say("[done]")

    assert "0:00:00 [job]: epoch 3" in screen.getvalue()
    assert "[done]" in screen.getvalue()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time of day, which stands still until a test moves it."""
    found = [100.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: found[0])
    return found


def test_a_slow_metric_has_a_bar_while_it_is_asked(screen: io.StringIO, clock: list[float]) -> None:
    shown = Terminal()
    shown.part("metric calls", 0, 9)
    shown.start("a run", [("text", "toy")], 5, 0)
    shown.part("metric calls", 0, 500)
    clock[0] += 1.9
    shown.part("metric calls", 40, 500)
    assert "metric" not in screen.getvalue()
    clock[0] += 0.2
    shown.part("metric calls", 44, 500)
    shown.part("metric calls", 120, 500)
    assert shown._bars is not None
    shown._bars.refresh()
    line = [line for line in screen.getvalue().splitlines() if "120/500" in line][-1]
    assert line.startswith("metric calls")
    shown.part("metric calls", 500, 500)
    assert [task.description for task in shown._bars.tasks] == ["starting"]
    shown.stop()


def test_the_time_of_a_part_is_not_taken_for_that_of_an_epoch(
    screen: io.StringIO, clock: list[float]
) -> None:
    shown = Terminal()
    shown.start("a run", [("text", "toy")], 5, 0)
    assert shown._bars is not None
    shown._bars.get_time = lambda: clock[0]
    shown._pace = Pace(clock[0])
    clock[0] += 10
    shown.epoch({"stage": "mle", "epoch": 1})
    for fitted in range(4):
        shown.part("judges", fitted, 3)
        clock[0] += 100 if fitted < 3 else 10
    shown.epoch({"stage": "mle", "epoch": 2})

    assert shown._pace.left(3, clock[0]) == pytest.approx(30)
    shown.stop()


def test_a_metric_that_fails_leaves_its_bar_to_the_next_question(screen: io.StringIO) -> None:
    shown = Terminal()
    shown.start("a run", [("text", "toy")], 5, 0)
    shown.part("metric calls", 0, 10)
    shown._part_since -= 10
    shown.part("metric calls", 3, 10)
    shown.part("metric calls", 0, 7)
    shown._part_since -= 10
    shown.part("metric calls", 2, 7)
    assert shown._bars is not None
    assert [(task.completed, task.total) for task in shown._bars.tasks[1:]] == [(2, 7)]
    shown.stop()
