import json
from collections import Counter

import pytest
import torch
from fakes import lists_of, seeded, sentences_of
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from sda.buffer import Buffer
from sda.text.context import Context, labels_of, source_of
from sda.text.scores import Scores
from sda.text.sentences import Flat, Sentences

EOS = 0
Scored = tuple[list[int], float]


def buffer_of(capacity: int) -> Buffer:
    return Buffer(capacity, ("metric",), EOS)


def scores(*values: float) -> Scores:
    total = torch.tensor(values, dtype=torch.float64)
    return Scores(total, total[:, None].clone())


def add(buffer: Buffer, entries: list[Scored], epoch: int = 1, seed: int = 0) -> int:
    sentences = sentences_of(*(words for words, _ in entries))
    return buffer.add(sentences, scores(*(score for _, score in entries)), epoch, seeded(seed))


def held(buffer: Buffer) -> list[Scored]:
    return list(
        zip(lists_of(buffer.entries.sentences), buffer.entries.scores.tolist(), strict=True)
    )


words = st.lists(st.integers(1, 3), max_size=4).map(lambda ids: [*ids, EOS])
some_scores = st.one_of(st.integers(-2, 2).map(float), st.just(float("-inf")))
additions = st.lists(st.lists(st.tuples(words, some_scores), max_size=12), max_size=4)


@given(additions, st.integers(1, 6))
def test_buffer_holds_the_best_distinct_sentences(
    rounds: list[list[Scored]], capacity: int
) -> None:
    buffer = buffer_of(capacity)
    seen: dict[tuple[int, ...], float] = {}
    for seed, entries in enumerate(rounds):
        before = {tuple(ids) for ids, _ in held(buffer)}
        # What is in the buffer keeps its score, as does the first of several equal arrivals. What
        # has left it was forgotten, and may come back with another score.
        seen = {ids: score for ids, score in seen.items() if ids in before}
        for ids, score in entries:
            if len(ids) > 1 and score > float("-inf"):
                seen.setdefault(tuple(ids), score)
        stayed = add(buffer, entries, seed=seed)

        kept = {tuple(ids): score for ids, score in held(buffer)}
        assert len(kept) == len(buffer) == min(capacity, len(seen))
        assert all(seen[ids] == score for ids, score in kept.items())
        order = [score for _, score in held(buffer)]
        assert order == sorted(order, reverse=True)
        assert order == sorted(seen.values(), reverse=True)[:capacity]
        assert stayed == len(kept.keys() - before)


def test_threshold_is_the_lowest_score_once_full() -> None:
    buffer = buffer_of(2)
    assert buffer.threshold == float("-inf")
    add(buffer, [([1, EOS], 3.0)])
    assert buffer.threshold == float("-inf")
    add(buffer, [([2, EOS], 1.0), ([3, EOS], 2.0)])
    assert buffer.threshold == 2.0


def test_of_equal_sentences_the_one_there_stays_with_score_and_epoch() -> None:
    buffer = buffer_of(3)
    add(buffer, [([1, 2, EOS], 1.0)], epoch=1)
    stayed = add(buffer, [([1, 2, EOS], 9.0), ([1, 2], 8.0), ([2, EOS], 0.5)], epoch=2)

    # Without its end symbol a sentence that was cut has the same words.
    assert stayed == 1
    assert held(buffer) == [([1, 2, EOS], 1.0), ([2, EOS], 0.5)]
    assert buffer.entries.epochs.tolist() == [1, 2]


def test_empty_and_forbidden_sentences_never_enter() -> None:
    buffer = buffer_of(5)
    stayed = add(buffer, [([EOS], 9.0), ([], 9.0), ([1, EOS], float("-inf")), ([2, EOS], -5.0)])

    assert stayed == 1
    assert held(buffer) == [([2, EOS], -5.0)]


def test_scores_that_are_not_numbers_never_enter() -> None:
    buffer = buffer_of(5)

    assert add(buffer, [([1, EOS], float("nan"))]) == 0


def test_nothing_can_be_added() -> None:
    buffer = buffer_of(5)

    assert buffer.add(Sentences.empty(4), scores(), 1, seeded(0)) == 0
    assert len(buffer) == 0 and buffer.figures(1) == {}


def test_ties_are_not_always_won_by_the_oldest() -> None:
    survivors: Counter[int] = Counter()
    for seed in range(200):
        buffer = buffer_of(1)
        rng = seeded(seed)
        for word in (1, 2):
            buffer.add(sentences_of([word, EOS]), scores(1.0), 1, rng)
        survivors[held(buffer)[0][0][0]] += 1

    # A fair lot: 100 of 200 each, standard deviation 7.
    assert abs(survivors[1] - 100) < 5 * 7


def test_a_lot_is_kept_for_life() -> None:
    buffer = buffer_of(2)
    add(buffer, [([1, EOS], 1.0), ([2, EOS], 1.0)])
    before = held(buffer)
    for seed in range(20):
        buffer.add(Sentences.empty(1), scores(), 1, seeded(seed))

    assert held(buffer) == before


def test_rescoring_changes_the_order_and_drops_nothing() -> None:
    buffer = buffer_of(3)
    add(buffer, [([1, EOS], 3.0), ([2, EOS], 2.0), ([3, EOS], 1.0)], epoch=4)
    buffer.rescore(scores(0.0, 7.0, 5.0))

    assert held(buffer) == [([2, EOS], 7.0), ([3, EOS], 5.0), ([1, EOS], 0.0)]
    assert buffer.entries.parts[:, 0].tolist() == [7.0, 5.0, 0.0]
    add(buffer, [([4, EOS], 1.0)])
    assert [ids for ids, _ in held(buffer)] == [[2, EOS], [3, EOS], [4, EOS]]


def test_old_entries_expire() -> None:
    buffer = Buffer(5, ("metric",), EOS, max_age=2)
    add(buffer, [([1, EOS], 1.0)], epoch=1)
    add(buffer, [([2, EOS], 2.0), ([3, EOS], 3.0)], epoch=2)

    assert [buffer.expire(epoch) for epoch in (3, 4, 5)] == [0, 1, 2]
    assert len(buffer) == 0


def test_nothing_expires_without_a_maximum_age() -> None:
    buffer = buffer_of(5)
    add(buffer, [([1, EOS], 1.0)], epoch=1)

    assert buffer.expire(1000) == 0 and len(buffer) == 1


def by_length(*lengths: int) -> Tensor:
    return torch.tensor(lengths)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=40), st.integers(1, 12), st.integers(0, 99))
def test_quota_has_room_for_exactly_the_capacity(
    lengths: list[int], capacity: int, seed: int
) -> None:
    buffer = Buffer(capacity, ("metric",), None, length_quota=torch.tensor(lengths))
    # Fifteen distinct sentences of every length that training has; more than enough to fill up.
    entries = [
        ([number, *[0] * (length - 1)], float(number % 3))
        for length in set(lengths)
        for number in range(1, 16)
    ]
    add(buffer, entries, seed=seed)

    assert len(buffer) == capacity


def test_quota_keeps_the_shares_of_lengths() -> None:
    # Half of training has two words, a quarter three, a quarter five.
    quota = by_length(*[2] * 20, *[3] * 10, *[5] * 10)
    buffer = Buffer(8, ("metric",), None, length_quota=quota)
    # The shortest score best, and without the quota would fill the buffer.
    add(buffer, [([i, *[9] * (n - 1)], 10.0 - n) for n in (2, 3, 5) for i in range(8)])

    assert Counter(buffer.entries.sentences.lengths.tolist()) == {2: 4, 3: 2, 5: 2}


def test_near_duplicates_of_better_sentences_stay_out() -> None:
    buffer = Buffer(5, ("metric",), EOS, near_duplicates=0.5)
    add(buffer, [([1, 2, 3, 4, EOS], 1.0), ([7, 8, 9, EOS], 0.5)])
    stayed = add(buffer, [([1, 2, 3, 5, EOS], 2.0), ([7, 8, EOS], 0.1)])

    assert stayed == 1
    assert held(buffer) == [([1, 2, 3, 5, EOS], 2.0), ([7, 8, 9, EOS], 0.5)]


def test_draws_take_none_twice_before_all_once() -> None:
    buffer = buffer_of(4)
    add(buffer, [([i, EOS], float(i)) for i in range(1, 5)])
    drawn = [row[0] for row in lists_of(buffer.draw(8, seeded(0)))]

    assert sorted(drawn[:4]) == sorted(drawn[4:]) == [1, 2, 3, 4]


def test_what_is_given_and_what_is_kept_are_apart() -> None:
    buffer = buffer_of(2)
    sentences, given_scores = sentences_of([1, EOS], [2, EOS]), scores(1.0, 2.0)
    buffer.add(sentences, given_scores, 1, seeded(0))
    sentences.tokens.fill_(9)
    given_scores.total.fill_(9)
    buffer.draw(2, seeded(0)).tokens.fill_(9)

    assert held(buffer) == [([2, EOS], 2.0), ([1, EOS], 1.0)]


def test_state_round_trip_goes_on_alike() -> None:
    one, other = buffer_of(3), buffer_of(3)
    add(one, [([1, 1, EOS], 1.0), ([2, EOS], 1.0), ([3, EOS], 0.0)], epoch=2)
    other.load_state_dict({name: value.clone() for name, value in one.state_dict().items()})
    for buffer in (one, other):
        add(buffer, [([2, EOS], 5.0), ([2, 2, EOS], 1.0), ([3, 3, EOS], 1.0)], epoch=3, seed=8)

    assert all(torch.equal(value, other.state_dict()[k]) for k, value in one.state_dict().items())
    assert held(one) == held(other)


def test_records_tell_text_score_parts_and_epoch() -> None:
    buffer = Buffer(2, ("bleu-3", "length"), EOS)
    parts = torch.tensor([[0.25, 0.5], [1.0, 0.0]], dtype=torch.float64)
    buffer.add(sentences_of([1, EOS], [2, EOS]), Scores(parts.sum(1), parts), 3, seeded(0))
    records = list(buffer.records(["two", "one"], [{"label": "good"}, {}]))

    assert json.loads(json.dumps(records)) == [
        {
            "text": "two",
            "label": "good",
            "score": 1.0,
            "parts": {"bleu-3": 1.0, "length": 0.0},
            "epoch": 3,
        },
        {"text": "one", "score": 0.75, "parts": {"bleu-3": 0.25, "length": 0.5}, "epoch": 3},
    ]


def test_figures_by_hand() -> None:
    buffer = buffer_of(5)
    add(buffer, [([1, EOS], 1.0), ([2, EOS], 2.0)], epoch=1)
    add(buffer, [([3, EOS], 6.0)], epoch=4)

    assert buffer.figures(5) == {
        "buffer_size": 3,
        "buffer_min": 1,
        "buffer_median": 2,
        "buffer_max": 6,
        "buffer_age": 3,
    }


@pytest.mark.parametrize("capacity", [0, -1])
def test_a_buffer_without_room_is_refused(capacity: int) -> None:
    with pytest.raises(ValueError, match="at least one sentence"):
        buffer_of(capacity)


def labelled(labels: list[int], *lists: list[int]) -> Sentences:
    return sentences_of(*lists).about(Context(torch.tensor(labels)))


def test_each_label_has_a_bin_of_its_own() -> None:
    buffer = Buffer(2, ("a",), 0, bins=3)
    sentences = labelled([0, 0, 0, 2, 0], [1, 0], [2, 0], [3, 0], [4, 0], [5, 0])
    marks = scores(9.0, 8.0, 7.0, 1.0, 6.0)

    assert buffer.add(sentences, marks, 0, seeded(0)) == 3
    # The best of all first; the one with the rare label stays, though four others are better.
    assert lists_of(buffer.entries.sentences) == [[1, 0], [2, 0], [4, 0]]
    assert labels_of(buffer.entries.sentences.context).tolist() == [0, 0, 2]
    assert buffer.threshold == float("-inf")


def test_a_sentence_about_two_things_is_two_sentences() -> None:
    buffer = Buffer(4, ("a",), 0, bins=2)
    sentences = labelled([0, 1, 0], [1, 0], [1, 0], [1, 0])
    marks = scores(3.0, 2.0, 1.0)

    assert buffer.add(sentences, marks, 0, seeded(0)) == 2
    assert labels_of(buffer.entries.sentences.context).tolist() == [0, 1]


def test_entries_keep_what_they_are_about_over_a_checkpoint() -> None:
    source = sentences_of([1, 2], [3])
    sentences = sentences_of([5, 0], [6, 0]).about(Context(torch.tensor([1, 0]), source))
    marks = scores(1.0, 2.0)
    buffer, again = (Buffer(4, ("a",), 0, bins=2) for _ in range(2))
    buffer.add(sentences, marks, 0, seeded(0))
    again.load_state_dict(buffer.state_dict())
    context = again.entries.sentences.context

    assert labels_of(context).tolist() == [0, 1]
    assert lists_of(source_of(context)) == [[3], [1, 2]]
    drawn = again.draw(2, seeded(1)).context
    assert sorted(labels_of(drawn).tolist()) == [0, 1]


def test_near_duplicates_of_another_label_stay() -> None:
    lists = [[1, 2, 3, 0], [1, 2, 3, 4, 0]]
    marks = scores(2.0, 1.0)
    kept = []
    for labels in ([0, 0], [0, 1]):
        buffer = Buffer(4, ("a",), 0, near_duplicates=0.5, bins=2)
        kept.append(buffer.add(labelled(labels, *lists), marks, 0, seeded(0)))

    assert kept == [1, 2]


def test_one_text_in_two_rows_of_ids_is_one_sentence() -> None:
    # Ids 1 and 2 write the same word, and 3 writes none.
    def words(sentences: Sentences) -> Flat:
        rows = [[min(i, 1) for i in row if i in (1, 2)] for row in lists_of(sentences)]
        return Flat.from_lists(rows)

    buffer = Buffer(4, ("a",), 0, words=words)
    sentences = sentences_of([1, 2, 0], [2, 1, 0], [1, 0], [3, 0])

    assert buffer.add(sentences, scores(1.0, 2.0, 3.0, 4.0), 0, seeded(0)) == 2
    assert lists_of(buffer.entries.sentences) == [[1, 0], [1, 2, 0]]
