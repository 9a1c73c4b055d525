"""How tables show scores and costs: which, in which order and with how many decimals."""

from __future__ import annotations

from sda.show.table import Column, Figure, usual_digits

# A score belongs to the first group that has a beginning of its name.
GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("quality", ("bleu-", "lm-", "lstm-", "order-", "grammar", "grammatical", "nll-")),
    ("diversity", ("self-bleu-", "distinct-", "ngram-entropy-", "duplicate-", "seq-rep-")),
    ("quality and diversity", ("reverse-", "frechet", "mauve")),
    ("novelty", ("copy-", "copied-", "novelty-", "train-bleu-")),
    ("words and lengths", ("",)),
)
MAIN = (
    "bleu-2",
    "bleu-3",
    "bleu-5",
    "lm-perplexity",
    "order-gain",
    "grammar-issues",
    "grammatical-share",
    "self-bleu-3",
    "self-bleu-5",
    "distinct-2",
    "duplicate-share",
    "seq-rep-3",
    "reverse-bleu-5",
    "reverse-lm-perplexity",
    "frechet",
    "mauve",
    "copy-share",
    "novelty-4",
    "train-bleu-5",
    "rare-sentence-share",
    "types",
    "length",
)
RUN = (
    "nll-oracle",
    "nll-test",
    "grammatical-share",
    "bleu-2",
    "bleu-3",
    "bleu-4",
    "bleu-5",
    "lm-perplexity",
    "self-bleu-3",
    "self-bleu-5",
    "distinct-2",
    "duplicate-share",
    "seq-rep-3",
    "reverse-bleu-5",
    "reverse-lm-perplexity",
    "frechet",
    "mauve",
    "copy-share",
    "novelty-4",
    "rare-sentence-share",
    "length",
    "kl-model-oracle",
    "kl-oracle-model",
)
CURVE_SHORT = ("bleu-5", "self-bleu-5", "distinct-2", "nll-test", "reverse-bleu-5")
CURVE = (
    *CURVE_SHORT,
    "lm-perplexity",
    "reverse-lm-perplexity",
    "nll-oracle",
    "grammatical-share",
    "duplicate-share",
    "length",
)
# Numbers of words, which a table shows without decimals.
COUNTS = ("types", "rare-types", "copied-span-max", "length-q05", "length-q50", "length-q95")
COSTS = {"updates": 0, "tokens": 0, "cpu-minutes": 1, "cpu-seconds": 0}
_DIGITS = {"nll-oracle": 3, "length": 1, **COSTS, **dict.fromkeys(COUNTS, 0)}


def score_column(name: str) -> Column:
    """The column of a score or a cost."""
    return Column(name)


def score_digits(name: str, value: float) -> int:
    """The decimals of a score, or of a cost."""
    if name in COUNTS and not float(value).is_integer():
        return usual_digits(value)  # a mean of counts is none
    return _DIGITS.get(name, usual_digits(value))


def score_figure(
    name: str,
    value: float,
    deviation: float | None = None,
    interval: tuple[float, float] | None = None,
    is_signed: bool = False,
    is_flagged: bool = False,
) -> Figure:
    """A score, or a cost, with the decimals that it has everywhere."""
    digits = score_digits(name, value)
    return Figure(value, digits, deviation, interval, is_signed, is_flagged)


def group_of(name: str) -> str:
    return next(title for title, starts in GROUPS if name.startswith(starts))
