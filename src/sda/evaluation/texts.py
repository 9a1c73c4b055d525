"""From texts, in lists or files, to scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from sda.errors import UserError
from sda.evaluation.evaluator import DEFAULT, Evaluation, Evaluator, Options
from sda.text.reading import LONGEST_LINE, check_kinds, read_lines


def evaluate_texts(
    samples: Sequence[str],
    test: Sequence[str],
    train: Sequence[str] | None = None,
    real: Sequence[str] | None = None,
    options: Options = DEFAULT,
) -> Evaluation:
    """What is known about one set of samples; see `Evaluator`."""
    return Evaluator(test, train, real, options).evaluate(samples)


def evaluate_files(
    samples: Sequence[Path],
    test: Path,
    train: Path | None = None,
    real: Path | None = None,
    options: Options = DEFAULT,
    *,
    column: str | None = None,
    field: str | None = None,
    done: Callable[[str], None] = lambda _: None,
) -> list[Evaluation]:
    """What is known about each file of samples, in the order given.

    All files are scored by the same number of sentences, that of the smallest, because most scores
    change with it. `column` and `field` say where the text stands in every table and every file of
    records, and at least one file has to be such. `done` is called with the name of each file that
    is scored. Lines that are too long for a sentence are left out, and a note says so.
    """

    too_long: list[str] = []

    def read(path: Path) -> list[str]:
        left_out: set[int] = set()
        found = read_lines(path, column=column, field=field, left_out=left_out)
        if left_out:
            count = f"{len(left_out):,} line{'s' * (len(left_out) > 1)}"
            too_long.append(f"{path}: {count} of over {LONGEST_LINE:,} characters left out")
        return found

    def read_written(path: Path) -> list[str]:
        found = read(path)
        if not any(text.strip() for text in found):
            raise UserError(f"{path} holds blank lines only.")
        return found

    files = [*samples, test, *(path for path in (train, real) if path is not None)]
    check_kinds(files, column, field)
    references = read_written(test)
    texts = [read(path) for path in samples]
    evaluator = Evaluator(
        references,
        None if train is None else read_written(train),
        None if real is None else read_written(real),
        options,
        min(map(len, texts)) if options.ceiling else None,
    )
    found = []
    for path, some in zip(samples, texts, strict=True):
        scored = evaluator.evaluate(some)
        found.append(replace(scored, notes=[*scored.notes, *too_long]))
        done(path.name)
    return found
