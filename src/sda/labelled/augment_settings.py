"""What may be chosen about labelled augmentation, one sentence under each value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt, ValidationError

from sda import LARGEST_SEED
from sda.errors import UserError
from sda.settings.layers import Layers
from sda.settings.schema import wrong_setting
from sda.training.stages import MOST_TURNS, Section

MOST_BY_DEFAULT = 1000  # new rows of a label, where nobody says how many
SHARE = 4
"""Rows of a label for each new one. With as many new ones as there are a classifier lost half a
point and more, on draws that no table has (decision 0215)."""
RULED_TIMES = 5
"""New rows for each one that a label has, where rules speak for them: rules know more than rows."""


class WorthWeights(Section):
    """How much each part of the metric counts: the power that it is raised to; 0 leaves it out."""

    confidence: NonNegativeFloat = 2.0
    """Of the share that the classifiers, and the rules where there are some, give the label."""
    fluency: NonNegativeFloat = 0.5
    """Of how likely the words are in their order, no more than those of a real text."""
    novelty: NonNegativeFloat = 0.2
    """Of how little is shared with the nearest original."""
    own: NonNegativeFloat = 1.0
    """Of a metric of the user's own."""


class WriterSettings(Section):
    """How the generator is made; the defaults fit a few hundred rows and a few minutes."""

    generator: str = "rnn"
    """The name of a generator that can be told a label: `rnn`, `gru`, `transformer`, `cnn`, or
    `hf:PATH` for a pretrained model, which reads the name of the label."""
    lora: NonNegativeInt = 0
    """Of a pretrained model: the rank of an adapter that learns in place of all weights."""
    profile: str = "small"
    """The scale of the generator, as of `sda train`."""
    epochs: int = Field(default=40, ge=1, le=MOST_TURNS)
    """Epochs of maximum likelihood at most; it ends when held-out text no longer gains."""
    stage2: int = Field(default=4, ge=0, le=MOST_TURNS)
    """Epochs of Stage II; 0 leaves it out."""
    calls: PositiveInt = 1500
    """How many texts the metric is asked in Stage II."""


class AugmentSettings(Section):
    """All that decides about the new rows, beside the files."""

    seed: int = Field(default=0, ge=0, le=LARGEST_SEED)
    """All random numbers come from it."""
    tokenizer: Literal["whitespace", "words", "characters"] | None = None
    """What a word is; by default what suits the texts."""
    per_class: PositiveInt | None = None
    """New rows of each label; by default a quarter as many as the label has; with rules five times
    as many, with many unlabelled texts half as many as these; at most 1,000."""
    balance: bool = False
    """As many new rows as make all labels as frequent as the most frequent one."""
    least: float | None = Field(default=None, ge=0, le=1)
    """How sure the label of a new row must be; by default 0.98, with rules 0.9, and no row is
    written of a label that the rows do not show to be told. A number writes rows of all labels."""
    near: float = Field(default=0.7, gt=0, le=1)
    """The similarity to an original from which a text is a near copy."""
    encoder: str | None = None
    """A sentence transformer whose vectors say how sure a label is, in place of what the generator
    makes of a text: a folder, or an installed package that carries one. It knows more than the rows
    do; `--sentence-model` sets it."""
    weights: WorthWeights = WorthWeights()
    """How much each part of the metric counts."""
    writer: WriterSettings = WriterSettings()
    """How the generator is made."""


def settle_augmentation(
    values: Mapping[str, Any], assignments: Sequence[str] = ()
) -> AugmentSettings:
    """The settings: single values, and over them what `--set` says."""
    layers = Layers([])
    layers.add({key: value for key, value in values.items() if value is not None}, "command line")
    for assignment in assignments:
        layers.set(assignment)
    try:
        found = AugmentSettings.model_validate(layers.table)
    except ValidationError as error:
        raise wrong_setting(error, lambda _: " of augmentation") from None
    if found.balance and found.per_class is not None:
        raise UserError("--balance and --per-class exclude each other: choose one.")
    return found


def wanted_rows(
    counts: Mapping[str, int], settings: AugmentSettings, unlabelled: int, has_rules: bool
) -> dict[str, int]:
    """How many new rows each label is to have; `unlabelled` texts there are beside the rows."""
    if settings.balance:
        most = max(counts.values())
        return {name: most - count for name, count in counts.items()}
    if settings.per_class is not None:
        return dict.fromkeys(counts, settings.per_class)
    if has_rules:
        fewest = unlabelled // len(counts) // 2
        found = {name: max(fewest, RULED_TIMES * count) for name, count in counts.items()}
    else:
        found = {name: -(-count // SHARE) for name, count in counts.items()}
    return {name: min(MOST_BY_DEFAULT, count) for name, count in found.items()}
