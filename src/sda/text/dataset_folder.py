"""Folders that Hugging Face `datasets` wrote (`save_to_disk`) as a table of sentences.

The only file that imports `datasets`, an extra.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sda.errors import UserError

_TABLE = "state.json"
_SPLITS = "dataset_dict.json"


def is_dataset(path: Path) -> bool:
    """Whether the path is such a folder."""
    return (path / _TABLE).is_file() or (path / _SPLITS).is_file()


def dataset_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of the table, column by column name."""
    if (path / _SPLITS).is_file():
        splits = sorted(part.name for part in path.iterdir() if (part / _TABLE).is_file())
        raise UserError(
            f"{path} holds several splits: name one of them, as {path / (splits or ['train'])[0]};"
            f" there are {', '.join(splits) or 'none'} (--valid and --test name the others)."
        )
    try:
        import datasets
    except ImportError as error:
        raise UserError(
            f"{path} needs the package datasets: pip install 'sda-text[datasets]'."
        ) from error
    try:
        yield from datasets.load_from_disk(str(path))
    # The package raises whatever its readers do.
    except Exception as error:
        raise UserError(f"{path} cannot be read ({type(error).__name__}: {error}).") from error
