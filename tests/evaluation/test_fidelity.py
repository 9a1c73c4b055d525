"""From texts to means, BLEU is what nltk says, and what sacreBLEU says where both define it."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from sacrebleu.metrics import BLEU

from sda.evaluation.bleu_scores import ORDERS, bleu_scores
from sda.evaluation.encoder import encode_texts
from sda.evaluation.evaluator import Options
from sda.evaluation.texts import evaluate_texts
from sda.text.sentence_bleu import References

EXACT = 1e-9
EVERYTHING = Options(self_bleu_limit=None, ceiling=False, language_model=False, features=False)
METHOD1 = SmoothingFunction().method1
WEIGHTS = [(1 / n,) * n for n in ORDERS]

# Samples, then references.
BY_HAND = {
    "two references as close in length": (
        ["a b c d e f", "f e d c b a"],
        ["a b c d", "a b c d e f g h"],
    ),
    "the same two the other way round": (
        ["a b c d e f", "f e d c b a"],
        ["a b c d e f g h", "a b c d"],
    ),
    "empty samples": (["", "a b", " ", "\t"], ["a b c", "b"]),
    "one word": (["a", "b", "z", "a"], ["a", "b c"]),
    "fewer words than orders": (["a b c", "a b c d"], ["a b c", "d c b a e"]),
    "a word again and again": (["a a a a a a a", "a a"], ["a a b a a", "a a a", "a"]),
    "no word in common": (["x y z", "u v w"], ["a b c d", "e"]),
    "copies of one another": (["a b c d e f"] * 3, ["a b c d e f"] * 2),
    "white space of all kinds": (["  a\tb  c ", "b\u00a0c d"], ["a b c", "c d  e"]),
    "references of no common length": (["a b c d e"], ["a", "a b c d e f g h i", "a b c"]),
}


def nltk_means(references: list[list[str]], hypotheses: list[list[str]]) -> list[float]:
    rows = [
        sentence_bleu(references, hypothesis, WEIGHTS, smoothing_function=METHOD1)
        for hypothesis in hypotheses
    ]
    return np.mean(rows, axis=0).tolist()


def nltk_self_means(sentences: list[list[str]]) -> list[float]:
    rows = [
        nltk_means(sentences[:place] + sentences[place + 1 :], [sentence])
        for place, sentence in enumerate(sentences)
    ]
    return np.mean(rows, axis=0).tolist()


def require_nltk_scores(samples: Sequence[str], references: Sequence[str]) -> None:
    """BLEU, reverse BLEU and self-BLEU of the texts are nltk's."""
    found = evaluate_texts(samples, references, options=EVERYTHING)
    words, known = ([text.split() for text in texts] for texts in (samples, references))
    expected = {"bleu": nltk_means(known, words), "reverse-bleu": nltk_means(words, known)}
    if len(words) > 1:
        expected["self-bleu"] = nltk_self_means(words)
    for name, means in expected.items():
        values = [found.value(f"{name}-{n}") for n in ORDERS]
        assert values == pytest.approx(means, rel=0, abs=EXACT), name


@pytest.mark.parametrize(("samples", "references"), BY_HAND.values(), ids=BY_HAND)
def test_cases_by_hand_equal_nltk(samples: list[str], references: list[str]) -> None:
    require_nltk_scores(samples, references)


def zipf_texts(count: int, shortest: int, rng: np.random.Generator) -> list[str]:
    """Up to 20 words each; few are common and most are rare."""
    lengths = rng.integers(shortest, 21, count)
    return [" ".join(f"w{word % 500}" for word in rng.zipf(1.3, length)) for length in lengths]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_random_texts_equal_nltk(seed: int) -> None:
    rng = np.random.default_rng(seed)
    require_nltk_scores(zipf_texts(50, 0, rng), zipf_texts(150, 1, rng))


def sacre_bleu(
    references: Sequence[str], hypothesis: str, order: int, effective: bool = False
) -> float:
    metric = BLEU(
        tokenize="none",
        smooth_method="floor",
        smooth_value=0.1,
        max_ngram_order=order,
        effective_order=effective,
    )
    return metric.sentence_score(hypothesis, references).score / 100


def our_bleu(references: Sequence[str], hypothesis: str) -> list[float]:
    """BLEU-1 to BLEU-5."""
    known, tried = encode_texts(references, [hypothesis])
    scores: list[float] = References(known).bleu(tried)[0].tolist()
    return scores


few_words = st.lists(st.sampled_from("abc"), max_size=9).map(" ".join)
some_references = st.lists(few_words, min_size=1, max_size=5)


def over_texts(test: Callable[[list[str], str], None]) -> Callable[[], None]:
    """The test for many references and texts."""
    return settings(deadline=None, max_examples=200)(given(some_references, few_words)(test))


@over_texts
def test_sacre_bleu_agrees_up_to_the_length_of_the_sentence(
    references: list[str], hypothesis: str
) -> None:
    ours = our_bleu(references, hypothesis)
    for order in range(1, min(5, len(hypothesis.split())) + 1):
        assert sacre_bleu(references, hypothesis, order) == pytest.approx(
            ours[order - 1], rel=0, abs=EXACT
        )


@over_texts
def test_its_effective_order_is_the_bleu_of_as_many_words(
    references: list[str], hypothesis: str
) -> None:
    ours = our_bleu(references, hypothesis)
    reached = max(1, min(5, len(hypothesis.split())))
    assert sacre_bleu(references, hypothesis, 5, effective=True) == pytest.approx(
        ours[reached - 1], rel=0, abs=EXACT
    )


def test_they_part_where_a_sentence_is_shorter_than_the_order() -> None:
    # Method 1 counts a tenth of a pair, out of one; sacreBLEU gives up.
    assert our_bleu(["a b"], "a")[1] == pytest.approx(math.exp(1 - 2) * math.sqrt(0.1))
    assert sacre_bleu(["a b"], "a", 2) == 0.0


def test_means_of_random_texts_equal_sacre_bleu() -> None:
    rng = np.random.default_rng(5)
    references, samples = zipf_texts(100, 1, rng), zipf_texts(30, 5, rng)
    tried, known = encode_texts(samples, references)
    for score, order in zip(bleu_scores(tried, known), ORDERS, strict=True):
        mean = np.mean([sacre_bleu(references, sample, order) for sample in samples])
        assert score.value == pytest.approx(float(mean), rel=0, abs=EXACT)


def test_lower_case_is_that_of_sacre_bleu() -> None:
    references, sample = ["A Straße in İzmir", "THE cat SAT"], "a STRASSE in i\u0307zmir The Cat"
    metric = BLEU(tokenize="none", smooth_method="floor", max_ngram_order=2, lowercase=True)
    known, tried = encode_texts(references, [sample], lowercase=True)
    (ours,) = bleu_scores(tried, known, orders=(2,))
    expected = metric.sentence_score(sample, references).score / 100
    assert ours.value == pytest.approx(expected, rel=0, abs=EXACT)
    cased, kept = encode_texts(references, [sample])
    assert ours.value > bleu_scores(kept, cased, orders=(2,))[0].value
