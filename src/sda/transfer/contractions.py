"""One way to write contractions, so that texts from different tokenisers can be compared."""

from __future__ import annotations

import re

JOINED = "contractions"
"""What signatures call it."""
_APART = re.compile(r"(?<!\S)(n )?' (s|d|ll|m|re|t|ve)(?!\S)")


def join_contractions(text: str) -> str:
    """The text with its words one space apart, and with contractions as "it 's" and "did n't".

    Some published outputs have "it ' s" and "did n ' t", which no n-gram of another text matches.
    """
    words = " ".join(text.split())
    return _APART.sub(lambda found: f"{(found[1] or '').strip()}'{found[2]}", words)
