"""`sda judge`: what the ratings of a study say, and ratings in and out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sda.commands.evaluating import LatexFile, MarkdownFile
from sda.commands.human_studies import StudyPath

JsonOut = Annotated[
    Path | None, typer.Option("--json", help="Also write all figures to this JSON file.")
]


def results(
    study: StudyPath,
    test: Annotated[
        Path | None,
        typer.Option(
            help="File with real sentences that nobody rated, to score the rated texts by a"
            " language model and by BLEU."
        ),
    ] = None,
    grammar: Annotated[
        bool,
        typer.Option(
            "--grammar", help="Count mistakes of grammar too; needs the extra sda-text\\[grammar]."
        ),
    ] = False,
    json_file: JsonOut = None,
    markdown: MarkdownFile = None,
    latex: LatexFile = None,
    html: Annotated[
        Path | None, typer.Option(help="Also write a page with pictures to this HTML file.")
    ] = None,
    datasheet: Annotated[
        Path | None,
        typer.Option(help="Also write a datasheet in the shape of HEDS 3.0 to this JSON file."),
    ] = None,
) -> None:
    """Say what the ratings show: means, differences, agreement, and what cannot be said."""
    from rich.console import Console

    from sda.evaluation.checkers import find_checker
    from sda.files import refuse_overlap, write_json, write_text
    from sda.show.markup import as_latex, as_markdown
    from sda.show.rich_tables import show
    from sda.studies.datasheet import datasheet as heds
    from sda.studies.outcome_page import outcome_page
    from sda.studies.outcome_tables import as_dict, outcome_tables
    from sda.studies.proxies import correlations, proxies_of
    from sda.studies.reading_back import read_outcome
    from sda.studies.study import StudyFolder
    from sda.text.reading import read_lines

    outputs = {
        "--json": json_file,
        "--markdown": markdown,
        "--latex": latex,
        "--html": html,
        "--datasheet": datasheet,
    }
    refuse_overlap(outputs, (test,))
    outcome = read_outcome(StudyFolder(study))
    real = None if test is None else read_lines(test)
    proxies = proxies_of(outcome.study, real, find_checker(grammar, None))
    found = correlations(outcome, proxies)
    tables = outcome_tables(outcome, proxies, found)
    if json_file is not None:
        write_json(json_file, as_dict(outcome, proxies, found))
    if datasheet is not None:
        write_json(datasheet, heds(outcome))
    for path, text in ((markdown, as_markdown), (latex, as_latex)):
        if path is not None:
            write_text(path, "\n".join(map(text, tables)))
    if html is not None:
        write_text(html, outcome_page(outcome, tables))
    console = Console()
    for table in tables:
        show(table, console)
