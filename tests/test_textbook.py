"""The fast models, sampling and rollouts agree with those of a textbook."""

import pytest
import torch
from torch import Tensor, nn

import textbook_models as textbook
from sda.models.cnn import CnnDiscriminator
from sda.models.generator import Frame
from sda.models.rnn import RnnGenerator
from sda.rewards import rollout_rewards
from sda.sampling import Decoding, sample
from sda.text.sentences import Sentences
from sda.training.steps import discriminator_loss


@pytest.fixture
def rng() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def random_sentences(lengths: Tensor, width: int, words: int, rng: torch.Generator) -> Sentences:
    tokens = torch.randint(words, (len(lengths), width), generator=rng)
    return Sentences(tokens * (torch.arange(width) < lengths[:, None]), lengths)


def gradients(model: nn.Module, loss: Tensor) -> dict[str, Tensor]:
    names, parameters = zip(*model.named_parameters(), strict=True)
    found = torch.autograd.grad(loss, parameters, materialize_grads=True)
    return dict(zip(names, found, strict=True))


def assert_same_gradients(model: nn.Module, ours: Tensor, theirs: Tensor) -> None:
    expected = gradients(model, theirs)
    for name, gradient in gradients(model, ours).items():
        torch.testing.assert_close(gradient, expected[name], rtol=1e-5, atol=1e-5, msg=name)


def test_cnn_equals_two_dimensional_convolution_at_full_length(rng: torch.Generator) -> None:
    widths, maps = (1, 2, 3, 10, 15, 20), (10, 20, 30, 20, 16, 16)
    discriminator = CnnDiscriminator(50, rng, widths=widths, maps=maps).eval()
    real, fake = (random_sentences(torch.full((8,), 20), 20, 50, rng) for _ in range(2))
    ours = [discriminator.real_logit(sentences) for sentences in (real, fake)]
    theirs = [textbook.cnn_logits(discriminator, sentences.tokens) for sentences in (real, fake)]
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-4)
    labels = torch.cat((torch.ones(8), torch.zeros(8)))
    cross_entropy = nn.functional.binary_cross_entropy_with_logits(torch.cat(theirs), labels)
    # Eq. 6 adds the means of both halves, cross-entropy takes the mean over all.
    assert_same_gradients(discriminator, discriminator_loss(*ours), 2 * cross_entropy)


def test_mle_equals_cross_entropy_on_padded_sentences(rng: torch.Generator) -> None:
    generator = RnnGenerator(Frame(60, None, 30), rng, init_std=0.5)
    lengths = torch.randint(1, 25, (40,), generator=rng)
    sentences = random_sentences(lengths, 30, 60, rng)
    ours, theirs = generator.loss(sentences), textbook.mle_loss(generator, sentences)
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-5)
    assert_same_gradients(generator, ours, theirs)


def test_mle_is_exact_where_the_probability_of_a_word_underflows(rng: torch.Generator) -> None:
    generator = RnnGenerator(Frame(5, None, 3), rng)
    with torch.no_grad():
        generator.bias[2] = -200.0
    sentences = Sentences(torch.tensor([[2, 0, 1], [1, 2, 2]]), torch.tensor([3, 3]))
    ours, theirs = generator.loss(sentences), textbook.mle_loss(generator, sentences)
    assert ours.item() == pytest.approx(300, abs=10)
    torch.testing.assert_close(ours, theirs, rtol=1e-6, atol=0)
    assert_same_gradients(generator, ours, theirs)


def test_samples_are_distributed_as_by_multinomial(rng: torch.Generator) -> None:
    """Seven words make blocks of three, three and one; all 49 sentences of two words occur."""
    generator = RnnGenerator(Frame(7, None, 2), rng, init_std=0.4)
    n = 40_000
    theirs = counts(textbook.sample(generator, n, rng))
    assert theirs.min() > 20

    def chi_square(ours: Tensor) -> float:
        """Of two samples of one size: expected 48, with a standard deviation of 9.8."""
        observed = counts(ours)
        return float(((observed - theirs).square() / (observed + theirs)).sum())

    assert 48 - 4 * 9.8 < chi_square(sample(generator, n, rng).tokens) < 48 + 4 * 9.8
    flatter = sample(generator, n, rng, Decoding(temperature=1.2))
    assert chi_square(flatter.tokens) > 48 + 4 * 9.8


def counts(pairs: Tensor) -> Tensor:
    """(49,) how often each sentence of two out of seven words occurs."""
    return torch.bincount(pairs[:, 0] * 7 + pairs[:, 1], minlength=49)


def test_rollout_rewards_have_the_means_of_those_without_reuse(rng: torch.Generator) -> None:
    generator = RnnGenerator(Frame(12, None, 6), rng, init_std=1.0)
    discriminator = CnnDiscriminator(12, rng, widths=(1, 2, 3), maps=(10, 10, 10)).eval()
    sentences = random_sentences(torch.full((32,), 6), 6, 12, rng)
    repeats = range(60)
    ours = torch.stack(
        [rollout_rewards(generator, discriminator, sentences, 2, rng) for _ in repeats]
    )
    theirs = torch.stack(
        [
            textbook.rollout_rewards(generator, discriminator, sentences.tokens, 2, rng)
            for _ in repeats
        ]
    )
    torch.testing.assert_close(ours[:, :, -1], theirs[:, :, -1], rtol=0, atol=1e-5)

    z = z_scores(ours[:, :, :-1], theirs[:, :, :-1])
    assert abs(z.mean().item()) < 4 / z.numel() ** 0.5
    assert z.std().item() == pytest.approx(1, abs=4 / (2 * z.numel()) ** 0.5)
    # Rewards that belong to the next beginning would be noticed.
    assert z_scores(ours[:, :, 1:-1], theirs[:, :, :-2]).std() > 2


def z_scores(a: Tensor, b: Tensor) -> Tensor:
    """Differences of the means over the first dimension, in standard errors."""
    variance = a.var(0) / len(a) + b.var(0) / len(b)
    return (a.mean(0) - b.mean(0)) / variance.sqrt()
