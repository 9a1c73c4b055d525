"""The pages of a judge and of the owner as HTML; every text in them is escaped.

Nothing here gets to see the name of a model: a page is made from the texts of an item.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from sda.studies.study import Item, Study

if TYPE_CHECKING:
    from jinja2 import Environment

LONGEST_COMMENT = 2000
LETTERS = ("A", "B")


@dataclass(frozen=True)
class RatingForm:
    """What a form carries: which page, how often rated, the proof, what was answered so far, and
    what is wrong with it."""

    page: int
    version: int
    key: str
    given: Mapping[str, int]
    comment: str
    problem: str = ""


@dataclass(frozen=True)
class OwnerRow:
    """What the owner sees of a judge: nothing about any model."""

    judge: int
    done: int
    pages: int
    failed: int
    checks: int
    state: str
    code: str


def rating_page(study: Study, item: Item, form: RatingForm, done: int, pages: int) -> str:
    """The page with an item; so many of all pages are done."""
    return _render(
        "rate.html",
        **_asked(study),
        words=_words(study),
        texts=list(zip(LETTERS, item.texts, strict=False)),
        source=item.source,
        form=form,
        done=done,
        pages=pages,
        longest=LONGEST_COMMENT,
    )


def guide_page(
    study: Study, pages: int, action: str | None = None, own_link: str | None = None
) -> str:
    """What is asked of a judge; `action` is where a form leads by which they join.

    With their `own_link` they can go on from another device.
    """
    return _render(
        "guide.html",
        **_asked(study),
        paragraphs=[part.strip() for part in study.guide.split("\n\n") if part.strip()],
        pages=pages,
        action=action,
        own_link=own_link,
    )


def _asked(study: Study) -> dict[str, Any]:
    """What is asked of every item."""
    return {
        "title": study.title,
        "criteria": study.criteria,
        "values": list(study.values),
        "is_pairs": study.task == "pairs",
    }


def done_page(study: Study, code: str, address: str | None) -> str:
    return _render("done.html", title=study.title, code=code, address=address)


def notice_page(title: str, text: str, way_on: str | None = None) -> str:
    return _render("notice.html", title=title, text=text, way_on=way_on)


def owner_page(study: Study, rows: Sequence[OwnerRow], planned: int) -> str:
    return _render(
        "owner.html",
        title=study.title,
        rows=rows,
        planned=planned,
        given=sum(row.done for row in rows),
        wanted=sum(map(len, study.blocks)),
        fingerprint=study.fingerprint,
    )


def static_file(name: str) -> bytes:
    """A file that pages load."""
    return (resources.files("sda.studies") / "templates" / name).read_bytes()


def _words(study: Study) -> dict[int, str]:
    """What a value is called on its button where a number says too little."""
    if study.task == "pairs":
        return {1: "A is better", 2: "About the same", 3: "B is better"}
    return {}


def _render(template: str, **contents: object) -> str:
    return _environment().get_template(template).render(**contents)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("sda.studies"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
