"""Automatic scores of the very texts that were rated, and how they go with the ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sda.evaluation.encoder import Encoder
from sda.evaluation.grammar import Checker
from sda.evaluation.score import Convention
from sda.studies.outcome import Outcome
from sda.studies.ratings import item_means, ratings_of
from sda.studies.study import Study
from sda.studies.two_way import Floats
from sda.text.detokenise import detokenise
from sda.text.kneser_ney import NgramModel
from sda.text.sentence_bleu import References
from sda.text.sentences import Flat

RESAMPLES = 1000
SEED = 20210202
ORDER = 3  # of BLEU


@dataclass(frozen=True)
class Proxy:
    """An automatic score of every rated item (n,), and what it is."""

    name: str
    about: str
    values: Floats


@dataclass(frozen=True)
class Correlation:
    """Spearman's correlation of an automatic score with the mean ratings of items."""

    criterion: str
    proxy: str
    value: float
    interval: tuple[float, float]
    items: int
    of_models: float | None
    """The same between means of models; None for fewer than three."""


def proxies_of(study: Study, test: Sequence[str] | None, checker: Checker | None) -> list[Proxy]:
    """The scores that can be had; those by real text need `test`, sentences that nobody rated."""
    texts = [item.texts[0] for item in study.rated]
    encoder = Encoder(Convention("words", lowercase=True))
    flat = encoder.encode(texts)
    found = [Proxy("words", "number of words and marks", flat.lengths.astype(np.float64))]
    if any(item.source is not None for item in study.rated):
        sources = encoder.encode([item.source or "" for item in study.rated])
        about = "words that text and source share, of all that either has"
        found.append(Proxy("source-overlap", about, _overlap(flat, sources)))
    if test is not None:
        # As people see them, like the texts that were rated.
        real = encoder.encode([text for text in map(detokenise, test) if text])
        model = NgramModel(real)
        surprise = -model.log_prob(flat) / (flat.lengths + 1)
        about = "perplexity under an n-gram model of the real text"
        found.append(Proxy("lm-perplexity", about, np.exp(surprise)))
        about = f"BLEU-{ORDER} against the real text"
        bleu = References(real, ORDER).bleu(flat)[:, ORDER - 1]
        found.append(Proxy(f"bleu-{ORDER}", about, bleu))
    if checker is not None:
        issues = [len(kinds) for kinds in checker.issues(texts)]
        about = f"issues that {checker.name} finds in 1,000 words"
        share = 1000 * np.array(issues) / np.maximum(1, flat.lengths)
        found.append(Proxy("grammar-issues", about, share))
    return found


def correlations(outcome: Outcome, proxies: Sequence[Proxy]) -> list[Correlation]:
    """Every score beside every question; choices between two texts have no rating of one."""
    study = outcome.study
    if study.task == "pairs":
        return []
    owners = np.array([study.models.index(item.models[0]) for item in study.rated])
    found = []
    for criterion in study.criteria:
        means = item_means(ratings_of(study, outcome.kept, criterion.name), len(study.rated))
        rated = np.isfinite(means)
        for proxy in proxies:
            one, other = means[rated], proxy.values[rated]
            if len(one) < 3 or np.ptp(one) == 0 or np.ptp(other) == 0:
                continue
            value, interval = spearman(one, other)
            found.append(
                Correlation(
                    criterion.name,
                    proxy.name,
                    value,
                    interval,
                    len(one),
                    _of_models(one, other, owners[rated]),
                )
            )
    return found


def spearman(one: Floats, other: Floats) -> tuple[float, tuple[float, float]]:
    """The correlation of ranks, and its interval over items by bootstrap."""
    first, second = ranks(one), ranks(other)
    size = len(first)
    rng = np.random.default_rng(SEED)
    weights = rng.multinomial(size, np.full(size, 1 / size), RESAMPLES).astype(np.float64)
    drawn = _pearson(first, second, weights)
    low, high = np.percentile(drawn[np.isfinite(drawn)], (2.5, 97.5))
    return float(_pearson(first, second, np.ones((1, size)))[0]), (float(low), float(high))


def ranks(values: Floats) -> Floats:
    """Places from 1 on; equal values share the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[inverse])


def _pearson(one: Floats, other: Floats, weights: Floats) -> Floats:
    """(R,) the correlation under weights (R, n)."""
    total = weights.sum(axis=1)
    mean, middle = weights @ one / total, weights @ other / total
    cross = weights @ (one * other) / total - mean * middle
    spread = (weights @ one**2 / total - mean**2) * (weights @ other**2 / total - middle**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(cross / np.sqrt(spread))


def _of_models(one: Floats, other: Floats, owners: np.ndarray) -> float | None:
    names = np.unique(owners)
    if len(names) < 3:
        return None
    means = [np.array([values[owners == name].mean() for name in names]) for values in (one, other)]
    if any(np.ptp(part) == 0 for part in means):
        return None
    return float(_pearson(ranks(means[0]), ranks(means[1]), np.ones((1, len(names))))[0])


def _overlap(texts: Flat, sources: Flat) -> Floats:
    """(B,) different words in both over different words in either."""
    size = int(max(texts.ids.max(initial=0), sources.ids.max(initial=0))) + 1

    def keys(flat: Flat) -> np.ndarray:
        owners = np.repeat(np.arange(len(flat)), flat.lengths)
        return np.unique(owners * size + flat.ids)

    mine, theirs = keys(texts), keys(sources)
    both = np.bincount(np.intersect1d(mine, theirs) // size, minlength=len(texts))
    either = np.bincount(np.union1d(mine, theirs) // size, minlength=len(texts))
    return np.asarray(both / np.maximum(1, either))
