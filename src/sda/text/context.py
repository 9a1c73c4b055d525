"""What sentences are about: a label, a source sentence, or both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sda.text.ngrams import number_sentences
from sda.text.sentences import Sentences

ABOUT = "about."
"""Before the names of what a context is saved as."""


@dataclass(frozen=True)
class Context:
    """What each sentence of a batch is about, row by row.

    `labels` (B,) int64 are the numbers of labels, `source` the sentences that others start from: to
    be rewritten, or to be answered. At least one of the two is there.
    """

    labels: Tensor | None = None
    source: Sentences | None = None

    def __post_init__(self) -> None:
        if self.labels is None and self.source is None:
            raise ValueError("a context has labels, source sentences, or both")
        if self.labels is not None and self.labels.dim() != 1:
            raise ValueError(f"labels {tuple(self.labels.shape)} are not (B,)")
        if len({len(part) for part in (self.labels, self.source) if part is not None}) > 1:
            raise ValueError("a context has as many labels as source sentences")

    def __len__(self) -> int:
        rows = self.source if self.labels is None else self.labels
        assert rows is not None
        return len(rows)

    def __getitem__(self, index: Tensor | slice) -> Context:
        return Context(
            None if self.labels is None else self.labels[index],
            None if self.source is None else self.source[index],
        )

    def repeated(self, copies: int) -> Context:
        """Each row so many times, all of them in a row."""
        return self[torch.arange(len(self)).repeat_interleave(copies)]

    def trimmed(self) -> Context:
        """The same without the columns that are padding for all source sentences."""
        return Context(self.labels, None if self.source is None else self.source.trimmed())

    def to(self, device: torch.device | str) -> Context:
        return Context(
            None if self.labels is None else self.labels.to(device),
            None if self.source is None else self.source.to(device),
        )

    @property
    def bins(self) -> Tensor:
        """(B,) which part of a buffer each row belongs to: its label's; 0 where there is none."""
        if self.labels is not None:
            return self.labels
        return torch.zeros(len(self), dtype=torch.int64)

    def numbers(self) -> NDArray[np.int64]:
        """(B, 2) a row that is the same for rows about the same, and no other."""
        nothing = np.zeros(len(self), np.int64)
        labels = nothing if self.labels is None else self.labels.cpu().numpy()
        source = nothing if self.source is None else number_sentences(self.source.flat(None))
        return np.stack((labels, source), 1)

    @staticmethod
    def join(parts: Sequence[Context]) -> Context:
        """All parts one after the other; they have to be of one kind."""
        labels = [part.labels for part in parts if part.labels is not None]
        source = [part.source for part in parts if part.source is not None]
        if len(labels) not in (0, len(parts)) or len(source) not in (0, len(parts)):
            raise ValueError("some sentences have a label or a source, and others have none")
        return Context(
            torch.cat(labels) if labels else None, Sentences.join(source) if source else None
        )

    def tensors(self) -> dict[str, Tensor]:
        """All that it holds, by name; `from_tensors` makes the same of it again."""
        found = {} if self.labels is None else {"labels": self.labels}
        if self.source is not None:
            found |= {"source_tokens": self.source.tokens, "source_lengths": self.source.lengths}
        return found

    @staticmethod
    def from_tensors(tensors: Mapping[str, Tensor]) -> Context | None:
        """The context that `tensors` described; None where there is nothing in them."""
        if not tensors:
            return None
        source = None
        if "source_tokens" in tensors:
            source = Sentences(tensors["source_tokens"], tensors["source_lengths"])
        return Context(tensors.get("labels"), source)


def sentence_tensors(sentences: Sentences) -> dict[str, Tensor]:
    """Sentences and what they are about, by name; `tensor_sentences` makes the same of it again."""
    context = {} if sentences.context is None else sentences.context.tensors()
    return {
        "tokens": sentences.tokens,
        "lengths": sentences.lengths,
        **{f"{ABOUT}{name}": value for name, value in context.items()},
    }


def tensor_sentences(tensors: Mapping[str, Tensor]) -> Sentences:
    """The sentences that `sentence_tensors` described; other tensors may be among them."""
    about = {k.removeprefix(ABOUT): v for k, v in tensors.items() if k.startswith(ABOUT)}
    return Sentences(tensors["tokens"], tensors["lengths"], Context.from_tensors(about))


def labels_of(context: Context | None) -> Tensor:
    """(B,) the labels, for a model that cannot do without."""
    if context is None or context.labels is None:
        raise ValueError("this model is about labelled sentences, and these have no label")
    return context.labels


def source_of(context: Context | None) -> Sentences:
    """The source sentences, for a model that cannot do without."""
    if context is None or context.source is None:
        raise ValueError("this model starts from source sentences, and these have none")
    return context.source
