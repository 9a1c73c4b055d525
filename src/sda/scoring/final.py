"""The rows of a run's table, and the samples of what the run hands over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sda.models.generator import Generator
from sda.scoring.row_scorer import RowScorer, ScoredRow, Selection
from sda.settings.method_name import method_name
from sda.settings.schema import Settings
from sda.text.sentences import Sentences


def score_rows(
    settings: Settings,
    scorer: RowScorer,
    start: Generator,
    last: Generator | None,
    selection: Selection | None,
    known: Sequence[ScoredRow] = (),
    hands_start: bool = False,
) -> tuple[list[ScoredRow], Sentences]:
    """Real text, the end of Stage I at two temperatures, and what came of it.

    The colder start is the control that every gain has to be held against. `last` is the generator
    that Stage II left, if there was a Stage II; a selection chooses among its sentences, or among
    those of the start. `known` are rows of the start that need not be measured again. The samples
    are those of the last row, or of the start at temperature 1 where `hands_start`.
    """
    if known and not hands_start and (last is not None or selection is not None):
        row, samples = _own_row(settings, scorer, last or start, selection)
        return [*known, row], samples
    cold = settings.evaluation.cold_temperature
    drawn_by = start_draws(settings)
    row, samples = scorer.model(drawn_by, start)
    colder, _ = scorer.model(drawn_by, start, cold)
    name = "mle" if drawn_by == "mle" else method_name(settings)
    rows = [scorer.real_text(), replace(row, name=name), replace(colder, name=name)]
    if last is not None or selection is not None:
        row, own = _own_row(settings, scorer, last or start, selection)
        rows.append(row)
        samples = samples if hands_start else own
    return rows, samples


def start_draws(settings: Settings) -> str:
    """The name by which samples of the start are drawn; rows drawn by another are others."""
    has_judge = settings.discriminator_phase.negatives == "rejected"
    is_all = settings.stage2.steps == "none" and not settings.selection and not has_judge
    return settings.method if is_all else "mle"


def _own_row(
    settings: Settings, scorer: RowScorer, generator: Generator, selection: Selection | None
) -> tuple[ScoredRow, Sentences]:
    """The row of what the run is about, under the name of what was run, and its samples."""
    # Samples are drawn by the method's name in the settings, as in all runs that are recorded.
    row, samples = scorer.model(settings.method, generator, selection=selection)
    return replace(row, name=method_name(settings)), samples
