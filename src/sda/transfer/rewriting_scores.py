"""How well a model rewrites sentences that it has not learned from."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from torch import Tensor

from sda.randomness import seeded
from sda.text.sentences import Sentences
from sda.transfer.rewriting import RAW, Reading, RewritingModel, candidate_ways
from sda.transfer.rewriting_metric import RewritingMetric, content
from sda.transfer.sources import is_right
from sda.transfer.style_counts import NaiveBayes
from sda.transfer.style_judges import StyleJudge
from sda.transfer.styled import StyledTexts
from sda.transfer.transfer_scores import TransferScorer
from sda.transfer.transfer_settings import TransferSettings
from sda.transfer.transfer_task import TransferTask
from sda.transfer.transfer_texts import TransferTexts, encode_styled

WATCHED = 100  # sentences of each style that are rewritten after every epoch
WATCHED_AT = 1.5  # the log-odds above which words are masked then
STYLE_POWER = 1.2  # of style against content, where one way of rewriting is chosen
CANDIDATES = 8  # of which the best is taken, for the report
EXAMPLES = 12  # sentences of each style that the report shows


class RewritingMonitor:
    """Rewrites the sentences set aside, each style's into the next style, and measures that."""

    def __init__(
        self, texts: TransferTexts, settings: TransferSettings, for_scores: StyledTexts
    ) -> None:
        self.texts = texts
        self.settings = settings
        self._watched = _first(texts.valid, WATCHED)
        self._judge = NaiveBayes.fit(for_scores)

    def measure(self, model: RewritingModel) -> dict[str, float]:
        """Figures after an epoch, of one pass."""
        found = _Sources(self._watched, model)
        rng = seeded(self.settings.seed, "watch")
        written = model.once(found.sentences, found.targets, Reading(WATCHED_AT), rng)
        texts = model.slots.decode(written, found.unknown)
        style = self._judge.probabilities(texts).argmax(1) == found.targets
        figures = {
            "style_share": float(style.double().mean()),
            "content": float(content(texts, found.texts).mean()),
        }
        right = self._right(found, texts)
        return figures if right is None else {"right_share": right, **figures}

    def final(
        self, model: RewritingModel, metric: RewritingMetric, judges: Sequence[StyleJudge]
    ) -> dict[str, Any]:
        """The best way of a single pass; scores and examples of that, and of the best of several
        candidates."""
        found = _Sources(self.texts.valid, model)
        rng = seeded(self.settings.seed, "final")
        apply = self.settings.apply
        passes: dict[Reading, list[str]] = {}
        means: dict[Reading, float] = {}
        for share, threshold in product(apply.shares, (*apply.thresholds, RAW)):
            reading = Reading(threshold, share)
            written = model.once(found.sentences, found.targets, reading, rng)
            passes[reading] = model.slots.decode(written, found.unknown)
            means[reading] = _balance(metric, passes[reading], found)
        best = max(means, key=lambda reading: means[reading])
        ways = candidate_ways(CANDIDATES, best, apply.thresholds, apply.temperature)
        chosen = model.best(found.sentences, found.unknown, found.targets, ways, metric, rng)
        systems = {
            "copy of the source": found.texts,
            "one pass": passes[best],
            f"best of {CANDIDATES}": chosen,
        }
        scorer = TransferScorer(found.task, judges, self.texts.train)
        return {
            "ways": best.as_dict(),
            "scores": [self._row(name, texts, scorer, found) for name, texts in systems.items()],
            "examples": [
                {
                    "style": self.texts.names[found.targets[row]],
                    **{name: texts[row] for name, texts in systems.items()},
                }
                for row in _first_rows(self.texts.valid, EXAMPLES)
            ],
        }

    def _row(
        self, name: str, texts: Sequence[str], scorer: TransferScorer, found: _Sources
    ) -> dict[str, Any]:
        scores = [measured.score().as_dict() for measured in scorer.measure(texts).values()]
        right = self._right(found, texts)
        return {"name": name, "scores": scores, **({} if right is None else {"right": right})}

    def _right(self, found: _Sources, texts: Sequence[str]) -> float | None:
        """The share that is exactly right, where the source of the texts can tell."""
        if self.texts.source is None:
            return None
        return right_share(self.texts.source, found.task, texts)


def right_share(source: str, task: TransferTask, texts: Sequence[str]) -> float:
    """The share of rewritings that the source without data finds exactly right."""
    right = 0
    for number, name in enumerate(task.names):
        rows = [row for row, target in enumerate(task.targets) if target == number]
        sources, outputs = ([some[row] for row in rows] for some in (task.sources, texts))
        right += sum(is_right(source, sources, outputs, name))
    return right / len(texts)


class _Sources:
    """Sentences of all styles as texts and as ids, with the style that each is to get."""

    def __init__(self, texts: StyledTexts, model: RewritingModel) -> None:
        found = encode_styled(texts, model.slots)
        self.sentences: Sentences = found.sentences.about(None)
        self.unknown = found.unknown
        self.texts = [text for part in texts.texts for text in part]
        self.targets: Tensor = (found.styles + 1) % len(texts.names)
        self.task = TransferTask(
            texts.names,
            tuple(self.texts),
            tuple(found.styles.tolist()),
            tuple(self.targets.tolist()),
        )


def _balance(metric: RewritingMetric, texts: Sequence[str], found: _Sources) -> float:
    """Style, which counts a little more, times content: a sum, as the metric has, would let a good
    copy stand for a rewriting where all sentences are rewritten in one way (decision 0203)."""
    style = metric.style(texts, found.targets).mean()
    return float(style**STYLE_POWER * content(texts, found.texts).mean())


def _first(texts: StyledTexts, count: int) -> StyledTexts:
    return StyledTexts(texts.names, tuple(part[:count] for part in texts.texts))


def _first_rows(texts: StyledTexts, count: int) -> list[int]:
    """The places of the first sentences of each style among all of them."""
    rows: list[int] = []
    first = 0
    for part in texts.texts:
        rows += range(first, first + min(count, len(part)))
        first += len(part)
    return rows
