"""From texts, in lists or files, to scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import torch

from sda.errors import UserError
from sda.evaluation.bleu import ORDERS, SELF_BLEU_LIMIT
from sda.evaluation.samples import sample_scores
from sda.evaluation.score import Convention, Score
from sda.text.bleu import References
from sda.text.reading import read_lines
from sda.text.sentences import Flat
from sda.text.tokens import tokenizer as named_tokenizer


class Encoder:
    """Gives every word an id, the same one in every call."""

    def __init__(self, convention: Convention) -> None:
        self._lowercase = convention.lowercase
        self._split = named_tokenizer(convention.tokenizer).split
        self._ids: defaultdict[str, int] = defaultdict()
        # A word not seen before gets the number of words seen so far, without a call into Python.
        self._ids.default_factory = self._ids.__len__

    def encode(self, texts: Sequence[str]) -> Flat:
        """The words of all texts; a blank text is an empty sentence."""
        if self._lowercase:
            texts = [text.lower() for text in texts]
        words = [self._split(text) for text in texts]
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        starts = np.concatenate(([0], np.cumsum(lengths)))
        ids = map(self._ids.__getitem__, chain.from_iterable(words))
        return Flat(np.fromiter(ids, np.int32, int(starts[-1])), starts)


def encode_texts(
    *groups: Sequence[str], lowercase: bool = False, tokenizer: str = "whitespace"
) -> list[Flat]:
    """Each group as ids, with one table of words for all groups."""
    encoder = Encoder(Convention(tokenizer, lowercase))
    return [encoder.encode(group) for group in groups]


class Evaluator:
    """Scores any number of sample sets against the same test and training texts.

    Blank test and training texts are no sentences and are left out; samples are all kept.
    """

    def __init__(
        self,
        test: Sequence[str],
        train: Sequence[str] | None = None,
        *,
        self_bleu_limit: int | None = SELF_BLEU_LIMIT,
        seed: int = 0,
        lowercase: bool = False,
        tokenizer: str = "whitespace",
    ) -> None:
        if self_bleu_limit is not None and self_bleu_limit < 2:
            raise UserError(f"self-BLEU needs at least 2 sentences, not {self_bleu_limit}.")
        self._convention = Convention(tokenizer, lowercase)
        self._encoder = Encoder(self._convention)
        self._limit = self_bleu_limit
        self._seed = seed
        references = self._encoder.encode(_written(test))
        if not len(references):
            raise UserError("There are no test sentences to compare the samples with.")
        self._references = References(references, max(ORDERS))
        self._train = None if train is None else self._encoder.encode(_written(train))

    def scores(self, samples: Sequence[str]) -> list[Score]:
        """All scores that the samples allow; see `sample_scores`."""
        if not samples:
            raise UserError("There are no samples to evaluate.")
        return sample_scores(
            self._encoder.encode(samples),
            self._references,
            self._train,
            torch.Generator().manual_seed(self._seed),
            self._limit,
            self._convention,
        )


def evaluate_texts(
    samples: Sequence[str],
    test: Sequence[str],
    train: Sequence[str] | None = None,
    *,
    self_bleu_limit: int | None = SELF_BLEU_LIMIT,
    seed: int = 0,
    lowercase: bool = False,
    tokenizer: str = "whitespace",
) -> list[Score]:
    """The scores of one set of samples; see `Evaluator`."""
    evaluator = Evaluator(
        test,
        train,
        self_bleu_limit=self_bleu_limit,
        seed=seed,
        lowercase=lowercase,
        tokenizer=tokenizer,
    )
    return evaluator.scores(samples)


def evaluate_files(
    samples: Sequence[Path],
    test: Path,
    train: Path | None = None,
    *,
    self_bleu_limit: int | None = SELF_BLEU_LIMIT,
    seed: int = 0,
    lowercase: bool = False,
    tokenizer: str = "whitespace",
    column: str | None = None,
    field: str | None = None,
) -> list[dict[str, object]]:
    """One object per file of samples, ready for JSON, in the order given.

    `column` and `field` say where the text stands in tables and records, in every file.
    """
    references = read_lines(test, column=column, field=field)
    if not _written(references):
        raise UserError(f"{test} holds blank lines only.")
    evaluator = Evaluator(
        references,
        None if train is None else read_lines(train, column=column, field=field),
        self_bleu_limit=self_bleu_limit,
        seed=seed,
        lowercase=lowercase,
        tokenizer=tokenizer,
    )
    reports: list[dict[str, object]] = []
    for path in samples:
        lines = read_lines(path, column=column, field=field)
        scores = [score.as_dict() for score in evaluator.scores(lines)]
        reports.append({"file": str(path), "sentences": len(lines), "scores": scores})
    return reports


def _written(texts: Sequence[str]) -> list[str]:
    return [text for text in texts if text.strip()]
