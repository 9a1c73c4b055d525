"""The buffer of the paper: the generator's own best sentences by the reference metric."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from sda.text.aligned import Aligned
from sda.text.context import sentence_tensors, tensor_sentences
from sda.text.corpus import draw
from sda.text.ngrams import number_sentences
from sda.text.scores import Scores
from sda.text.sentences import Flat, Sentences
from sda.text.similarity import keep_dissimilar


@dataclass(frozen=True)
class Entries(Aligned):
    """Sentences with what is known of each: score, parts (n, P), epoch of birth, lot for ties."""

    sentences: Sentences
    scores: Tensor
    parts: Tensor
    epochs: Tensor
    lots: Tensor


class Buffer:
    """The `capacity` best distinct sentences seen so far, best first.

    Sentences with a label have a bin for each label, and `capacity` is that of a bin: no label can
    crowd out another. A sentence that is about two things is two sentences. All of it stands on the
    CPU, wherever the sentences were written.

    Ties are broken by a lot drawn for each sentence on arrival: BLEU-3 saturates, and a stable
    sort would keep the oldest of the best for ever. Scores are those on arrival, or those of the
    last `rescore` where the metric depends on the generator.
    """

    def __init__(
        self,
        capacity: int,
        parts: tuple[str, ...],
        eos: int | None,
        near_duplicates: float | None = None,
        length_quota: Tensor | None = None,
        max_age: int | None = None,
        bins: int = 1,
        words: Callable[[Sentences], Flat] | None = None,
    ) -> None:
        """`near_duplicates`: a sentence that shares at least this part of its bigrams (Jaccard)
        with a better one of its bin is left out. `length_quota`: lengths whose distribution a bin
        keeps, usually those of the training sentences. `max_age`: epochs after which a sentence
        leaves.
        `bins`: how many labels there are; one where sentences have none. `words`: the words of
        sentences by number, for a vocabulary that can write a text in several ways; by default an
        id is a word.
        """
        if capacity < 1 or bins < 1:
            raise ValueError(f"a buffer needs room for at least one sentence, not {capacity}")
        self.capacity = capacity
        self.bins = bins
        self.part_names = parts
        self.words = words or (lambda sentences: sentences.flat(eos))
        self._near_duplicates = near_duplicates
        self._quota = None if length_quota is None else _Quota(length_quota, capacity)
        self._max_age = max_age
        self.entries = Entries(
            Sentences.empty(),
            torch.zeros(0, dtype=torch.float64),
            torch.zeros(0, len(parts), dtype=torch.float64),
            torch.zeros(0, dtype=torch.int64),
            torch.zeros(0, dtype=torch.float64),
        )

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def threshold(self) -> float:
        """The lowest score kept, the paper's m*; minus infinity while there is room."""
        full = len(self) == self.capacity * self.bins
        return float(self.entries.scores.min()) if full else float("-inf")

    def add(self, sentences: Sentences, scores: Scores, epoch: int, rng: torch.Generator) -> int:
        """Merge new sentences and keep the best; returns how many of the new ones stayed.

        Empty sentences and those that score minus infinity never enter. Of equal sentences the
        one that is there stays, with its score and its epoch.
        """
        sentences = sentences.to("cpu")
        new = Entries(
            sentences,
            scores.total,
            scores.parts,
            torch.full((len(sentences),), epoch, dtype=torch.int64),
            torch.rand(len(sentences), generator=rng, dtype=torch.float64),
        )
        words = torch.from_numpy(self.words(sentences).lengths)
        new = new[((words > 0) & (scores.total > -torch.inf)).nonzero()[:, 0]]
        merged = self.entries.followed_by(new)
        is_new = torch.arange(len(merged)) >= len(self.entries)
        first = _first_of_equals(merged.sentences, self.words(merged.sentences))
        kept = first[self._best(merged[first])]
        self.entries = merged[kept]
        return int(is_new[kept].sum())

    def rescore(self, scores: Scores) -> None:
        """Give every entry a new score; entries leave only by rank, when others arrive."""
        e = self.entries
        fresh = Entries(e.sentences, scores.total, scores.parts, e.epochs, e.lots)
        self.entries = fresh[_order(fresh)]

    def expire(self, epoch: int) -> int:
        """Drop the entries older than the maximum age, if there is one; returns how many."""
        if self._max_age is None:
            return 0
        young = (epoch - self.entries.epochs <= self._max_age).nonzero()[:, 0]
        dropped = len(self) - len(young)
        self.entries = self.entries[young]
        return dropped

    def draw(self, n: int, rng: torch.Generator) -> Sentences:
        """n sentences, uniformly, none twice before all have come once."""
        return draw(self.entries.sentences, n, rng)

    def _best(self, entries: Entries) -> Tensor:
        """Indices of the entries to keep, best first."""
        context = entries.sentences.context
        if context is None:
            return self._best_of_bin(entries)
        kept = [torch.zeros(0, dtype=torch.int64)]
        for members in (context.bins == number for number in range(self.bins)):
            places = members.nonzero()[:, 0]
            kept.append(places[self._best_of_bin(entries[places])])
        chosen = torch.cat(kept)
        return chosen[_order(entries[chosen])]

    def _best_of_bin(self, entries: Entries) -> Tensor:
        """The same for entries that compete with one another for the room of a bin."""
        order = _order(entries)
        if self._near_duplicates is not None:
            flat = self.words(entries.sentences[order])
            order = order[torch.from_numpy(keep_dissimilar(flat, self._near_duplicates))]
        if self._quota is not None:
            order = order[self._quota.choose(entries.sentences.lengths[order])]
        return order[: self.capacity]

    def figures(self, epoch: int) -> dict[str, float]:
        """Size, scores and age of what is in the buffer; no figures while it is empty."""
        if not len(self):
            return {}
        scores = self.entries.scores
        return {
            "buffer_size": float(len(self)),
            "buffer_min": float(scores.min()),
            "buffer_median": float(scores.median()),
            "buffer_max": float(scores.max()),
            "buffer_age": float((epoch - self.entries.epochs).double().mean()),
        }

    def records(
        self, texts: Sequence[str], abouts: Sequence[Mapping[str, str]]
    ) -> Iterator[dict[str, Any]]:
        """One JSON-able record per entry, best first, given the entries' texts.

        `abouts` has what each is about, in words; empty where it is about nothing.
        """
        e = self.entries
        columns = (texts, abouts, e.scores.tolist(), e.parts.tolist(), e.epochs.tolist())
        for text, about, score, parts, epoch in zip(*columns, strict=True):
            named = dict(zip(self.part_names, parts, strict=True))
            yield {"text": text, **about, "score": score, "parts": named, "epoch": epoch}

    def state_dict(self) -> dict[str, Tensor]:
        e = self.entries
        return {
            **sentence_tensors(e.sentences),
            "scores": e.scores,
            "parts": e.parts,
            "epochs": e.epochs,
            "lots": e.lots,
        }

    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        rest = (state[name] for name in ("scores", "parts", "epochs", "lots"))
        self.entries = Entries(tensor_sentences(state), *rest)


def _first_of_equals(sentences: Sentences, words: Flat) -> Tensor:
    """Indices, in order, of the sentences that no earlier one equals in words and context."""
    numbers = number_sentences(words)
    if sentences.context is not None:
        rows = np.concatenate((numbers[:, None], sentences.context.numbers()), 1)
        numbers = np.unique(rows, axis=0, return_inverse=True)[1]
    return torch.from_numpy(np.sort(np.unique(numbers, return_index=True)[1]))


def _order(entries: Entries) -> Tensor:
    """Indices from best to worst, equal scores by lot."""
    by_lot = entries.lots.argsort()
    return by_lot[entries.scores[by_lot].argsort(descending=True, stable=True)]


class _Quota:
    """Room for each range of lengths in proportion to how common it is among the given lengths."""

    RANGES = 8

    def __init__(self, lengths: Tensor, capacity: int) -> None:
        shares = torch.linspace(0, 1, self.RANGES + 1, dtype=torch.float64)[1:-1]
        self._edges = torch.unique(lengths.double().quantile(shares))
        common = torch.bincount(self._range(lengths), minlength=len(self._edges) + 1)
        self._room = (common * capacity).div(len(lengths), rounding_mode="floor").long()
        self._room[common.argmax()] += capacity - int(self._room.sum())

    def _range(self, lengths: Tensor) -> Tensor:
        return torch.bucketize(lengths.double(), self._edges)

    def choose(self, lengths: Tensor) -> Tensor:
        """Indices, still best first, such that no range holds more than its room."""
        ranges = self._range(lengths)
        member = torch.nn.functional.one_hot(ranges, len(self._room))
        rank = (member.cumsum(0) * member).sum(1)
        return (rank <= self._room[ranges]).nonzero()[:, 0]
