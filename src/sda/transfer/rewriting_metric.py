"""m(s | x, style): how good a rewriting is, by its style, its content and how it reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from sda.reference.function import Function
from sda.settings.vouched import check_named
from sda.text.about import About
from sda.text.paired_bleu import count_pairs
from sda.text.word_numbers import WordNumbers
from sda.transfer.style_counts import LanguageModelRatio
from sda.transfer.style_judges import JUDGES, StyleJudge
from sda.transfer.styled import StyledTexts
from sda.transfer.transfer_settings import RewritingMetricSettings
from sda.transfer.word_slots import WordSlots

CONTENT_ORDER = 2  # BLEU-2: longer n-grams seldom survive a change of style


@dataclass(frozen=True)
class RewritingVerdict:
    """Of each rewriting (N,): the `total`, and how likely it is of its `style`."""

    total: Tensor
    style: Tensor


@dataclass(frozen=True)
class RewritingMetric:
    """A weighted sum of style, content and fluency; or a user's function, whose judges only say
    of which style a rewriting is."""

    settings: RewritingMetricSettings
    judges: tuple[StyleJudge, ...]
    models: LanguageModelRatio
    function: Function | None = None

    @staticmethod
    def fit(
        texts: StyledTexts, settings: RewritingMetricSettings, slots: WordSlots, seed: int
    ) -> RewritingMetric:
        """A metric whose judges have learned these texts."""
        models = LanguageModelRatio.fit(texts, seed)
        judges = tuple(
            models if kind == models.kind else JUDGES[kind].fit(texts, seed)
            for kind in settings.judges
        )
        return RewritingMetric(settings, judges, models, own_function(settings, slots))

    def __call__(
        self, texts: Sequence[str], sources: Sequence[str], styles: Tensor
    ) -> RewritingVerdict:
        """How good the texts are as rewritings of the sources in these styles (N,)."""
        style = self.style(texts, styles)
        if self.function is not None:
            names = self.models.names
            pairs = zip(styles.tolist(), sources, strict=True)
            abouts = [About(names[number], source) for number, source in pairs]
            return RewritingVerdict(self.function.of_texts(texts, abouts), style)
        weights = self.settings
        total = weights.style * style
        if weights.content:
            total = total + weights.content * content(texts, sources)
        if weights.fluency:
            total = total + weights.fluency * self.fluency(texts, styles)
        return RewritingVerdict(total, style)

    def style(self, texts: Sequence[str], styles: Tensor) -> Tensor:
        """(N,) how likely each text is of its style, by the judges on average."""
        found = torch.stack([judge.probabilities(texts).double() for judge in self.judges])
        return found.mean(0).gather(1, styles[:, None])[:, 0]

    def fluency(self, texts: Sequence[str], styles: Tensor) -> Tensor:
        """(N,) the mean log-probability of a word, and of the end, in a model of the style."""
        words = torch.tensor([len(text.split()) + 1 for text in texts])
        return self.models.log_probs(texts).gather(1, styles[:, None])[:, 0] / words


def content(texts: Sequence[str], sources: Sequence[str]) -> Tensor:
    """(N,) BLEU-2 of each text against its source."""
    numbers = WordNumbers(0)
    hypotheses, references = (
        numbers.flat([text.split() for text in some]) for some in (texts, sources)
    )
    counts = count_pairs(hypotheses, [references], CONTENT_ORDER)
    return torch.from_numpy(counts.sentence_bleu()[:, -1].copy())


def own_function(settings: RewritingMetricSettings, slots: WordSlots) -> Function | None:
    """The user's function, where there is one."""
    if settings.function is None:
        return None
    check_named(settings.function, "metric.function")
    return Function(slots.vocabulary, settings.function)
