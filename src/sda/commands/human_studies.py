"""`sda judge`: studies in which people rate sentences, from files to a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sda.commands.options import Column, Field, Seed, option_under

if TYPE_CHECKING:
    from sda.studies.make_study import MadeStudy
    from sda.studies.server import Opened
    from sda.studies.study import Criterion

MOST = 100_000
"""Judges, items and ratings of a study; each link has a line in the store before it is shown."""
StudyPath = Annotated[Path, typer.Argument(metavar="STUDY", help="Folder of the study.")]
ModelFiles = Annotated[
    list[str],
    typer.Option(
        "--model",
        metavar="NAME=FILE",
        help="A model, by a name that no judge gets to see, and a file with its sentences, one a"
        " line; repeatable.",
    ),
]
asked_option = option_under("What is asked")


def plan(
    models: Annotated[
        int, typer.Option(min=2, max=MOST, help="How many models, real text among them.")
    ] = 4,
    items: Annotated[
        int, typer.Option(min=2, max=MOST, help="How many sentences of each model.")
    ] = 100,
    judges: Annotated[int, typer.Option(min=1, max=MOST, help="How many judges.")] = 30,
    ratings: Annotated[
        int, typer.Option(min=1, max=MOST, help="How many ratings each sentence gets.")
    ] = 3,
    difference: Annotated[
        float | None,
        typer.Option(
            min=0.0, help="Say how often this difference of two mean ratings would be found."
        ),
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(min=1, max=MOST, help="Suggest a design for so many ratings as you can pay."),
    ] = None,
    load: Annotated[
        int, typer.Option(min=1, max=MOST, help="With --budget: ratings that one judge gives.")
    ] = 40,
    seed: Seed = 0,
) -> None:
    """Say what a study can see before anybody rates: judges and items are both chance."""
    from rich.console import Console

    from sda.errors import UserError
    from sda.show.rich_tables import show
    from sda.studies.plan_table import plan_table, usual_designs
    from sda.studies.power import Design, suggested

    if judges < ratings:
        raise UserError(f"{ratings} ratings an item need at least {ratings} judges")
    designs = usual_designs(Design(models, items, judges, ratings))
    if budget is not None:
        if budget < 2 * models * ratings:
            raise UserError(
                f"--budget: {budget} ratings are not two items for each of {models} models, with"
                f" {ratings} ratings an item"
            )
        designs.append((f"suggested for {budget}", suggested(models, budget, ratings, load)))
    show(plan_table(designs, difference, seed), Console())


def new(
    study: StudyPath,
    model: ModelFiles,
    real: Annotated[
        Path | None, "File with real sentences, rated among those of the models."
    ] = None,
    source: Annotated[
        Path | None,
        "File whose line n the models rewrote as line n of theirs, as in style transfer."
        " The source is shown, and style, content and fluency are asked.",
    ] = None,
    items: Annotated[int, typer.Option(min=1, help="How many sentences of each model.")] = 100,
    ratings: Annotated[int, typer.Option(min=1, help="How many ratings each sentence gets.")] = 3,
    judges: Annotated[
        int,
        typer.Option(
            min=1,
            help="How many judges share the work; many are far better than few: `sda judge plan`.",
        ),
    ] = 30,
    scale: Annotated[str, asked_option(help="Lowest and highest rating.")] = "1-5",
    pairs: Annotated[
        bool,
        asked_option("--pairs", help="Show two sentences and ask which is better, or neither."),
    ] = False,
    question: Annotated[
        list[str] | None,
        asked_option(
            metavar="[NAME=]TEXT", help="What is asked of each sentence; several with a name each."
        ),
    ] = None,
    guide: Annotated[
        Path | None, asked_option(help="Text file with the instructions for judges.")
    ] = None,
    title: Annotated[str, asked_option(help="Heading of every page.")] = "Rating sentences",
    checks: Annotated[
        int,
        typer.Option(
            min=0, help="Attention checks for each judge: sentences with their words shuffled."
        ),
    ] = 3,
    repeats: Annotated[
        int, typer.Option(min=0, help="Sentences that each judge gets a second time, unsaid.")
    ] = 2,
    seed: Seed = 0,
    column: Column = None,
    field: Field = None,
) -> None:
    """Make a study from files of sentences: draw items, deal them to judges, freeze the plan."""
    from sda.studies.from_files import read_models, study_from_files
    from sda.studies.make_study import GUIDE, Wishes
    from sda.studies.study import StudyFolder

    wishes = Wishes(
        is_pairs=pairs,
        scale=scale_ends(scale),
        ratings=ratings,
        judges=judges,
        checks=checks,
        repeats=repeats,
        seed=seed,
        title=title,
        guide=GUIDE if guide is None else _text(guide),
        criteria=_criteria(question or []),
    )
    files = read_models(model)
    made = study_from_files(files, real, source, items, wishes, column, field)
    StudyFolder(study).begin(made.study)
    _tell_of(study, made)


def serve(
    study: StudyPath,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Where to listen; 0 takes a free port.")
    ] = 8760,
    host: Annotated[
        str,
        "Address to listen on; by default only this machine can reach it, and 0.0.0.0 lets"
        " everybody in who can reach this one.",
    ] = "127.0.0.1",
) -> None:
    """Serve the pages of a study until Ctrl-C; what is rated is kept, and can be gone on with."""
    from sda.studies import server
    from sda.studies.study import StudyFolder

    try:
        server.serve(StudyFolder(study), host, port, _tell_opened)
    except KeyboardInterrupt:
        print(f"Ended. What was rated is kept in {study}.")


def invite(
    study: StudyPath,
    judges: Annotated[
        int | None, typer.Option(min=1, max=MOST, help="So many links, each for one judge.")
    ] = None,
    join: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST,
            metavar="LIMIT",
            help="One link for all, by which at most so many may join.",
        ),
    ] = None,
    url: Annotated[str, "Address at which judges reach the server."] = "http://127.0.0.1:8760",
    code: Annotated[
        str | None, "With --join: the completion code that a crowd platform expects."
    ] = None,
    return_to: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="With --join: where judges go when they are done. With --code alone it is"
            " Prolific's page.",
        ),
    ] = None,
) -> None:
    """Print links for judges; they are kept nowhere, so keep them yourself."""
    from sda.errors import UserError
    from sda.studies.store import Store
    from sda.studies.study import StudyFolder

    if (judges is None) == (join is None):
        raise UserError("give either --judges or --join")
    if join is None and (code is not None or return_to is not None):
        raise UserError("--code and --return-to belong to --join")
    if return_to is not None and not return_to.startswith(("https://", "http://")):
        raise UserError(f"--return-to: {return_to!r} is not an address that begins with https://")
    folder = StudyFolder(study)
    blocks = len(folder.study().blocks)
    base = url.rstrip("/")
    store = Store.of(folder)
    with store.transaction():
        if judges is not None:
            links = [store.invite(blocks) for _ in range(judges)]
            lines = [f"{number}\t{base}/enter/{token}" for number, token in links]
        else:
            assert join is not None
            if code is not None and return_to is None:
                return_to = f"https://app.prolific.com/submissions/complete?cc={code}"
            lines = [f"{base}/join/{store.add_link(join, code, return_to)}"]
    store.close()
    for line in lines:
        print(line)


def revoke(
    study: StudyPath,
    judge: Annotated[list[int] | None, "Number of a judge; repeatable."] = None,
    links: Annotated[bool, "All links by which judges may join."] = False,
) -> None:
    """Withdraw invitations. What was rated stays; the next judge who is invited takes the place."""
    from sda.errors import UserError
    from sda.studies.store import Store
    from sda.studies.study import StudyFolder

    if not judge and not links:
        raise UserError("give --judge NUMBER or --links")
    store = Store.of(StudyFolder(study))
    with store.transaction():
        for number in judge or []:
            if not store.revoke(number):
                raise UserError(f"{study}: there is no judge {number}")
        count = store.revoke_links() if links else 0
    store.close()
    print(f"withdrawn: judges {', '.join(map(str, judge or [])) or '-'}; join links {count}")


def purge(study: StudyPath) -> None:
    """Remove what could identify a judge: platform names, links, comments. Ratings stay."""
    from sda.studies.server import alone
    from sda.studies.store import Store
    from sda.studies.study import StudyFolder

    folder = StudyFolder(study)
    folder.study()
    with alone(folder):
        store = Store.of(folder)
        judges, comments = store.purge()
        store.close()
    print(
        f"{judges} judges are numbers now, {comments} comments and all links are gone. Copies that"
        " you exported are not."
    )


def _tell_of(path: Path, made: MadeStudy) -> None:
    study = made.study
    sizes = sorted({len(block) for block in study.blocks})
    by_judge, by_place = made.imbalance
    what = "pairs" if study.task == "pairs" else "items"
    print(
        f"{path}: {len(study.models)} models, {len(study.rated)} {what}, each rated"
        f" {study.ratings} times by {len(study.blocks)} judges with"
        f" {' or '.join(map(str, sizes))} pages each"
    )
    print(
        f"balance: models differ by at most {by_judge} for a judge and by {by_place} at a position"
    )
    removed = ", ".join(f"{name} {count}" for name, count in study.removed.items())
    print(f"duplicates taken out ({study.rules.duplicates}): {removed}")
    print(f"frozen plan: sha256 {study.fingerprint}")
    print(f"next: sda judge serve {path}")


def _tell_opened(opened: Opened) -> None:
    address = opened.address
    if address.is_loopback:
        print(f"Listening on {address.url}, which only this machine can reach (see --host).")
    else:
        print(
            f"Listening on {address.url}, for everybody who can reach this machine, and not"
            " encrypted: put a server with HTTPS before it."
        )
    if opened.join_link is not None:
        print(f"For judges: {opened.join_link}")
    else:
        print("For judges: the links that `sda judge invite` printed.")
    print(f"For you:    {opened.owner_link}", flush=True)


def scale_ends(text: str) -> tuple[int, int]:
    """The lowest and the highest rating of `--scale`."""
    from sda.errors import UserError

    low, _, high = text.partition("-")
    if low.isdecimal() and high.isdecimal() and 0 <= int(low) < int(high) <= 10:
        return int(low), int(high)
    raise UserError(f"--scale: write the lowest and the highest rating, as in 1-5, not {text!r}")


def _criteria(questions: list[str]) -> list[Criterion]:
    import re

    from sda.errors import UserError
    from sda.studies.study import Criterion

    found = []
    for text in questions:
        named = re.match(r"([a-z][a-z0-9-]*)=(.+)", text, re.DOTALL)
        if named is None and len(questions) > 1:
            raise UserError(f"--question: write NAME=TEXT for each of several, not {text!r}")
        name, asked = (named[1], named[2]) if named else ("quality", text)
        found.append(Criterion(name=name, question=asked))
    names = [criterion.name for criterion in found]
    if len(set(names)) < len(names):
        raise UserError("--question: two questions have the same name")
    return found


def _text(path: Path) -> str:
    from sda.text.reading import read_lines

    return "\n".join(read_lines(path))
