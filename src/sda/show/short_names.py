"""Names for columns and rows that are no longer than they need be."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path


def file_names(files: Sequence[Path]) -> list[str]:
    """The name of each file without its ending and without the beginning that all share.

    Where two names are the same, the paths.
    """
    names = [file.name.partition(".")[0] for file in files]
    if len(set(names)) < len(names):
        return [str(file) for file in files]
    return without_common_words(names)


def without_common_words(names: Sequence[str]) -> list[str]:
    """The names without the words at the beginning that all share; a name alone stays."""
    if len(names) < 2:
        return list(names)
    # Only whole words go, so that `mle` and `maligan` keep their m.
    cuts = [mark.end() for mark in re.finditer("[-_ ]", names[0])]
    cut = max((c for c in cuts if len({name[:c] for name in names}) == 1), default=0)
    return [name[cut:] or name for name in names]
