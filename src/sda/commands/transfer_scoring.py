"""`sda transfer evaluate`: scores of rewritings, whoever made them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sda.commands.options import NO_PAGE, PageFiles, Seed


def evaluate(
    outputs: Annotated[
        list[Path],
        typer.Argument(
            help="Files of rewritings, a line for each line of the sources: OUT.neg OUT.pos holds"
            " the rewritings of the negative and of the positive sentences. Several systems may be"
            " given at once, as by outputs/*."
        ),
    ],
    sources: Annotated[list[Path], "Files of what was rewritten, one for each style."],
    references: Annotated[
        list[Path] | None,
        "Files with rewritings by people, line by line, as many for each person as there"
        " are of sources.",
    ] = None,
    train: Annotated[
        list[Path] | None,
        "Files with sentences of all styles, one each: judges of style and the language"
        " model of perplexity learn from them. Without them, neither is measured.",
    ] = None,
    targets: Annotated[
        list[str] | None,
        "The style that the sentences of each file of sources were to get; for two styles"
        " the other one.",
    ] = None,
    judges: Annotated[
        Path | None, "Folder to keep the judges in, so that the next time takes seconds only."
    ] = None,
    ratings: Annotated[
        Path | None,
        "Table (.tsv, .csv) of ratings by people, with the columns source and candidate:"
        " says how scores go with them.",
    ] = None,
    against: Annotated[
        str | None, "The system to take differences from; by default the first one."
    ] = None,
    keep_tokens: Annotated[
        bool,
        "Compare words as they stand in the files. By default `it ' s` is the same as"
        " `it 's`, since systems write it in both ways.",
    ] = False,
    seed: Seed = 0,
    written: PageFiles = NO_PAGE,
) -> None:
    """Score rewritings in another style: style by three judges, what was kept, and fluency."""
    from rich.console import Console

    from sda.files import refuse_overlap, write_json, write_text
    from sda.show.markup import write_markup
    from sda.show.rich_tables import show_all
    from sda.show.terminal import Counter
    from sda.transfer.human_ratings import hold_against, read_ratings
    from sda.transfer.judge_folder import evaluation_judges
    from sda.transfer.styled import read_styled
    from sda.transfer.transfer_evaluation import evaluate_systems
    from sda.transfer.transfer_scores import TransferScorer
    from sda.transfer.transfer_table import page, tables
    from sda.transfer.transfer_task import SourceFiles

    read = (*outputs, *sources, *(references or ()), *(train or ()), ratings)
    refuse_overlap(written.by_option(), read)
    learned = read_styled(train) if train else None
    files = SourceFiles(sources, None if learned is None else learned.names)
    task = files.task(references or (), targets or None)
    systems = files.systems(outputs)
    rated = None if ratings is None else read_ratings(ratings)
    with Counter(lines=False) as counter:
        counter.begin(len(systems) + (0 if learned is None else 3))
        found = [] if learned is None else evaluation_judges(learned, seed, judges, counter.step)
        scorer = TransferScorer(task, found, learned, join=not keep_tokens)
        scored = evaluate_systems(scorer, systems, learned, against, seed, counter.step)
    report = None if rated is None else hold_against(rated, scorer, systems, scored)
    made = tables(scored, report)
    if written.json is not None:
        extra = {} if report is None else {"ratings": report.as_dict()}
        write_json(written.json, scored.as_dict() | extra)
    write_markup(made, written.markdown, written.latex)
    if written.html is not None:
        write_text(written.html, page(scored, systems, report))
    show_all(made, Console())
