"""Texts from anywhere are judged as a run's own sentences are."""

import math

import numpy as np
import pytest
from fakes import seeded
from hypothesis import given
from hypothesis import strategies as st

from sda.evaluation.caption_texts import caption_scores
from sda.evaluation.nll import truth_scores
from sda.evaluation.score import PLAIN, Convention, Score
from sda.evaluation.truth import CaptionTruth
from sda.text.captions.caption_grammar import CaptionGrammar, CaptionOracle
from sda.text.sentences import Flat, Sentences
from sda.text.tokens import WhitespaceTokenizer
from sda.text.vocabulary import WordVocabulary


def captions(n: int) -> list[str]:
    grammar = CaptionGrammar()
    flat = grammar.sample(n, seeded(3))
    spelled = [grammar.words[i] for i in flat.ids]
    return [
        " ".join(spelled[start:end])
        for start, end in zip(flat.starts, flat.starts[1:], strict=False)
    ]


def by_name(scores: list[Score]) -> dict[str, Score]:
    return {score.name: score for score in scores}


def test_as_the_truth_judges_sentences() -> None:
    texts = [*captions(40), "the the dog", ""]
    oracle = CaptionOracle(CaptionGrammar())
    vocabulary = WordVocabulary(oracle.words, False, WhitespaceTokenizer())
    ids = Flat.from_lists([vocabulary.encode(text.split()) for text in texts])
    sentences = Sentences.from_flat(ids, vocabulary.eos)
    expected = truth_scores(CaptionTruth(oracle, vocabulary), sentences, temperature=None)
    scores = caption_scores(texts)

    assert [score.name for score in scores] == [score.name for score in expected]
    for score, other in zip(scores, expected, strict=True):
        assert score.value == pytest.approx(other.value, rel=1e-12)
        assert score.standard_error == pytest.approx(other.standard_error, rel=1e-9)
        assert score.signature == other.signature
        assert score.higher_is_better == other.higher_is_better
        assert score.interval is not None
        assert score.interval[0] <= score.value <= score.interval[1]


def test_a_word_that_the_grammar_lacks() -> None:
    (text,) = captions(1)
    scores = by_name(caption_scores([text, f"{text} quixotically", "zyx"]))
    oracle = CaptionOracle(CaptionGrammar())
    nll = -oracle.log_prob(Flat.from_lists([[oracle.words.index(w) for w in text.split()]]))[0]

    assert scores["grammatical-share"].value == pytest.approx(1 / 3)
    assert "hyps:3|" in scores["grammatical-share"].signature
    assert scores["nll-oracle"].value == pytest.approx(nll / (len(text.split()) + 1))
    assert scores["nll-oracle"].signature.startswith("sentences:1|per:token|of:3|")
    assert scores["nll-oracle-grammatical"].value == scores["nll-oracle"].value


def test_likelihoods_of_nothing_are_absent() -> None:
    assert list(by_name(caption_scores(["zyx", "x y"]))) == ["grammatical-share"]
    assert list(by_name(caption_scores(["the the"]))) == ["nll-oracle", "grammatical-share"]


def grammatical_share(texts: list[str], convention: Convention = PLAIN) -> Score:
    return by_name(caption_scores(texts, convention))["grammatical-share"]


def test_case_follows_the_convention() -> None:
    texts = [text.upper() for text in captions(5)]

    assert grammatical_share(texts).value == 0.0
    lower = grammatical_share(texts, Convention(lowercase=True))
    assert lower.value == 1.0
    assert "case:lower" in lower.signature


def test_order_of_words_matters() -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.permutation(text.split())) for text in captions(200)]

    assert grammatical_share(texts).value < 0.05


@given(st.lists(st.text(), min_size=1))
def test_any_text_has_a_share_and_finite_figures(texts: list[str]) -> None:
    for score in caption_scores(texts):
        assert math.isfinite(score.value)


def test_no_texts_have_no_score() -> None:
    with pytest.raises(ValueError, match="at least one"):
        caption_scores([])
