"""LeakRNN's goals and cosines, worked out one sentence at a time with the models' own layers."""

from __future__ import annotations

import torch
from fakes import seeded, sentences_of
from torch import Tensor
from torch.nn.functional import normalize

from sda.models.cnn import CnnDiscriminator
from sda.models.generator import Frame
from sda.models.leak import LeakGenerator

WORDS, LONGEST, BLOCK = 7, 9, 2

# Whole blocks and blocks that the end cuts short, of one to four.
ROWS = [[1, 2, 3, 4, 5], [6, 0, 2], [3], [4, 4], [5, 1, 0, 2, 6, 3, 1]]
SENTENCES = sentences_of(*ROWS)


def make_discriminator() -> CnnDiscriminator:
    return CnnDiscriminator(WORDS, seeded(0), 4, widths=(1, 2, 5), maps=(4, 5, 3))


def make_generator(discriminator: CnnDiscriminator, **settings: object) -> LeakGenerator:
    sizes = {"embedding": 5, "hidden": 6, "goal_size": 3, "block": BLOCK, "init_std": 0.5}
    return LeakGenerator(
        Frame(WORDS, None, LONGEST),
        seeded(1),
        discriminator,
        **(sizes | settings),  # type: ignore[arg-type]
    )


def random_rewards() -> Tensor:
    return torch.rand(SENTENCES.tokens.shape, generator=seeded(2)) * SENTENCES.mask


def gradients(generator: LeakGenerator, loss: Tensor) -> dict[str, Tensor]:
    names, values = zip(*generator.named_parameters(), strict=True)
    found = torch.autograd.grad(loss, values, materialize_grads=True)
    return dict(zip(names, found, strict=True))


def is_managers(name: str) -> bool:
    return name.startswith(("manager", "goal.", "first_goal"))


def features_alone(discriminator: CnnDiscriminator, words: list[int]) -> Tensor:
    """(T + 1, F) of each prefix, read alone."""
    prefixes = [words[:t] for t in range(len(words) + 1)]
    return torch.cat([discriminator.features(sentences_of(p)) for p in prefixes]).detach()


def sub_goals(generator: LeakGenerator, features: Tensor) -> Tensor:
    """(T, F) one after the features of each prefix but the whole sentence."""
    goals: Tensor = generator.goal(generator.manager(features[None, :-1])[0][0])
    return normalize(goals, dim=1)


def active_goal(generator: LeakGenerator, goals: Tensor, t: int) -> Tensor:
    """(F,) what word t, counted from 0, is written towards."""
    start = t - t % generator.block
    return goals[start - generator.block : start].sum(0) if start else generator.first_goal


def cosine(a: Tensor, b: Tensor) -> Tensor:
    return normalize(a, dim=0) @ normalize(b, dim=0)


def cosines(
    generator: LeakGenerator, discriminator: CnnDiscriminator, words: list[int]
) -> list[Tensor]:
    """Of each block: its goal with what changed from its start to its end, or the sentence's."""
    features = features_alone(discriminator, words)
    goals = sub_goals(generator, features)
    found = []
    for start in range(0, len(words), generator.block):
        end = min(start + generator.block, len(words))
        change = features[end] - features[start]
        found.append(cosine(change, active_goal(generator, goals, start)))
    return found
