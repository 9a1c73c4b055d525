import math
from typing import cast

import pytest
import torch
from fakes import assert_likely, seeded, sentences_of
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

import textbook_transformer as textbook
from sda.errors import UserError
from sda.models.generator import Frame, Generator
from sda.models.transformer import Layer, Parts, TransformerGenerator, rotate, rotation_at
from sda.sampling import sample
from sda.text.sentences import Sentences

WORDS, LONGEST = 9, 24


def make(**settings: object) -> TransformerGenerator:
    sizes = {"width": 8, "heads": 2, "feedforward": 16, "init_std": 0.4} | settings
    return TransformerGenerator(Frame(WORDS, None, LONGEST), seeded(0), **sizes)  # type: ignore[arg-type]


def random_sentences(n: int) -> Sentences:
    tokens = torch.randint(WORDS, (n, LONGEST), generator=seeded(1))
    return Sentences(tokens, torch.full((n,), LONGEST))


@pytest.mark.parametrize("positions", ["rotary", "learned"])
@pytest.mark.parametrize("tied", [False, True])
@torch.no_grad()
def test_log_probs_are_those_of_the_textbook(positions: str, tied: bool) -> None:
    model = make(positions=positions, tied=tied)
    sentences = random_sentences(5)
    expected = textbook.log_probs(model, sentences.tokens)

    torch.testing.assert_close(model.log_probs(sentences), expected, atol=1e-5, rtol=1e-5)
    by_step = Generator.log_probs(model, sentences)
    torch.testing.assert_close(by_step, expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("positions", ["rotary", "learned"])
@torch.no_grad()
def test_a_later_word_never_changes_an_earlier_probability(positions: str) -> None:
    model = make(positions=positions)
    sentences = random_sentences(3)
    before = model.log_probs(sentences)
    for t in range(LONGEST):
        tokens = sentences.tokens.clone()
        tokens[:, t] = (tokens[:, t] + 1) % WORDS
        after = model.log_probs(Sentences(tokens, sentences.lengths))

        torch.testing.assert_close(after[:, :t], before[:, :t])
        assert (after[:, t:] - before[:, t:]).abs().amax(1).gt(1e-4).all()


@torch.no_grad()
def test_without_preference_a_position_sees_the_mean_of_its_past() -> None:
    """Equal scores, values as they are and no network: x + mean of the norms up to there."""
    model = make(layers=1, heads=1, tied=False)
    layer = model.layers[0]
    assert isinstance(layer, Layer)
    layer.projection.weight[:16] = 0  # queries and keys
    layer.projection.weight[16:] = torch.eye(8)
    layer.attended.weight.copy_(torch.eye(8))
    layer.outer.weight.zero_()

    def norm(x: Tensor) -> Tensor:
        return (x - x.mean()) / (x.var(correction=0) + 1e-5).sqrt()

    read = model.embedding.weight[[WORDS, 3, 1]]
    norms = [norm(x) for x in read]
    seen = [norms[0], (norms[0] + norms[1]) / 2, (norms[0] + norms[1] + norms[2]) / 3]
    expected = torch.stack([norm(x + y) for x, y in zip(read, seen, strict=True)])

    torch.testing.assert_close(model.hidden_states(sentences_of([3, 1, 2])), expected)


@pytest.mark.parametrize("positions", ["rotary", "learned"])
@torch.no_grad()
def test_the_order_of_the_past_matters(positions: str) -> None:
    model = make(layers=1, positions=positions)
    log_probs = model.log_probs(sentences_of([1, 2, 3, 4], [2, 1, 3, 4]))

    assert abs(float(log_probs[0, 3] - log_probs[1, 3])) > 1e-3


def test_a_pair_of_numbers_is_turned_by_its_angle() -> None:
    x = torch.tensor([1.0, 0.0, 0.0, 2.0]).expand(1, 1, 3, 4)  # pairs (1, 0) and (0, 2)
    turned = rotate(x, rotation_at(torch.tensor([0, 1, 50]), 4))[0, 0]

    for row, place in zip(turned.tolist(), (0, 1, 50), strict=True):
        slow = place / 100  # the second pair's frequency is 10,000 ** -(2 / 4)
        expected = [math.cos(place), -2 * math.sin(slow), math.sin(place), 2 * math.cos(slow)]
        assert row == pytest.approx(expected, abs=1e-5)


@given(st.integers(0, 200), st.integers(0, 200), st.integers(1, 200), st.integers(0, 99))
def test_products_of_turned_vectors_depend_on_the_distance_alone(
    query_place: int, key_place: int, shift: int, seed: int
) -> None:
    query, key = torch.randn(2, 1, 1, 1, 6, generator=seeded(seed))

    def product(query_place: int, key_place: int) -> float:
        turned = (
            rotate(x, rotation_at(torch.tensor([place]), 6))
            for x, place in ((query, query_place), (key, key_place))
        )
        return float((next(turned) * next(turned)).sum())

    moved = product(query_place + shift, key_place + shift)
    assert moved == pytest.approx(product(query_place, key_place), abs=1e-3)


@torch.no_grad()
def test_the_state_holds_keys_and_values_of_what_was_read() -> None:
    model = make(layers=3)
    state = model.start(4)
    for t in range(3):
        layers, label = cast(Parts, state)
        assert label == ()
        assert [[part.shape for part in layer] for layer in layers] == [[(4, 2, t, 4)] * 2] * 3
        _, state = model.step(state, torch.tensor([1, 2, 3, 4]))


def test_learned_positions_end_and_rotary_ones_do_not() -> None:
    with pytest.raises(UserError, match="learned positions end at 24 tokens"):
        sample(make(positions="learned"), 2, seeded(1), max_length=LONGEST + 1)
    assert sample(make(), 2, seeded(1), max_length=40).tokens.shape == (2, 40)
    assert sample(make(positions="learned"), 2, seeded(1)).tokens.shape == (2, LONGEST)


def test_learned_positions_may_have_heads_of_odd_width() -> None:
    assert make(width=6, positions="learned").log_probs(random_sentences(2)).isfinite().all()


@pytest.mark.parametrize("rows", [0, 2])
def test_sentences_without_words(rows: int) -> None:
    nothing = Sentences(torch.zeros(rows, 5).long(), torch.zeros(rows).long())

    assert make().log_probs(nothing).shape == (rows, 0)


def test_first_values() -> None:
    model = make(width=64, feedforward=256, init_std=0.02)
    for name, value in model.named_parameters():
        if value.dim() > 1:
            assert value.std().item() == pytest.approx(0.02, rel=0.1), name
        else:
            assert value.eq(0 if name.endswith("bias") else 1).all(), name


@torch.no_grad()
def test_the_textbook_samples_from_our_probabilities() -> None:
    model = TransformerGenerator(Frame(4, None, 2), seeded(0), width=8, heads=2, init_std=0.5)
    pairs = Sentences(torch.cartesian_prod(torch.arange(4), torch.arange(4)), torch.full((16,), 2))
    written = textbook.sample(model, 6000, seeded(1))
    counts = torch.bincount(written[:, 0] * 4 + written[:, 1], minlength=16)

    assert_likely(counts, model.log_probs(pairs).double().sum(1).exp())
