"""The scores of one row: a model with one decoding, or real text in its place.

The rows of a run's table and the points of a curve are measured here alike: so many sentences are
written, and of these as many are scored as there is real text, because self-BLEU, distinct n-grams
and duplicates grow or fall with the number of sentences. What does not, as a likelihood, is about
all of them. It is what `sda evaluate` does with the file of samples.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from sda.evaluation.alarms import find_alarms
from sda.evaluation.catalogue import KINDS, Kind, Need
from sda.evaluation.grammar import Checker
from sda.evaluation.nll import divergence_scores, nll_test, truth_nll_test, truth_scores
from sda.evaluation.score import Convention, Score
from sda.evaluation.scorer import SLOW, Scorer, drawn
from sda.models.generator import Generator
from sda.randomness import seeded
from sda.sampling import Decoding, Write
from sda.scoring.writing import writer
from sda.settings.schema import Settings
from sda.source import Loaded
from sda.text.sentences import Sentences

Selection = Callable[[Write, int], Sentences]
"""So many sentences, chosen among those that are written."""

CURVE_KINDS = tuple(kind for kind in KINDS if kind.on_curve)
CHECKED_SENTENCES = 1000  # by the grammar checker, of a set of samples


@dataclass(frozen=True)
class ScoredRow:
    """The scores of one set of sentences in a table."""

    name: str
    temperature: float | None
    """None for real text."""
    scores: list[Score]

    def as_dict(self, real: ScoredRow | None = None) -> dict[str, Any]:
        """Ready for JSON, with what alarms beside the row of real text."""
        alarms = [] if real is None else find_alarms(self.scores, real.scores)
        return {
            "name": self.name,
            "temperature": self.temperature,
            "scores": [score.as_dict() for score in self.scores],
            "alarms": [alarm.as_dict() for alarm in alarms],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ScoredRow:
        """The row that `as_dict` wrote down."""
        scores = [Score.from_dict(score) for score in data["scores"]]
        return cls(data["name"], data["temperature"], scores)

    def value(self, name: str) -> float | None:
        return next((score.value for score in self.scores if score.name == name), None)


def real_row(rows: Sequence[ScoredRow]) -> ScoredRow:
    """The row of real text in a run's table."""
    return next(row for row in rows if row.temperature is None)


def own_row(rows: Sequence[ScoredRow]) -> ScoredRow:
    """The row that a run's table is about: what came of the start, or the start if nothing did."""
    return [row for row in rows if row.temperature == 1.0][-1]


class RowScorer:
    """The same scores for every row: equal numbers of sentences, equal references.

    `samples` sentences are written for a row, by default as many as the settings say for the end of
    a run; `count` of them are scored. A checker adds issues of grammar to the rows of models.
    """

    def __init__(
        self,
        loaded: Loaded,
        settings: Settings,
        kinds: Iterable[Kind] = KINDS,
        *,
        samples: int | None = None,
        seed: int | None = None,
        checker: Checker | None = None,
    ) -> None:
        self._held_out = loaded.held_out
        self._corpus = loaded.corpus
        self._vocabulary = loaded.vocabulary
        self._seed = settings.seed if seed is None else seed
        self._has_checker = checker is not None
        data, evaluation = settings.data, settings.evaluation
        self._whole = Convention(data.tokenizer, data.lowercase)
        self._convention = replace(self._whole, draw=self._seed)
        self.samples = evaluation.final_samples if samples is None else samples
        self.count = min(self.samples, len(self._held_out.real))
        self._limit = evaluation.self_bleu_samples
        self._scorer = Scorer(
            self._held_out.references,
            self._held_out.train,
            kinds,
            seed=self._seed,
            self_bleu_limit=self._limit,
            convention=self._convention,
            without=SLOW if evaluation.features else SLOW | {Need.FEATURES},
            checker=checker,
            checked=CHECKED_SENTENCES,
        )

    def fingerprint(self) -> str:
        """What tells the text and the conditions of these scores from any others."""
        facts = (self.samples, self.count, self._seed, self._limit, self._convention)
        digest = hashlib.sha256(repr((*facts, self._scorer.names)).encode())
        held_out = self._held_out
        for flat in (held_out.references, held_out.real, held_out.train):
            digest.update(flat.ids.tobytes() + flat.starts.tobytes())
        return digest.hexdigest()

    def model(
        self,
        name: str,
        generator: Generator,
        temperature: float = 1.0,
        selection: Selection | None = None,
    ) -> tuple[ScoredRow, Sentences]:
        """The row of a generator at one temperature, and the samples that it is about.

        Where a selection chooses among its sentences, there is no likelihood to report.
        """
        decoding = Decoding(temperature, never=self._vocabulary.unk)
        rng = seeded(self._seed, "final", name)
        scores, samples = self.sampled(generator, decoding, rng, selection)
        if temperature == 1.0 and selection is None:
            scores += self.likelihood(generator, decoding)
            test, truth = self._held_out.test, self._held_out.truth
            if truth is not None and len(test):
                scores += divergence_scores(generator, truth, samples, test, self._whole)
        return ScoredRow(name, temperature, scores), samples

    def sampled(
        self,
        generator: Generator,
        decoding: Decoding,
        rng: torch.Generator,
        selection: Selection | None = None,
    ) -> tuple[list[Score], Sentences]:
        """The scores of fresh samples, which a selection may choose among all that are written."""
        write = writer(generator, self._corpus.valid, decoding, rng)
        samples = write(self.samples) if selection is None else selection(write, self.samples)
        places = drawn(len(samples), self.count, self._seed)
        chosen = samples[torch.from_numpy(places)]
        texts = self._vocabulary.decode(chosen) if self._has_checker else None
        scores = self._scorer.scores(self._vocabulary.words(chosen), texts)
        truth = self._held_out.truth
        if truth is not None:
            temperature = decoding.temperature if decoding.top_p is None else None
            scores += truth_scores(truth, samples, temperature, self._whole)
        return scores, samples

    def likelihood(self, generator: Generator, decoding: Decoding) -> list[Score]:
        """NLL_test, which needs no samples; none where words are cut off and it would be infinite.

        The unknown word keeps its probability here: test sentences may hold it.
        """
        test = self._held_out.test
        if decoding.top_p is not None or not len(test):
            return []
        return [nll_test(generator, test, self._whole, decoding.temperature)]

    def real_text(self) -> ScoredRow:
        """Validation sentences in the place of samples: what real text would score."""
        real, truth = self._held_out.real, self._held_out.truth
        scores = self._scorer.scores(real.take(drawn(len(real), self.count, self._seed)))
        if truth is not None:
            scores += truth_scores(truth, self._corpus.valid, None, self._whole)
        return ScoredRow("real text", None, scores)

    def truth_likelihood(self) -> list[Score]:
        """The NLL_test of the truth in the place of a model, where it is known."""
        test, truth = self._held_out.test, self._held_out.truth
        if truth is None or not len(test):
            return []
        return [truth_nll_test(truth, test, self._whole)]
