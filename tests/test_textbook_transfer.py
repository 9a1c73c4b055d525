"""The rewriting model agrees with one that reads word by word and writes over all words."""

import torch

import textbook_transfer as textbook
from sda.models.generator import Frame
from sda.models.rewriter import Rewriter
from sda.sampling import Decoding, sample
from sda.text.context import Context
from sda.text.sentences import Sentences

WORDS, LONGEST = 12, 6


def pairs(rng: torch.Generator) -> Sentences:
    def some() -> Sentences:
        lengths = torch.randint(2, LONGEST + 1, (8,), generator=rng)
        tokens = torch.randint(1, WORDS, (8, LONGEST), generator=rng)
        return Sentences(tokens * (torch.arange(LONGEST) < lengths[:, None] - 1), lengths).trimmed()

    return some().about(Context(torch.randint(2, (8,), generator=rng), some()))


def rewriter(rng: torch.Generator) -> Rewriter:
    sizes = {"embedding": 6, "reading": 5, "hidden": 7, "init_std": 0.6}
    return Rewriter(Frame(WORDS, None, LONGEST), rng, 2, None, **sizes)


def test_losses_and_gradients_are_the_same() -> None:
    rng = torch.Generator().manual_seed(3)
    generator, batch = rewriter(rng), pairs(rng)
    ours, theirs = generator.loss(batch), textbook.loss(generator, batch)
    parameters = list(generator.parameters())

    torch.testing.assert_close(ours, theirs)
    for mine, other in zip(
        torch.autograd.grad(ours, parameters), torch.autograd.grad(theirs, parameters), strict=True
    ):
        torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-5)


def test_the_likeliest_words_are_the_same() -> None:
    rng = torch.Generator().manual_seed(4)
    generator, batch = rewriter(rng), pairs(rng)
    assert batch.context is not None
    ours = sample(generator, 8, rng, Decoding(top_k=1), context=batch.context)

    assert torch.equal(ours.tokens, textbook.rewrite(generator, batch.context, LONGEST))
