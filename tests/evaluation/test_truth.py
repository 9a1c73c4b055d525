"""Log-probabilities under the truth and under a model, sentence by sentence."""

import math

import numpy as np
import pytest
import torch
from fakes import FixedGenerator, seeded, sentences_of

from sda.evaluation.truth import CaptionTruth, LstmTruth
from sda.models.generator import CHUNK, Frame, generator_log_prob
from sda.models.rnn import RnnGenerator
from sda.sampling import sample
from sda.text.captions.caption_grammar import CaptionGrammar, CaptionOracle
from sda.text.sentences import Flat, Sentences
from sda.text.tokens import WhitespaceTokenizer
from sda.text.vocabulary import WordVocabulary


def test_by_hand() -> None:
    generator = FixedGenerator([0.5, 0.25, 0.25], eos=0)
    log_prob = generator_log_prob(generator, sentences_of([0], [1, 2, 0], [2, 0]))

    assert log_prob.dtype == torch.float64
    assert log_prob.exp().tolist() == pytest.approx([0.5, 0.25 * 0.25 * 0.5, 0.25 * 0.5])


def test_no_sentences() -> None:
    generator = FixedGenerator([0.5, 0.5])

    assert generator_log_prob(generator, Sentences.empty(4)).shape == (0,)


def test_many_sentences_are_scored_like_few_and_without_dropout() -> None:
    generator = RnnGenerator(Frame(20, 0, 6), seeded(1), dropout=0.5, init_std=1.0)
    sentences = sample(generator, CHUNK + 3, seeded(2))
    together = generator_log_prob(generator, sentences)
    rows = (0, CHUNK - 1, CHUNK, CHUNK + 2)
    apart = torch.cat([generator_log_prob(generator, sentences[i : i + 1]) for i in rows])

    assert together.shape == (CHUNK + 3,)
    assert not together.requires_grad
    torch.testing.assert_close(together[torch.tensor(rows)], apart, rtol=0, atol=1e-5)
    assert generator.training


def test_the_lstm_judges_its_data_as_it_judges_models() -> None:
    truth = LstmTruth(FixedGenerator([0.5, 0.25, 0.25]))
    sentences = sentences_of([0, 0, 1, 2])

    assert truth.log_prob(sentences).item() == pytest.approx(math.log(0.5 * 0.5 * 0.25 * 0.25))
    assert torch.equal(truth.log_prob(sentences), truth.data_log_prob(sentences))


@pytest.fixture(scope="module")
def grammar() -> CaptionGrammar:
    return CaptionGrammar()


def shuffled_vocabulary(grammar: CaptionGrammar) -> WordVocabulary:
    order = torch.randperm(len(grammar.words), generator=seeded(4)).tolist()
    words = tuple(grammar.words[place] for place in order)
    return WordVocabulary(words, has_unknown=False, tokenizer=WhitespaceTokenizer())


def test_captions_are_judged_by_words_whatever_their_ids(grammar: CaptionGrammar) -> None:
    vocabulary = shuffled_vocabulary(grammar)
    truth = CaptionTruth(CaptionOracle(grammar), vocabulary)
    captions = grammar.sample(50, seeded(5))
    texts = [
        [grammar.words[i] for i in captions.ids[start:end]]
        for start, end in zip(captions.starts, captions.starts[1:], strict=False)
    ]
    ids = Flat.from_lists([vocabulary.encode_words(words) for words in texts])
    sentences = Sentences.from_flat(ids, vocabulary.eos)

    assert truth.is_grammatical(sentences).all()
    pure = truth.data_log_prob(sentences).numpy()
    np.testing.assert_allclose(pure, grammar.log_prob(captions))
    smoothed = truth.log_prob(sentences).numpy()
    np.testing.assert_allclose(smoothed, CaptionOracle(grammar).log_prob(captions))
    # One per cent of the probability went to noise, which gives nearly nothing back.
    np.testing.assert_allclose(smoothed, pure + math.log(0.99), atol=0.01)


def test_nonsense_has_a_small_but_finite_probability(grammar: CaptionGrammar) -> None:
    vocabulary = shuffled_vocabulary(grammar)
    truth = CaptionTruth(CaptionOracle(grammar), vocabulary)
    words = torch.randint(1, len(vocabulary), (20, 7), generator=seeded(6))
    words[:, -1] = vocabulary.eos
    nonsense = Sentences(words, torch.full((20,), 7))
    nothing = sentences_of([vocabulary.eos])

    for sentences in (nonsense, nothing):
        assert not truth.is_grammatical(sentences).any()
        assert truth.data_log_prob(sentences).isneginf().all()
        assert truth.log_prob(sentences).isfinite().all()
