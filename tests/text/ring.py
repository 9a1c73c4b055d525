"""Lines over twelve words, any large part of which knows all of them."""

from collections.abc import Callable
from pathlib import Path

Writer = Callable[..., Path]
"""The fixture `text_file`: lines and a name in, a file out."""

LETTERS = "abcdefghijkl"
RING = [f"{LETTERS[i]} {LETTERS[j]}" for i in range(12) for j in range(12) if i != j]


def numbered(n: int, words: int = 3) -> list[str]:
    """Distinct lines over the ring's words."""
    return [" ".join(LETTERS[(i // 12**k) % 12] for k in range(words)) for i in range(n)]
