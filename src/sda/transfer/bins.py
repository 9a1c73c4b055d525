"""The buffer of style transfer: for each style a bin, with one rewriting of each source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from sda.text.aligned import Aligned
from sda.text.context import Context, sentence_tensors, tensor_sentences
from sda.text.ngrams import number_sentences
from sda.text.sentences import Sentences


@dataclass(frozen=True)
class RewrittenPairs(Aligned):
    """Rewritings, about the sources that they come from and their own style; with their scores and
    the styles (N,) of the sources."""

    rewritings: Sentences
    origins: Tensor
    scores: Tensor

    def both_ways(self) -> Sentences:
        """Rewritings about their sources, and sources about their rewritings."""
        there = self.rewritings
        context = there.context
        assert context is not None and context.source is not None
        back = context.source.about(Context(self.origins, there.about(None)))
        return Sentences.join([there, back])


class Bins:
    """The best rewriting of each source, for each style the `capacity` newest of them.

    A bin that kept the best of all would fill with sources that are easy to rewrite.
    """

    def __init__(self, capacity: int, styles: int) -> None:
        self.capacity = capacity
        self.styles = styles
        self.pairs: RewrittenPairs | None = None

    def __len__(self) -> int:
        return 0 if self.pairs is None else len(self.pairs)

    def add(self, new: RewrittenPairs) -> int:
        """Take in rewritings that are better than those there are of their source; how many."""
        if not len(new):
            return 0
        pairs = new if self.pairs is None else _joined(self.pairs, new)
        context = pairs.rewritings.context
        assert context is not None and context.source is not None and context.labels is not None
        sources = torch.from_numpy(number_sentences(context.source.flat(None))).long()
        keys = sources * self.styles + context.labels
        # The best of each source comes first; of equals the one that was there.
        order = pairs.scores.argsort(descending=True, stable=True)
        firsts = _first_of_each(keys[order])
        kept = order[firsts].sort().values
        kept = torch.cat([rows[-self.capacity :] for rows in self._by_style(context.labels, kept)])
        kept = kept.sort().values
        self.pairs = pairs[kept]
        return int((kept >= len(pairs) - len(new)).sum())

    def of_style(self, style: int) -> Sentences:
        """The rewritings in one style, about nothing."""
        if self.pairs is None:
            return Sentences.empty()
        context = self.pairs.rewritings.context
        assert context is not None and context.labels is not None
        return self.pairs.rewritings[context.labels == style].about(None)

    def tensors(self) -> dict[str, Tensor]:
        if self.pairs is None:
            return {}
        more = {"origins": self.pairs.origins, "scores": self.pairs.scores}
        return {**sentence_tensors(self.pairs.rewritings), **more}

    def load(self, tensors: Mapping[str, Tensor]) -> None:
        """Be what `tensors` of other bins said."""
        self.pairs = None
        if tensors:
            rewritings = tensor_sentences(tensors)
            self.pairs = RewrittenPairs(rewritings, tensors["origins"], tensors["scores"])

    def _by_style(self, labels: Tensor, rows: Tensor) -> list[Tensor]:
        return [rows[labels[rows] == style] for style in range(self.styles)]


def _joined(a: RewrittenPairs, b: RewrittenPairs) -> RewrittenPairs:
    return RewrittenPairs(
        Sentences.join([a.rewritings, b.rewritings]),
        torch.cat((a.origins, b.origins)),
        torch.cat((a.scores, b.scores)),
    )


def _first_of_each(keys: Tensor) -> Tensor:
    """The first place of every different key."""
    ordered, order = keys.sort(stable=True)
    is_first = torch.ones_like(ordered, dtype=torch.bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return order[is_first]
