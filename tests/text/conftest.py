from collections.abc import Callable
from pathlib import Path

import pytest

from sda.text.preparation import Preparation


@pytest.fixture
def text_file(tmp_path: Path) -> Callable[..., Path]:
    """Writes lines into a file that is gone after the test."""

    def write(lines: list[str], name: str = "text.txt") -> Path:
        path = tmp_path / name
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    return write


@pytest.fixture
def undrawn(text_file: Callable[..., Path]) -> Preparation:
    """Settings with a validation and a test file, so that nothing is drawn."""
    valid = text_file(["a b", "c d"], "valid.txt")
    test = text_file(["b a", "d c"], "test.txt")
    return Preparation(valid=str(valid), test=str(test))
