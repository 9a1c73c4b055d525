"""What noise leaves of a sentence."""

from itertools import pairwise

import torch
from fakes import lists_of, seeded, sentences_of
from hypothesis import given
from hypothesis import strategies as st

from sda.text.sentences import Sentences
from sda.transfer.noise import Masks, NoiseSettings, noisy, with_unknown
from sda.transfer.style_words import StyleWords

MASK = 9
# Words 5 and 6 are of style 0, words 7 and 8 of style 1.
ODDS = torch.zeros(2, 9)
ODDS[0, 5:7], ODDS[1, 5:7], ODDS[0, 7:], ODDS[1, 7:] = 3.0, -3.0, -3.0, 3.0
NO_PAIRS = StyleWords(ODDS, torch.zeros(0, dtype=torch.int64), torch.zeros(2, 0))
MASKS = Masks(NO_PAIRS, MASK)
ONLY_MASKS = NoiseSettings(masked=1, random_masks=0, drops=0)

lists = st.lists(
    st.lists(st.integers(1, 8), min_size=1, max_size=8).map(lambda words: [*words, 0]),
    min_size=1,
    max_size=5,
)


def test_words_of_the_style_are_masked_and_neighbours_share_a_mask() -> None:
    sentences = sentences_of([1, 5, 6, 2, 7, 0], [5, 0], [7, 1, 0])
    found = noisy(sentences, torch.tensor([0, 0, 1]), MASKS, ONLY_MASKS, seeded(0))

    assert lists_of(found) == [[1, MASK, 2, 7, 0], [MASK, 0], [MASK, 1, 0]]


def test_a_mask_for_rewriting_hides_what_is_of_other_styles() -> None:
    sentences = sentences_of([1, 5, 6, 2, 7, 0])
    odds = NO_PAIRS.of_others(sentences, torch.tensor([1]))

    assert lists_of(MASKS.masked(sentences, odds > 1)) == [[1, MASK, 2, 7, 0]]
    assert lists_of(MASKS.masked(sentences, odds > 4)) == [[1, 5, 6, 2, 7, 0]]


@given(lists, st.integers(0, 99))
def test_noise_keeps_ends_and_makes_no_words(rows: list[list[int]], seed: int) -> None:
    settings = NoiseSettings(masked=0.5, random_masks=0.3, drops=0.3, plain_drops=0.3)
    found = noisy(
        sentences_of(*rows),
        torch.zeros(len(rows), dtype=torch.int64),
        MASKS,
        settings,
        seeded(seed),
    )

    for before, after in zip(rows, lists_of(found), strict=True):
        assert after[-1] == 0 and after.count(0) == 1
        words = [word for word in after if word != MASK]
        assert all(words.count(word) <= before.count(word) for word in words)
        assert all(not (a == b == MASK) for a, b in pairwise(after))


@given(lists, st.integers(0, 99))
def test_plain_noise_without_drops_only_moves_words_a_little(
    rows: list[list[int]], seed: int
) -> None:
    settings = NoiseSettings(masked=0, plain_drops=0, shuffled=3)
    styles = torch.zeros(len(rows), dtype=torch.int64)
    numbered = [[*range(1, len(row)), 0] for row in rows]
    found = noisy(sentences_of(*numbered), styles, MASKS, settings, seeded(seed))

    for row in lists_of(found):
        assert sorted(row[:-1]) == list(range(1, len(row)))
        assert all(abs(word - place) <= 3 for place, word in enumerate(row[:-1], 1))


def test_unknown_words_take_the_place_of_words_and_never_of_ends() -> None:
    sentences = sentences_of([1, 2, 3, 0], [4, 0])
    all_unknown = with_unknown(sentences, 20, 1.0, seeded(0))

    assert all(20 <= word < 28 for row in lists_of(all_unknown) for word in row[:-1])
    assert all(row[-1] == 0 for row in lists_of(all_unknown))
    same = with_unknown(sentences, 20, 0.0, seeded(0))
    assert torch.equal(same.tokens, sentences.tokens) and isinstance(same, Sentences)
