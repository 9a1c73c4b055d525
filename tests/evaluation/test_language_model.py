"""Perplexities of sets small enough to compute by hand, and of text good and bad in known ways."""

import numpy as np
import pytest
from fakes import seeded
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sda.evaluation.language_model import (
    RUNS,
    halves,
    halves_order,
    lm_score,
    order_gains,
    reverse_lm_score,
    shuffled,
    unseen_words,
)
from sda.evaluation.score import Convention
from sda.text.captions.caption_grammar import CaptionGrammar
from sda.text.kneser_ney import NgramModel
from sda.text.sentences import Flat


class Halving:
    """Every token of the first sentence has probability 1/2, of the second 1/4, and so on."""

    def __init__(self) -> None:
        self.facts = {"lm": "halving"}

    def log_prob(self, sentences: Flat) -> NDArray[np.float64]:
        return -np.log(2.0) * (np.arange(len(sentences)) + 1) * (sentences.lengths + 1)


def test_perplexity_counts_words_and_ends() -> None:
    # 4 tokens of probability 1/2 and 1 of 1/4: six halvings over five tokens.
    score = lm_score(Flat.from_lists([[5, 6, 7], []]), Halving(), convention=Convention("x", True))
    assert score.name == "lm-perplexity"
    assert score.value == pytest.approx(2 ** (6 / 5))
    assert score.higher_is_better is False
    assert score.signature.startswith(
        "sentences:2|per:token|lm:halving|ci:bootstrap|tok:x|case:lower|"
    )


def test_further_facts_and_names_are_kept() -> None:
    score = lm_score(Flat.from_lists([[1]]), Halving(), "lstm-perplexity", seed=3)
    assert score.name == "lstm-perplexity"
    assert "|lm:halving|seed:3|" in score.signature
    assert score.interval is None


def test_the_interval_lies_around_the_value() -> None:
    rng = np.random.default_rng(0)
    train, new = (Flat.from_lists(rng.integers(0, 20, (size, 6)).tolist()) for size in (400, 300))
    score = lm_score(new, NgramModel(train))
    assert score.interval is not None
    low, high = score.interval
    assert 1 < low < score.value < high
    log_probs = NgramModel(train).log_prob(new) / 7
    error = log_probs.std() / np.sqrt(300)
    assert np.log(high / low) == pytest.approx(2 * 1.96 * error, rel=0.15)


def test_no_sentences_have_no_perplexity() -> None:
    with pytest.raises(ValueError, match="at least one sentence"):
        lm_score(Flat.from_lists([]), Halving())
    with pytest.raises(ValueError, match="at least one sentence"):
        reverse_lm_score(Flat.from_lists([[1]]), Flat.from_lists([]))


def test_unseen_words_are_types_of_the_real_text() -> None:
    samples = Flat.from_lists([[1, 2], [3]])
    assert unseen_words(samples, Flat.from_lists([[1, 7, 7], [8]])) == 2
    assert unseen_words(samples, samples) == 1


@pytest.fixture(scope="module")
def captions() -> Flat:
    return CaptionGrammar().sample(3000, seeded(1))


def test_each_bad_set_is_found_by_one_of_both_directions(captions: Flat) -> None:
    fit, real = halves(captions, 0)
    model = NgramModel(fit)
    other = CaptionGrammar().sample(1500, seeded(2))
    repeated = real.take(np.full(1500, np.argmax(model.log_prob(real))))
    good, bad = lm_score(other, model), lm_score(shuffled(other, 0), model)
    assert lm_score(repeated, model).value < 0.5 * good.value
    assert bad.value > 5 * good.value
    reverse = reverse_lm_score(other, real)
    assert reverse.name == "reverse-lm-perplexity"
    assert reverse_lm_score(repeated, real).value > 5 * reverse.value
    assert reverse_lm_score(shuffled(other, 0), real).value > 2 * reverse.value
    # Both directions are about as hard for text from the source itself.
    assert reverse.value == pytest.approx(good.value, rel=0.05)


def test_a_model_that_knows_few_words_gains_nothing_from_it(captions: Flat) -> None:
    # With one unknown word for all, most of the real text would be that word again and again.
    poor = Flat.from_lists([[-1, -2, -3]] * 500)
    assert reverse_lm_score(poor, captions).value > len(np.unique(captions.ids)) / 2


def test_reverse_signature_names_model_and_sizes() -> None:
    score = reverse_lm_score(Flat.from_lists([[1, 2]] * 3), Flat.from_lists([[1, 5]] * 2), order=3)
    parts = (
        "sentences:2|per:token|lm:kneser-ney|order:3|fitted:3|words:2|unseen:1|ci:bootstrap|tok:"
    )
    assert score.signature.startswith(parts)


@given(st.integers(0, 300), st.integers(0, 5))
def test_halves_hold_every_sentence_once(size: int, seed: int) -> None:
    assert sorted(halves_order(size, seed).tolist()) == list(range(size))


def test_halves_keep_neighbours_together_and_mix_the_rest() -> None:
    order = halves_order(10 * RUNS, 4)
    first, second = np.split(order, 2)
    runs = [set((half // 10).tolist()) for half in (first, second)]
    assert len(runs[0]) == len(runs[1]) == RUNS // 2
    assert not runs[0] & runs[1]
    # Runs come from all over the file, and sentences do not stand in their order.
    assert 10 < sum(run < RUNS // 2 for run in runs[0]) < 40
    assert np.abs(np.corrcoef(first, np.arange(len(first)))[0, 1]) < 0.2
    again, other = halves_order(10 * RUNS, 4), halves_order(10 * RUNS, 5)
    assert again.tolist() == order.tolist() != other.tolist()


@given(st.lists(st.lists(st.integers(0, 9), max_size=8), max_size=8), st.integers(0, 9))
def test_shuffling_keeps_the_words_of_each_sentence(sentences: list[list[int]], seed: int) -> None:
    flat = Flat.from_lists(sentences)
    mixed = shuffled(flat, seed)
    assert mixed.starts.tolist() == flat.starts.tolist()
    for sentence, start, end in zip(sentences, mixed.starts, mixed.starts[1:], strict=False):
        assert sorted(mixed.ids[start:end].tolist()) == sorted(sentence)


def test_every_order_of_words_is_about_as_likely() -> None:
    mixed = shuffled(Flat.from_lists([[0, 1, 2]] * 6000), 1).ids.reshape(-1, 3)
    orders, counts = np.unique(mixed, axis=0, return_counts=True)
    assert len(orders) == 6
    assert counts == pytest.approx(np.full(6, 1000.0), rel=0.15)


def test_only_words_in_order_gain_by_it(captions: Flat) -> None:
    fit, real = halves(captions, 0)
    model = NgramModel(fit)
    gains = order_gains(real, model, 1)
    assert gains.shape == (len(real),)
    assert gains.mean() > 1.0
    assert order_gains(shuffled(real, 2), model, 1).mean() == pytest.approx(0.0, abs=0.1)
    assert order_gains(Flat.from_lists([[4], []]), model, 1).tolist() == [0.0, 0.0]
