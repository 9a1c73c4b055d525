"""Generators learn what sentences are about, write it, and complete it in rollouts."""

import pytest
import torch
from fakes import Judge, seeded
from torch import Tensor

from sda.models.encoder_decoder import EncoderDecoder
from sda.models.generator import Frame, Generator
from sda.models.rnn import RnnGenerator
from sda.rewards import rollout_rewards
from sda.sampling import sample
from sda.text.context import Context
from sda.text.sentences import Sentences

WORDS, LENGTH, LABELS = 12, 4, 4
FRAME = Frame(WORDS, None, LENGTH)


def labelled(n: int, rng: torch.Generator) -> Sentences:
    """A sentence about label k is made of the words 3k, 3k + 1 and 3k + 2."""
    labels = torch.randint(LABELS, (n,), generator=rng)
    tokens = 3 * labels[:, None] + torch.randint(3, (n, LENGTH), generator=rng)
    return Sentences(tokens, torch.full((n,), LENGTH), Context(labels))


def shifted(n: int, rng: torch.Generator) -> Sentences:
    """A sentence is its source with each word replaced by the next one."""
    tokens = torch.randint(WORDS, (n, LENGTH), generator=rng)
    source = Sentences(tokens, torch.full((n,), LENGTH))
    return Sentences((tokens + 1) % WORDS, source.lengths, Context(source=source))


def fits_label(sentences: Sentences) -> Tensor:
    """(B, T) whether each word goes with the sentence's own label."""
    assert sentences.context is not None and sentences.context.labels is not None
    return sentences.tokens // 3 == sentences.context.labels[:, None]


def fits_source(sentences: Sentences) -> Tensor:
    assert sentences.context is not None and sentences.context.source is not None
    return sentences.tokens == (sentences.context.source.tokens + 1) % WORDS


CASES = {
    "label": (labelled, fits_label, lambda rng: RnnGenerator(FRAME, rng, labels=LABELS), 150, 0.9),
    "source": (
        shifted,
        fits_source,
        lambda rng: EncoderDecoder(FRAME, rng, embedding=32, hidden=48),
        100,
        0.7,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", list(CASES))
def test_what_is_written_and_completed_is_about_its_own_context(name: str) -> None:
    draw, fits, build, updates, enough = CASES[name]
    for seed in range(3):
        rng = seeded(seed)
        generator: Generator = build(rng)
        optimizer = torch.optim.Adam(generator.parameters(), 0.01)
        for _ in range(updates):
            optimizer.zero_grad()
            generator.loss(draw(64, rng)).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        asked = draw(500, rng)
        written = sample(generator, 500, rng, context=asked.context)
        assert written.context is not None

        assert fits(written).double().mean() > enough
        # Told that they are about their neighbours' contexts, they are not.
        swapped = written.about(written.context[torch.arange(500).roll(1)])
        assert fits(swapped).double().mean() < 0.5

        judge = Judge(lambda shown: fits(shown).double().mean(1).clamp(0.01, 0.99))
        rollout_rewards(generator, judge, asked[:50], 4, rng)
        completed = Sentences.join(judge.judged[1:])
        assert fits(completed).double().mean() > enough
