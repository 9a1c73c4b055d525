"""Pages that are one file, load nothing from outside and trust no text in them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from sda.evaluation.catalogue import kind_of
from sda.show.table import is_flagged

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, title: str, **contents: object) -> str:
    """The page that a file of `templates` makes of the contents; all texts in it are escaped."""
    return _environment().get_template(template).render(title=title, **contents)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("sda.show"),
        autoescape=True,
        # A misspelt name is an error rather than an empty place on the page.
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals |= {"kind_of": kind_of, "is_flagged": is_flagged}
    return environment
