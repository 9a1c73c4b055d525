"""What the files of a run folder must hold, whoever wrote them (`sda.doors`)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, PositiveInt, model_validator

from sda.doors import Count, Figure, Finite, Shape

CLOSED = ConfigDict(extra="forbid")
"""Of what becomes an object, which has no room for more."""
Pair = Annotated[list[Finite], Field(min_length=2, max_length=2)]


class ScoreShape(Shape):
    model_config = CLOSED
    name: str
    value: Finite
    higher_is_better: bool | None
    signature: str
    standard_error: Finite | None = None
    interval: Pair | None = None


class AlarmShape(Shape):
    name: str
    scores: list[str]
    message: str


class RowShape(Shape):
    name: str
    temperature: Annotated[float, Field(gt=0)] | None
    scores: list[ScoreShape]
    alarms: list[AlarmShape] = Field(default_factory=list)


class ScoresShape(Shape):
    """`scores.json`: the table on test data, with a row of real text and one of the run."""

    rows: list[RowShape]

    @model_validator(mode="after")
    def _has_both(self) -> ScoresShape:
        if not {None, 1.0} <= {row.temperature for row in self.rows}:
            raise ValueError("a row of real text or one at temperature 1 is missing")
        return self


class CostsShape(Shape):
    """What was done up to some point, as far as a file tells."""

    updates: Count = 0
    written: Count = 0
    calls: Count = 0
    seconds: Finite = 0.0
    cpu_seconds: Finite = 0.0


class ProgressShape(CostsShape):
    """One line of `progress.jsonl`."""

    __pydantic_extra__: dict[str, Figure]
    stage: str
    epoch: Count
    guard: str = ""
    start: dict[str, Figure] = Field(default_factory=dict)


class CountersShape(Shape):
    """Where training stands, in `state.json`."""

    phase: Count
    mle_epoch: Count
    discriminator_round: Count
    sda_epoch: Count
    best_nll: Finite | None
    best_epoch: Count
    epochs_since_best: Count
    rate_drops: Count
    stopped_early: bool
    updates: Count
    written: Count
    calls: Count = 0
    answers: str | None = None
    rates: dict[str, Finite]
    judge: dict[str, Any] = Field(default_factory=dict)


class StateShape(Shape):
    """`state.json` of a checkpoint, of any kind of run."""

    sha256: str
    beside: dict[str, str] = Field(default_factory=dict)
    counters: dict[str, Any] = Field(default_factory=dict)
    progress_bytes: Count = 0
    device: str | None = None
    stopped_in: str | None = None


class BufferShape(Shape):
    """One line of `buffer.jsonl`; JSON has a word for infinity in Python alone."""

    text: str
    score: Figure
    parts: dict[str, Figure] = Field(default_factory=dict)
    epoch: int


class ExampleShape(Shape):
    text: str
    score: Finite | None = None
    by: str = ""
    nearest: str = ""
    similarity: Finite = 0.0

    @model_validator(mode="after")
    def _has_both(self) -> ExampleShape:
        for one, other in (("by", "score"), ("similarity", "nearest")):
            if (one in self.model_fields_set) != (other in self.model_fields_set):
                raise ValueError(f"'{one}' and '{other}' stand together or not at all")
        return self


ExamplesShape = dict[str, list[ExampleShape]]
"""`examples.json`: sentences of each side."""


class FinishedShape(CostsShape):
    """`finished.json`: what the whole run cost."""

    __pydantic_extra__: dict[str, Finite]
    stopped_in: str | None = None
    has_handed_over: bool = False


class VocabularyShape(Shape):
    """`vocabulary.json`; what is in the vocabulary itself is checked where it is made."""

    model_config = CLOSED
    max_length: PositiveInt
    fingerprints: list[str] = Field(default_factory=list)
    vocabulary: dict[str, Any]
    labels: list[str] = Field(default_factory=list)


class ChangeShape(Shape):
    model_config = CLOSED
    name: str
    start: Finite
    result: Finite
    limit: Finite


class QualityShape(Shape):
    model_config = CLOSED
    name: str
    start: Finite
    result: Finite
    error: Finite
    scored: Count
    needed: Finite


class ComparisonShape(Shape):
    changes: list[ChangeShape]
    quality: QualityShape | None


class HandedOverShape(Shape):
    """`handed_over.json`: which state is handed over, and why."""

    model_config = CLOSED
    stage: Literal["last", "mle"]
    sentence: str
    keep: Annotated[float, Field(gt=0, le=1)] = 1.0
    guide: Annotated[float, Field(ge=0, le=1000)] = 0.0
    comparison: ComparisonShape | None
