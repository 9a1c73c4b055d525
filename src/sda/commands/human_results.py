"""`sda judge`: what the ratings of a study say, and ratings in and out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from sda.commands.human_studies import StudyPath, scale_ends
from sda.commands.options import PageFiles, option_under, out_option

table_option = option_under("For a table of ratings that others made")
column_option = partial(table_option, metavar="COLUMN")


@dataclass(frozen=True)
class FigureFiles(PageFiles):
    """The same of figures that are no scores, and a datasheet."""

    json: Annotated[Path | None, "Also write all figures to this JSON file."] = None
    html: Annotated[Path | None, "Also write a page with pictures to this HTML file."] = None
    datasheet: Annotated[
        Path | None, "Also write a datasheet in the shape of HEDS 3.0 to this JSON file."
    ] = None


NO_FIGURES = FigureFiles()


def results(
    study: StudyPath,
    test: Annotated[
        Path | None,
        "File with real sentences that nobody rated, to score the rated texts by a"
        " language model and by BLEU.",
    ] = None,
    grammar: Annotated[
        bool, "Count mistakes of grammar too; needs the extra sda-text\\[grammar]."
    ] = False,
    written: FigureFiles = NO_FIGURES,
) -> None:
    """Say what the ratings show: means, differences, agreement, and what cannot be said."""
    from rich.console import Console

    from sda.evaluation.checkers import find_checker
    from sda.files import refuse_overlap, write_json, write_text
    from sda.show.markup import write_markup
    from sda.show.rich_tables import show_all
    from sda.studies.datasheet import datasheet as heds
    from sda.studies.outcome_page import outcome_page
    from sda.studies.outcome_tables import as_dict, outcome_tables
    from sda.studies.proxies import correlations, proxies_of
    from sda.studies.reading_back import read_outcome
    from sda.studies.study import StudyFolder
    from sda.text.reading import read_lines

    refuse_overlap(written.by_option(), (test,))
    outcome = read_outcome(StudyFolder(study))
    real = None if test is None else read_lines(test)
    proxies = proxies_of(outcome.study, real, find_checker(grammar, None))
    found = correlations(outcome, proxies)
    tables = outcome_tables(outcome, proxies, found)
    if written.json is not None:
        write_json(written.json, as_dict(outcome, proxies, found))
    if written.datasheet is not None:
        write_json(written.datasheet, heds(outcome))
    write_markup(tables, written.markdown, written.latex)
    if written.html is not None:
        write_text(written.html, outcome_page(outcome, tables))
    show_all(tables, Console())


def export(
    study: StudyPath,
    out: Annotated[
        Path | None, out_option(help="File to write all ratings to, .csv or .jsonl.")
    ] = None,
    tasks: Annotated[
        Path | None, "File (.csv) with every page of every judge, for another tool."
    ] = None,
    hits: Annotated[
        Path | None,
        "Folder to write a page and a table to, in the form of the paper's crowd platform.",
    ] = None,
) -> None:
    """Write ratings, or what is to be rated, to files that other programs read."""
    from sda.errors import UserError
    from sda.files import naming, write_text
    from sda.studies import exports
    from sda.studies.hits import hit_page, hit_table
    from sda.studies.store import Store
    from sda.studies.study import StudyFolder

    if out is None and tasks is None and hits is None:
        raise UserError("give -o FILE, --tasks FILE or --hits FOLDER")
    forms = {".csv": exports.ratings_as_csv, ".jsonl": exports.ratings_as_jsonl}
    if out is not None and out.suffix not in forms:
        raise UserError(f"{out}: give a file that ends in .csv or .jsonl")
    folder = StudyFolder(study)
    found = folder.study()
    if out is not None:
        store = Store.of(folder)
        rows = exports.rating_rows(found, store.all_ratings(), store.all_comments())
        store.close()
        write_text(out, forms[out.suffix](rows))
        print(f"{out}: {len(rows)} answers")
    if tasks is not None:
        write_text(tasks, exports.tasks_as_csv(found))
        print(tasks)
    if hits is not None:
        with naming(hits):
            hits.mkdir(parents=True, exist_ok=True)
        write_text(hits / "hits.csv", hit_table(found))
        write_text(hits / "hit.html", hit_page(found))
        print(f"{hits / 'hits.csv'}, {hits / 'hit.html'}: one worker for each row")


def import_(
    study: StudyPath,
    file: Annotated[
        Path,
        typer.Argument(
            help="Table of ratings, .csv or .tsv: results of the paper's crowd platform, or the"
            " columns judge, item, value and, for several, question."
        ),
    ],
    text: Annotated[
        str | None,
        column_option(
            help="Make a new study of the table; this column has the texts that were rated."
        ),
    ] = None,
    questions: Annotated[
        str | None, table_option(help="Columns with ratings, commas between them.")
    ] = None,
    system: Annotated[str | None, column_option(help="Column that says whose text it is.")] = None,
    judge: Annotated[str | None, column_option(help="Column that says who rated.")] = None,
    source: Annotated[str | None, column_option(help="Column with what the text answers.")] = None,
    group: Annotated[
        str | None,
        column_option(help="Column that is the same for texts that answer one source."),
    ] = None,
    model: Annotated[
        list[str] | None,
        table_option(
            "--model",
            metavar="NAME=FILE[,FILE]",
            help="Instead of --system: published outputs of a system, by which its texts are"
            " found; repeatable.",
        ),
    ] = None,
    sources: Annotated[
        str | None,
        table_option(metavar="FILE[,FILE]", help="What the lines of each --model answer."),
    ] = None,
    scale: Annotated[str, table_option(help="Lowest and highest rating.")] = "1-5",
) -> None:
    """Read ratings from a file, into a study or as a new one. All of the file, or nothing."""
    from sda.errors import UserError
    from sda.studies.adopt import Columns, Outputs, adopt_study
    from sda.studies.from_files import read_models
    from sda.studies.imports import import_ratings
    from sda.studies.study import StudyFolder

    folder = StudyFolder(study)
    others = (questions, system, judge, source, group, model, sources)
    if text is None:
        if any(other is not None for other in others):
            raise UserError("the options for a table that others made need --text")
        pages, people = import_ratings(folder, file)
        print(f"{study}: {pages} pages by {people} judges are added")
        return
    if questions is None:
        raise UserError("--text: give --questions too, the columns with the ratings")
    outputs = None
    if model is not None or sources is not None:
        if model is None or sources is None:
            raise UserError("--model and --sources belong together")
        files = {name: _paths(str(paths)) for name, paths in read_models(model).items()}
        outputs = Outputs(files, _paths(sources))
    columns = Columns(
        text=text,
        questions=[name.strip() for name in questions.split(",")],
        group=group,
        source=source,
        system=system,
        judge=judge,
    )
    rows, systems = adopt_study(folder, file, columns, outputs, scale_ends(scale), file.stem)
    print(f"{study}: {rows} rows about {systems} systems; next: sda judge results {study}")


def _paths(text: str) -> list[Path]:
    return [Path(part) for part in text.split(",")]
