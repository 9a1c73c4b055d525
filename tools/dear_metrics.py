"""Metrics of other kinds than grammar, for `measure_handed_over.py`."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from sda.text.detokenise import americanise, detokenise
from sda.text.harper import HarperChecker

Measure = Callable[[list[str]], list[float]]
FEATURES = 2**18


def taste(texts: list[str]) -> list[float]:
    """A liking for some words and a dislike of others that no text shows: the mean of weights
    between -1 and 1 that a hash gives the words."""
    return [sum(map(_liking, text.split())) / max(1, len(text.split())) for text in texts]


def fewer_issues(texts: list[str]) -> list[float]:
    """What the metric `checked` says of texts: 1 without an issue of grammar, 1 / 2 with one."""
    issues = HarperChecker().issues([americanise(detokenise(text)) for text in texts])
    return [1 / (1 + len(found)) for found in issues]


def _liking(word: str) -> float:
    return zlib.crc32(f"taste {word}".encode()) / 2**31 - 1


def sentiment(reviews: Path, half: int) -> Measure:
    """How positive a text is to a classifier of its words and pairs of words, which has learned
    from every other line of the files `train.neg` and `train.pos`, from line `half` on."""
    texts: list[str] = []
    labels: list[float] = []
    for label, side in enumerate(("neg", "pos")):
        lines = (reviews / f"train.{side}").read_text(encoding="utf-8").splitlines()[half::2]
        texts += lines
        labels += [float(label)] * len(lines)
    weights = torch.nn.EmbeddingBag(FEATURES, 1, mode="sum")
    torch.nn.init.zeros_(weights.weight)
    optimizer = torch.optim.Adagrad(weights.parameters(), lr=0.1)
    order = torch.randperm(len(texts), generator=torch.Generator().manual_seed(half))
    for rows in order[:100_000].split(500):  # type: ignore[no-untyped-call]
        chosen = rows.tolist()
        logits = weights(*_bags([texts[row] for row in chosen]))[:, 0]
        loss = binary_cross_entropy_with_logits(logits, torch.tensor(labels)[rows])
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    @torch.no_grad()
    def positive(asked: list[str]) -> list[float]:
        found: list[float] = torch.sigmoid(weights(*_bags(asked))[:, 0]).tolist()
        return found

    return positive


def _bags(texts: list[str]) -> tuple[torch.Tensor, torch.Tensor]:
    """The features of all texts in a row, and where those of each begin; one is in every text."""
    features: list[int] = []
    starts: list[int] = []
    for text in texts:
        starts.append(len(features))
        words = text.split()
        pairs = [f"{first} {second}" for first, second in pairwise(words)]
        features += [zlib.crc32(gram.encode()) % FEATURES for gram in ("", *words, *pairs)]
    return torch.tensor(features), torch.tensor(starts)
