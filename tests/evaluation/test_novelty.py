"""What samples copy from training sentences, counted by hand and against plain sets."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from sda import __version__
from sda.evaluation.bleu_scores import bleu_scores, draw
from sda.evaluation.novelty import (
    Nearest,
    copy_share,
    nearest,
    novelty_scores,
    train_bleu_scores,
)
from sda.evaluation.score import Score
from sda.text.sentences import Flat

SAMPLES = Flat.from_lists([[1, 2, 1, 2, 1], [1, 2], [], [3], [1, 2]])
TRAIN = Flat.from_lists([[1, 2], [1, 2, 1, 2, 1, 2], [1, 3]])
NOTHING = Flat.from_lists([])


def by_name(scores: list[Score]) -> dict[str, Score]:
    return {score.name: score for score in scores}


def random_sentences(count: int, seed: int) -> Flat:
    rng = np.random.default_rng(seed)
    lists = [rng.integers(0, 7, rng.integers(1, 9)).tolist() for _ in range(count)]
    return Flat.from_lists(lists)


def test_copy_share_wants_the_whole_sentence() -> None:
    assert copy_share(SAMPLES, TRAIN).value == pytest.approx(2 / 5)
    assert copy_share(SAMPLES, NOTHING).value == 0.0
    assert "train:3|hyps:5|ci:bootstrap|" in copy_share(SAMPLES, TRAIN).signature
    low, high = copy_share(SAMPLES, TRAIN).interval or (0.0, 0.0)
    assert low < 2 / 5 < high


def test_spans_and_novelty_by_hand() -> None:
    samples = Flat.from_lists([[1, 2, 3, 9], [3, 1, 2, 3], [9], []])
    scores = by_name(novelty_scores(samples, Flat.from_lists([[0, 1, 2, 3], [3, 1]])))
    # 123 is copied twice; 9 is new; 31 is copied too, but 312 is not.
    assert scores["copied-span"].value == pytest.approx((3 + 3 + 0 + 0) / 4)
    assert scores["copied-span-max"].value == 3.0
    assert scores["copied-span-max"].interval is None
    novelty = [scores[f"novelty-{n}"].value for n in (1, 2, 3, 4)]
    assert novelty == pytest.approx([2 / 9, 1 / 6, 2 / 4, 2 / 2])
    # No sample has five words.
    assert list(scores)[-1] == "novelty-4"
    end = f"tok:whitespace|case:kept|version:{__version__}"
    assert scores["novelty-2"].signature == f"train:2|hyps:4|ngrams:6|ci:bootstrap|{end}"
    assert scores["copied-span"].signature == f"train:2|hyps:4|ci:bootstrap|{end}"
    assert scores["copied-span-max"].signature == f"train:2|hyps:4|{end}"


def test_training_sentences_themselves_are_not_new() -> None:
    train = random_sentences(50, 0)
    scores = by_name(novelty_scores(train, train))
    assert {scores[f"novelty-{n}"].value for n in range(1, 7)} == {0.0}
    assert scores["copied-span"].value == pytest.approx(train.lengths.mean())
    assert scores["copied-span-max"].value == 8.0
    assert copy_share(train, train).value == 1.0


def test_everything_is_new_beside_nothing() -> None:
    scores = by_name(novelty_scores(SAMPLES, NOTHING, orders=(1, 2)))
    assert list(scores) == ["copied-span", "copied-span-max", "novelty-1", "novelty-2"]
    assert [score.value for score in scores.values()] == [0.0, 0.0, 1.0, 1.0]


def test_no_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one sample"):
        copy_share(NOTHING, TRAIN)
    with pytest.raises(ValueError, match="at least one sample"):
        novelty_scores(NOTHING, TRAIN)
    with pytest.raises(ValueError, match="at least one sample"):
        train_bleu_scores(NOTHING, TRAIN, 2)


lists_of_sentences = st.lists(st.lists(st.integers(0, 3), max_size=8), min_size=1, max_size=8)


@settings(deadline=None)
@given(lists_of_sentences, lists_of_sentences)
def test_scores_equal_counting_with_sets(samples: list[list[int]], train: list[list[int]]) -> None:
    def runs(words: list[int], n: int) -> list[tuple[int, ...]]:
        return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]

    def known(n: int) -> set[tuple[int, ...]]:
        return {run for words in train for run in runs(words, n)}

    flat = Flat.from_lists(samples)
    scores = by_name(novelty_scores(flat, Flat.from_lists(train)))
    spans = [max(n for n in range(9) if n == 0 or known(n) & set(runs(s, n))) for s in samples]
    assert scores["copied-span"].value == pytest.approx(sum(spans) / len(spans))
    assert scores["copied-span-max"].value == max(spans)
    for n in range(1, 7):
        pooled = [run for words in samples for run in runs(words, n)]
        assert (f"novelty-{n}" in scores) == bool(pooled)
        if pooled:
            fresh = sum(run not in known(n) for run in pooled)
            assert scores[f"novelty-{n}"].value == pytest.approx(fresh / len(pooled))
    copies = [sample in train for sample in samples]
    assert copy_share(flat, Flat.from_lists(train)).value == pytest.approx(
        sum(copies) / len(copies)
    )


def test_train_bleu_draws_by_seed() -> None:
    samples, train = random_sentences(20, 1), random_sentences(60, 2)
    scores = train_bleu_scores(samples, train, 10, seed=4)
    drawn = draw(train, 10, torch.Generator().manual_seed(4))
    assert [score.name for score in scores] == [f"train-bleu-{n}" for n in (2, 3, 4, 5)]
    assert [score.value for score in scores] == [
        score.value for score in bleu_scores(samples, drawn)
    ]
    assert scores[0].signature.startswith("refs:10|of:60|seed:4|hyps:20|smooth:method1|")
    assert scores != train_bleu_scores(samples, train, 10, seed=5)


def test_a_small_training_set_is_taken_whole() -> None:
    samples, train = random_sentences(20, 1), random_sentences(9, 2)
    scores = train_bleu_scores(samples, train, 10)
    assert scores == train_bleu_scores(samples, train, 9, seed=1)
    assert scores[0].value == bleu_scores(samples, train)[0].value
    assert scores[0].signature.startswith("refs:9|of:9|hyps:20|")


def test_the_nearest_training_sentence() -> None:
    samples = Flat.from_lists([[], [1, 2, 3], [7], [1, 3]])
    train = Flat.from_lists([[4, 5], [1, 2, 4], [1, 3]])
    # 1 2 3 12 23 and 1 2 4 12 24 share three of seven; 7 is nowhere; the last is a copy.
    assert nearest(samples, train, 4) == [
        Nearest(1, 1, 3 / 7),
        Nearest(2, 0, 0.0),
        Nearest(3, 2, 1.0),
    ]


def test_the_nearest_are_drawn_by_seed() -> None:
    samples, train = random_sentences(50, 5), random_sentences(40, 6)
    everything = {found.sample: found for found in nearest(samples, train, 50)}
    some = nearest(samples, train, 5, seed=1)
    assert len(everything) == 50
    assert some == [everything[found.sample] for found in some]
    assert [found.sample for found in some] == sorted({found.sample for found in some})
    assert some == nearest(samples, train, 5, seed=1) != nearest(samples, train, 5, seed=2)
