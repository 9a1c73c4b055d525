"""Commands on text files, before anything is trained."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sda.commands.options import (
    Column,
    Deduplicate,
    Field,
    Label,
    Lower,
    Seed,
    Subwords,
    Test,
    TokenizerName,
    Tokens,
    Valid,
    text_option,
    text_or_none,
)


def inspect(
    file: Annotated[
        Path, typer.Argument(help="The text: a file as for `sda train`, such as my.txt or my.csv.")
    ],
    column: Column = None,
    field: Field = None,
    label: Label = None,
    lower: Lower = False,
    tokenizer: Tokens = TokenizerName.whitespace,
    subwords: Subwords = None,
    min_count: Annotated[
        int,
        text_option(
            min=1, help="A word that occurs less often than this becomes one unknown word."
        ),
    ] = 2,
    drop_rare: Annotated[
        bool,
        text_option(
            "--drop-rare",
            help="Leave out sentences with a word below --min-count, so that no word is unknown.",
        ),
    ] = False,
    max_length: Annotated[
        int, text_option(min=1, help="Leave out sentences with more words than this.")
    ] = 50,
    cut: Annotated[
        bool,
        text_option("--cut", help="Cut sentences off at --max-length, and leave none out for it."),
    ] = False,
    deduplicate: Deduplicate = False,
    valid: Valid = None,
    test: Test = None,
    seed: Seed = 0,
    json_: Annotated[bool, "For scripts: print all of it as JSON."] = False,
) -> None:
    """Look at a text before training: what would be learned from, what left out, and advice."""
    import json

    from rich.console import Console

    from sda.show.rich_tables import show
    from sda.show.table import fact_table
    from sda.text.preparation import Preparation
    from sda.text.prepare import prepare

    preparation = Preparation(
        lowercase=lower,
        tokenizer=tokenizer.value,
        subwords=subwords,
        min_count=min_count,
        rare="drop" if drop_rare else "unknown",
        max_length=max_length,
        too_long="cut" if cut else "drop",
        deduplicate=deduplicate,
        valid=text_or_none(valid),
        test=text_or_none(test),
        column=column,
        field=field,
        label=label,
    )
    summary = prepare(file, preparation, seed).summary
    if json_:
        print(json.dumps(summary.as_dict(), indent=1))
    else:
        console = Console()
        show(fact_table(str(file), summary.as_rows()), console)
        for sentence in summary.advice:
            console.print(f"advice: {sentence}", highlight=False, markup=False, soft_wrap=True)
