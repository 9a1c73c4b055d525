"""Stand-ins whose behaviour can be worked out by hand, and short ways to write sentences down."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sda.models.branching import State
from sda.models.discriminator import Discriminator
from sda.models.generator import Frame, Generator
from sda.models.oracle import GATES
from sda.text.context import Context
from sda.text.sentences import Flat, Sentences


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def sentences_of(*lists: Sequence[int]) -> Sentences:
    """These ids, as they are: an end symbol must be written out."""
    return Sentences.from_flat(Flat.from_lists(lists))


def lists_of(sentences: Sentences) -> list[list[int]]:
    """The ids of each sentence, an end symbol among them."""
    rows = zip(sentences.tokens.tolist(), sentences.lengths.tolist(), strict=True)
    return [tokens[:length] for tokens, length in rows]


def assert_likely(counts: Tensor, probabilities: Tensor) -> None:
    """Chi-square: the counts (K,) could come from the probabilities (K,).

    The statistic has mean K - 1 and variance 2 (K - 1); six standard deviations and a bit are never
    reached by chance, and a wrong probability of a per cent is far beyond them at 10,000 draws.
    """
    possible = probabilities > 0
    assert not counts[~possible].any(), "something impossible happened"
    expected = probabilities[possible].double() * counts.sum()
    statistic = float(((counts[possible] - expected).square() / expected).sum())
    freedom = int(possible.sum()) - 1
    assert statistic < freedom + 6 * math.sqrt(2 * freedom) + 6, f"{counts} is not {expected}"


class FixedGenerator(Generator):
    """Writes every word with the same probabilities, whatever came before.

    `rows_seen` records how many rows each call of `step` was given.
    """

    def __init__(
        self, probabilities: Sequence[float], eos: int | None = None, max_length: int = 4
    ) -> None:
        super().__init__(Frame(len(probabilities), eos, max_length))
        self.logits = nn.Parameter(torch.tensor(probabilities).log())
        self.rows_seen: list[int] = []

    def start(self, n: int, context: Context | None = None) -> State:
        return torch.zeros(n, 1)

    def step(self, state: State, tokens: Tensor) -> tuple[Tensor, State]:
        assert isinstance(state, Tensor)
        assert len(state) == len(tokens)
        self.rows_seen.append(len(tokens))
        return self.logits.expand(len(tokens), -1), state + 1


class Judge(Discriminator):
    """D is whatever a function from sentences to (B,) says; `judged` records what it was shown."""

    def __init__(self, real: Callable[[Sentences], Tensor]) -> None:
        super().__init__()
        self._real = real
        self.judged: list[Sentences] = []

    def features(self, sentences: Sentences) -> Tensor:
        return self._real(sentences)[:, None]

    def real_logit(self, sentences: Sentences) -> Tensor:
        self.judged.append(sentences)
        return torch.logit(self._real(sentences).double())


def oracle_arrays(
    words: int, embedding: int, hidden: int, rng: torch.Generator
) -> dict[str, NDArray[np.float32]]:
    """Random parameters of an oracle under the names and in the shapes of its file."""
    shapes = {"embedding": (words, embedding), "Wo": (hidden, words), "bo": (words,)}
    for gate in GATES:
        shapes |= {f"W{gate}": (embedding, hidden), f"U{gate}": (hidden, hidden)}
        shapes[f"b{gate}"] = (hidden,)
    return {name: torch.randn(shape, generator=rng).numpy() for name, shape in shapes.items()}


def write_arrays(path: Path, arrays: Mapping[str, NDArray[np.float32]]) -> None:
    """An .npz file of these arrays."""
    np.savez(path, allow_pickle=False, **arrays)
