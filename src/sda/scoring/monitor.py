"""A look at the generator while it is trained, on validation data."""

from __future__ import annotations

from collections.abc import Sequence

from sda.evaluation.catalogue import KINDS, Kind, figure_name
from sda.evaluation.nll import model_scores, truth_scores
from sda.evaluation.scorer import Scorer
from sda.evaluation.truth import Truth
from sda.models.generator import Generator
from sda.randomness import seeded
from sda.sampling import Decoding, sample
from sda.settings.schema import EvaluationSettings
from sda.text.corpus import Corpus, draw_contexts

MONITORED = [kind for kind in KINDS if kind.monitored]


class Monitor:
    """A short evaluation on validation data; it cannot see the test data.

    `more` are scores that are measured beside those that always are.
    """

    def __init__(
        self,
        corpus: Corpus,
        truth: Truth | None,
        settings: EvaluationSettings,
        seed: int,
        more: Sequence[Kind] = (),
    ) -> None:
        self._words = corpus.vocabulary.words
        self._valid = corpus.valid
        self._decoding = Decoding(never=corpus.vocabulary.unk)
        limit = settings.self_bleu_samples
        kinds = dict.fromkeys((*MONITORED, *more))
        self._wanted = {kind.name for kind in kinds}
        train = self._words(corpus.train) if more else None
        self._scorer = Scorer(self._words(corpus.valid), train, kinds, self_bleu_limit=limit)
        self._truth = truth
        self._settings = settings
        self._seed = seed

    def is_due(self, epoch: int) -> bool:
        return epoch == 1 or epoch % self._settings.every == 0

    def measure(self, generator: Generator, stage: str, epoch: int) -> dict[str, float]:
        """Quality and diversity of fresh samples, by name."""
        rng = seeded(self._seed, stage, epoch)
        count = self._settings.samples
        about = draw_contexts(self._valid, count, rng)
        samples = sample(generator, count, rng, self._decoding, context=about)
        scores = self._scorer.scores(self._words(samples), rng=rng)
        if self._truth is not None:
            scores += truth_scores(self._truth, samples)
            scores += model_scores(generator, self._truth, samples)
        found = (score for score in scores if score.name in self._wanted)
        return {figure_name(score.name): score.value for score in found}
