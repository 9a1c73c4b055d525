"""The command that writes sentences with the model of a run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from sda.commands.options import NOTHING, Stage, TrustOptions, out_option


def sample(
    run: Annotated[Path, typer.Argument(help="Folder of a run.")],
    n: Annotated[
        int, typer.Option("-n", min=1, max=100_000_000, help="How many sentences to write.")
    ] = 10,
    unique: Annotated[bool, "Write no sentence twice."] = False,
    no_copies: Annotated[bool, "Write no sentence that stands in the training text."] = False,
    label: Annotated[
        str | None,
        "What the sentences are about, for a run that was trained with --label; by default"
        " all labels take turns.",
    ] = None,
    prompt: Annotated[
        str | None,
        "What the sentences follow on, for a run that was trained with --prompt-column, or"
        " another prompt than that of --prompt.",
    ] = None,
    temperature: Annotated[
        float,
        "How daring the choice of words is: below 1 safer and more alike, above 1 more"
        " varied and more often wrong.",
    ] = 1.0,
    top_k: Annotated[
        int | None, "Choose each word among the k likeliest only, for example 40."
    ] = None,
    top_p: Annotated[
        float | None,
        "Choose each word among the likeliest that together have this probability, for"
        " example 0.9.",
    ] = None,
    max_length: Annotated[
        int | None,
        typer.Option(min=1, max=100_000, help="Cut sentences off after this many words."),
    ] = None,
    stage: Annotated[
        Stage,
        "Which model writes: the one that the run found best (handed), the last one"
        " (last), or the one before the metric was used (mle).",
    ] = Stage.handed,
    keep: Annotated[
        float | None,
        "Keep this share of what is written, the best by the judge that the run trained;"
        " by default what the run found best, and 1 keeps all.",
    ] = None,
    guide: Annotated[
        float | None,
        "Let that judge weigh each word as it is written, so that no sentence has to be"
        " thrown away: 1 as it sees it, 4 to 16 more strictly and less varied, 0 not at all;"
        " by default what the run found best.",
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            min=0,
            help="Start of all random choices: the same seed gives the same sentences.",
        ),
    ] = 0,
    out: Annotated[
        Path | None, out_option(help="File to write to; by default they are printed.")
    ] = None,
    vouched: TrustOptions = NOTHING,
) -> None:
    """Write sentences with the model of a run."""
    from sda.files import write_text

    texts = vouched.run(run).sample(
        n,
        temperature,
        seed,
        top_k,
        top_p,
        max_length,
        stage.value,
        label,
        keep,
        unique,
        no_copies,
        prompt,
        guide,
    )
    content = "".join(f"{text}\n" for text in texts)
    if out is None:
        sys.stdout.write(content)
        sys.stdout.flush()
    else:
        write_text(out, content)
        print(f"{out}: {len(texts):,} sentences", file=sys.stderr)
