"""Sentences as arrays of ids: the currency of the whole package."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

if TYPE_CHECKING:
    from sda.text.context import Context


class Flat(NamedTuple):
    """Sentences of any length without padding: sentence i is `ids[starts[i]:starts[i + 1]]`."""

    ids: NDArray[np.int32]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        """The number of sentences (not of fields)."""
        return len(self.starts) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.starts)

    def take(self, order: NDArray[np.int64]) -> Flat:
        """The sentences with these numbers, in this order."""
        lengths = self.lengths[order]
        starts = np.concatenate(([0], np.cumsum(lengths)))
        shift = np.repeat(self.starts[:-1][order] - starts[:-1], lengths)
        return Flat(self.ids[np.arange(starts[-1]) + shift], starts)

    @staticmethod
    def join(first: Flat, second: Flat) -> Flat:
        """The sentences of the first, then those of the second."""
        starts = np.concatenate((first.starts, second.starts[1:] + first.starts[-1]))
        return Flat(np.concatenate((first.ids, second.ids)), starts)

    @staticmethod
    def from_lists(lists: Sequence[Sequence[int]]) -> Flat:
        lengths = np.fromiter((len(ids) for ids in lists), np.int64, len(lists))
        starts = np.concatenate(([0], np.cumsum(lengths)))
        ids = np.fromiter((i for ids in lists for i in ids), np.int32, int(starts[-1]))
        return Flat(ids, starts)


@dataclass(frozen=True)
class Sentences:
    """A batch of sentences: `tokens` (B, T) and `lengths` (B,), both int64.

    Ids come without a start symbol. The end symbol, where a vocabulary has one, counts in the
    length. Past the length `tokens` is zero, which may also be an ordinary id: read `mask`, never
    compare with a padding id.

    `context` says what each sentence is about, where they are about anything; it goes wherever the
    sentences go.
    """

    tokens: Tensor
    lengths: Tensor
    context: Context | None = None

    def __post_init__(self) -> None:
        if self.tokens.dim() != 2 or self.lengths.shape != self.tokens.shape[:1]:
            raise ValueError(
                f"tokens {tuple(self.tokens.shape)} and lengths {tuple(self.lengths.shape)}"
                " are not (B, T) and (B,)"
            )
        if self.context is not None and len(self.context) != len(self):
            raise ValueError(f"{len(self)} sentences about {len(self.context)} things")

    def __len__(self) -> int:
        return self.tokens.shape[0]

    def __getitem__(self, index: Tensor | slice) -> Sentences:
        context = None if self.context is None else self.context[index]
        return Sentences(self.tokens[index], self.lengths[index], context)

    @property
    def mask(self) -> Tensor:
        """(B, T), true on the tokens of each sentence."""
        columns = torch.arange(self.tokens.shape[1], device=self.tokens.device)
        return columns < self.lengths[:, None]

    def trimmed(self) -> Sentences:
        """The same sentences without the columns that are padding for all of them."""
        longest = int(self.lengths.max()) if len(self) else 0
        context = None if self.context is None else self.context.trimmed()
        return Sentences(self.tokens[:, :longest], self.lengths, context)

    def fingerprint(self) -> str:
        """What tells these sentences from any others, in this order."""
        flat = self.flat(None)
        return hashlib.sha256(flat.ids.tobytes() + flat.starts.tobytes()).hexdigest()

    def to(self, device: torch.device | str) -> Sentences:
        context = None if self.context is None else self.context.to(device)
        return Sentences(self.tokens.to(device), self.lengths.to(device), context)

    def about(self, context: Context | None) -> Sentences:
        """The same sentences, said to be about this."""
        return Sentences(self.tokens, self.lengths, context)

    def cut(self, lengths: Tensor) -> Sentences:
        """The first `lengths` (B,) tokens of each, which are no more than it has."""
        columns = torch.arange(self.tokens.shape[1], device=self.tokens.device)
        tokens = self.tokens.masked_fill(columns >= lengths[:, None], 0)
        return Sentences(tokens, lengths, self.context)

    def flat(self, eos: int | None) -> Flat:
        """The words alone: no padding, and no end symbol where one closes a sentence."""
        lengths = self.lengths
        if eos is not None and len(self):
            last = self.tokens.gather(1, (lengths - 1).clamp(min=0)[:, None])[:, 0]
            lengths = lengths - ((last == eos) & (lengths > 0)).long()
        words = Sentences(self.tokens, lengths)
        ids = self.tokens[words.mask].to(torch.int32).cpu().numpy()
        starts = np.concatenate(([0], np.cumsum(lengths.cpu().numpy())))
        return Flat(ids, starts)

    @staticmethod
    def join(parts: Sequence[Sentences]) -> Sentences:
        """All parts one after the other, as wide as the widest.

        Either all of their sentences are about something, or none is.
        """
        width = max((part.tokens.shape[1] for part in parts), default=0)
        padded = [
            torch.nn.functional.pad(part.tokens, (0, width - part.tokens.shape[1]))
            for part in parts
        ]
        if not parts:
            return Sentences.empty()
        lengths = torch.cat([part.lengths for part in parts])
        contexts = [part.context for part in parts if len(part)]
        known = [context for context in contexts if context is not None]
        if len(known) not in (0, len(contexts)):
            raise ValueError("some of the sentences are about something, and others are not")
        return Sentences(torch.cat(padded), lengths, known[0].join(known) if known else None)

    @staticmethod
    def empty(width: int = 0) -> Sentences:
        return Sentences(
            torch.zeros(0, width, dtype=torch.int64), torch.zeros(0, dtype=torch.int64)
        )

    @staticmethod
    def from_flat(flat: Flat, eos: int | None = None) -> Sentences:
        """Padded sentences from words, each closed by the end symbol where there is one."""
        extra = 0 if eos is None else 1
        lengths = flat.lengths + extra
        width = int(lengths.max()) if len(flat) else 0
        tokens = np.zeros((len(flat), width), np.int64)
        columns = np.arange(width)
        tokens[columns < flat.lengths[:, None]] = flat.ids
        if eos is not None:
            tokens[columns == flat.lengths[:, None]] = eos
        return Sentences(torch.from_numpy(tokens), torch.from_numpy(lengths))
