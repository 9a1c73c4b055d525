"""What the objective that the paper prints for its row +UN does: nothing."""

import torch
from fakes import seeded, sentences_of
from torch import Tensor

from sda.baselines.unlikelihood import RareWords
from sda.models.generator import Frame, Generator
from sda.models.rnn import RnnGenerator
from sda.text.sentences import Sentences
from sda.text.vocabulary import NumberVocabulary
from sda.training.steps import nll

# Word 1 is common; word 2 occurs twice, word 3 once.
TRAIN = sentences_of([1, 1, 2], [1, 2, 1], [1, 3])
COUNTS = torch.tensor([0, 5, 2, 1])


def as_printed(generator: Generator, sentences: Sentences) -> Tensor:
    """Minus the sum of log G for common words and of log G + 1/o for rare ones."""
    rare = (COUNTS > 0) & (COUNTS < 3)
    bonus = torch.where(rare, 1 / COUNTS, 0.0)[sentences.tokens]
    log_probs = generator.log_probs(sentences) + bonus
    return -log_probs[sentences.mask].sum() / len(sentences)


def gradients(loss: Tensor, generator: Generator) -> list[Tensor]:
    return list(torch.autograd.grad(loss, list(generator.parameters())))


def test_the_printed_bonus_has_no_gradient() -> None:
    generator = RnnGenerator(Frame(4, None, 3), seeded(1), embedding=5, hidden=5, init_std=0.5)
    plain, printed = nll(generator, TRAIN), as_printed(generator, TRAIN)

    # Both times of word 2 give a half, and word 3 gives one, over three sentences.
    torch.testing.assert_close(plain - printed, torch.tensor(2 / 3))
    torch.testing.assert_close(gradients(printed, generator), gradients(plain, generator))


def test_as_a_weight_the_bonus_has_one() -> None:
    generator = RnnGenerator(Frame(4, None, 3), seeded(1), embedding=5, hidden=5, init_std=0.5)
    weighted = RareWords(NumberVocabulary(4), TRAIN, gamma=1.0)(generator, TRAIN)
    log_probs = generator.log_probs(TRAIN)
    by_hand = log_probs.sum() + (log_probs[0, 2] + log_probs[1, 1]) / 2 + log_probs[2, 1]
    found = gradients(weighted, generator)

    torch.testing.assert_close(found, gradients(-by_hand / 3, generator))
    plain = gradients(nll(generator, TRAIN), generator)
    assert max(float((a - b).abs().max()) for a, b in zip(found, plain, strict=True)) > 0.1
