"""The one scorer: every table, curve and file of samples gets its figures here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from sda.evaluation.bleu_scores import SELF_BLEU_LIMIT
from sda.evaluation.catalogue import KINDS, Kind, Need
from sda.evaluation.grammar import Checker
from sda.evaluation.language_model import halves_order
from sda.evaluation.samples import Beside, Samples
from sda.evaluation.score import PLAIN, Convention, Score
from sda.text.sentences import Flat

SLOW = frozenset({Need.LSTM})
"""What has to be asked for, since it takes minutes."""


class Scorer:
    """Scores any number of sets of sentences against the same test and training sentences.

    Of the `kinds` it measures those whose needs are met: training sentences and a checker where
    they are given, and all else that is not `without`.
    """

    def __init__(
        self,
        test: Flat,
        train: Flat | None = None,
        kinds: Iterable[Kind] = KINDS,
        *,
        seed: int = 0,
        self_bleu_limit: int | None = SELF_BLEU_LIMIT,
        convention: Convention = PLAIN,
        without: frozenset[Need] = SLOW,
        checker: Checker | None = None,
        checked: int | None = None,
        sentence_model: Path | None = None,
        test_texts: Sequence[str] | None = None,
    ) -> None:
        missing = set(without)
        if train is None or not len(train):
            missing.add(Need.TRAIN)
        if checker is None:
            missing.add(Need.CHECKER)
        self._kinds = [
            kind for kind in kinds if kind.measure is not None and kind.needs not in missing
        ]
        self._beside = Beside(
            test,
            frozenset(kind.name for kind in self._kinds),
            train,
            seed,
            self_bleu_limit,
            convention,
            checker,
            checked,
            sentence_model,
            test_texts,
        )

    @property
    def names(self) -> list[str]:
        """The scores that are measured, where the samples define them."""
        return [kind.name for kind in self._kinds]

    def scores(
        self,
        words: Flat,
        texts: Sequence[str] | None = None,
        rng: torch.Generator | None = None,
    ) -> list[Score]:
        """All scores that the sentences allow, in the order of the catalogue.

        `texts` are the same sentences written out, for scores that read letters. `rng` draws the
        sentences of self-BLEU; without it the scorer's seed does.
        """
        if not len(words):
            raise ValueError("a score needs at least one sample")
        rng = rng or torch.Generator().manual_seed(self._beside.seed)
        samples = Samples(words, texts, rng)
        found: dict[str, Score] = {}
        for measure in dict.fromkeys(kind.measure for kind in self._kinds):
            assert measure is not None
            found |= {score.name: score for score in measure(samples, self._beside)}
        return [found[kind.name] for kind in self._kinds if kind.name in found]


def drawn(size: int, count: int, seed: int) -> NDArray[np.int64]:
    """(count,) which sentences of a set are scored, where as many as `count` are to be.

    They are those that would be set aside if the set were the test sentences: a test file that is
    scored against itself is scored as its own real text.
    """
    if count >= size:
        return np.arange(size)
    return halves_order(size, seed)[size - count :]
