"""One rewriting of each source, in both directions."""

import torch
from fakes import lists_of, sentences_of

from sda.text.context import Context
from sda.transfer.bins import Bins, RewrittenPairs


def pairs(*rows: tuple[list[int], list[int], int, float]) -> RewrittenPairs:
    """Source, rewriting, style of the rewriting (of two), score."""
    sources, outputs, styles, scores = zip(*rows, strict=True)
    labels = torch.tensor(styles)
    rewritings = sentences_of(*outputs).about(Context(labels, sentences_of(*sources)))
    return RewrittenPairs(rewritings, 1 - labels, torch.tensor(scores))


def kept(bins: Bins) -> list[tuple[list[int], list[int]]]:
    assert bins.pairs is not None
    rewritings = bins.pairs.rewritings
    assert rewritings.context is not None and rewritings.context.source is not None
    return list(zip(lists_of(rewritings.context.source), lists_of(rewritings), strict=True))


def test_a_source_keeps_its_best_rewriting_in_each_style() -> None:
    bins = Bins(5, 2)
    assert bins.add(pairs(([1, 0], [2, 0], 1, 0.5), ([1, 0], [5, 0], 0, 0.1))) == 2
    added = bins.add(pairs(([1, 0], [3, 0], 1, 0.9), ([1, 0], [4, 0], 1, 0.7)))

    assert added == 1
    assert kept(bins) == [([1, 0], [5, 0]), ([1, 0], [3, 0])]
    assert bins.add(pairs(([1, 0], [6, 0], 1, 0.9))) == 0  # of equals the one that was there


def test_the_newest_stay_where_a_bin_is_full() -> None:
    bins = Bins(2, 2)
    for number in range(1, 4):
        bins.add(pairs(([number, 0], [9, 0], 1, 1.0 / number)))

    assert [source for source, _ in kept(bins)] == [[2, 0], [3, 0]]
    assert len(bins.of_style(1)) == 2 and len(bins.of_style(0)) == 0


def test_pairs_are_learned_both_ways() -> None:
    both = pairs(([1, 2, 0], [3, 0], 1, 1.0)).both_ways()
    assert both.context is not None and both.context.source is not None

    assert lists_of(both) == [[3, 0], [1, 2, 0]]
    assert lists_of(both.context.source) == [[1, 2, 0], [3, 0]]
    assert both.context.labels is not None and both.context.labels.tolist() == [1, 0]


def test_bins_survive_saving() -> None:
    before, after, empty = Bins(5, 2), Bins(5, 2), Bins(5, 2)
    before.add(pairs(([1, 0], [2, 0], 1, 0.5)))
    after.load(before.tensors())
    empty.load(Bins(5, 2).tensors())

    assert kept(after) == kept(before) and len(empty) == 0
    assert after.add(pairs(([1, 0], [3, 0], 1, 0.4))) == 0
