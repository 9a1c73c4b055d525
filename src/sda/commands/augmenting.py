"""The command that writes new versions of the sentences of a file."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sda.commands.options import Column, Field, Lower, Seed, TokenizerName, Tokens

SHORT_WORK = 2.0  # seconds; a bar for less is a flicker


class Method(StrEnum):
    eda = "eda"
    synonyms = "synonyms"
    neighbours = "neighbours"
    contextual = "contextual"


def eda(
    file: Annotated[Path, typer.Argument(help="Text file.")],
    out: Annotated[
        Path,
        typer.Option("-o", "--out", help="File to write: each line, then its new versions."),
    ],
    seed: Seed = 0,
    alpha: Annotated[
        float | None, typer.Option(help="Share of the words that change; 0.1 by default.")
    ] = None,
    per_sentence: Annotated[int, typer.Option(min=1, max=1000, help="New lines for each.")] = 4,
    operations: Annotated[
        str | None, typer.Option(help="Some of replace,insert,swap,delete; all by default.")
    ] = None,
    method: Annotated[
        Method,
        typer.Option(
            help="EDA; synonyms with geometric choice; neighbours in embedding space; or words"
            " from a bidirectional language model."
        ),
    ] = Method.eda,
    in_vocabulary: Annotated[
        bool, typer.Option("--in-vocabulary", help="Use no word that the file lacks.")
    ] = False,
    synonyms: Annotated[
        Path | None,
        typer.Option(help="Your table (.txt): a word, a tab, its synonyms; else WordNet's."),
    ] = None,
    lower: Lower = False,
    tokenizer: Tokens = TokenizerName.whitespace,
    column: Column = None,
    field: Field = None,
) -> None:
    """Write every line of a file and new versions of it, with a few words changed."""
    from sda.baselines.file_edits import Recipe, augment_file
    from sda.show.terminal import Counter

    recipe = Recipe(
        method=method.value,
        seed=seed,
        alpha=alpha,
        per_sentence=per_sentence,
        operations=None if operations is None else tuple(operations.split(",")),
        in_vocabulary=in_vocabulary,
        synonyms=synonyms,
        lowercase=lower,
        tokenizer=tokenizer.value,
        column=column,
        field=field,
    )
    with Counter(patience=SHORT_WORK) as counter:
        counts = augment_file(file, out, recipe, counter.show)
    print(
        f"{out}: {counts.lines:,} lines and {counts.written:,} new ones,"
        f" {100 * counts.changed / counts.written:.1f} % of them changed"
    )
