"""Sentences as vectors, so that sets of sentences can be compared as clouds of points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sda.models.generator import without_dropout
from sda.models.hidden import HiddenStateGenerator
from sda.text.sentences import Flat, Sentences

CHUNK = 256  # sentences that a model reads at a time
_CONSTANT = 1e-9  # a spread that is rounding only


@dataclass(frozen=True, eq=False)
class Vectors:
    """One vector per sentence, `values` (B, F), and in `source` all that determines them."""

    values: NDArray[np.float64]
    source: str

    def __len__(self) -> int:
        return len(self.values)


class Features(Protocol):
    """Makes vectors of sentences, in the same way for every set that is to be compared."""

    def vectors(self, sentences: Flat) -> Vectors:
        """(B, F), with a vector for an empty sentence too."""
        ...


def standardised(
    samples: Vectors, references: Vectors
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both sets, (N, F) and (M, F), in units of the spread of the references around their mean.

    Without it the directions in which real sentences differ most, which are topics, hide all the
    others. Refuses sets of different sources.
    """
    if samples.source != references.source:
        raise ValueError(f"cannot compare {samples.source} with {references.source}")
    if not len(samples) or not len(references):
        raise ValueError("comparing vectors needs at least one sample and one reference")
    mean, spread = references.values.mean(axis=0), references.values.std(axis=0)
    spread[spread < _CONSTANT] = 1.0
    return (samples.values - mean) / spread, (references.values - mean) / spread


class HiddenStateFeatures:
    """The mean of a language model's hidden states over a sentence and its end.

    `name` goes into the source and must tell the model from any other. `translate` makes the
    model's sentences of those to be scored; by default the ids are the model's own.
    """

    def __init__(
        self,
        generator: HiddenStateGenerator,
        name: str,
        translate: Callable[[Flat], Sentences] | None = None,
    ) -> None:
        self._generator = generator
        self._source = f"hidden.{name}"
        self._translate = translate or (lambda flat: Sentences.from_flat(flat, generator.eos))

    def vectors(self, sentences: Flat) -> Vectors:
        """(B, H); zero for a sentence without a token, which needs a model without an end."""
        numbers = np.arange(len(sentences))
        width = self._generator.output_weight.shape[1]
        parts = [torch.zeros(0, width, dtype=torch.float64)]
        with without_dropout(self._generator), torch.no_grad():
            for start in range(0, len(sentences), CHUNK):
                chunk = sentences.take(numbers[start : start + CHUNK])
                parts.append(self._means(self._translate(chunk).trimmed()))
        return Vectors(torch.cat(parts).numpy(), self._source)

    def _means(self, sentences: Sentences) -> Tensor:
        hidden = self._generator.hidden_states(sentences.to(self._generator.device)).double().cpu()
        lengths = sentences.lengths.cpu()
        owners = torch.repeat_interleave(torch.arange(len(lengths)), lengths)
        sums = hidden.new_zeros(len(lengths), hidden.shape[1]).index_add_(0, owners, hidden)
        return sums / lengths.clamp(min=1)[:, None]
