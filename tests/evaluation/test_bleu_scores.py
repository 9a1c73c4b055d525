"""BLEU scores are means over all samples, and self-BLEU draws by seed."""

import math

import numpy as np
import pytest
import torch

from sda import __version__
from sda.evaluation.bleu_scores import bleu_scores, draw, reverse_bleu_scores, self_bleu_scores
from sda.text.sentence_bleu import References, self_bleu
from sda.text.sentences import Flat

END = f"tok:whitespace|case:kept|version:{__version__}"
TAIL = f"smooth:method1|ci:bootstrap|{END}"
SELF_TAIL = f"smooth:method1|ci:bootstrap-fixed-refs|{END}"


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_the_mean_counts_an_empty_sample_as_zero() -> None:
    samples = Flat.from_lists([[1, 2, 3, 4, 5], []])
    scores = bleu_scores(samples, Flat.from_lists([[1, 2, 3, 4, 5], [6]]))
    assert [score.name for score in scores] == ["bleu-2", "bleu-3", "bleu-4", "bleu-5"]
    assert [score.value for score in scores] == pytest.approx([0.5] * 4)
    assert all(score.higher_is_better for score in scores)
    # Two values, 1 and 0, have the standard deviation 1 / sqrt(2).
    assert scores[0].standard_error == pytest.approx(0.5)
    assert scores[0].signature == f"refs:2|hyps:2|{TAIL}"


def test_the_interval_is_that_of_the_mean() -> None:
    ids = np.random.default_rng(1).integers(0, 6, 400).astype(np.int32)
    samples = Flat(ids, np.arange(0, 401, 4))
    for score in bleu_scores(samples, Flat.from_lists([[1, 2, 3, 4], [5, 0, 1, 1]])):
        assert score.interval is not None
        assert score.standard_error is not None
        width = score.interval[1] - score.interval[0]
        assert width == pytest.approx(2 * 1.96 * score.standard_error, rel=0.1)
        assert score.interval[0] < score.value < score.interval[1]


def test_reverse_bleu_scores_real_text_against_samples() -> None:
    samples, real = Flat.from_lists([[1, 2, 3, 4, 5]] * 3), Flat.from_lists([[1, 2, 3, 4, 5], [6]])
    scores = reverse_bleu_scores(real, samples)
    # One of two real sentences is covered, the other has no word that a sample has.
    assert [score.name for score in scores] == [f"reverse-bleu-{n}" for n in (2, 3, 4, 5)]
    assert [score.value for score in scores] == pytest.approx([0.5] * 4)
    assert {score.higher_is_better for score in scores} == {True}
    assert scores[0].signature == f"refs:3|hyps:2|{TAIL}"
    forward = bleu_scores(real, samples)
    assert [score.value for score in scores] == [score.value for score in forward]
    with pytest.raises(ValueError, match="real sentence"):
        reverse_bleu_scores(Flat.from_lists([]), samples)


def test_counted_references_give_the_same_scores() -> None:
    samples, references = Flat.from_lists([[1, 2], [3]]), Flat.from_lists([[1, 2, 3]])
    assert bleu_scores(samples, References(references)) == bleu_scores(samples, references)


def test_orders_can_be_chosen() -> None:
    scores = bleu_scores(Flat.from_lists([[1, 2]]), Flat.from_lists([[1, 2]]), orders=(1, 3))
    assert [score.name for score in scores] == ["bleu-1", "bleu-3"]
    assert [score.value for score in scores] == pytest.approx([1.0, math.cbrt(0.1)])


def test_no_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one sample"):
        bleu_scores(Flat.from_lists([]), Flat.from_lists([[1]]))


def test_self_bleu_of_few_samples_takes_all() -> None:
    samples = Flat.from_lists([[1, 2, 3], [1, 2, 4], [5, 1]])
    scores = self_bleu_scores(samples, seeded(0))
    means = self_bleu(samples).mean(axis=0)
    assert [score.name for score in scores] == [f"self-bleu-{n}" for n in (2, 3, 4, 5)]
    assert [score.value for score in scores] == pytest.approx(means[1:])
    assert {score.signature for score in scores} == {f"refs:2|hyps:3|of:3|{SELF_TAIL}"}
    assert {score.higher_is_better for score in scores} == {False}


def test_self_bleu_of_many_samples_draws_by_seed() -> None:
    ids = np.random.default_rng(0).integers(0, 6, 400).astype(np.int32)
    samples = Flat(ids, np.arange(0, 401, 4))
    first = self_bleu_scores(samples, seeded(3), limit=20)
    assert first == self_bleu_scores(samples, seeded(3), limit=20)
    assert first[0].value != self_bleu_scores(samples, seeded(4), limit=20)[0].value
    assert first[0].standard_error is None
    low, high = first[0].interval or (0.0, 0.0)
    assert low < first[0].value < high
    assert first[0].signature == f"refs:19|hyps:20|of:100|seed:3|{SELF_TAIL}"
    everything = self_bleu_scores(samples, seeded(3), limit=None)
    assert everything == self_bleu_scores(samples, seeded(3), limit=100)


def test_draw_takes_whole_sentences_once_and_in_order() -> None:
    lists = [[i] * (i % 4) for i in range(50)]
    drawn = draw(Flat.from_lists(lists), 20, seeded(0))
    parts = np.split(drawn.ids, drawn.starts[1:-1])
    assert len(drawn) == 20
    first_words = [part[0] for part in parts if len(part)]
    assert first_words == sorted(set(first_words))
    assert all(part.tolist() == lists[part[0]] for part in parts if len(part))
