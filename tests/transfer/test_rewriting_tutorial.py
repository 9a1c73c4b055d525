"""The tutorial runs as it is printed."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def python_blocks() -> list[str]:
    pieces = (ROOT / "docs" / "transfer.md").read_text(encoding="utf-8").split("```python\n")[1:]
    return [piece.partition("```")[0] for piece in pieces]


def test_the_tutorial_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    training, metric = python_blocks()
    exec(compile(training, "transfer.md", "exec"), {})
    printed = capsys.readouterr().out

    assert "('negative', 'positive')" in printed and printed.count(" -> ") == 2
    found: dict[str, object] = {}
    exec(compile(metric, "transfer.md", "exec"), found)
    assert callable(found["shorter"])
