"""Commands that score, compare and show."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sda.commands.options import (
    NO_PAGE,
    NO_TABLES,
    NOTHING,
    Column,
    Field,
    Lower,
    PageFiles,
    Seed,
    TableFiles,
    TokenizerName,
    Tokens,
    Trust,
    TrustOptions,
    option_under,
    out_option,
)

measured_option = option_under("What is measured")


def evaluate(
    samples: Annotated[
        list[Path], typer.Argument(help="Files to score, with a sentence a line each.")
    ],
    test: Annotated[
        Path,
        "File with real sentences that the model has not learned from, to compare with.",
    ],
    train: Annotated[
        Path | None,
        "File with the sentences that the model learned from, to find samples that are"
        " copied from there.",
    ] = None,
    real: Annotated[
        Path | None,
        "File with further real sentences, scored beside the samples to show what real"
        " text reaches; by default half of --test.",
    ] = None,
    ceiling: Annotated[
        bool,
        typer.Option(
            "--ceiling/--no-ceiling",
            help="Whether to score real text beside the samples. Without it there are no alarms,"
            " but all of --test and all samples are used.",
        ),
    ] = True,
    all_: Annotated[bool, "Show every score; by default the most telling ones."] = False,
    written: PageFiles = NO_PAGE,
    quick: Annotated[
        bool,
        measured_option(
            "--quick",
            help="Leave out the slower scores, those by a language model and by features.",
        ),
    ] = False,
    lstm: Annotated[
        bool,
        measured_option(
            "--lstm", help="Train an LSTM as a second language model to score by; takes minutes."
        ),
    ] = False,
    grammar: Annotated[
        bool,
        measured_option(
            "--grammar",
            help="Count mistakes of English grammar; needs the extra sda-text\\[grammar].",
        ),
    ] = False,
    languagetool: Annotated[
        str | None,
        measured_option(
            metavar="URL",
            help="Count mistakes of grammar with the LanguageTool server at this address.",
        ),
    ] = None,
    sentence_model: Annotated[
        Path | None,
        measured_option(
            help="Folder of a sentence transformer, or an installed package that carries one, to"
            " compare samples and real text by their meaning; needs the extra"
            " sda-text\\[sentence]."
        ),
    ] = None,
    captions: Annotated[
        bool,
        measured_option(
            "--captions", help="For samples of the built-in captions: say how many are grammatical."
        ),
    ] = False,
    self_bleu: Annotated[
        int,
        measured_option(
            min=0,
            help="How many samples, drawn at random, self-BLEU is measured on; 0 takes all, which"
            " may be slow.",
        ),
    ] = 2000,
    seed: Seed = 0,
    column: Column = None,
    field: Field = None,
    lower: Lower = False,
    tokenizer: Tokens = TokenizerName.whitespace,
) -> None:
    """Score files of sentences for quality, diversity and copying, beside real text."""
    from sda.errors import UserError
    from sda.evaluation.checkers import find_checker
    from sda.evaluation.evaluator import Options
    from sda.evaluation.texts import evaluate_files
    from sda.files import refuse_overlap
    from sda.show.evaluation_page import show, write
    from sda.show.terminal import Counter

    refuse_overlap(written.by_option(), (*samples, test, train, real))
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
    write(samples, found, written.json, written.markdown, written.latex, written.html)
    show(samples, found, all_)


def report(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs.")],
    out: Annotated[
        Path | None,
        out_option(
            help="HTML file to write; by default report.html in the folder of the run, or here for"
            " several runs."
        ),
    ] = None,
    trust: Trust = False,
) -> None:
    """Write the page of a run once more, or one page that shows several runs side by side."""
    from sda.runs.report import write_report
    from sda.runs.run import Run

    found = [Run(path, trust=trust) for path in runs]
    target = out or (found[0].folder.report if len(found) == 1 else Path("report.html"))
    write_report(found, target)
    print(target)


def compare(
    runs: Annotated[
        list[Path],
        typer.Argument(
            help="Folders of finished runs. Those that differ in nothing but their seed become one"
            " row."
        ),
    ],
    scores: Annotated[
        str | None,
        "Names of the scores to show, with commas between them, such as"
        " bleu-5,self-bleu-5; by default the most telling ones.",
    ] = None,
    all_: Annotated[bool, "Show every main score and every cost."] = False,
    written: TableFiles = NO_TABLES,
) -> None:
    """Show several runs in one table, with mean and deviation over seeds, and their verdicts."""
    from rich.console import Console

    from sda.files import refuse_overlap, write_json
    from sda.runs.run import Run
    from sda.runs.seeds import SHORT, SHOWN, seed_rows, seed_table, verdicts
    from sda.show.markup import write_markup
    from sda.show.rich_tables import show_wide

    refuse_overlap(written.by_option())
    found = [Run(path) for path in runs]
    rows = seed_rows(found)
    wanted = SHOWN if all_ else SHORT
    if scores is not None:
        wanted = tuple(name.strip() for name in scores.split(","))
    table = seed_table(rows, wanted, strict=scores is not None, notes=verdicts(found))
    if written.json is not None:
        write_json(written.json, [row.as_dict() for row in rows])
    write_markup([table], written.markdown, written.latex)
    show_wide([table], Console())


def curve(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs, all on the same text.")],
    out: Annotated[
        Path | None,
        out_option(
            help="Folder to write to; by default that of the run, or curve/ for several runs."
        ),
    ] = None,
    temperature: Annotated[
        str | None,
        "The temperatures to write at, with commas between them, such as 1,0.8,0.5; lower"
        " ones give safer sentences that are more alike.",
    ] = None,
    top_p: Annotated[
        str | None,
        "Draw a second curve over these values of top-p (see sda sample), such as 1,0.9,0.8.",
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(
            min=2,
            help="How many sentences to write for one measurement; by default as many as the run's"
            " own table has. Fewer are faster and less exact.",
        ),
    ] = None,
    repeats: Annotated[
        int,
        typer.Option(
            min=1, help="How often each point is measured; once gives no intervals of confidence."
        ),
    ] = 3,
    seed: Seed = 0,
    vouched: TrustOptions = NOTHING,
) -> None:
    """Draw quality against diversity over temperatures, and say which run is better where."""
    from sda.runs.curve import draw_runs
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
        found = [vouched.run(path) for path in runs]
        result = draw_runs(found, sweep, folder, counter)
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
