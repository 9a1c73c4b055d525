"""What sentences are about goes wherever they go, row by row."""

import pytest
import torch
from fakes import lists_of, seeded, sentences_of
from hypothesis import given
from hypothesis import strategies as st

from sda.text.context import Context, labels_of, source_of
from sda.text.corpus import Corpus, batches, draw
from sda.text.sentences import Sentences

WORDS = sentences_of([1, 0], [2, 2, 0], [3, 0], [1, 2, 3, 0])
BOTH = Context(torch.tensor([7, 8, 9, 7]), sentences_of([1], [2, 2, 2, 2], [3], [4, 4]))


def rows(sentences: Sentences) -> list[tuple[list[int], int, list[int]]]:
    """Each sentence with its label and its source."""
    context = sentences.context
    sources = lists_of(source_of(context))
    return list(zip(lists_of(sentences), labels_of(context).tolist(), sources, strict=True))


WHOLE = rows(WORDS.about(BOTH))


@given(st.lists(st.integers(0, 3), max_size=9))
def test_any_choice_of_rows_keeps_each_with_its_own(chosen: list[int]) -> None:
    taken = WORDS.about(BOTH)[torch.tensor(chosen, dtype=torch.int64)]

    assert rows(taken) == [WHOLE[row] for row in chosen]
    assert rows(taken.trimmed()) == rows(taken)
    assert rows(taken.to("cpu")) == rows(taken)


@given(st.integers(0, 12), st.integers(0, 99))
def test_drawn_and_walked_sentences_keep_their_own(n: int, seed: int) -> None:
    drawn = draw(WORDS.about(BOTH), n, seeded(seed))
    walked = [row for part in batches(WORDS.about(BOTH), 3, seeded(seed)) for row in rows(part)]

    assert len(drawn) == n
    assert n == 0 or all(row in WHOLE for row in rows(drawn))
    assert sorted(walked) == sorted(WHOLE)


def test_joined_sentences_are_about_what_their_parts_were() -> None:
    joined = Sentences.join([WORDS.about(BOTH)[2:], Sentences.empty(), WORDS.about(BOTH)[:1]])

    assert rows(joined) == [*WHOLE[2:], WHOLE[0]]


def test_sentences_about_something_are_not_mixed_with_others() -> None:
    with pytest.raises(ValueError, match="others are not"):
        Sentences.join([WORDS, WORDS.about(BOTH)])
    with pytest.raises(ValueError, match="others have none"):
        Sentences.join([WORDS.about(BOTH), WORDS.about(Context(BOTH.labels))])


def test_a_context_fits_its_sentences() -> None:
    with pytest.raises(ValueError, match="4 sentences about 2 things"):
        WORDS.about(BOTH[:2])
    with pytest.raises(ValueError, match="labels, source sentences, or both"):
        Context()
    with pytest.raises(ValueError, match="as many labels as source sentences"):
        Context(BOTH.labels, WORDS[:1])
    with pytest.raises(ValueError, match="are not"):
        Context(torch.zeros(2, 2))


@pytest.mark.parametrize("context", [BOTH, Context(BOTH.labels), Context(source=BOTH.source)])
def test_what_is_saved_is_what_comes_back(context: Context) -> None:
    again = Context.from_tensors(context.tensors())

    assert again is not None
    assert (again.labels is None, again.source is None) == (
        context.labels is None,
        context.source is None,
    )
    assert (again.numbers() == context.numbers()).all()
    assert Context.from_tensors({}) is None


def test_rows_about_the_same_have_the_same_number() -> None:
    source = sentences_of([1, 2], [1], [1, 2], [1, 2])
    numbers = Context(torch.tensor([5, 5, 5, 6]), source).numbers().tolist()

    assert numbers[0] == numbers[2]
    assert len({tuple(row) for row in numbers}) == 3


def test_a_corpus_says_what_to_write_about(corpus: Corpus) -> None:
    labels = torch.arange(len(corpus.train)) % 2
    about = Corpus(
        corpus.vocabulary,
        corpus.train.about(Context(labels)),
        corpus.valid,
        corpus.max_length,
        labels=("bad", "good"),
    )
    untouched = seeded(3)

    assert corpus.contexts(5, untouched) is None
    assert torch.equal(untouched.get_state(), seeded(3).get_state())
    assert labels_of(about.contexts(len(labels), seeded(3))).sum() == labels.sum()
