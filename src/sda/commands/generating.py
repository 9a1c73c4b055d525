"""Commands that train a generator and write with it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sda import LARGEST_SEED
from sda.commands.options import (
    Column,
    Device,
    Field,
    Label,
    Lower,
    Seed,
    Stage,
    Subwords,
    TokenizerName,
    text_or_none,
)

if TYPE_CHECKING:
    from sda.show.terminal import Reporter


def train(
    source: Annotated[
        str, typer.Argument(help="A text file, `captions`, `oracle` or `oracle:FILE.npz`.")
    ],
    out: Annotated[Path | None, typer.Option(help="Run folder; by default one in runs/.")] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="What is done after MLE: mle (nothing), rl, sda, raft, best-of-n, ...; by default"
            " that of --config or of the generator, which is sda for most, as --preset has it; but"
            " mle for a text file without a metric."
        ),
    ] = None,
    generator: Annotated[
        str, typer.Option(help="rnn, gru, leakrnn, transformer, cnn, seqgan or leakgan.")
    ] = "rnn",
    discriminator: Annotated[
        str | None,
        typer.Option(
            help="rnn, cnn or seqgan; by default the profile's. With the preset recommended also"
            " states and states-sum, or auto, the default: the one that tells best what the metric"
            " accepts."
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(help="bleu, likelihood, rare_words, ... or FILE.py:FUNCTION; sums with +."),
    ] = None,
    calls: Annotated[
        int | None,
        typer.Option(min=1, help="The most sentences that the metric may be asked in all."),
    ] = None,
    profile: Annotated[str, typer.Option(help="Scale: smoke, small or full.")] = "small",
    preset: Annotated[
        str | None,
        typer.Option(
            help="What training after MLE is like. `recommended`, the default for a text file with"
            " a metric: the metric is asked 2,000 times, a judge learns from its answers, rewards"
            " and chooses, and the better of start and result is handed over. `metric-reward`:"
            " sentences are rewarded by the metric itself, which is asked far more often. `paper`,"
            " the default for all else: the paper's method. `vocabulary`, `repetition`: the paper's"
            " with a metric for rare words, or against repeated ones."
        ),
    ] = None,
    config: Annotated[Path | None, typer.Option(help="Settings file (TOML).")] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0, max=LARGEST_SEED, help="The same seed gives the same run, bit for bit."
        ),
    ] = None,
    assignments: Annotated[
        list[str] | None, typer.Option("--set", help="One setting, as key=value; repeatable.")
    ] = None,
    start: Annotated[
        Path | None, typer.Option(help="Run folder: begin with its Stage I, not with one's own.")
    ] = None,
    device: Annotated[
        Device,
        typer.Option(help="Where models are computed; auto is a GPU where there is one."),
    ] = Device.auto,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    length: Annotated[int | None, typer.Option(min=1, help="Words a sentence of `oracle`.")] = None,
    valid: Annotated[Path | None, typer.Option(help="Validation sentences (file).")] = None,
    test: Annotated[Path | None, typer.Option(help="Test sentences (file).")] = None,
    column: Column = None,
    field: Field = None,
    label: Label = None,
    lower: Lower = False,
    subwords: Subwords = None,
    tokenizer: Annotated[TokenizerName | None, typer.Option(help="whitespace or words.")] = None,
    min_count: Annotated[
        int | None,
        typer.Option(min=1, help="Words seen less often are written as unknown."),
    ] = None,
    max_length: Annotated[
        int | None, typer.Option(min=1, help="Leave out sentences with more words than this.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing but warnings.")] = False,
    json_lines: Annotated[
        bool, typer.Option("--json", help="One JSON object an epoch on standard output.")
    ] = False,
) -> None:
    """Train a generator: by maximum likelihood (MLE) first, then by the method."""
    from sda.runs.train import train_run
    from sda.settings.layers import Choices, refuse_idle
    from sda.settings.method_name import method_name

    given = {
        "valid": text_or_none(valid),
        "test": text_or_none(test),
        "column": column,
        "field": field,
        "label": label,
        "lowercase": lower or None,
        "tokenizer": tokenizer and tokenizer.value,
        "subwords": subwords,
        "min_count": min_count,
        "max_length": max_length,
    }
    values: dict[str, Any] = {
        "data": {key: value for key, value in given.items() if value is not None},
        "embedded": {} if length is None else {"length": length},
    }
    refuse_idle(source, values)
    if seed is not None:
        values["seed"] = seed
    if device is not Device.auto:
        values["device"] = device.value
    if calls is not None:
        values["calls"] = {"limit": calls}
    if start is not None:
        values["start"] = str(start)
    choices = Choices(
        source=source,
        method=method,
        generator=generator,
        preset=preset,
        profile=profile,
        discriminator=discriminator,
        metric=metric,
        config=config,
        values=values,
        assignments=assignments or (),
    )
    settings, origins = choices.settle()
    folder = out or default_folder(source, generator, method_name(settings), profile, settings.seed)
    reporter = _reporter(quiet, json_lines)
    if method is None and settings.method == "mle" and config is None:
        reporter.say(
            "no metric was given, so the text is all there is to learn: maximum likelihood, and no"
            " Stage II; --metric says what a good sentence is"
        )
    run = train_run(settings, origins, folder, reporter, resume)
    if not json_lines:
        _show_scores([run], quiet)
    elif run.verdict is not None:
        reporter.say(run.verdict)


def default_folder(source: str, generator: str, method: str, profile: str, seed: int) -> Path:
    """runs/NAME, where the name says what was run."""
    name = Path(source.partition(":")[2] or source).name.partition(".")[0]
    kind = method if generator == "rnn" else f"{generator}-{method}"
    return Path("runs") / f"{name}-{kind}-{profile}-{seed}"


def _reporter(quiet: bool, json_lines: bool) -> Reporter:
    from sda.show.terminal import JsonLines, Quiet, Terminal

    return JsonLines() if json_lines else Quiet() if quiet else Terminal()


def _show_scores(runs: list[Any], quiet: bool = False) -> None:
    from rich.console import Console

    from sda.runs.report import run_views
    from sda.show.rich_tables import show
    from sda.show.run_page import score_table

    if quiet:
        return
    console = Console()
    show(score_table(run_views(runs)), console)
    for run in runs:
        for line in filter(None, (run.verdict, f"report: {run.folder.report}")):
            console.print(line, highlight=False, markup=False, soft_wrap=True)


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the runs.")] = Path("runs/demo"),
    seed: Seed = 0,
    profile: Annotated[str, typer.Option(help="Scale: smoke, small or full.")] = "small",
) -> None:
    """Show on embedded captions what 2,000 calls of a metric buy; goes on if interrupted."""
    from sda.commands.demonstration import run_demo

    run_demo(out, seed, profile, _reporter(False, False))


def sample(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    n: Annotated[int, typer.Option("-n", min=1, help="How many sentences.")] = 10,
    temperature: Annotated[float, typer.Option(help="Below 1 is sharper (alpha is 1/T).")] = 1.0,
    top_k: Annotated[int | None, typer.Option(help="Only the k likeliest words.")] = None,
    top_p: Annotated[float | None, typer.Option(help="Only words of this total share.")] = None,
    max_length: Annotated[
        int | None, typer.Option(min=1, help="Cut sentences after so many words.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same sentences.")] = 0,
    stage: Annotated[
        Stage,
        typer.Option(
            help="What the run hands over (handed), its last state, or the end of Stage I (mle)."
        ),
    ] = Stage.handed,
    label: Annotated[
        str | None,
        typer.Option(
            help="What the sentences are about, for a run on labelled text; by default all labels"
            " in turn."
        ),
    ] = None,
    keep: Annotated[
        float | None,
        typer.Option(
            help="Keep this share of what is written, the best by the run's judge; by default what"
            " the run hands over with, and 1 keeps all."
        ),
    ] = None,
    unique: Annotated[bool, typer.Option("--unique", help="No sentence comes twice.")] = False,
    no_copies: Annotated[
        bool, typer.Option("--no-copies", help="No sentence is one of the training text.")
    ] = False,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="File to write to.")] = None,
) -> None:
    """Write sentences with the generator of a run."""
    from sda.files import write_text
    from sda.runs.run import Run

    texts = Run(run).sample(
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
    )
    content = "".join(f"{text}\n" for text in texts)
    if out is None:
        sys.stdout.write(content)
        sys.stdout.flush()
    else:
        write_text(out, content)
