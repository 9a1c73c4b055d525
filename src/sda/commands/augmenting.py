"""The command that writes new versions of the sentences of a file."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sda.commands.options import (
    Column,
    Field,
    Lower,
    Seed,
    TokenizerName,
    Tokens,
    out_option,
    text_option,
)

SHORT_WORK = 2.0  # seconds; a bar for less is a flicker
UNUSUAL = 0.2  # share of the running words with a synonym; English text has about two fifths


class Method(StrEnum):
    eda = "eda"
    synonyms = "synonyms"
    neighbours = "neighbours"
    contextual = "contextual"


def eda(
    file: Annotated[Path, typer.Argument(help="File with a sentence a line, or a table.")],
    out: Annotated[
        Path,
        out_option(
            help="File to write: each sentence, followed by its new versions; with --label a table"
            " with all columns, and `source`, which says what is new."
        ),
    ],
    per_sentence: Annotated[
        int, typer.Option(min=1, max=1000, help="How many new versions of each sentence to write.")
    ] = 4,
    alpha: Annotated[
        float | None, "Which share of the words of a sentence is changed; by default 0.1."
    ] = None,
    method: Annotated[
        Method,
        "Where new words come from. `eda`: synonyms, and words swapped or left out (Easy"
        " Data Augmentation). `synonyms`: synonyms alone, near ones most often. `neighbours`:"
        " words used alike in this file. `contextual`: what a language model of this file"
        " expects there.",
    ] = Method.eda,
    operations: Annotated[
        str | None,
        "For eda: which changes are made, some of replace,insert,swap,delete; by default all.",
    ] = None,
    in_vocabulary: Annotated[bool, "Use only words that occur in the file."] = False,
    synonyms: Annotated[
        Path | None,
        "File with synonyms of your own, a word a line, then a tab and its synonyms; by"
        " default those of WordNet, which are English.",
    ] = None,
    seed: Seed = 0,
    lower: Lower = False,
    tokenizer: Tokens = TokenizerName.whitespace,
    column: Column = None,
    field: Field = None,
    text: Annotated[
        str, text_option(help="With --label: which column, or field, holds the text.")
    ] = "text",
    label: Annotated[
        str | None,
        text_option(
            help="Which column, or field of a .jsonl file, holds the label; new versions of a"
            " sentence have the label of the sentence."
        ),
    ] = None,
) -> None:
    """Make a text larger without training: new versions of each sentence, a few words changed."""
    from sda.baselines.file_edits import Recipe, augment_file
    from sda.labelled.edited_rows import edit_labelled
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
        if label is None:
            counts = augment_file(file, out, recipe, counter.show)
        else:
            counts = edit_labelled(file, out, text, label, recipe, counter.show)
    print(
        f"{out}: {counts.lines:,} lines and {counts.written:,} new ones,"
        f" {100 * counts.changed / counts.written:.1f} % of them changed"
    )
    if counts.covered is not None:
        print(_coverage(counts.covered, synonyms))


def _coverage(share: float, synonyms: Path | None) -> str:
    """What the table of synonyms does not cover is said, not passed over."""
    table = "WordNet, which is English," if synonyms is None else str(synonyms)
    if not share:
        return (
            f"{table} has a synonym of no word here: words were only swapped and left out; name a"
            " table of your language with --synonyms, or try --method neighbours or contextual"
        )
    told = f"{table} has synonyms of {100 * share:.0f} % of the running words; others stay"
    if share < UNUSUAL and synonyms is None:
        told += (
            ". So few are usual for a text that is not English, whose words only look like English"
            " ones: name a table of your language with --synonyms"
        )
    return told
