"""What entropy adds to the weights, against differentiation over all sentences."""

import torch
from fakes import FixedGenerator, seeded, sentences_of
from torch import Tensor

from sda.models.generator import Frame
from sda.models.rnn import RnnGenerator
from sda.sampling import sample
from sda.text.sentences import Sentences
from sda.training.entropy import add_entropy


def test_without_weight_nothing_changes() -> None:
    weights = torch.ones(2, 3)
    generator = FixedGenerator([0.5, 0.5])

    assert add_entropy(weights, generator, sentences_of([0], [1]), 0.0) is weights
    assert not generator.rows_seen


def test_surprising_words_are_paid_more_than_those_of_others() -> None:
    generator = FixedGenerator([0.5, 0.25, 0.125, 0.125], max_length=3)
    log2 = torch.tensor(2.0).log()
    # Bits of surprise: 1 and 3 in the first place, 2 and nothing in the second.
    sentences = Sentences(torch.tensor([[0, 1, 0], [2, 3, 3]]), torch.tensor([2, 1]))

    found = add_entropy(torch.ones(2, 3), generator, sentences, 0.1)
    expected = 1 + 0.1 * log2 * torch.tensor([[-2.0, 0, 0], [2, 0, 0]])
    assert torch.allclose(found, expected)


def test_gradient_is_that_of_the_next_words_entropy() -> None:
    generator = FixedGenerator([0.6, 0.3, 0.1], max_length=1)
    log_probs = generator.logits.log_softmax(0)
    (exact,) = torch.autograd.grad(-(log_probs.exp() * log_probs).sum(), generator.logits)

    # All nine pairs of one-word sentences, each with its probability.
    mean = torch.zeros(3)
    for i in range(3):
        for j in range(3):
            sentences = sentences_of([i], [j])
            weights = add_entropy(torch.zeros(2, 1), generator, sentences, 1.0)
            (step,) = torch.autograd.grad(-generator.loss(sentences, weights), generator.logits)
            mean += (log_probs[i] + log_probs[j]).exp().item() * step
    assert torch.allclose(mean, exact, atol=1e-6)


def test_a_policy_that_is_paid_for_entropy_alone_becomes_even() -> None:
    generator = RnnGenerator(Frame(4, None, 3), seeded(1), embedding=4, hidden=4, init_std=1.0)
    optimizer = torch.optim.Adam(generator.parameters(), 0.05)
    rng = seeded(2)

    def entropy() -> Tensor:
        return -generator.log_probs(sample(generator, 2000, seeded(3))).mean()

    before = entropy()
    for _ in range(60):
        fake = sample(generator, 64, rng)
        weights = add_entropy(torch.zeros(64, 3), generator, fake, 1.0)
        optimizer.zero_grad()
        generator.loss(fake, weights).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    assert before < 1.27 < 1.37 < entropy()  # of at most log 4 = 1.386
