"""Features that are kept are those of the discriminator as it is now, and of no other sentence."""

from collections.abc import Callable

import pytest
import torch
from fakes import seeded, sentences_of
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from sda.models import prefix_cache
from sda.models.cnn import CnnDiscriminator
from sda.models.prefix_cache import PrefixCache
from sda.models.prefixes import PrefixReader
from sda.text.sentences import Sentences

WORDS = 9
KNOWN = sentences_of([1, 2, 3, 4], [5], [6, 0], [0, 0, 0], [1, 2, 3, 4], [7, 8, 1, 1, 2, 3])


class CountingReader(PrefixReader):
    """Counts the sentences that are read from their start."""

    read_so_far = 0

    def wanted_features(self, sentences: Sentences, wanted: Tensor) -> Tensor:
        self.read_so_far += len(sentences)
        return super().wanted_features(sentences, wanted)


def make_discriminator(seed: int = 0) -> CnnDiscriminator:
    return CnnDiscriminator(WORDS, seeded(seed), 4, widths=(1, 2, 3, 6), maps=(3, 2, 4, 5))


def every_other(sentences: Sentences) -> Tensor:
    """(B, T + 1) true for the empty prefix and those of two, four, ... words."""
    columns = torch.arange(sentences.tokens.shape[1] + 1)
    return (columns % 2 == 0) & (columns <= sentences.lengths[:, None])


def make_cache(reader: PrefixReader, sentences: Sentences = KNOWN) -> PrefixCache:
    return PrefixCache(reader, sentences, every_other(sentences))


def found(cache: PrefixCache, sentences: Sentences) -> Tensor:
    features = cache.features(sentences)
    assert features is not None
    return features


texts = st.lists(
    st.lists(st.integers(0, WORDS - 1), min_size=1, max_size=10), min_size=1, max_size=150
)


@pytest.mark.slow
@given(texts, st.data())
def test_features_are_those_of_the_reader(rows: list[list[int]], data: st.DataObject) -> None:
    """More sentences than a chunk holds, in any order, some of them several times."""
    reader = PrefixReader(make_discriminator())
    known = sentences_of(*rows)
    cache = make_cache(reader, known)
    numbers = st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=6)
    for _ in range(2):
        batch = known[torch.tensor(data.draw(numbers))].trimmed()
        expected = reader.features(batch, every_other(batch))
        torch.testing.assert_close(found(cache, batch), expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize(
    "words",
    [
        [1, 2, 3],
        [1, 2, 3, 4, 0],
        [4, 3, 2, 1],
        [2],
        [0, 0],
        [0, 0, 0, 0],
        [7, 8, 1, 1, 2, 3, 0],
        [8, 8, 8, 8, 8, 8],
    ],
)
def test_a_sentence_that_is_not_known_has_none(words: list[int]) -> None:
    cache = make_cache(PrefixReader(make_discriminator()))

    assert cache.features(sentences_of(words)) is None
    assert cache.features(sentences_of([1, 2, 3, 4], words)) is None
    assert cache.features(sentences_of([1, 2, 3, 4], [5])) is not None


def test_sentences_with_one_key_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefix_cache, "_keys", lambda sentences: sentences.lengths * 0)
    reader = PrefixReader(make_discriminator())
    cache = make_cache(reader)

    first = KNOWN[:1].trimmed()
    torch.testing.assert_close(found(cache, first), reader.features(first, every_other(first)))
    assert cache.features(KNOWN[1:2].trimmed()) is None


def test_what_stands_in_the_padding_does_not_matter() -> None:
    cache = make_cache(PrefixReader(make_discriminator()))
    expected = found(cache, KNOWN)
    garbage = Sentences(KNOWN.tokens.masked_fill(~KNOWN.mask, 8), KNOWN.lengths)

    assert torch.equal(found(cache, garbage), expected)


def test_every_sentence_is_read_once() -> None:
    reader = CountingReader(make_discriminator())
    cache = make_cache(reader)
    assert reader.read_so_far == 0
    assert cache.features(sentences_of([4])) is None
    assert reader.read_so_far == 0
    for rows in ([0, 3], [5], [1, 2, 4]):
        found(cache, KNOWN[torch.tensor(rows)].trimmed())
    assert reader.read_so_far == len(KNOWN)


def learn(discriminator: CnnDiscriminator, fused: bool) -> None:
    optimizer = torch.optim.Adam(discriminator.parameters(), 0.01, fused=fused)
    discriminator.real_logit(KNOWN).sum().backward()  # type: ignore[no-untyped-call]
    optimizer.step()


def load_another(discriminator: CnnDiscriminator) -> None:
    discriminator.load_state_dict(make_discriminator(seed=1).state_dict())


def nudge(discriminator: CnnDiscriminator) -> None:
    """One weight has the next larger value that there is."""
    weight = discriminator.gate.weight.detach()
    weight[3, 4] = torch.nextafter(weight[3, 4], torch.tensor(torch.inf))


CHANGES: dict[str, Callable[[CnnDiscriminator], None]] = {
    "a fused step": lambda discriminator: learn(discriminator, fused=True),
    "a plain step": lambda discriminator: learn(discriminator, fused=False),
    "other weights are loaded": load_another,
    "the last bit of one weight": nudge,
}


@pytest.mark.parametrize("change", CHANGES)
def test_features_are_renewed_when_the_discriminator_changes(change: str) -> None:
    discriminator = make_discriminator()
    reader = CountingReader(discriminator)
    cache = make_cache(reader)
    found(cache, KNOWN)
    CHANGES[change](discriminator)
    after = found(cache, KNOWN)

    assert reader.read_so_far == 2 * len(KNOWN)
    torch.testing.assert_close(after, reader.features(KNOWN, every_other(KNOWN)))


def test_features_handed_out_earlier_stay_what_they_were() -> None:
    discriminator = make_discriminator()
    cache = make_cache(PrefixReader(discriminator))
    before = found(cache, KNOWN)
    kept = before.clone()
    load_another(discriminator)

    assert not torch.allclose(found(cache, KNOWN), kept)
    assert torch.equal(before, kept)


def test_bits_do_not_depend_on_what_was_asked_before() -> None:
    tokens = torch.randint(WORDS, (200, 10), generator=seeded(2))
    known = Sentences(tokens, torch.randint(1, 11, (200,), generator=seeded(3)))
    known = Sentences(known.tokens * known.mask, known.lengths)
    discriminator = make_discriminator()
    whole, resumed = (make_cache(PrefixReader(discriminator), known) for _ in range(2))
    found(whole, known[5:17])
    load_another(discriminator)
    found(whole, known[150:180])
    found(resumed, known[:3])

    assert torch.equal(found(whole, known), found(resumed, known))


def test_the_memory_is_what_was_foretold() -> None:
    """Prefixes of 0, 2 and 4 words of six sentences, and one entry of zeros."""
    cache = make_cache(PrefixReader(make_discriminator()))
    entries = 3 + 1 + 2 + 2 + 3 + 4 + 1

    assert cache.nbytes == entries * 14 * 4
    found(cache, KNOWN)
    assert cache._table.untyped_storage().nbytes() == cache.nbytes


def test_no_gradient_leaves() -> None:
    assert not found(make_cache(PrefixReader(make_discriminator())), KNOWN).requires_grad
