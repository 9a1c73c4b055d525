"""What a person sees while something runs: bars on a terminal, lines elsewhere, or nothing."""

import io
from typing import Any

import pytest
from rich.console import Console
from rich.progress import TimeElapsedColumn

from sda.show import terminal
from sda.show.terminal import Counter


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
