"""Commands that score, compare and show."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sda.commands.options import Column, Field, Lower, Seed, TokenizerName, Tokens


def evaluate(
    samples: Annotated[list[Path], typer.Argument(help="Files with a sentence a line.")],
    test: Annotated[Path, typer.Option(help="Sentences to compare with.")],
    train: Annotated[Path | None, typer.Option(help="Training sentences, to find copies.")] = None,
    real: Annotated[
        Path | None, typer.Option(help="Real text to score too; by default half of --test.")
    ] = None,
    ceiling: Annotated[
        bool,
        typer.Option(
            "--ceiling/--no-ceiling",
            help="Score real text too; without it all of --test and all samples are used.",
        ),
    ] = True,
    quick: Annotated[
        bool, typer.Option("--quick", help="No language model and no features: seconds.")
    ] = False,
    lstm: Annotated[
        bool, typer.Option("--lstm", help="An LSTM as a second language model: minutes.")
    ] = False,
    grammar: Annotated[
        bool, typer.Option("--grammar", help="Count grammar issues (needs sda\\[grammar]).")
    ] = False,
    languagetool: Annotated[
        str | None, typer.Option(help="Count them by your LanguageTool server at this URL.")
    ] = None,
    captions: Annotated[
        bool, typer.Option("--captions", help="Judge by the grammar of the embedded captions.")
    ] = False,
    sentence_model: Annotated[
        Path | None,
        typer.Option(help="Folder of a sentence transformer for features (sda\\[sentence])."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Show every score.")] = False,
    json_file: Annotated[Path | None, typer.Option("--json", help="JSON file to write.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Markdown file to write.")] = None,
    latex: Annotated[Path | None, typer.Option(help="LaTeX file to write.")] = None,
    html: Annotated[Path | None, typer.Option(help="HTML file to write.")] = None,
    self_bleu: Annotated[
        int, typer.Option(min=0, help="Sentences for self-BLEU, drawn by the seed; 0 takes all.")
    ] = 2000,
    seed: Seed = 0,
    lower: Lower = False,
    tokenizer: Tokens = TokenizerName.whitespace,
    column: Column = None,
    field: Field = None,
) -> None:
    """Score files of samples: quality, diversity, novelty, beside real text, with alarms."""
    from sda.errors import UserError
    from sda.evaluation.checkers import find_checker
    from sda.evaluation.evaluator import Options
    from sda.evaluation.texts import evaluate_files
    from sda.files import refuse_overlap
    from sda.show.evaluation_page import show, write
    from sda.show.terminal import Counter

    outputs = {"--json": json_file, "--markdown": markdown, "--latex": latex, "--html": html}
    refuse_overlap(outputs, (*samples, test, train, real))
    if quick and (lstm or sentence_model is not None):
        raise UserError("--quick leaves out what --lstm and --sentence-model ask for: choose one.")
    options = Options(
        lowercase=lower,
        tokenizer=tokenizer.value,
        seed=seed,
        self_bleu_limit=self_bleu or None,
        ceiling=ceiling,
        language_model=not quick,
        features=not quick,
        lstm=lstm,
        captions=captions,
        checker=find_checker(grammar, languagetool),
        sentence_model=sentence_model,
    )
    with Counter(lines=False) as counter:
        counter.begin(len(samples))
        found = evaluate_files(
            *(samples, test, train, real, options),
            column=column,
            field=field,
            done=counter.step,
        )
    write(samples, found, json_file, markdown, latex, html)
    show(samples, found, every)


def report(
    runs: Annotated[list[Path], typer.Argument(help="Run folders.")],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="HTML file to write.")] = None,
) -> None:
    """Write the page of a run anew, or one page for several runs."""
    from sda.runs.report import write_report
    from sda.runs.run import Run

    found = [Run(path) for path in runs]
    target = out or (found[0].folder.report if len(found) == 1 else Path("report.html"))
    write_report(found, target)
    print(target)


def compare(
    runs: Annotated[list[Path], typer.Argument(help="Finished run folders, of several seeds.")],
    scores: Annotated[
        str | None, typer.Option(help="Scores to show, as bleu-5,self-bleu-5.")
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="JSON file to write.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Markdown file to write.")] = None,
    latex: Annotated[Path | None, typer.Option(help="LaTeX file to write.")] = None,
) -> None:
    """Print one table of several runs, scores and costs: mean and deviation over seeds."""
    from rich.console import Console

    from sda.files import refuse_overlap, write_json, write_text
    from sda.runs.run import Run
    from sda.runs.seeds import SHOWN, seed_rows, seed_table
    from sda.show.markup import as_latex, as_markdown
    from sda.show.rich_tables import show_wide

    refuse_overlap({"--json": json_file, "--markdown": markdown, "--latex": latex})
    rows = seed_rows([Run(path) for path in runs])
    wanted = SHOWN if scores is None else [name.strip() for name in scores.split(",")]
    table = seed_table(rows, wanted, strict=scores is not None)
    if json_file is not None:
        write_json(json_file, [row.as_dict() for row in rows])
    for path, text in ((markdown, as_markdown), (latex, as_latex)):
        if path is not None:
            write_text(path, text(table))
    show_wide([table], Console())


def curve(
    runs: Annotated[list[Path], typer.Argument(help="Run folders on one and the same text.")],
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="Folder to write to; by default the run's, or curve/."),
    ] = None,
    temperature: Annotated[
        str | None, typer.Option(help="Temperatures to sample at, as 1,0.8,0.5.")
    ] = None,
    top_p: Annotated[
        str | None, typer.Option(help="Values of top-p for a second curve, as 1,0.9,0.8.")
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(
            min=2,
            help="Sentences written for one sampling; by default as many as for the run's table.",
        ),
    ] = None,
    repeats: Annotated[
        int, typer.Option(min=1, help="Samplings of a point; one gives no intervals.")
    ] = 3,
    seed: Seed = 0,
) -> None:
    """Draw quality against diversity over temperatures, and say who is better where."""
    from sda.runs.curve import draw_runs
    from sda.runs.run import Run
    from sda.runs.sweep import TEMPERATURES, Sweep
    from sda.show.terminal import Counter

    sweep = Sweep(
        TEMPERATURES if temperature is None else _numbers("--temperature", temperature),
        () if top_p is None else _numbers("--top-p", top_p),
        samples,
        repeats,
        seed,
    )
    folder = out or (runs[0] if len(runs) == 1 else Path("curve"))
    with Counter() as counter:
        result = draw_runs([Run(path) for path in runs], sweep, folder, counter)
    _show_curve(result, folder)


def _numbers(option: str, text: str) -> tuple[float, ...]:
    """Numbers with commas between them."""
    from sda.errors import UserError

    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise UserError(f"{option}: write numbers with commas between them, not {text!r}") from None


def _show_curve(result: dict[str, Any], folder: Path) -> None:
    from rich.console import Console

    from sda.show.curve_page import point_table, statements
    from sda.show.rich_tables import show

    console = Console()
    show(point_table(result, is_short=True), console)
    primary, others = statements(result)
    for sentence in (*primary, *others, f"figure and page: {folder / 'curve.html'}"):
        console.print(sentence, highlight=False, markup=False, soft_wrap=True)
