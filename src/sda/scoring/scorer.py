"""Which scores a run gets: a few on validation data as it goes, all on test data at its end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sda.evaluation.alarms import find_alarms
from sda.evaluation.bleu_scores import draw
from sda.evaluation.catalogue import figure_name, kind_of
from sda.evaluation.ngram_features import NgramFeatures
from sda.evaluation.nll import divergence_scores, model_scores, nll_test, truth_scores
from sda.evaluation.samples import brief_scores
from sda.evaluation.score import Score
from sda.evaluation.sets import SetScorer, cloud_scores
from sda.evaluation.truth import Truth
from sda.models.generator import Generator
from sda.randomness import seeded
from sda.sampling import Decoding, Write, sample
from sda.settings.schema import EvaluationSettings
from sda.source import HeldOut
from sda.text.corpus import Corpus
from sda.text.sentence_bleu import References
from sda.text.sentences import Flat, Sentences

Selection = Callable[[Write, int], Sentences]
"""So many sentences, chosen among those that are written."""


@dataclass(frozen=True)
class ScoredRow:
    """The scores of one set of sentences in a table."""

    name: str
    temperature: float | None
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


class Monitor:
    """A short evaluation on validation data; it cannot see the test data."""

    def __init__(
        self, corpus: Corpus, truth: Truth | None, settings: EvaluationSettings, seed: int
    ) -> None:
        self._eos = corpus.vocabulary.eos
        self._decoding = Decoding(never=corpus.vocabulary.unk)
        self._references = References(corpus.valid.flat(self._eos))
        self._truth = truth
        self._settings = settings
        self._seed = seed

    def is_due(self, epoch: int) -> bool:
        return epoch == 1 or epoch % self._settings.every == 0

    def measure(self, generator: Generator, stage: str, epoch: int) -> dict[str, float]:
        """Quality and diversity of fresh samples, by name."""
        rng = seeded(self._seed, stage, epoch)
        samples = sample(generator, self._settings.samples, rng, self._decoding)
        flat = samples.flat(self._eos)
        limit = self._settings.self_bleu_samples
        scores = brief_scores(flat, self._references, rng, limit)
        if self._truth is not None:
            scores += truth_scores(self._truth, samples)
            scores += model_scores(generator, self._truth, samples)
        return {figure_name(s.name): s.value for s in scores if kind_of(s.name).monitored}


class FinalScorer:
    """All scores on the test data, the same for every row of a run's table."""

    def __init__(
        self, corpus: Corpus, held_out: HeldOut, settings: EvaluationSettings, seed: int
    ) -> None:
        self._corpus = corpus
        self._held_out = held_out
        self._settings = settings
        self._seed = seed
        self._eos = corpus.vocabulary.eos
        references = held_out.references
        limit = settings.self_bleu_samples
        self._sets = SetScorer(references, held_out.train, seed, limit)
        self._features = NgramFeatures.fit(references) if settings.features else None
        # Self-BLEU, distinct n-grams and duplicates grow or fall with the number of sentences, so
        # every row of a table is about the same number.
        self._count = min(settings.final_samples, len(held_out.real))

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
        decoding = Decoding(temperature, never=self._corpus.vocabulary.unk)
        rng = seeded(self._seed, "final", name)

        def write(n: int) -> Sentences:
            return sample(generator, n, rng, decoding)

        count = self._settings.final_samples
        samples = write(count) if selection is None else selection(write, count)
        test, truth = self._held_out.test, self._held_out.truth
        scores = self._scores(samples[: self._count].flat(self._eos))
        if truth is not None:
            scores += truth_scores(truth, samples, temperature)
        if len(test) and temperature == 1.0 and selection is None:
            scores.append(nll_test(generator, test))
            if truth is not None:
                scores += divergence_scores(generator, truth, samples, test)
        return ScoredRow(name, temperature, scores), samples

    def real_text(self) -> ScoredRow:
        """Validation sentences in the place of samples: what real text would score."""
        real, truth = self._held_out.real, self._held_out.truth
        # Files may list sentences of one kind together, so they are drawn, not cut off.
        scores = self._scores(draw(real, self._count, seeded(self._seed, "real text")))
        if truth is not None:
            scores += truth_scores(truth, self._corpus.valid, temperature=None)
        return ScoredRow("real text", None, scores)

    def _scores(self, samples: Flat) -> list[Score]:
        scores = self._sets.scores(samples)
        if self._features is not None:
            points = self._features.vectors(self._held_out.references)
            scores += cloud_scores(self._features.vectors(samples), points)
        return scores
