"""The command line: arguments in, one call, an exit code out.

Everything heavy is imported inside the commands, so that `sda --help` answers at once. The file is
long because every option of every command is declared here, and nothing else is done.
"""

from __future__ import annotations

import errno
import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sda import LARGEST_SEED, __version__

if TYPE_CHECKING:
    from sda.experiments.reporter import Reporter

app = typer.Typer(
    help="Self Data Augmentation: a text generator learns from its own best sentences, and you see"
    " what that bought.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

INTERRUPTED = 130  # what a shell reports after Ctrl-C


class Tokenizer(StrEnum):
    whitespace = "whitespace"
    words = "words"


class Stage(StrEnum):
    last = "last"
    mle = "mle"


Column = Annotated[str | None, typer.Option(help="Column of .csv and .tsv files.")]
Field = Annotated[str | None, typer.Option(help="Field of .jsonl files.")]
Lower = Annotated[bool, typer.Option("--lower", help="Turn all letters into small ones.")]
Tokens = Annotated[Tokenizer, typer.Option("--tokenizer", help="How text is cut into words.")]


def main() -> None:
    """Run a command; what the user can mend is one sentence on standard error and exit code 2."""
    from sda.errors import UserError

    try:
        app()
    except UserError as error:
        print(f"sda: {error}", file=sys.stderr)
        sys.exit(2)
    except SystemExit as end:
        # typer turns Ctrl-C into this code and says nothing.
        if end.code == INTERRUPTED:
            print("sda: interrupted; a run goes on with --resume", file=sys.stderr)
        raise
    except BrokenPipeError:
        # The reader of our output has seen enough, as `head` does.
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        # Files name themselves where they are written; standard output may be on a full disk too.
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        print(f"sda: standard output: {error.strerror}", file=sys.stderr)
        # What is still waiting to be written would fail once more on the way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(2)


def _version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


@app.command()
def train(
    source: Annotated[
        str, typer.Argument(help="A text file, `captions`, `oracle` or `oracle:FILE.npz`.")
    ],
    out: Annotated[Path | None, typer.Option(help="Run folder; by default one in runs/.")] = None,
    method: Annotated[
        str | None, typer.Option(help="mle, rl or sda; by default --config's or the generator's.")
    ] = None,
    generator: Annotated[
        str, typer.Option(help="rnn, gru, leakrnn, transformer, cnn, seqgan or leakgan.")
    ] = "rnn",
    discriminator: Annotated[
        str | None, typer.Option(help="rnn, cnn or seqgan; by default the profile's.")
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(help="bleu, likelihood, rare_words, ... or FILE.py:FUNCTION; sums with +."),
    ] = None,
    profile: Annotated[str, typer.Option(help="Scale: smoke, small or full.")] = "small",
    preset: Annotated[str, typer.Option(help="Settings of the method.")] = "paper",
    config: Annotated[Path | None, typer.Option(help="Settings file (TOML).")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=LARGEST_SEED, help="All random numbers.")
    ] = None,
    assignments: Annotated[
        list[str] | None, typer.Option("--set", help="One setting, as key=value; repeatable.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    length: Annotated[int | None, typer.Option(min=1, help="Words a sentence of `oracle`.")] = None,
    valid: Annotated[Path | None, typer.Option(help="Validation sentences (file).")] = None,
    test: Annotated[Path | None, typer.Option(help="Test sentences (file).")] = None,
    column: Column = None,
    field: Field = None,
    lower: Lower = False,
    tokenizer: Annotated[Tokenizer | None, typer.Option(help="whitespace or words.")] = None,
    min_count: Annotated[int | None, typer.Option(min=1, help="Rarer words are rare.")] = None,
    max_length: Annotated[int | None, typer.Option(min=1, help="Most words.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing but warnings.")] = False,
    json_lines: Annotated[
        bool, typer.Option("--json", help="One JSON object an epoch on standard output.")
    ] = False,
) -> None:
    """Train a generator by MLE and then by self data augmentation."""
    from sda.experiments.layers import Choices, refuse_idle
    from sda.experiments.run import train_run

    given = {
        "valid": _text(valid),
        "test": _text(test),
        "column": column,
        "field": field,
        "lowercase": lower or None,
        "tokenizer": tokenizer and tokenizer.value,
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
    folder = out or default_folder(source, settings.method, profile, settings.seed)
    reporter = _reporter(quiet, json_lines)
    run = train_run(settings, origins, folder, reporter, resume)
    if not json_lines:
        _show_scores([run], quiet)


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


def default_folder(source: str, method: str, profile: str, seed: int) -> Path:
    """runs/NAME, where the name says what was run."""
    name = Path(source.partition(":")[2] or source).name.partition(".")[0]
    return Path("runs") / f"{name}-{method}-{profile}-{seed}"


def _reporter(quiet: bool, json_lines: bool) -> Reporter:
    from sda.experiments.reporter import JsonLines, Quiet, Terminal

    return JsonLines() if json_lines else Quiet() if quiet else Terminal()


def _show_scores(runs: list[Any], quiet: bool = False) -> None:
    from rich.console import Console

    from sda.experiments.report import NOTE, score_table
    from sda.experiments.tables import rich_table

    if quiet:
        return
    console = Console()
    header, body = score_table(runs)
    console.print(rich_table(header, body, "Scores on test data"))
    console.print(NOTE, highlight=False)
    for run in runs:
        line = f"report: {run.folder.report}"
        console.print(line, highlight=False, markup=False, soft_wrap=True)


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Run folder.")] = Path("runs/demo"),
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="All random numbers.")] = 0,
    profile: Annotated[str, typer.Option(help="Scale: smoke, small or full.")] = "small",
) -> None:
    """Train on the embedded captions and compare MLE with SDA; goes on if interrupted."""
    from sda.experiments.demo import run_demo

    run_demo(out, seed, profile, _reporter(False, False))


@app.command()
def sample(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    n: Annotated[int, typer.Option("-n", min=1, help="How many sentences.")] = 10,
    temperature: Annotated[float, typer.Option(help="Below 1 is sharper (alpha is 1/T).")] = 1.0,
    top_k: Annotated[int | None, typer.Option(help="Only the k likeliest words.")] = None,
    top_p: Annotated[float | None, typer.Option(help="Only words of this total share.")] = None,
    max_length: Annotated[int | None, typer.Option(min=1, help="Most tokens.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same sentences.")] = 0,
    stage: Annotated[Stage, typer.Option(help="Last state, or the end of Stage I.")] = Stage.last,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="File to write to.")] = None,
) -> None:
    """Write sentences with the generator of a run."""
    from sda.experiments.files import write_text
    from sda.experiments.run import Run

    texts = Run(run).sample(n, temperature, seed, top_k, top_p, max_length, stage.value)
    content = "".join(f"{text}\n" for text in texts)
    if out is None:
        sys.stdout.write(content)
        sys.stdout.flush()
    else:
        write_text(out, content)


@app.command()
def evaluate(
    samples: Annotated[list[Path], typer.Argument(help="Files with a sentence a line.")],
    test: Annotated[Path, typer.Option(help="Sentences to compare with.")],
    train: Annotated[Path | None, typer.Option(help="Training sentences, to find copies.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="JSON file to write.")] = None,
    self_bleu: Annotated[
        int, typer.Option(min=0, help="Sentences for self-BLEU, drawn by the seed; 0 takes all.")
    ] = 2000,
    seed: Annotated[
        int, typer.Option(min=0, max=LARGEST_SEED, help="Which sentences self-BLEU takes.")
    ] = 0,
    lower: Lower = False,
    tokenizer: Tokens = Tokenizer.whitespace,
    column: Column = None,
    field: Field = None,
) -> None:
    """Score files of samples against test sentences."""
    from rich.console import Console

    from sda.evaluation.texts import evaluate_files
    from sda.experiments.files import write_json
    from sda.experiments.tables import evaluation_table

    reports = evaluate_files(
        samples,
        test,
        train,
        self_bleu_limit=self_bleu or None,
        seed=seed,
        lowercase=lower,
        tokenizer=tokenizer.value,
        column=column,
        field=field,
    )
    if json_file is not None:
        write_json(json_file, reports[0] if len(reports) == 1 else reports)
    Console().print(evaluation_table(reports))


@app.command()
def report(
    runs: Annotated[list[Path], typer.Argument(help="Run folders.")],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="HTML file to write.")] = None,
) -> None:
    """Write the page of a run anew, or one page for several runs."""
    from sda.experiments.report import write_report
    from sda.experiments.run import Run

    found = [Run(path) for path in runs]
    target = out or (found[0].folder.report if len(found) == 1 else Path("report.html"))
    write_report(found, target)
    print(target)


@app.command()
def inspect(
    file: Annotated[Path, typer.Argument(help="Text file.")],
    column: Column = None,
    field: Field = None,
    lower: Lower = False,
    tokenizer: Tokens = Tokenizer.whitespace,
    min_count: Annotated[int, typer.Option(min=1, help="Rarer words are rare.")] = 2,
    drop_rare: Annotated[
        bool, typer.Option("--drop-rare", help="Drop sentences with a rare word.")
    ] = False,
    max_length: Annotated[int, typer.Option(min=1, help="Most words.")] = 50,
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

    from sda.experiments.tables import summary_table
    from sda.text.prepare import Preparation, prepare

    preparation = Preparation(
        lowercase=lower,
        tokenizer=tokenizer.value,
        min_count=min_count,
        rare="drop" if drop_rare else "unknown",
        max_length=max_length,
        too_long="cut" if cut else "drop",
        deduplicate=deduplicate,
        valid=_text(valid),
        test=_text(test),
        column=column,
        field=field,
    )
    summary = prepare(file, preparation, seed).summary
    if json_out:
        print(json.dumps(summary.as_dict(), indent=1))
    else:
        Console().print(summary_table(str(file), summary.as_rows()))
