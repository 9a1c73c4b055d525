"""A study from files of sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from sda.errors import UserError
from sda.studies.lots import draw_lines, draw_lots
from sda.studies.make_study import MadeStudy, Wishes, make_study
from sda.text.reading import check_kinds, read_lines

REAL = "real"


def read_models(options: Sequence[str]) -> dict[str, Path]:
    """The files of the models by name, from NAME=FILE each."""
    files: dict[str, Path] = {}
    for text in options:
        name, sign, path = text.partition("=")
        if not (sign and name.strip() and path):
            raise UserError(f"--model: write NAME=FILE, not {text!r}")
        if name in files:
            raise UserError(f"--model: two models are called {name!r}")
        files[name] = Path(path)
    return files


def study_from_files(
    models: Mapping[str, Path],
    real: Path | None,
    source: Path | None,
    items: int,
    wishes: Wishes,
    column: str | None = None,
    field: str | None = None,
) -> MadeStudy:
    """The study of these files; real text is one more model, called `real`."""
    files = dict(models)
    if real is not None:
        if REAL in files:
            raise UserError(f"--model: {REAL!r} is the name of the sentences of --real")
        files[REAL] = real
    paths = [*files.values(), *([source] if source is not None else [])]
    check_kinds(paths, column, field)

    def read(path: Path) -> list[str]:
        return read_lines(path, column=column, field=field)

    texts = {name: read(path) for name, path in files.items()}
    sources = None if source is None else read(source)
    return study_from_texts(texts, None if real is None else REAL, sources, items, wishes)


def study_from_texts(
    texts: Mapping[str, Sequence[str]],
    real: str | None,
    source: Sequence[str] | None,
    items: int,
    wishes: Wishes,
) -> MadeStudy:
    """The study of these lines."""
    rng = np.random.default_rng([wishes.seed, 0])
    if source is None:
        lots = draw_lots(texts, real, items, rng)
    else:
        lots = draw_lines(texts, source, real, items, rng)
    return make_study(lots, real, wishes)
