"""Good and bad sets stand where they belong, and the bad ones are named."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from fakes import seeded

from sda.errors import UserError
from sda.evaluation.evaluator import Evaluation, Evaluator, Options
from sda.text.captions.caption_grammar import CaptionGrammar
from sda.text.sentences import Flat

QUICK = Options(language_model=False, features=False)


def texts_of(flat: Flat) -> list[str]:
    words = np.array(CaptionGrammar().words)[flat.ids]
    return [" ".join(words[a:b]) for a, b in zip(flat.starts, flat.starts[1:], strict=False)]


def captions(n: int, seed: int) -> list[str]:
    return texts_of(CaptionGrammar().sample(n, seeded(seed)))


@pytest.fixture(scope="module")
def test() -> list[str]:
    return captions(2000, 1)


@pytest.fixture(scope="module")
def train() -> list[str]:
    return captions(2000, 2)


@pytest.fixture(scope="module")
def evaluator(test: list[str], train: list[str]) -> Evaluator:
    return Evaluator(test, train)


def shuffled(texts: Sequence[str]) -> list[str]:
    rng = np.random.default_rng(0)
    return [" ".join(rng.permutation(text.split())) for text in texts]


def alarms(evaluation: Evaluation) -> set[str]:
    return {alarm.name for alarm in evaluation.alarms}


@pytest.mark.slow
def test_real_text_raises_no_alarm(evaluator: Evaluator, test: list[str]) -> None:
    for real in (captions(1000, 3), captions(1000, 4)):
        assert alarms(evaluator.evaluate(real)) == set()
    # A test file that is scored against itself is its own real text.
    itself = evaluator.evaluate(test)
    assert itself.scores == itself.ceiling
    assert itself.alarms == []


def test_shuffled_words_are_found(evaluator: Evaluator, test: list[str]) -> None:
    found = evaluator.evaluate(shuffled(test))
    real = {score.name: score.value for score in found.ceiling}

    assert "word-order" in alarms(found)
    assert found.value("lm-perplexity") > 5 * real["lm-perplexity"]
    assert found.value("mauve-ngram") < 0.5 < real["mauve-ngram"]


def test_a_copy_of_the_training_text_is_found(evaluator: Evaluator, train: list[str]) -> None:
    found = evaluator.evaluate(train)

    assert alarms(found) == {"copies"}
    assert found.value("copy-share") == 1.0
    assert found.nearest[0]["sample"] == found.nearest[0]["train"]


def test_one_sentence_again_and_again_is_found(evaluator: Evaluator, test: list[str]) -> None:
    found = evaluator.evaluate([test[0]] * 10_000)
    real = {score.name: score.value for score in found.ceiling}

    assert {"duplicates", "self-bleu"} <= alarms(found)
    assert found.value("reverse-lm-perplexity") > 5 * real["reverse-lm-perplexity"]


def test_three_tenths_of_duplicates_are_found(test: list[str]) -> None:
    samples = captions(1400, 5)
    found = Evaluator(test, options=QUICK).evaluate([*samples, *samples[:600]])

    assert "duplicates" in alarms(found)


def test_samples_and_real_text_have_the_same_references_and_number(evaluator: Evaluator) -> None:
    found = evaluator.evaluate(captions(2000, 6))
    signatures = [
        {score.name: score.signature for score in some} for some in (found.scores, found.ceiling)
    ]

    assert (found.sentences, found.scored) == (2000, 1000)
    # Facts that are found in the text itself may differ.
    for name in ("bleu-2", "self-bleu-5", "lm-perplexity", "frechet", "copy-share"):
        assert signatures[0][name] == signatures[1][name]
    assert "refs:1000|hyps:1000|" in signatures[0]["bleu-2"]


def test_fewer_samples_stand_beside_fewer_real_sentences(evaluator: Evaluator) -> None:
    found = evaluator.evaluate(captions(100, 7))

    assert "hyps:100|" in found.ceiling[0].signature
    assert any("mauve-ngram of 100 sentences" in note for note in found.notes)


def test_real_text_may_be_given(test: list[str], train: list[str]) -> None:
    found = Evaluator(test, real=train[:400], options=QUICK).evaluate(captions(1000, 8))

    assert "refs:2000|hyps:400|" in found.ceiling[0].signature
    with pytest.raises(UserError, match="choose one"):
        Evaluator(test, real=train, options=replace(QUICK, ceiling=False))
    with pytest.raises(UserError, match="no sentences in the real text"):
        Evaluator(test, real=[" "], options=QUICK)


def test_without_a_ceiling_everything_is_scored(test: list[str]) -> None:
    found = Evaluator(test, options=replace(QUICK, ceiling=False)).evaluate(captions(3500, 9))

    assert "refs:2000|hyps:3500|" in found.scores[0].signature
    assert found.ceiling == found.alarms == []
    assert found.notes == ["no real text stands beside the samples, so no alarm can be raised"]


def test_the_embedded_grammar_judges_on_request(test: list[str]) -> None:
    found = Evaluator(test, options=replace(QUICK, captions=True)).evaluate(shuffled(test))

    assert found.value("grammatical-share") < 0.1
    real = {score.name: score.value for score in found.ceiling}
    assert real["grammatical-share"] == 1.0


def test_a_checker_counts_issues_on_request(test: list[str]) -> None:
    class EveryThird:
        name = "third"
        kinds = ("any",)

        def issues(self, texts: Sequence[str]) -> list[list[str]]:
            return [["any"] * (len(text.split()) // 3) for text in texts]

    options = replace(QUICK, checker=EveryThird())
    found = Evaluator(test, options=options).evaluate(captions(50, 10))
    assert 200 < found.value("grammar-issues") < 334


def test_one_word_has_no_order(test: list[str]) -> None:
    found = Evaluator(test, options=Options(features=False)).evaluate(["dog"] * 30)

    assert "order-gain" not in [score.name for score in found.scores]
    assert "word-order" not in alarms(found)


@pytest.mark.parametrize("samples", [["a"], ["a", "b c"], ["", ""], ["a b c"] * 3, ["x y"] * 50])
@pytest.mark.parametrize("size", [1, 2, 3, 40])
def test_little_text_has_the_scores_that_it_allows(samples: list[str], size: int) -> None:
    test = [f"a b {number}" for number in range(size)]
    found = Evaluator(test, train=test).evaluate(samples)

    assert found.value("bleu-2") >= 0.0
    assert bool(found.ceiling) == (size > 1)


def test_the_seed_chooses_sentences(test: list[str]) -> None:
    samples = captions(2500, 11)
    first, again, other = (
        Evaluator(test, options=replace(QUICK, seed=seed)).evaluate(samples) for seed in (1, 1, 2)
    )

    assert first == again
    assert first.value("bleu-2") != other.value("bleu-2")
