"""The rows of a run's table, and the samples that its last row is about."""

from __future__ import annotations

from collections.abc import Sequence

from sda.models.generator import Generator
from sda.scoring.row_scorer import RowScorer, ScoredRow, Selection
from sda.settings.schema import Settings
from sda.text.sentences import Sentences


def score_rows(
    settings: Settings,
    scorer: RowScorer,
    start: Generator,
    last: Generator | None,
    selection: Selection | None,
    known: Sequence[ScoredRow] = (),
) -> tuple[list[ScoredRow], Sentences]:
    """Real text, the end of Stage I at two temperatures, and what came of it.

    The colder start is the control that every gain has to be held against. `last` is the generator
    that Stage II left, if there was a Stage II; a selection chooses among its sentences, or among
    those of the start. `known` are rows of the start that need not be measured again.
    """
    if known and (last is not None or selection is not None):
        row, samples = scorer.model(settings.method, last or start, selection=selection)
        return [*known, row], samples
    cold = settings.evaluation.cold_temperature
    is_row_itself = settings.stage2.steps == "none" and selection is None
    name = settings.method if is_row_itself else "mle"
    row, samples = scorer.model(name, start)
    rows = [scorer.real_text(), row, scorer.model(name, start, cold)[0]]
    if last is not None or selection is not None:
        row, samples = scorer.model(settings.method, last or start, selection=selection)
        rows.append(row)
    return rows, samples
