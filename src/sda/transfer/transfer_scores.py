"""What is measured of rewritings: style, what is left of the source, and fluency.

Everything is kept by sentence, so that intervals and differences of two systems come from the same
thousand draws of sentences (bootstrap).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from sda.evaluation.interval import LARGE, Interval, percentile_interval, resamples
from sda.evaluation.score import Convention, Score
from sda.text.kneser_ney import NgramModel
from sda.text.paired_bleu import ORDERS, count_pairs, stacked_bleu
from sda.text.sentences import Flat
from sda.text.word_numbers import WordNumbers
from sda.transfer.contractions import JOINED, join_contractions
from sda.transfer.style_judges import StyleJudge
from sda.transfer.styled import StyledTexts
from sda.transfer.transfer_task import TransferTask

Rows = NDArray[np.float64]
GROUPS = 5000  # more sentences than `LARGE` are drawn in so many groups, to take no more memory


@dataclass(frozen=True)
class Measured:
    """A figure of a set of rewritings, and what each sentence has to do with it.

    `stats` (N, k) are summed over sentences, and `combined` makes figures (R,) of sums (R, k).
    """

    name: str
    stats: Rows
    combined: Callable[[Rows], Rows]
    higher_is_better: bool | None
    signature: str

    @property
    def value(self) -> float:
        return float(self.combined(self.stats.sum(0)[None])[0])

    @property
    def drawn(self) -> Rows:
        """(R,) the figure of many draws of sentences, the same draws for every figure."""
        stats = self.stats
        if len(stats) > LARGE:
            groups = np.arange(len(stats)) % GROUPS
            stats = np.stack([np.bincount(groups, column) for column in stats.T], 1)
        return self.combined(resamples(len(stats)) @ stats)

    @property
    def interval(self) -> Interval | None:
        return percentile_interval(self.drawn) if len(self.stats) > 1 else None

    def score(self) -> Score:
        return Score(
            self.name, self.value, self.higher_is_better, self.signature, interval=self.interval
        )

    def minus(self, other: Measured) -> tuple[float, Interval | None]:
        """By how much it is higher than the other, and the interval of that by paired draws."""
        if len(self.stats) < 2:
            return self.value - other.value, None
        return self.value - other.value, percentile_interval(self.drawn - other.drawn)


class TransferScorer:
    """Scores any rewritings of the sources of one task.

    `train` are sentences of all styles, from which the language model of perplexity is made. The
    judges are to have learned from other sentences than whatever chose the rewritings.
    """

    def __init__(
        self,
        task: TransferTask,
        judges: Sequence[StyleJudge] = (),
        train: StyledTexts | None = None,
        join: bool = True,
    ) -> None:
        self.task = task
        self._judges = judges
        self._join = join
        self._numbers = WordNumbers(0)
        self._sources = self._flat(task.sources)
        self._targets = torch.tensor(task.targets, dtype=torch.int64)
        self._model = None if train is None else NgramModel(self._train(train))

    def measure(
        self, texts: Sequence[str], references: Sequence[Sequence[str]] | None = None
    ) -> dict[str, Measured]:
        """All figures of the rewritings by name, against these references or the task's."""
        if len(texts) != len(self.task.sources):
            raise ValueError(f"{len(texts)} rewritings of {len(self.task.sources)} sentences")
        flat = self._flat(texts)
        found = [self._style(judge, texts) for judge in self._judges]
        found.append(self._bleu("source-bleu", flat, [self._sources]))
        used = self.task.references if references is None else references
        against = [self._flat(each) for each in used]
        if against:
            found.append(self._bleu("reference-bleu-1", flat, against[:1]))
        if len(against) > 1:
            found.append(self._bleu(f"reference-bleu-{len(against)}", flat, against))
        if self._model is not None:
            found.append(self._perplexity(flat))
        same = np.array(
            [a == b for a, b in zip(self._cut(texts), self._cut(self.task.sources), strict=True)]
        )
        found.append(_share("copies", same, False, self._sign(sentences=len(texts))))
        return {each.name: each for each in found}

    def likely(self, texts: Sequence[str]) -> dict[str, Rows]:
        """By sentence (N,): what each judge gives the target's style, under the judge's kind.

        Beside it `bleu-2` with the source, and `fluency`, the mean log-probability of a token.
        """
        flat = self._flat(texts)
        rows = torch.arange(len(texts))
        found = {
            judge.kind: judge.probabilities(self._cut(texts))[rows, self._targets].double().numpy()
            for judge in self._judges
        }
        found["bleu-2"] = count_pairs(flat, [self._sources], 2).sentence_bleu()[:, 1]
        if self._model is not None:
            found["fluency"] = self._model.log_prob(flat) / (flat.lengths + 1)
        return found

    def _style(self, judge: StyleJudge, texts: Sequence[str]) -> Measured:
        answers = judge.probabilities(self._cut(texts)).argmax(1)
        signature = self._sign(judge=judge.kind, styles=len(judge.names), sentences=len(texts))
        return _share(f"style-{judge.kind}", (answers == self._targets).numpy(), True, signature)

    def _bleu(self, name: str, texts: Flat, references: Sequence[Flat]) -> Measured:
        signature = self._sign(
            bleu=f"corpus-{ORDERS}",
            smoothing="none",
            length="closest",
            refs=len(references),
            sentences=len(texts),
        )
        stats = count_pairs(texts, references).stacked
        return Measured(name, stats, lambda sums: 100 * stacked_bleu(sums), None, signature)

    def _perplexity(self, texts: Flat) -> Measured:
        assert self._model is not None
        stats = np.stack((-self._model.log_prob(texts), texts.lengths + 1.0), 1)
        signature = self._sign(per="token", **self._model.facts, sentences=len(texts))
        return Measured(
            "perplexity", stats, lambda sums: np.exp(sums[:, 0] / sums[:, 1]), None, signature
        )

    def _sign(self, **facts: object) -> str:
        joined = JOINED if self._join else "none"
        return Convention().sign(**facts, joined=joined, ci="bootstrap")

    def _train(self, train: StyledTexts) -> Flat:
        return self._flat([text for part in train.texts for text in part])

    def _cut(self, texts: Sequence[str]) -> list[str]:
        return [join_contractions(text) if self._join else text for text in texts]

    def _flat(self, texts: Sequence[str]) -> Flat:
        return self._numbers.flat([text.split() for text in self._cut(texts)])


def _share(
    name: str, values: NDArray[np.bool_], higher_is_better: bool | None, signature: str
) -> Measured:
    """A share in per cent."""
    stats = np.stack((values, np.ones(len(values))), 1).astype(np.float64)
    return Measured(
        name, stats, lambda sums: 100 * sums[:, 0] / sums[:, 1], higher_is_better, signature
    )
