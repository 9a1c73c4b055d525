"""The sentences of a run of style transfer: read, split, and as ids."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from sda.errors import UserError
from sda.randomness import seeded
from sda.text.context import Context
from sda.text.sentences import Sentences
from sda.text.tokens import tokenizer
from sda.transfer.sources import SOURCES, styled_source
from sda.transfer.styled import StyledTexts, read_styled
from sda.transfer.transfer_settings import StyledDataSettings, TransferSettings
from sda.transfer.word_slots import Unknown, WordSlots

VALID_SHARE = 0.1
FEWEST = 20  # sentences of a style; with fewer there is nothing to learn or to judge by


@dataclass(frozen=True)
class LearnedTexts:
    """Sentences with their styles as labels, and what their slots stand for."""

    sentences: Sentences
    unknown: Unknown

    def __len__(self) -> int:
        return len(self.sentences)

    @property
    def styles(self) -> Tensor:
        """(N,) the number of the style of each sentence."""
        context = self.sentences.context
        assert context is not None and context.labels is not None
        return context.labels

    def __getitem__(self, rows: Tensor) -> LearnedTexts:
        return LearnedTexts(self.sentences[rows], [self.unknown[row] for row in rows.tolist()])


@dataclass(frozen=True)
class TransferTexts:
    """What is learned from (`train`), what is set aside (`valid`), and the vocabulary of both."""

    train: StyledTexts
    valid: StyledTexts
    slots: WordSlots
    learned: LearnedTexts
    source: str | None
    """The name of the source without data that all of it comes from, if it does."""

    @property
    def names(self) -> tuple[str, ...]:
        return self.train.names

    def fingerprint(self) -> str:
        """What tells these texts from any others."""
        parts = ("\n".join(part) for texts in (self.train, self.valid) for part in texts.texts)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def summary(self) -> list[tuple[str, str]]:
        """Facts for people."""
        counts = ", ".join(
            f"{name} {len(part):,}" for name, part in zip(self.names, self.train.texts, strict=True)
        )
        return [
            ("sentences", counts),
            ("set aside", f"{sum(map(len, self.valid.texts)):,}"),
            ("words known", f"{self.slots.known - 1:,}"),
        ]


def load_transfer_texts(settings: TransferSettings) -> TransferTexts:
    """The texts that the settings name, always the same ones for the same settings."""
    data = settings.data
    sources = settings.sources
    if len(sources) == 1 and sources[0] in SOURCES:
        source = sources[0]
        train = _cut(styled_source(source, data.size, settings.seed), data)
        # Of another seed, so that they are as strange to the model as any others.
        valid = _cut(styled_source(source, data.valid, settings.seed + 1), data, fewest=1)
        known = set().union(*train.texts)
        valid = _filtered(valid, lambda text: text not in known)
    elif len(sources) == 1:
        raise UserError(
            f"{sources[0]}: style transfer needs two files or more, one for each style, or one of"
            f" {', '.join(SOURCES)}"
        )
    else:
        source = None
        every = read_styled([Path(file) for file in sources], data.names)
        every = _cut(every, data)
        check_different(every)
        train, valid = _set_aside(every, data.valid, settings.seed)
    slots = WordSlots.of(
        (text for part in train.texts for text in part), data.min_count, tokenizer(data.tokenizer)
    )
    return TransferTexts(train, valid, slots, _learned(train, slots, data, settings.seed), source)


def encode_styled(texts: StyledTexts, slots: WordSlots) -> LearnedTexts:
    """All sentences of all styles as ids."""
    sentences, unknown = slots.encode([text for part in texts.texts for text in part])
    sizes = torch.tensor([len(part) for part in texts.texts])
    styles = torch.arange(len(sizes)).repeat_interleave(sizes)
    return LearnedTexts(sentences.about(Context(styles)), unknown)


def check_different(texts: StyledTexts) -> None:
    """Two styles whose sentences are the same are no two styles."""
    parts = [set(part) for part in texts.texts]
    for number, part in enumerate(parts):
        for other in range(number):
            shared = len(part & parts[other])
            if shared > 0.5 * min(len(part), len(parts[other])):
                raise UserError(
                    f"styles {texts.names[other]!r} and {texts.names[number]!r} share {shared:,} of"
                    f" their sentences, so there is nothing to tell them by: are they the same"
                    " file?"
                )


def _cut(texts: StyledTexts, data: StyledDataSettings, fewest: int = FEWEST) -> StyledTexts:
    """Sentences in small letters where that is wanted, and none that is too long."""
    split = tokenizer(data.tokenizer).split
    if data.lowercase:
        parts = (tuple(text.lower() for text in part) for part in texts.texts)
        texts = StyledTexts(texts.names, tuple(parts))
    found = _filtered(texts, lambda text: len(split(text)) <= data.max_words)
    for name, part, before in zip(found.names, found.texts, texts.texts, strict=True):
        if len(set(part)) < fewest:
            raise UserError(
                f"style {name!r} has {len(set(part))} different sentences of at most"
                f" {data.max_words} words, of {len(before):,} in all: it needs {fewest} or more"
            )
    return found


def _filtered(texts: StyledTexts, is_kept: Callable[[str], bool]) -> StyledTexts:
    parts = (tuple(text for text in part if is_kept(text)) for part in texts.texts)
    return StyledTexts(texts.names, tuple(parts))


def _set_aside(texts: StyledTexts, size: int, seed: int) -> tuple[StyledTexts, StyledTexts]:
    """Sentences to learn from, and those to check by, which are not among them."""
    train, valid = [], []
    for name, part in zip(texts.names, texts.texts, strict=True):
        distinct = sorted(set(part))
        count = min(size, max(1, int(VALID_SHARE * len(distinct))))
        order = torch.randperm(len(distinct), generator=seeded(seed, "valid", name)).tolist()
        kept = {distinct[row] for row in order[:count]}
        valid.append(tuple(distinct[row] for row in order[:count]))
        train.append(tuple(text for text in part if text not in kept))
    return StyledTexts(texts.names, tuple(train)), StyledTexts(texts.names, tuple(valid))


def _learned(
    train: StyledTexts, slots: WordSlots, data: StyledDataSettings, seed: int
) -> LearnedTexts:
    """What the model sees: at most `limit` sentences of each style."""
    parts = []
    for name, part in zip(train.names, train.texts, strict=True):
        order = torch.randperm(len(part), generator=seeded(seed, "learned", name))
        parts.append(tuple(part[row] for row in order[: data.limit].sort().values.tolist()))
    return encode_styled(StyledTexts(train.names, tuple(parts)), slots)


def style_number(names: Sequence[str], wanted: str) -> int:
    """The place of a style among the names; one that does not exist is refused."""
    if wanted not in names:
        raise UserError(f"there is no style {wanted!r} (known: {', '.join(names)})")
    return list(names).index(wanted)
