import pytest
import torch
from fakes import seeded, sentences_of
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from sda.models.cnn import CnnDiscriminator
from sda.models.prefixes import PrefixReader

WORDS = 9
DISCRIMINATOR = CnnDiscriminator(WORDS, seeded(0), 4, widths=(1, 2, 3, 6), maps=(3, 2, 4, 5))
READER = PrefixReader(DISCRIMINATOR)

# Up to ten words: shorter than most windows, shorter than the widest, and longer than all.
texts = st.lists(st.lists(st.integers(0, WORDS - 1), max_size=10), min_size=1, max_size=5)


def alone(words: list[int]) -> Tensor:
    """(F,) what the discriminator sees in these words."""
    return DISCRIMINATOR.features(sentences_of(words))[0].detach()


@pytest.mark.slow
@given(texts)
def test_features_are_those_of_each_prefix_alone(rows: list[list[int]]) -> None:
    found = READER.features(sentences_of(*rows))

    longest = max(len(words) for words in rows)
    assert found.shape == (len(rows), longest + 1, READER.size) and READER.size == 14
    for words, features in zip(rows, found, strict=True):
        for t in range(len(words) + 1):
            torch.testing.assert_close(features[t], alone(words[:t]))
        assert not features[len(words) + 1 :].any()


def test_what_stands_in_the_padding_does_not_matter() -> None:
    sentences = sentences_of([1, 2, 3, 4, 5, 6, 7], [8, 8], [4])
    expected = READER.features(sentences)
    sentences.tokens[~sentences.mask] = 5

    assert torch.equal(READER.features(sentences), expected)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5), st.integers(0, 1000))
def test_reading_some_words_at_a_time_is_reading_all(counts: list[int], seed: int) -> None:
    """The first read has the empty prefix too."""
    tokens = torch.randint(WORDS, (3, sum(counts) - 1), generator=seeded(seed))
    expected = READER.features(sentences_of(*tokens.tolist()))
    parts = []
    peaks = None
    done = 0
    for count in counts:
        done += count
        features, peaks = READER.read(tokens[:, : done - 1], count, peaks)
        parts.append(features)

    torch.testing.assert_close(torch.cat(parts, 1), expected)


def test_reading_leaves_the_peaks_that_it_was_given_alone() -> None:
    tokens = torch.tensor([[1, 2, 3, 4, 5, 6, 7, 8]])
    _, peaks = READER.read(tokens[:, :4], 5, None)
    before = peaks.clone()
    one = READER.read(tokens, 4, peaks)
    again = READER.read(tokens, 4, peaks)

    assert torch.equal(peaks, before)
    torch.testing.assert_close(one, again, rtol=0, atol=0)


def test_only_wanted_prefixes_are_computed() -> None:
    sentences = sentences_of([1, 2, 3, 4], [5, 6])
    wanted = torch.tensor([[True, False, True, False, True], [False, True, False, False, False]])
    found = READER.features(sentences, wanted)

    assert torch.equal(found.any(2), wanted)
    torch.testing.assert_close(found[wanted], READER.features(sentences)[wanted])


def test_no_gradient_leaves() -> None:
    sentences = sentences_of([1, 2, 3, 4, 5, 6, 7], [8, 8])
    features, peaks = READER.read(sentences.tokens, 8, None)

    assert DISCRIMINATOR.features(sentences).requires_grad
    assert not READER.features(sentences).requires_grad
    assert not features.requires_grad and not peaks.requires_grad


def test_dropout_of_the_discriminator_plays_no_part() -> None:
    assert DISCRIMINATOR.training and DISCRIMINATOR.dropout.p > 0
    untouched = torch.get_rng_state()
    rows = [[1, 2, 3, 4, 5, 6, 7], [8, 8]]
    READER.features(sentences_of(*rows))

    assert torch.equal(torch.get_rng_state(), untouched)


@pytest.mark.parametrize("changed", ["embedding", "filters.3", "filter_bias", "gate", "transform"])
def test_the_reader_sees_the_discriminator_as_it_is_now(changed: str) -> None:
    discriminator = CnnDiscriminator(WORDS, seeded(1), 4, widths=(1, 2, 3, 6), maps=(3, 2, 4, 5))
    reader = PrefixReader(discriminator)
    sentences = sentences_of([1, 2, 3, 4, 5, 6, 7])
    before = reader.features(sentences)
    with torch.no_grad():
        for name, value in discriminator.named_parameters():
            if name.startswith(changed):
                value.add_(0.5)
    after = reader.features(sentences)

    assert not torch.allclose(before, after)
    whole = discriminator.features(sentences)[0].detach()
    torch.testing.assert_close(after[0, -1], whole)
