from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sda.errors import UserError
from sda.text.preparation import Preparation
from sda.text.prepare import prepare
from text.ring import RING, Writer, numbered


def test_named_files_are_the_splits(text_file: Writer, undrawn: Preparation) -> None:
    path = text_file([*RING[:30], *RING[:2]])

    prepared = prepare(path, undrawn, seed=0)

    corpus = prepared.corpus
    assert prepared.train_lines == [*RING[:30], *RING[:2]]
    assert corpus.vocabulary.decode(corpus.train) == prepared.train_lines
    assert corpus.vocabulary.decode(corpus.valid) == ["a b", "c d"]
    assert corpus.vocabulary.decode(prepared.test) == prepared.test_lines == ["b a", "d c"]
    assert corpus.max_length == 3
    assert len(corpus.vocabulary) == 1 + 12


def test_overlap_with_named_files_is_counted_and_kept(
    text_file: Writer, undrawn: Preparation
) -> None:
    train = [line for line in RING if line not in ("d c", "c d")]

    summary = prepare(text_file([*train, "a b"]), undrawn, seed=0).summary

    assert (summary.valid_in_train, summary.test_in_train) == (1, 1)
    assert (summary.train, summary.valid, summary.test) == (len(train) + 1, 2, 2)


def test_test_sentences_longer_than_the_model_writes_have_no_likelihood(text_file: Writer) -> None:
    test = text_file(["a b c", "a b"], "test.txt")
    valid = text_file(["a b"], "valid.txt")

    prepared = prepare(text_file(RING), Preparation(valid=str(valid), test=str(test)), seed=0)

    assert prepared.corpus.max_length == 3
    assert prepared.corpus.vocabulary.decode(prepared.test) == ["a b"]
    assert prepared.test_lines == ["a b c", "a b"]
    assert prepared.summary.test_not_scored == 1


def test_limit_draws_training_sentences_and_leaves_the_other_splits(text_file: Writer) -> None:
    path = text_file(numbered(1000))

    whole = prepare(path, Preparation(), seed=4)
    part = prepare(path, Preparation(limit=300), seed=4)
    again = prepare(path, Preparation(limit=300), seed=4)

    assert len(part.train_lines) == len(part.corpus.train) == 300
    chosen = set(part.train_lines)
    assert part.train_lines == [line for line in whole.train_lines if line in chosen]
    assert part.train_lines == again.train_lines
    assert part.test_lines == whole.test_lines
    assert part.summary.train_over_limit == 500


def test_limit_above_the_number_of_sentences_takes_all(
    text_file: Writer, undrawn: Preparation
) -> None:
    prepared = prepare(text_file(RING), replace(undrawn, limit=10_000), seed=0)

    assert prepared.train_lines == RING


def test_shares_are_nested_and_have_the_words_of_the_whole(text_file: Writer) -> None:
    path = text_file(numbered(1000))

    whole, half, tenth = (
        prepare(path, Preparation(limit=600, share=share), seed=4) for share in (1.0, 0.5, 0.1)
    )

    assert [len(part.train_lines) for part in (whole, half, tenth)] == [600, 300, 60]
    assert set(tenth.train_lines) < set(half.train_lines) < set(whole.train_lines)
    assert tenth.corpus.vocabulary == whole.corpus.vocabulary
    assert len(tenth.corpus.valid) == len(whole.corpus.valid)
    assert tenth.summary.train_outside_share == 540
    assert tenth.summary.train_rare == 0


def test_drawn_splits_follow_the_seed(text_file: Writer) -> None:
    path = text_file(RING)

    first, again, other = (prepare(path, Preparation(), seed) for seed in (1, 1, 2))

    assert first.test_lines == again.test_lines
    assert first.train_lines == again.train_lines
    assert first.test_lines != other.test_lines
    assert (len(first.train_lines), len(first.test_lines)) == (132 - 2 * 13, 13)


def test_shares_of_drawn_splits(text_file: Writer) -> None:
    path = text_file(numbered(1000))

    prepared = prepare(path, Preparation(valid_share=0.2, test_share=0.05), seed=0)

    summary = prepared.summary
    assert (summary.train, summary.valid, summary.test) == (750, 200, 50)


def test_a_drawn_split_beside_a_named_one(text_file: Writer) -> None:
    test = text_file(["a b", "b a"], "test.txt")

    prepared = prepare(text_file(RING), Preparation(test=str(test)), seed=0)

    assert prepared.test_lines == ["a b", "b a"]
    assert (prepared.summary.train, prepared.summary.valid) == (132 - 13, 13)
    assert [counts.file for counts in prepared.summary.files] == ["text.txt", "test.txt"]


def test_drawn_splits_have_at_most_5000_distinct_sentences(text_file: Writer) -> None:
    path = text_file(numbered(60_000, words=5))

    summary = prepare(path, Preparation(), seed=0).summary

    assert (summary.train, summary.valid, summary.test) == (50_000, 5_000, 5_000)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    lengths=st.lists(st.integers(1, 40), min_size=10, max_size=60).filter(
        lambda lengths: len(set(lengths)) >= 10
    ),
    seed=st.integers(0, 1000),
)
def test_drawn_splits_never_share_a_sentence(
    text_file: Writer, lengths: list[int], seed: int
) -> None:
    # Sentences of one word in many lengths: any split knows all words.
    lines = [" ".join(["a"] * length) for length in lengths]

    prepared = prepare(text_file(lines), Preparation(valid_share=0.3, test_share=0.3), seed)

    valid = prepared.corpus.vocabulary.decode(prepared.corpus.valid)
    parts = [prepared.train_lines, valid, prepared.test_lines]
    assert all(parts)
    assert Counter(line for part in parts for line in part) == Counter(lines)
    assert sum(len(set(part)) for part in parts) == len(set(lines))
    assert prepared.summary.test_in_train == prepared.summary.valid_in_train == 0


@pytest.mark.parametrize("n", [1, 9])
def test_very_small_file(text_file: Writer, n: int) -> None:
    lines = [*numbered(n), numbered(n)[0], ""]
    message = rf"{n} distinct sentences are left where 10 are needed \({n + 2} lines read"
    with pytest.raises(UserError, match=message + r", dropped: 1 blank\)"):
        prepare(text_file(lines), Preparation(), seed=0)


def test_ten_sentences_are_enough(text_file: Writer) -> None:
    lines = [f"a b {'a ' * i}" for i in range(10)]

    summary = prepare(text_file(lines), Preparation(), seed=0).summary

    assert (summary.train, summary.valid, summary.test) == (8, 1, 1)


@pytest.mark.parametrize("shares", [(0.89, 0.01), (0.01, 0.89), (0.45, 0.45)])
def test_every_split_of_ten_sentences_has_one(
    text_file: Writer, shares: tuple[float, float]
) -> None:
    lines = [f"a {'a ' * i}" for i in range(10)]
    preparation = Preparation(valid_share=shares[0], test_share=shares[1])

    summary = prepare(text_file(lines), preparation, seed=0).summary

    assert min(summary.train, summary.valid, summary.test) >= 1
    assert summary.train + summary.valid + summary.test == 10
