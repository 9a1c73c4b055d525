from collections import Counter
from dataclasses import fields, replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from sda.text.corpus import Corpus, Source, batches, draw
from sda.text.sentences import Flat, Sentences
from sda.text.vocabulary import NumberVocabulary


def numbered(n: int) -> Sentences:
    """Sentence i is i + 1 words long and all its words are i."""
    return Sentences.from_flat(Flat.from_lists([[i] * (i + 1) for i in range(n)]))


def numbers(sentences: Sentences) -> list[int]:
    """Which of the numbered sentences these are; fails unless they are whole."""
    found = sentences.tokens[:, 0].tolist()
    assert sentences.lengths.tolist() == [i + 1 for i in found]
    whole = sentences.tokens == sentences.tokens[:, :1]
    assert bool((whole | ~sentences.mask).all())
    return found


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@given(st.integers(1, 12), st.integers(0, 40), st.integers(0, 2**32))
def test_draw_takes_none_twice_before_all_once(size: int, n: int, seed: int) -> None:
    drawn = numbers(draw(numbered(size), n, seeded(seed))) if n else []

    assert len(drawn) == n
    for start in range(0, n, size):
        part = drawn[start : start + size]
        assert len(set(part)) == len(part)


def test_draw_of_none_is_empty() -> None:
    assert len(draw(numbered(3), 0, seeded(0))) == 0
    assert len(draw(Sentences.empty(), 0, seeded(0))) == 0


def test_draw_from_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no sentence to draw"):
        draw(Sentences.empty(), 1, seeded(0))


def test_draw_is_uniform() -> None:
    rng = seeded(5)
    counts = Counter(i for _ in range(1500) for i in numbers(draw(numbered(5), 2, rng)))

    # Each is drawn with probability 2/5: 600 of 1500, standard deviation 19.
    assert all(abs(counts[i] - 600) < 5 * 19 for i in range(5))


def test_draw_follows_the_seed() -> None:
    first, again, other = (draw(numbered(30), 30, seeded(seed)) for seed in (1, 1, 2))

    assert numbers(first) == numbers(again)
    assert numbers(first) != numbers(other)


def test_draw_is_trimmed() -> None:
    drawn = draw(numbered(9), 1, seeded(0))

    assert drawn.tokens.shape[1] == int(drawn.lengths[0])


@given(st.integers(0, 20), st.integers(1, 25), st.integers(0, 2**32))
def test_batches_hold_every_sentence_once(n: int, size: int, seed: int) -> None:
    found = list(batches(numbered(n), size, seeded(seed)))

    assert sorted(i for batch in found for i in numbers(batch)) == list(range(n))
    assert [len(batch) for batch in found] == [size] * (n // size) + [n % size] * (n % size > 0)
    assert all(batch.tokens.shape[1] == int(batch.lengths.max()) for batch in found)


def test_batches_are_shuffled_anew_each_time() -> None:
    rng = seeded(3)
    first, second = (
        [i for batch in batches(numbered(30), 7, rng) for i in numbers(batch)] for _ in range(2)
    )

    assert first != second
    assert first != sorted(first)


def test_batch_of_no_size_is_refused() -> None:
    with pytest.raises(ValueError, match="a batch of 0 sentences"):
        next(batches(numbered(3), 0, seeded(0)))


def test_corpus_draws_and_walks_the_training_sentences() -> None:
    sentences = numbered(8)
    corpus = Corpus(NumberVocabulary(8), sentences[:5], sentences[5:], max_length=8)
    source: Source = corpus

    assert sorted(numbers(source.draw(5, seeded(0)))) == [0, 1, 2, 3, 4]
    walked = [i for batch in corpus.batches(2, seeded(0)) for i in numbers(batch)]
    assert sorted(walked) == [0, 1, 2, 3, 4]


def test_corpus_holds_no_test_split() -> None:
    assert {field.name for field in fields(Corpus)} == {
        "vocabulary",
        "train",
        "valid",
        "max_length",
        "walk",
        "unseen",
        "labels",
    }


def test_the_discriminator_takes_unseen_sentences_for_real_and_nothing_else_draws_them() -> None:
    sentences = numbered(8)
    plain = Corpus(NumberVocabulary(8), sentences[:5], sentences[7:], max_length=8)
    corpus = replace(plain, unseen=sentences[5:7])

    assert plain.real is plain
    assert len(corpus.real) == 2
    assert sorted(numbers(corpus.real.draw(2, seeded(0)))) == [5, 6]
    assert sorted(numbers(corpus.draw(5, seeded(0)))) == [0, 1, 2, 3, 4]


def test_an_epoch_of_a_larger_corpus_walks_no_more_than_it_is_told() -> None:
    corpus = Corpus(NumberVocabulary(9), numbered(9), numbered(2), max_length=9, walk=4)
    epochs = [
        [i for batch in corpus.batches(3, seeded(seed)) for i in numbers(batch)]
        for seed in range(20)
    ]

    assert all(len(set(epoch)) == len(epoch) == 4 for epoch in epochs)
    assert set().union(*epochs) == set(range(9))


def test_sentences_longer_than_max_length_are_refused() -> None:
    with pytest.raises(ValueError, match="a sentence of 4 tokens where max_length = 3"):
        Corpus(NumberVocabulary(4), numbered(2), numbered(4), max_length=3)
