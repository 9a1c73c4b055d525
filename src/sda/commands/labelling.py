"""The command that makes more labelled rows, and says whether they help."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sda.commands.options import HOW_WORDS_ARE_CUT, Seed, TokenizerName

if TYPE_CHECKING:
    from sda.labelled.augmented import Augmented

HOW = "How they are made"
CHECKING = "Whether they help"


def augment(
    file: Annotated[
        Path, typer.Argument(help="Table of labelled texts: a .csv, .tsv or .jsonl file.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            help="File to write: the rows as they were, and the new ones with their figures. What"
            " was not taken stands beside it, with the reason.",
        ),
    ] = None,
    text: Annotated[str, typer.Option(help="Which column, or field, holds the text.")] = "text",
    label: Annotated[str, typer.Option(help="Which one holds the label.")] = "label",
    unlabelled: Annotated[
        Path | None,
        typer.Option(help="File with texts of the same kind that have no label, one a line."),
    ] = None,
    test: Annotated[
        Path | None,
        typer.Option(help="File with texts that must never be written, such as your test set."),
    ] = None,
    per_class: Annotated[
        int | None,
        typer.Option(min=1, help="New rows for each label; by default as many as it has."),
    ] = None,
    balance: Annotated[
        bool,
        typer.Option(
            "--balance", help="As many new rows as make every label as frequent as the first."
        ),
    ] = False,
    metric: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.py:FUNCTION",
            help="A function of your own from texts to numbers between 0 and 1, which the worth of"
            " a text is multiplied with.",
            rich_help_panel=HOW,
        ),
    ] = None,
    rules: Annotated[
        Path | None,
        typer.Option(
            help="File with rules: on each line a label, a tab, and a pattern or `word:` and words.",
            rich_help_panel=HOW,
        ),
    ] = None,
    least: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="How sure the label of a new row must be; by default as sure as that of half the"
            " originals is, 0.8 at most.",
            rich_help_panel=HOW,
        ),
    ] = None,
    tokenizer: Annotated[
        TokenizerName | None,
        typer.Option(
            help=f"{HOW_WORDS_ARE_CUT} By default what suits the texts.", rich_help_panel=HOW
        ),
    ] = None,
    work: Annotated[
        Path | None,
        typer.Option(
            help="Folder for what is trained, to go on after an interruption; by default OUT.work.",
            rich_help_panel=HOW,
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="See whether it helps: your rows in folds, several classifiers, cheap rivals and"
            " controls. Nothing is written without --out.",
            rich_help_panel=CHECKING,
        ),
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option(help="Check, and write a page to this HTML file.", rich_help_panel=CHECKING),
    ] = None,
    folds: Annotated[
        int, typer.Option(min=2, max=20, help="Parts of the rows.", rich_help_panel=CHECKING)
    ] = 5,
    seed: Seed = 0,
) -> None:
    """Make more labelled rows from the ones you have, and see whether they help."""
    from sda.errors import UserError

    if out is None and not check and report is None:
        raise UserError("name a file for the new rows with --out, or ask for --check.")
    raise NotImplementedError


def _summary(found: Augmented) -> str:
    raise NotImplementedError
