"""Vectors are compared in the references' units; hidden states are averaged over tokens."""

import numpy as np
import pytest
import torch
from fakes import seeded

from sda.evaluation.features import CHUNK, HiddenStateFeatures, Vectors, standardised
from sda.models.rnn import RnnGenerator
from sda.text.sentences import Flat, Sentences


def vectors(*rows: list[float], source: str = "here") -> Vectors:
    return Vectors(np.array(rows, dtype=np.float64), source)


def test_references_get_mean_zero_and_spread_one() -> None:
    samples, references = standardised(
        vectors([5.0, 7.0, 3.0]), vectors([1.0, 4.0, 3.0], [3.0, 8.0, 3.0])
    )
    assert references.tolist() == [[-1.0, -1.0, 0.0], [1.0, 1.0, 0.0]]
    assert samples.tolist() == [[3.0, 0.5, 0.0]]


def test_a_number_that_never_changes_in_the_references_keeps_its_unit() -> None:
    samples, _ = standardised(vectors([2.5]), vectors([2.0], [2.0]))
    assert samples.tolist() == [[0.5]]


def test_vectors_of_two_sources_are_not_compared() -> None:
    with pytest.raises(ValueError, match="cannot compare there with here"):
        standardised(vectors([1.0], source="there"), vectors([1.0]))


def test_an_empty_set_is_refused() -> None:
    empty = Vectors(np.empty((0, 1)), "here")
    for pair in ((empty, vectors([1.0])), (vectors([1.0]), empty)):
        with pytest.raises(ValueError, match="at least one sample and one reference"):
            standardised(*pair)


@pytest.fixture
def generator() -> RnnGenerator:
    return RnnGenerator(7, 0, 9, seeded(0), embedding=3, hidden=4, dropout=0.5)


def test_hidden_states_are_averaged_over_words_and_end(generator: RnnGenerator) -> None:
    flat = Flat.from_lists([[1, 2, 3], [], [4]] * CHUNK)
    made = HiddenStateFeatures(generator, "tiny").vectors(flat)
    generator.eval()
    with torch.no_grad():
        # One sentence at a time: three words and the end make four states.
        states = [
            generator.hidden_states(Sentences.from_flat(Flat.from_lists([words]), 0))
            for words in ([1, 2, 3], [], [4])
        ]
    assert [len(state) for state in states] == [4, 1, 2]
    expected = np.stack([state.mean(0).numpy() for state in states] * CHUNK)
    assert made.values == pytest.approx(expected, abs=1e-6)
    assert made.source == "hidden.tiny"


def test_dropout_is_off_while_reading_and_on_again_after(generator: RnnGenerator) -> None:
    features = HiddenStateFeatures(generator, "tiny")
    flat = Flat.from_lists([[1, 2, 3]])
    assert np.array_equal(features.vectors(flat).values, features.vectors(flat).values)
    assert all(layer.training for layer in generator.dropouts)


def test_sentences_can_be_translated_for_the_model(generator: RnnGenerator) -> None:
    def halved(flat: Flat) -> Sentences:
        return Sentences.from_flat(Flat(flat.ids // 2, flat.starts), generator.eos)

    own = HiddenStateFeatures(generator, "tiny").vectors(Flat.from_lists([[1, 2]]))
    translated = HiddenStateFeatures(generator, "tiny", halved)
    assert np.array_equal(translated.vectors(Flat.from_lists([[2, 4]])).values, own.values)


def test_a_sentence_without_tokens_is_zero_and_no_sentences_have_a_width() -> None:
    generator = RnnGenerator(7, None, 9, seeded(0), embedding=3, hidden=4)
    features = HiddenStateFeatures(generator, "tiny")
    assert features.vectors(Flat.from_lists([[], [1]])).values[0].tolist() == [0.0] * 4
    assert features.vectors(Flat.from_lists([])).values.shape == (0, 4)
