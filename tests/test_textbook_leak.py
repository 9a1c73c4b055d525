"""The fast LeakRNN agrees with that of a textbook."""

import pytest
import torch
from torch import Tensor

import textbook_leak as textbook
from sda.models.cnn import CnnDiscriminator
from sda.models.generator import Frame
from sda.models.leak import LeakGenerator
from sda.rewards import rollout_rewards
from sda.sampling import sample
from sda.text.sentences import Sentences

WORDS, LENGTH = 30, 10


@pytest.fixture
def rng() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.fixture
def discriminator(rng: torch.Generator) -> CnnDiscriminator:
    """Some windows are wider than any sentence."""
    return CnnDiscriminator(WORDS, rng, 6, widths=(1, 2, 5, 10, 12), maps=(4, 6, 5, 4, 3)).eval()


@pytest.fixture
def generator(discriminator: CnnDiscriminator, rng: torch.Generator) -> LeakGenerator:
    """The last of its three blocks is cut short by the end."""
    return LeakGenerator(
        Frame(WORDS, None, LENGTH), rng, discriminator, embedding=7, hidden=8, init_std=0.5
    )


@pytest.fixture
def sentences(rng: torch.Generator) -> Sentences:
    tokens = torch.randint(WORDS, (9, LENGTH), generator=rng)
    return Sentences(tokens, torch.full((9,), LENGTH))


def test_features_of_prefixes(
    generator: LeakGenerator, discriminator: CnnDiscriminator, sentences: Sentences
) -> None:
    one_by_one = [
        textbook.prefix_features(discriminator, sentences.tokens, t) for t in range(LENGTH + 1)
    ]
    found = generator.reader.features(sentences)
    torch.testing.assert_close(found, torch.stack(one_by_one, 1), rtol=0, atol=1e-4)


def test_logits(
    generator: LeakGenerator, discriminator: CnnDiscriminator, sentences: Sentences
) -> None:
    model = textbook.TextbookLeak(generator)
    reading = textbook.Reading(model, len(sentences))
    state = generator.start(len(sentences))
    for t, words in enumerate(generator.inputs(sentences).unbind(1)):
        found, state = generator.step(state, words)
        reading.step(textbook.prefix_features(discriminator, sentences.tokens, t), words)
        expected = model.logits(reading.hidden, reading.goal)
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-4)


@pytest.mark.parametrize("weighted", [False, True])
def test_loss_and_gradients(
    generator: LeakGenerator,
    discriminator: CnnDiscriminator,
    sentences: Sentences,
    rng: torch.Generator,
    weighted: bool,
) -> None:
    """Rewards that differ from token to token: the manager takes those at block starts."""
    weights = torch.rand(sentences.tokens.shape, generator=rng) if weighted else None
    model = textbook.TextbookLeak(generator)
    ours = generator.loss(sentences, weights)
    theirs = textbook.loss(model, discriminator, sentences.tokens, weights)
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-4)

    shared = {name: value for name, value in model.named_parameters() if "matrix" not in name}
    found = torch.autograd.grad(ours, [*shared.values(), generator.output])
    wanted = [*shared.values(), model.matrix.weight, model.matrix.bias]
    expected = torch.autograd.grad(theirs, wanted)
    for name, one, other in zip(shared, found, expected, strict=False):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4, msg=name)
        assert one.any(), name
    output = as_matrix(found[-1], generator.hidden + 1)
    torch.testing.assert_close(output[:, :-1], expected[-2], rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(output[:, -1], expected[-1], rtol=1e-4, atol=1e-4)


def as_matrix(output: Tensor, rows: int) -> Tensor:
    """(V * goal size, H + 1): weight and bias of the textbook, from (V, (H + 1) * goal size)."""
    return output.view(len(output), rows, -1).transpose(1, 2).flatten(0, 1)


def test_samples_are_distributed_as_by_multinomial(rng: torch.Generator) -> None:
    """Six words make 36 sentences of two; the second word follows a goal that was set."""
    discriminator = CnnDiscriminator(6, rng, 4, widths=(1, 3), maps=(3, 4))
    generator = LeakGenerator(
        Frame(6, None, 2), rng, discriminator, embedding=4, hidden=4, block=1, init_std=0.8
    )
    n = 20_000
    theirs = counts(textbook.sample(textbook.TextbookLeak(generator), discriminator, n, rng))
    ours = counts(sample(generator, n, rng).tokens)
    assert theirs.min() > 20
    chi_square = ((ours - theirs).square() / (ours + theirs)).sum().item()
    # Of two samples of one size: expected 35, with a standard deviation of 8.4.
    assert abs(chi_square - 35) < 4 * 8.4


def counts(pairs: Tensor) -> Tensor:
    """(36,) how often each sentence of two out of six words occurs."""
    return torch.bincount(pairs[:, 0] * 6 + pairs[:, 1], minlength=36)


def test_rollout_rewards_have_the_means_of_those_without_reuse(
    generator: LeakGenerator,
    discriminator: CnnDiscriminator,
    sentences: Sentences,
    rng: torch.Generator,
) -> None:
    model = textbook.TextbookLeak(generator)
    repeats = range(30)
    ours = torch.stack(
        [rollout_rewards(generator, discriminator, sentences, 2, rng, every=4) for _ in repeats]
    )
    theirs = torch.stack(
        [textbook.rollout_rewards(model, discriminator, sentences.tokens, 2, rng) for _ in repeats]
    )
    torch.testing.assert_close(ours[:, :, 8:], theirs[:, :, 8:], rtol=0, atol=1e-5)
    # One value for the first block and one for the second.
    ours, theirs = ours[:, :, [0, 4]], theirs[:, :, [0, 4]]
    variance = (ours.var(0) + theirs.var(0)) / len(repeats)
    z = (ours.mean(0) - theirs.mean(0)) / variance.sqrt()
    assert abs(z.mean().item()) < 4 / z.numel() ** 0.5
    assert z.std().item() == pytest.approx(1, abs=4 / (2 * z.numel()) ** 0.5)
