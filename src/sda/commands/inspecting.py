"""Commands on text files, before anything is trained."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sda import LARGEST_SEED
from sda.commands.options import (
    Column,
    Field,
    Label,
    Lower,
    Subwords,
    TokenizerName,
    Tokens,
    text_or_none,
)


def inspect(
    file: Annotated[Path, typer.Argument(help="Text file.")],
    column: Column = None,
    field: Field = None,
    label: Label = None,
    lower: Lower = False,
    tokenizer: Tokens = TokenizerName.whitespace,
    subwords: Subwords = None,
    min_count: Annotated[
        int, typer.Option(min=1, help="Words seen less often than this are unknown words.")
    ] = 2,
    drop_rare: Annotated[
        bool, typer.Option("--drop-rare", help="Drop sentences with such a word instead.")
    ] = False,
    max_length: Annotated[int, typer.Option(min=1, help="Most words of a sentence.")] = 50,
    cut: Annotated[bool, typer.Option("--cut", help="Cut longer sentences.")] = False,
    deduplicate: Annotated[bool, typer.Option("--deduplicate", help="Keep one of each.")] = False,
    valid: Annotated[Path | None, typer.Option(help="Validation sentences (file).")] = None,
    test: Annotated[Path | None, typer.Option(help="Test sentences (file).")] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=LARGEST_SEED, help="Which sentences are held out.")
    ] = 0,
    json_out: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what would be read from a file, what would be dropped, and why."""
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
    if json_out:
        print(json.dumps(summary.as_dict(), indent=1))
    else:
        show(fact_table(str(file), summary.as_rows()), Console())
