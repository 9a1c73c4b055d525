"""The LSTM gives every sentence a probability, the same one for the same seed, and learns."""

import numpy as np
import pytest
import torch
from fakes import seeded

from sda.evaluation.language_model import lm_score, shuffled
from sda.evaluation.neural_lm import NeuralModel, reverse_lstm_score
from sda.text.captions.caption_grammar import CaptionGrammar
from sda.text.kneser_ney import NgramModel
from sda.text.sentences import Flat

TRAIN = Flat.from_lists([[4, 5], [4, 6, 5], [4, 4], [6], [7, 4]] * 2 + [[4, 8], [9, 6]])


def small(train: Flat = TRAIN, seed: int = 0, unseen: int = 1) -> NeuralModel:
    return NeuralModel(train, seed, unseen, epochs=2, hidden=8)


def test_one_seed_gives_one_model() -> None:
    first, again, other = (small(seed=seed).log_prob(TRAIN) for seed in (0, 0, 1))
    assert first.tolist() == again.tolist()
    assert np.abs(first - other).max() > 1e-3


def test_training_leaves_other_random_numbers_alone() -> None:
    before = torch.get_rng_state()
    small()
    assert torch.equal(torch.get_rng_state(), before)


def test_all_sentences_together_have_probability_one() -> None:
    # Sentences end so soon that few have more than four words. Words 4 and 5 are known; 6 and 7
    # are seen once and share the probability of the unknown word with two unseen ones.
    train = Flat.from_lists([[]] * 300 + [[4]] * 60 + [[5, 4]] * 30 + [[6], [7]])
    model = NeuralModel(train, 0, unseen=2, epochs=6, hidden=8)
    sentences: list[list[int]] = [[]]
    for _ in range(4):
        longest = [sentence for sentence in sentences if len(sentence) == len(sentences[-1])]
        sentences += [[*sentence, word] for sentence in longest for word in (4, 5, 6, 7, 98, 99)]
    assert np.exp(model.log_prob(Flat.from_lists(sentences))).sum() == pytest.approx(1.0, abs=2e-3)


def test_words_seen_once_or_never_share_one_probability() -> None:
    one, two = (small(unseen=unseen) for unseen in (1, 4))
    once, never, negative = one.log_prob(Flat.from_lists([[4, 8], [4, 100], [4, -3]]))
    assert once == never == negative
    # Two words are seen once: three words share with one unseen word, six with four.
    shared = two.log_prob(Flat.from_lists([[4, 100], [100, 100], [4, 5]]))
    expected = one.log_prob(Flat.from_lists([[4, 100], [100, 100], [4, 5]]))
    assert expected - shared == pytest.approx([np.log(2), 2 * np.log(2), 0.0])


def test_progress_tells_epochs_and_losses() -> None:
    told: list[tuple[int, float]] = []
    NeuralModel(TRAIN, 0, epochs=3, hidden=8, progress=lambda epoch, nll: told.append((epoch, nll)))
    assert [epoch for epoch, _ in told] == [1, 2, 3]
    assert all(np.isfinite(nll) for _, nll in told)


@pytest.mark.slow
def test_the_best_epoch_is_kept_and_training_ends_when_nothing_improves() -> None:
    # Words without order: what is learned beyond their frequencies makes new sentences less likely.
    noise = Flat.from_lists(np.random.default_rng(0).integers(0, 9, (300, 6)).tolist())
    told: list[float] = []
    model = NeuralModel(noise, 0, epochs=60, hidden=32, progress=lambda _, nll: told.append(nll))
    rises = [nll >= min(told[:place]) for place, nll in enumerate(told) if place]
    assert len(told) < 60
    assert sum(rises) == 3
    assert rises[-1]
    best = NeuralModel(noise, 0, epochs=int(np.argmin(told)) + 1, hidden=32)
    assert model.log_prob(noise).tolist() == best.log_prob(noise).tolist()


def test_settings_without_meaning_are_refused() -> None:
    with pytest.raises(ValueError, match="at least two sentences"):
        NeuralModel(Flat.from_lists([[1]]), 0)
    with pytest.raises(ValueError, match="1 or more"):
        NeuralModel(TRAIN, 0, epochs=0)


def test_scores_name_the_model() -> None:
    score = reverse_lstm_score(TRAIN, Flat.from_lists([[4, 5], [77]]), 3, epochs=1, hidden=8)
    assert score.name == "reverse-lstm-perplexity"
    facts = "lm:lstm|hidden:8|epochs:1|seed:3|fitted:12|words:4|unseen:1|ci:bootstrap|tok:"
    assert score.signature.startswith(f"sentences:2|per:token|{facts}")
    model = small()
    assert len(model.log_prob(Flat.from_lists([]))) == 0
    assert lm_score(TRAIN, model, "lstm-perplexity").value > 1


@pytest.mark.slow
def test_it_learns_words_and_their_order() -> None:
    grammar = CaptionGrammar()
    train, real = grammar.sample(1500, seeded(1)), grammar.sample(500, seeded(2))
    model = NeuralModel(train, 0, epochs=6, hidden=64)
    value = lm_score(real, model).value
    assert value < 0.5 * lm_score(real, NgramModel(train, order=1)).value
    assert lm_score(shuffled(real, 0), model).value > 5 * value
    repeated = train.take(np.zeros(1500, np.int64))
    poor = reverse_lstm_score(repeated, real, 0, epochs=2, hidden=64)
    assert poor.value > 5 * value
