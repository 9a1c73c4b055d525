import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from sda.text.sentences import Flat, Sentences

EOS = 0
lists_of_words = st.lists(st.lists(st.integers(1, 9), max_size=6), max_size=8)


def words_of(flat: Flat) -> list[list[int]]:
    return [flat.ids[a:b].tolist() for a, b in zip(flat.starts, flat.starts[1:], strict=False)]


@pytest.fixture
def three() -> Sentences:
    """Two words, none and one, each closed by the end symbol."""
    return Sentences.from_flat(Flat.from_lists([[5, 7], [], [3]]), EOS)


def test_from_lists_lays_the_words_end_to_end() -> None:
    flat = Flat.from_lists([[5, 7], [], [3]])

    assert flat.ids.tolist() == [5, 7, 3]
    assert flat.starts.tolist() == [0, 2, 2, 3]
    assert flat.lengths.tolist() == [2, 0, 1]
    assert len(flat) == 3


@given(lists_of_words, lists_of_words)
def test_flat_sentences_are_joined(first: list[list[int]], second: list[list[int]]) -> None:
    joined = Flat.join(Flat.from_lists(first), Flat.from_lists(second))

    assert words_of(joined) == first + second


@given(lists_of_words, st.data())
def test_flat_sentences_are_taken_in_any_order(lists: list[list[int]], data: st.DataObject) -> None:
    places = st.integers(0, max(len(lists) - 1, 0))
    order = data.draw(st.lists(places, max_size=9 if lists else 0))
    taken = Flat.from_lists(lists).take(np.array(order, np.int64))

    assert words_of(taken) == [lists[place] for place in order]


def test_from_flat_closes_and_pads(three: Sentences) -> None:
    assert three.tokens.tolist() == [[5, 7, 0], [0, 0, 0], [3, 0, 0]]
    assert three.lengths.tolist() == [3, 1, 2]
    assert three.tokens.dtype == three.lengths.dtype == torch.int64


def test_end_symbol_need_not_be_the_padding() -> None:
    sentences = Sentences.from_flat(Flat.from_lists([[5, 7], []]), eos=8)

    assert sentences.tokens.tolist() == [[5, 7, 8], [8, 0, 0]]
    assert words_of(sentences.flat(8)) == [[5, 7], []]


def test_without_end_symbol_lengths_are_those_of_the_words() -> None:
    sentences = Sentences.from_flat(Flat.from_lists([[5, 0], [3]]))

    assert sentences.tokens.tolist() == [[5, 0], [3, 0]]
    assert sentences.lengths.tolist() == [2, 1]
    assert words_of(sentences.flat(None)) == [[5, 0], [3]]


def test_mask_is_true_up_to_the_length(three: Sentences) -> None:
    assert three.mask.tolist() == [
        [True, True, True],
        [True, False, False],
        [True, True, False],
    ]


def test_a_sentence_that_was_never_closed_keeps_its_last_word() -> None:
    unfinished = Sentences(torch.tensor([[5, 7], [5, 0]]), torch.tensor([2, 2]))

    assert words_of(unfinished.flat(EOS)) == [[5, 7], [5]]


def test_a_sentence_without_tokens_has_no_words() -> None:
    nothing = Sentences(torch.tensor([[0, 0], [5, 0]]), torch.tensor([0, 1]))

    assert words_of(nothing.flat(EOS)) == [[], [5]]


def test_an_end_symbol_past_the_length_is_not_counted() -> None:
    cut = Sentences(torch.tensor([[5, 7, 8]]), torch.tensor([2]))

    assert words_of(cut.flat(8)) == [[5, 7]]


def test_trimmed_drops_only_columns_of_padding(three: Sentences) -> None:
    short = three[torch.tensor([1, 2])]

    assert short.tokens.shape == (2, 3)
    assert short.trimmed().tokens.tolist() == [[0, 0], [3, 0]]
    assert short.trimmed().lengths.tolist() == [1, 2]
    assert Sentences.empty(4).trimmed().tokens.shape == (0, 0)


def test_indexing_by_slice_and_by_mask(three: Sentences) -> None:
    assert three[1:].lengths.tolist() == [1, 2]
    assert three[three.lengths > 1].lengths.tolist() == [3, 2]


def test_join_is_as_wide_as_the_widest(three: Sentences) -> None:
    joined = Sentences.join([three[1:2].trimmed(), three, Sentences.empty()])

    assert joined.tokens.tolist() == [[0, 0, 0], *three.tokens.tolist()]
    assert joined.lengths.tolist() == [1, 3, 1, 2]


def test_join_of_nothing_is_empty() -> None:
    assert len(Sentences.join([])) == 0


@pytest.mark.parametrize(
    ("tokens", "lengths"),
    [(torch.zeros(3), torch.zeros(3)), (torch.zeros(2, 3), torch.zeros(3))],
)
def test_shapes_that_do_not_fit_are_refused(tokens: torch.Tensor, lengths: torch.Tensor) -> None:
    with pytest.raises(ValueError, match=r"are not \(B, T\) and \(B,\)"):
        Sentences(tokens, lengths)


@given(lists_of_words, st.sampled_from([None, 0, 10]))
def test_flat_undoes_from_flat(lists: list[list[int]], eos: int | None) -> None:
    flat = Flat.from_lists(lists)
    back = Sentences.from_flat(flat, eos).flat(eos)

    assert words_of(back) == lists
    assert back.ids.dtype == np.int32
    assert back.starts.dtype == np.int64


@given(lists_of_words)
def test_padding_is_zero(lists: list[list[int]]) -> None:
    sentences = Sentences.from_flat(Flat.from_lists(lists), eos=10)

    assert not sentences.tokens[~sentences.mask].any()
    assert int(sentences.mask.sum()) == sum(map(len, lists)) + len(lists)
