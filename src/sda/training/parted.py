"""Sentences and their rewards made in parts, each from random numbers of its own."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from sda.models.generator import Generator
from sda.ranks import Shares, Values
from sda.sampling import PLAIN, Decoding, sample
from sda.text.context import Context, sentence_tensors, tensor_sentences
from sda.text.sentences import Sentences


def write_in_parts(
    generator: Generator,
    n: int,
    rng: torch.Generator,
    context: Context | None,
    shares: Shares,
    decoding: Decoding = PLAIN,
) -> Sentences:
    """n sentences by the generator, each about its row of the context."""
    if shares.parts == 1:
        return sample(generator, n, rng, decoding, context=context)
    seeds = shares.seeds(rng)

    def work(rows: slice, part: int) -> Values:
        about = None if context is None else context[rows]
        own = torch.Generator().manual_seed(seeds[part])
        written = sample(generator, rows.stop - rows.start, own, decoding, context=about)
        return sentence_tensors(written)

    found = [tensor_sentences(values) for values in shares.each(n, work)]
    return Sentences.join(found).to(generator.device)


def reward_in_parts(
    sentences: Sentences,
    rng: torch.Generator,
    shares: Shares,
    reward: Callable[[Sentences, torch.Generator], tuple[Tensor, int]],
) -> tuple[Tensor, int]:
    """Rewards (B, T) of the sentences, and how many tokens it took to find them."""
    if shares.parts == 1:
        return reward(sentences, rng)
    seeds = shares.seeds(rng)

    def work(rows: slice, part: int) -> Values:
        own = torch.Generator().manual_seed(seeds[part])
        rewards, tokens = reward(sentences[rows], own)
        return {"rewards": rewards, "tokens": torch.tensor(tokens)}

    found = shares.each(len(sentences), work)
    rewards = torch.cat([values["rewards"] for values in found]).to(sentences.tokens.device)
    return rewards, sum(int(values["tokens"]) for values in found)
