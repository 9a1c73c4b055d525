"""What a written text is worth as a row of its label: sure of the label, fluent, and new."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sda.evaluation.encoder import Encoder
from sda.evaluation.score import Convention
from sda.labelled.label_classifiers import LabelClassifier, Numbers, Shares, fold_numbers
from sda.labelled.labelled_rows import LabelledRows
from sda.labelled.word_rules import WordRules
from sda.text.about import About
from sda.text.copies import copied_runs, most_similar
from sda.text.kneser_ney import NgramModel
from sda.text.sentences import Flat
from sda.training.stages import Section

FOLDS = 5
ORDER = 4  # of the language models
MOST_SURE = 0.8
LEAST_SHARE = 1e-6  # so that a logarithm exists

Values = NDArray[np.float64]
Make = Callable[[], LabelClassifier]


class WorthWeights(Section):
    """How much each part counts; a part with weight 0 is not asked."""

    confidence: float = 1.0
    """Of the share that the classifiers give the label."""
    fluency: float = 0.5
    """Of how likely the words are in their order, no more than those of a real text."""
    novelty: float = 0.5
    """Of how little is shared with the nearest original."""
    rules: float = 1.0
    """Of the share of the rules' votes that the label has."""


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


class Confidence:
    """Classifiers of several kinds, each fitted once without each fold of the rows.

    Of a row of the fitted ones those speak that have not learned it; of any other text all do. A
    label is as sure as the kind that doubts it most.
    """

    def __init__(
        self, kinds: Sequence[Make], texts: Sequence[str], labels: Numbers, count: int, seed: int
    ) -> None:
        fewest = int(np.bincount(labels, minlength=count).min())
        folds = max(2, min(FOLDS, fewest))
        self._places = fold_numbers(labels, folds, seed)
        self._members: list[list[LabelClassifier]] = []
        for make in kinds:
            members = []
            for fold in range(folds):
                rows = np.flatnonzero(self._places != fold)
                member = make()
                member.fit([texts[row] for row in rows.tolist()], labels[rows], count, seed)
                members.append(member)
            self._members.append(members)

    def __call__(self, texts: Sequence[str]) -> Shares:
        """(N, L) of texts that none of the classifiers has learned."""
        kinds = [np.mean([member(texts) for member in members], 0) for members in self._members]
        return np.asarray(np.min(kinds, 0))

    def of_rows(self, texts: Sequence[str]) -> Shares:
        """(N, L) of the very rows that they were fitted on."""
        kinds = []
        for members in self._members:
            found = np.zeros(0)
            for fold, member in enumerate(members):
                rows = np.flatnonzero(self._places == fold)
                shares = member([texts[row] for row in rows.tolist()])
                found = np.zeros((len(texts), shares.shape[1])) if not found.size else found
                found[rows] = shares
            kinds.append(found)
        return np.asarray(np.min(kinds, 0))


class Fluency:
    """Two language models, of two halves of the text; what one half knows by heart is judged by
    the other."""

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
        texts: Sequence[str],
        names: Sequence[str],
        confidence: Confidence,
        convention: Convention,
        pool: Sequence[str] = (),
        weights: WorthWeights | None = None,
        rules: WordRules | None = None,
        own: Callable[..., Sequence[float]] | None = None,
    ) -> None:
        """`texts` are the originals; `pool` are further texts whose words are known as well."""
        self._names = {name: number for number, name in enumerate(names)}
        self._confidence = confidence
        self._weights = weights or WorthWeights()
        self._rules = rules
        self._own = own
        self._encoder = Encoder(convention)
        self._fluency = Fluency([*texts, *pool], self._encoder)
        self._originals = self._encoder.encode(texts)

    def __call__(self, texts: Sequence[str], context: Sequence[About]) -> list[float]:
        """For the generator's training: the worth of each text for what it is about."""
        labels = np.array([self._names.get(about.label or "", -1) for about in context])
        found: list[float] = self.parts(texts, labels).score.tolist()
        return found

    def usual_confidence(self, rows: LabelledRows) -> float:
        """How sure the label of half the originals is, by classifiers that have not learned them;
        MOST_SURE at most."""
        shares = self._confidence.of_rows(rows.texts)
        numbers = [self._names[label] for label in rows.labels]
        own = shares[np.arange(len(rows)), numbers]
        return min(MOST_SURE, float(np.median(own)))

    def parts(self, texts: Sequence[str], labels: Numbers) -> Parts:
        """A label of -1 is none: how sure it is does not matter then."""
        flat = self._encoder.encode(texts)
        weights = self._weights
        shares = self._confidence(texts)
        known = labels >= 0
        rows = np.arange(len(texts))
        confidence = np.where(known, shares[rows, np.maximum(labels, 0)], 1.0)
        nats = self._fluency.nats(flat) if len(texts) else np.zeros(0)
        nearest, similarity = most_similar(flat, self._originals)
        logs = weights.confidence * _log(confidence)
        logs -= weights.fluency * np.maximum(0.0, nats - self._fluency.usual)
        logs += weights.novelty * _log(1 - similarity)
        if self._rules is not None and weights.rules:
            votes = self._rules.shares(texts)[rows, np.maximum(labels, 0)]
            logs += weights.rules * np.where(known, _log(votes), 0.0)
        score = np.exp(logs)
        if self._own is not None:
            score = score * np.asarray(self._own(texts), np.float64)
        copied = np.zeros(len(texts), np.int64)
        owners = np.repeat(rows, flat.lengths)
        for length, places in enumerate(copied_runs(flat, self._originals), 1):
            copied[owners[places]] = length
        return Parts(score, confidence, nats, copied, nearest, similarity)


def _side(text: str) -> int:
    return hashlib.blake2b(text.encode(), digest_size=1).digest()[0] % 2


def _a_word(model: NgramModel, flat: Flat) -> Values:
    return np.asarray(-model.log_prob(flat) / (flat.lengths + 1))


def _log(values: Values) -> Values:
    return np.asarray(np.log(np.maximum(values, LEAST_SHARE)))
