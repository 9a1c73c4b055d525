"""Automata against probabilities worked out by hand and against enumeration."""

import math
from collections import defaultdict

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from sda.text.captions.automaton import Automaton
from sda.text.captions.expressions import Choice, Expression, Words, choice, sequence, words
from sda.text.sentences import Flat


def flat(automaton: Automaton, *texts: str) -> Flat:
    return Flat.from_lists([[automaton.words.index(word) for word in t.split()] for t in texts])


def language(expression: Expression) -> dict[tuple[str, ...], float]:
    """Every sentence and its probability, from the expression itself."""
    if isinstance(expression, Words):
        return {(word,): p for word, p in expression.probs.items()}
    found: dict[tuple[str, ...], float] = defaultdict(float)
    if isinstance(expression, Choice):
        for weight, option in expression.options:
            for sentence, p in language(option).items():
                found[sentence] += weight * p
        return found
    found[()] = 1.0
    for part in expression.parts:
        longer: dict[tuple[str, ...], float] = defaultdict(float)
        for sentence, p in found.items():
            for end, q in language(part).items():
                longer[sentence + end] += p * q
        found = longer
    return found


# "the dog barks" in two ways: 0.6 * 0.25 + 0.4 * 1.
ambiguous = choice(
    (0.6, sequence("the", words({"dog": 1, "cat": 3}), "barks")),
    (0.4, sequence("the dog", words({"barks": 1}))),
)
optional = sequence("a", choice((0.7, sequence()), (0.3, sequence("b", words({"c": 1, "d": 4})))))


def test_probability_by_hand() -> None:
    automaton = Automaton(optional)
    got = np.exp(automaton.log_prob(flat(automaton, "a", "a b c", "a b d", "a b", "", "b", "a a")))
    np.testing.assert_allclose(got, [0.7, 0.06, 0.24, 0, 0, 0, 0])


def test_paths_of_one_sentence_are_summed() -> None:
    automaton = Automaton(ambiguous)
    got = np.exp(automaton.log_prob(flat(automaton, "the dog barks", "the cat barks", "the dog")))
    np.testing.assert_allclose(got, [0.55, 0.45, 0])


def test_counts_by_hand() -> None:
    automaton = Automaton(ambiguous)
    assert automaton.count() == 2
    assert automaton.count_paths() == 3
    assert Automaton(optional).count() == Automaton(optional).count_paths() == 3


def test_ids_that_are_no_words_have_probability_zero() -> None:
    automaton = Automaton(optional)
    lists = [[0, -1], [len(automaton.words)], [-1], [0, 1, 99]]
    assert np.isneginf(automaton.log_prob(Flat.from_lists(lists))).all()


def test_a_rejected_sentence_leaves_no_trace_in_the_next() -> None:
    automaton = Automaton(ambiguous)
    alone = automaton.log_prob(flat(automaton, "the cat barks"))
    after = automaton.log_prob(flat(automaton, "the dog dog", "the dog", "the cat barks"))
    assert after[2] == alone[0]


def test_no_sentences() -> None:
    automaton = Automaton(optional)
    assert len(automaton.log_prob(Flat.from_lists([]))) == 0
    assert len(automaton.sample(0, torch.Generator().manual_seed(0))) == 0


def test_lengths_unigrams_and_entropy_by_hand() -> None:
    automaton = Automaton(optional)
    np.testing.assert_allclose(automaton.length_probs, [0, 0.7, 0, 0.3])
    assert automaton.max_length == 3
    np.testing.assert_allclose(automaton.expected_counts(), [1, 0.3, 0.06, 0.24])
    expected = -sum(p * math.log(p) for p in (0.7, 0.06, 0.24))
    assert automaton.entropy() == pytest.approx(expected)


def test_common_endings_share_their_states() -> None:
    automaton = Automaton(
        choice((0.5, sequence("a c d")), (0.5, sequence("b", words({"c": 1}), "d")))
    )
    assert len(automaton) == 4


def test_sample_frequencies() -> None:
    automaton = Automaton(ambiguous)
    n = 20_000
    drawn = automaton.sample(n, torch.Generator().manual_seed(0))
    dogs = int((drawn.ids == automaton.words.index("dog")).sum())
    assert abs(dogs - 0.55 * n) < 4 * math.sqrt(n * 0.55 * 0.45)
    assert np.isfinite(automaton.log_prob(drawn)).all()


def test_the_same_seed_draws_the_same_sentences() -> None:
    automaton = Automaton(optional)
    first, again = (automaton.sample(50, torch.Generator().manual_seed(3)) for _ in range(2))
    np.testing.assert_array_equal(first.ids, again.ids)
    np.testing.assert_array_equal(first.starts, again.starts)


weights = st.integers(1, 5).map(float)
expressions = st.recursive(
    st.dictionaries(st.sampled_from("abc"), weights, min_size=1).map(words),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda parts: sequence(*parts))
        | st.lists(st.tuples(weights, inner), min_size=1, max_size=3).map(
            lambda options: choice(*options)
        )
    ),
    max_leaves=6,
)


@given(expressions)
def test_agrees_with_enumeration(expression: Expression) -> None:
    automaton = Automaton(expression)
    expected = language(expression)
    sentences = flat(automaton, *(" ".join(sentence) for sentence in expected))
    got = np.exp(automaton.log_prob(sentences))
    np.testing.assert_allclose(got, list(expected.values()))
    assert automaton.count() == len(expected)
    assert automaton.count_paths() >= len(expected)
    mean = sum(p * len(sentence) for sentence, p in expected.items())
    assert automaton.expected_counts().sum() == pytest.approx(mean)
    if automaton.count_paths() == len(expected):
        entropy = -sum(p * math.log(p) for p in expected.values())
        assert automaton.entropy() == pytest.approx(entropy, abs=1e-9)
