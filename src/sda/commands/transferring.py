"""Commands of style transfer: train on files of styles, and rewrite sentences."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sda.commands.generating import TRAINING, training_option
from sda.commands.interruption import resumable
from sda.commands.options import (
    NOTHING,
    Lower,
    MaybeTokens,
    Resume,
    Seed,
    TrustOptions,
    given,
    setting_option,
)
from sda.commands.telling import ALOUD, Telling

if TYPE_CHECKING:
    from sda.show.terminal import Reporter
    from sda.transfer.transfer_run import TransferRun


def train(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE FILE...",
            help="A file for each style, with a sentence a line, such as reviews.neg reviews.pos."
            " Sentences need no partners in the other files. Without files of your own: `reviews`,"
            " opinions of things, or `tense`, captions in the present and in the past.",
        ),
    ],
    out: Annotated[Path, "Folder to write the run to."],
    names: Annotated[
        str | None,
        "What the styles are called, with commas between, in the order of the files; by"
        " default as the files are.",
    ] = None,
    metric: Annotated[
        str | None,
        "What a good rewriting is, as FILE.py:FUNCTION: a function that is given a list of"
        " rewritings and, as `context`, a list with the `label` (the style) and the `source` of"
        " each; higher is better. By default style, content and fluency are added up.",
    ] = None,
    form: Annotated[
        str | None,
        training_option(
            help="How the model learns from what it writes: `imitation` of the best rewriting of"
            " each sentence, the default; `adversarial`, the paper's form; or `off`."
        ),
    ] = None,
    model: Annotated[
        str | None,
        training_option(help="The model that rewrites: gru, the default, or transformer."),
    ] = None,
    seed: Seed = 0,
    config: Annotated[Path | None, training_option(help="File with settings (TOML).")] = None,
    assignments: Annotated[
        list[str] | None, setting_option(TRAINING, "stage2.rounds=10", "docs/transfer.md")
    ] = None,
    lower: Lower = False,
    tokenizer: MaybeTokens = None,
    resume: Resume = False,
    telling: Telling = ALOUD,
) -> None:
    """Train a model that rewrites sentences of one style in another."""
    from sda.transfer.transfer_settings import settle_transfer
    from sda.transfer.transfer_training import train_transfer_run

    data = given(
        names=None if names is None else [name.strip() for name in names.split(",")],
        lowercase=lower or None,
        tokenizer=tokenizer and tokenizer.value,
    )
    values: dict[str, Any] = {
        "seed": seed,
        "data": data,
        "stage2": given(form=form),
        "model": given(kind=model),
        "metric": given(function=metric),
    }
    settings = settle_transfer(sources, values, config, assignments or ())
    reporter = telling.reporter()
    with resumable(out):
        run = train_transfer_run(settings, out, reporter, resume)
    if not telling.json_lines:
        show_end(run, telling.quiet)


def apply(
    run: Annotated[Path, typer.Argument(help="Folder of a run of style transfer.")],
    to: Annotated[str, "The style to rewrite sentences in."],
    file: Annotated[
        Path | None,
        typer.Argument(
            help="File with a sentence a line; by default, or with -, standard input, where each"
            " line is answered as soon as it comes."
        ),
    ] = None,
    candidates: Annotated[
        int,
        typer.Option(
            min=1,
            help="Rewritings of each sentence, of which the best is printed; 1 is several times"
            " faster.",
        ),
    ] = 8,
    json_: Annotated[
        bool, "Print a JSON object a line, with `source`, `style` and `text`."
    ] = False,
    seed: Seed = 0,
    vouched: TrustOptions = NOTHING,
) -> None:
    """Rewrite sentences in another style: one line out for each line in, in order."""
    from sda.text.line_stream import line_portions
    from sda.transfer.transfer_run import PORTION, TransferRun

    found = TransferRun(run, metric=vouched.metric, trust=vouched.trust)
    found.check_ready(to)
    where = None if file is None or str(file) == "-" else file
    for lines in line_portions(where, PORTION):
        for source, text in zip(lines, found.stream(lines, to, candidates, seed), strict=True):
            line = json.dumps({"source": source, "style": to, "text": text}, ensure_ascii=False)
            sys.stdout.write(f"{line if json_ else text}\n")
        sys.stdout.flush()


def demo(
    out: Annotated[Path, "Folder to write the run to."] = Path("runs/transfer-demo"),
    seed: Seed = 0,
) -> None:
    """Learn in some three minutes, from built-in reviews, to turn bad opinions into good ones.

    If it was interrupted, the same command goes on.
    """
    from rich.console import Console

    from sda.transfer.transfer_settings import settle_transfer
    from sda.transfer.transfer_training import train_transfer_run

    settings = settle_transfer(["reviews"], {"seed": seed})
    run = train_transfer_run(settings, out, ALOUD.reporter(), resume=True)
    show_end(run, quiet=False)
    console = Console()
    for style, sources in DEMO_SENTENCES.items():
        for source, text in zip(sources, run.transfer(sources, to=style), strict=True):
            console.print(f"{source}\n  {style}: {text}", highlight=False, markup=False)


DEMO_SENTENCES = {
    "positive": [
        "the waiter was rude and the soup was not fresh .",
        "honestly , we hated the hotel near the entrance , stay away .",
    ],
    "negative": ["the chef smiled at us and the pizza was so delicious ."],
}


def go_on(folder: Path, reporter: Reporter, quiet: bool, vouched: TrustOptions) -> None:
    """Go on with a run of style transfer that was interrupted."""
    from sda.transfer.transfer_training import resume_transfer_run

    with resumable(folder):
        run = resume_transfer_run(folder, reporter, vouched.trust, vouched.metric)
    show_end(run, quiet)


def show_end(run: TransferRun, quiet: bool) -> None:
    """The scores of a finished run, and where to read more."""
    from rich.console import Console

    from sda.show.rich_tables import show

    if quiet:
        return
    console = Console()
    show(run.score_table(), console)
    console.print(f"report: {run.folder.run.report}", highlight=False, markup=False, soft_wrap=True)
