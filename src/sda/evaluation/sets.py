"""The scores of whole sets of sentences that need nothing but ids: one list for files and runs."""

from __future__ import annotations

import torch

from sda.evaluation.bleu_scores import ORDERS, SELF_BLEU_LIMIT
from sda.evaluation.features import Vectors
from sda.evaluation.frechet import frechet_score
from sda.evaluation.language_model import lm_score, lm_scores, reverse_lm_score
from sda.evaluation.mauve import mauve_score
from sda.evaluation.neural_lm import NeuralModel, reverse_lstm_score
from sda.evaluation.samples import sample_scores
from sda.evaluation.score import PLAIN, Convention, Score
from sda.text.kneser_ney import NgramModel
from sda.text.sentence_bleu import References
from sda.text.sentences import Flat


class SetScorer:
    """Scores any number of sets against the same test and training sentences.

    The language models learn from the test sentences, which the generator has not seen.
    """

    def __init__(
        self,
        test: Flat,
        train: Flat | None,
        seed: int = 0,
        self_bleu_limit: int | None = SELF_BLEU_LIMIT,
        convention: Convention = PLAIN,
        *,
        language_model: bool = True,
        lstm: bool = False,
    ) -> None:
        self._test = test
        self._train = train
        self._seed = seed
        self._limit = self_bleu_limit
        self._convention = convention
        self._references = References(test, max(ORDERS))
        self._model = NgramModel(test) if language_model else None
        self._neural = NeuralModel(test, seed) if lstm else None

    def scores(self, samples: Flat) -> list[Score]:
        """All scores that the samples allow."""
        convention, seed = self._convention, self._seed
        scores = sample_scores(
            samples,
            self._references,
            self._train,
            torch.Generator().manual_seed(seed),
            self._limit,
            convention,
            test=self._test,
        )
        if self._model is not None:
            scores += lm_scores(samples, self._model, seed, convention)
            scores.append(reverse_lm_score(samples, self._test, convention))
        if self._neural is not None:
            scores.append(lm_score(samples, self._neural, "lstm-perplexity", convention))
            scores.append(reverse_lstm_score(samples, self._test, seed, convention))
        return scores


def cloud_scores(
    samples: Vectors, references: Vectors, convention: Convention = PLAIN
) -> list[Score]:
    """The two distances between sets of sentences as clouds of points; none of a single point."""
    if min(len(samples), len(references)) < 2:
        return []
    return [
        frechet_score(samples, references, convention),
        mauve_score(samples, references, convention=convention),
    ]
