"""Options that several commands have."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sda import LARGEST_SEED


class TokenizerName(StrEnum):
    whitespace = "whitespace"
    words = "words"


class Device(StrEnum):
    """Where models are computed."""

    auto = "auto"
    cpu = "cpu"
    cuda = "cuda"
    mps = "mps"


class Stage(StrEnum):
    """Which state of a run."""

    handed = "handed"
    last = "last"
    mle = "mle"


Column = Annotated[str | None, typer.Option(help="Column of .csv and .tsv files.")]
Field = Annotated[str | None, typer.Option(help="Field of .jsonl files.")]
Label = Annotated[
    str | None,
    typer.Option(
        help="Column of .csv and .tsv files, or field of .jsonl files, with the label of each"
        " sentence: what it is about."
    ),
]
Lower = Annotated[bool, typer.Option("--lower", help="Turn all letters into small ones.")]
Tokens = Annotated[TokenizerName, typer.Option("--tokenizer", help="How text is cut into words.")]
Subwords = Annotated[
    int | None,
    typer.Option(
        help="Let the model write pieces of words, this many of them, so that no word of any script"
        " is unknown; 2000 is a good number. Needs the extra sda-text[subwords]."
    ),
]
Seed = Annotated[
    int, typer.Option(min=0, max=LARGEST_SEED, help="The same seed gives the same result.")
]


def text_or_none(path: Path | None) -> str | None:
    """A path as it is written into settings."""
    return None if path is None else str(path)
