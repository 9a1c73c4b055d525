"""Rows of sentences and figures stay together."""

from dataclasses import dataclass

import torch
from torch import Tensor

from sda.text.aligned import Aligned
from sda.text.sentences import Sentences


@dataclass(frozen=True)
class Weighed(Aligned):
    sentences: Sentences
    weights: Tensor


ONE = Weighed(Sentences(torch.tensor([[1, 2], [3, 0]]), torch.tensor([2, 1])), torch.tensor([5, 6]))
OTHER = Weighed(Sentences(torch.tensor([[4]]), torch.tensor([1])), torch.tensor([7]))


def words(weighed: Weighed) -> list[list[int]]:
    rows = zip(weighed.sentences.tokens.tolist(), weighed.sentences.lengths.tolist(), strict=True)
    return [tokens[:length] for tokens, length in rows]


def test_it_has_as_many_rows_as_its_first_field() -> None:
    assert (len(ONE), len(OTHER)) == (2, 1)


def test_chosen_rows_keep_their_figures() -> None:
    turned = ONE[torch.tensor([1, 0])]
    assert words(turned) == [[3], [1, 2]]
    assert turned.weights.tolist() == [6, 5]


def test_two_follow_each_other() -> None:
    both = ONE.followed_by(OTHER)
    assert words(both) == [[1, 2], [3], [4]]
    assert both.weights.tolist() == [5, 6, 7]
