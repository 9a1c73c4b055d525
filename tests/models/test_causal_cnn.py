import math
from typing import cast

import pytest
import torch
from fakes import seeded, sentences_of
from torch.nn.functional import conv1d, glu, pad

from sda.models.causal_cnn import CnnGenerator, GatedConvolution, Parts
from sda.models.generator import Frame, Generator
from sda.text.sentences import Sentences

WORDS, LONGEST = 7, 40


def make(**settings: object) -> CnnGenerator:
    sizes = {"channels": 5, "init_std": 0.5} | settings
    return CnnGenerator(Frame(WORDS, None, LONGEST), seeded(0), **sizes)  # type: ignore[arg-type]


def random_sentences(n: int) -> Sentences:
    tokens = torch.randint(WORDS, (n, LONGEST), generator=seeded(1))
    return Sentences(tokens, torch.full((n,), LONGEST))


@pytest.mark.parametrize(("width", "dilation"), [(1, 1), (2, 1), (2, 4), (3, 1), (3, 8)])
@torch.no_grad()
def test_a_layer_is_a_dilated_convolution_with_zeros_before_the_start(
    width: int, dilation: int
) -> None:
    layer = GatedConvolution(5, width, dilation, dropout=0.0)
    x = torch.randn(2, 20, 5, generator=seeded(1))
    weight = layer.filters.weight.view(10, width, 5).transpose(1, 2)
    padded = pad(x.transpose(1, 2), (layer.reach, 0))
    convolved = conv1d(padded, weight, layer.filters.bias, dilation=dilation).transpose(1, 2)
    found, last = layer(x, torch.zeros(2, layer.reach, 5))

    torch.testing.assert_close(found, x + glu(convolved, 2))
    assert torch.equal(last, x[:, 20 - layer.reach :])


@torch.no_grad()
def test_one_channel_by_hand() -> None:
    """x + (2 before + 3 now + 0.5) * sigmoid(before - now); the start symbol is 1, words are 2."""
    model = CnnGenerator(Frame(2, None, 3), seeded(0), channels=1, layers=1, width=2)
    model.embedding.weight[:] = torch.tensor([[2.0], [2.0], [1.0]])
    layer = model.layers[0]
    assert isinstance(layer, GatedConvolution)
    layer.filters.weight[:] = torch.tensor([[2.0, 3.0], [1.0, -1.0]])
    layer.filters.bias[:] = torch.tensor([0.5, 0.0])

    def sigmoid(x: float) -> float:
        return 1 / (1 + math.exp(-x))

    expected = [1 + 3.5 * sigmoid(-1), 2 + 8.5 * sigmoid(-1), 2 + 10.5 * sigmoid(0)]
    found = model.hidden_states(sentences_of([0, 1, 0]))
    assert found[:, 0].tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("width", "layers", "tokens_seen"), [(1, 3, 1), (2, 1, 2), (2, 3, 8), (3, 2, 7), (3, 4, 31)]
)
@torch.no_grad()
def test_a_word_changes_what_is_within_reach_and_nothing_else(
    width: int, layers: int, tokens_seen: int
) -> None:
    model = make(width=width, layers=layers)
    sentences = random_sentences(4)
    before = model.log_probs(sentences)
    for t in (0, 5):
        tokens = sentences.tokens.clone()
        tokens[:, t] = (tokens[:, t] + 1) % WORDS
        after = model.log_probs(Sentences(tokens, sentences.lengths))
        changed = (after - before).abs().amax(0) > 1e-7

        # The word itself, and the words that are written when it is among the last ones read.
        assert changed.nonzero()[:, 0].tolist() == list(range(t, t + tokens_seen + 1))


@torch.no_grad()
def test_steps_agree_with_one_pass_beyond_the_reach() -> None:
    model = make(layers=3)
    sentences = random_sentences(6)

    by_step = Generator.log_probs(model, sentences)
    torch.testing.assert_close(model.log_probs(sentences), by_step, atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_the_state_holds_the_last_inputs_of_each_layer() -> None:
    model = make()
    state = model.start(2)
    for word in (1, 2, 3):
        _, state = model.step(state, torch.tensor([word, word]))
    parts, label = cast(Parts, state)

    assert label == ()

    assert [part.shape for part in parts] == [(2, 2, 5), (2, 4, 5), (2, 8, 5), (2, 16, 5)]
    assert torch.equal(parts[0], model.embedding.weight[[2, 3]].expand(2, 2, 5))
    assert not parts[2][:, :5].any()
    assert parts[2][:, 5:].all()
