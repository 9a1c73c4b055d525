"""What a written text is worth as a row of its label: sure of the label, fluent, and new."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sda.errors import UserError
from sda.evaluation.encoder import Encoder
from sda.evaluation.score import Convention
from sda.labelled.augment_settings import WorthWeights
from sda.labelled.confidence import Confidence
from sda.labelled.label_classifiers import Numbers
from sda.labelled.labelled_rows import LabelledRows
from sda.reference.function import Function
from sda.text.about import About
from sda.text.copies import copied_runs, most_similar
from sda.text.kneser_ney import NgramModel
from sda.text.sentences import Flat

ORDER = 4  # of the language models
LEAST_SHARE = 1e-6  # so that a logarithm exists

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Parts:
    """For each of N texts what its worth is made of, each (N,)."""

    score: Values
    confidence: Values
    nats: Values
    """A word, by the language model that likes it less."""
    copied: Numbers
    """Words of the longest run that an original has as well."""
    nearest: Numbers
    """The number of the most similar original."""
    similarity: Values
    """To that one: 1 if it has the same words and pairs of words."""


class Fluency:
    """Two language models, of two halves of the text: the one that likes a sentence less judges
    it, so that what a half knows by heart is judged by the other."""

    def __init__(self, texts: Sequence[str], encoder: Encoder) -> None:
        sides = np.array([_side(text) for text in texts])
        if len(set(sides.tolist())) < 2:
            sides = np.arange(len(texts)) % 2
        flat = encoder.encode(texts)
        self._models = [
            NgramModel(flat.take(np.flatnonzero(sides == side)), ORDER) for side in (0, 1)
        ]
        nats = np.stack([_a_word(model, flat) for model in self._models])
        self.usual = float(np.median(nats[1 - sides, np.arange(len(texts))]))
        """Nats a word of a real text that the model has not learned."""

    def nats(self, flat: Flat) -> Values:
        """(N,) a word, by the model that likes the text less."""
        return np.asarray(np.max([_a_word(model, flat) for model in self._models], 0))


class Worth:
    """The metric m(text | label): a product of parts between 0 and 1, each to a power."""

    def __init__(
        self,
        rows: LabelledRows,
        confidence: Confidence,
        convention: Convention,
        weights: WorthWeights,
        pool: Sequence[str] = (),
        own: Function | None = None,
    ) -> None:
        """`rows` are the originals; `pool` are further texts whose words are known as well."""
        self.names = rows.names
        self._confidence = confidence
        self._weights = weights
        self._own = own
        self._encoder = Encoder(convention)
        self._fluency = Fluency([*rows.texts, *pool], self._encoder)
        self._originals = self._encoder.encode(rows.texts)

    def __repr__(self) -> str:
        # The archive of a run knows its metric by this, in another process too.
        return "worth"

    def __call__(self, texts: Sequence[str], context: Sequence[About]) -> list[float]:
        """For the generator's training: the worth of each text for what it is about."""
        places = {name: place for place, name in enumerate(self.names)}
        labels = np.array([places.get(about.label or "", -1) for about in context])
        found: list[float] = self.parts(texts, labels).score.tolist()
        return found

    def parts(self, texts: Sequence[str], labels: Numbers) -> Parts:
        """Of texts written for labels, at least one; -1 is none, about which all is sure."""
        flat = self._encoder.encode(texts)
        weights = self._weights
        rows = np.arange(len(texts))
        shares = self._confidence(texts)[rows, np.maximum(labels, 0)]
        confidence = np.where(labels >= 0, shares, 1.0)
        nats = self._fluency.nats(flat)
        nearest, similarity = most_similar(flat, self._originals)
        logs = weights.confidence * _log(confidence)
        logs -= weights.fluency * np.maximum(0.0, nats - self._fluency.usual)
        logs += weights.novelty * _log(1 - similarity)
        score = np.exp(logs) * self._own_part(texts, labels)
        copied = np.zeros(len(texts), np.int64)
        owners = np.repeat(rows, flat.lengths)
        for length, places in enumerate(copied_runs(flat, self._originals), 1):
            copied[owners[places]] = length
        return Parts(score, confidence, nats, copied, nearest, similarity)

    def _own_part(self, texts: Sequence[str], labels: Numbers) -> Values:
        """(N,) what the user's metric says, to its power; texts that it rules out have 0."""
        if self._own is None or not self._weights.own:
            return np.ones(len(texts))
        abouts = [About(self.names[label] if label >= 0 else None) for label in labels.tolist()]
        found = np.maximum(self._own.of_texts(texts, abouts).numpy(), -1.0)
        wrong = np.flatnonzero((found > 1) | ((found < 0) & (found > -1.0)))
        if len(wrong):
            raise UserError(
                f"metric {self._own.name}: {found[wrong[0]]:g} for {texts[wrong[0]]!r}; numbers"
                " between 0 and 1 are wanted, or minus infinity to rule a text out."
            )
        return np.asarray(np.maximum(found, 0.0) ** self._weights.own)


def _side(text: str) -> int:
    return hashlib.blake2b(text.encode(), digest_size=1).digest()[0] % 2


def _a_word(model: NgramModel, flat: Flat) -> Values:
    return np.asarray(-model.log_prob(flat) / (flat.lengths + 1))


def _log(values: Values) -> Values:
    return np.asarray(np.log(np.maximum(values, LEAST_SHARE)))
