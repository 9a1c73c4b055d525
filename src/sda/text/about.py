"""What sentences are about, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sda.text.sentences import Sentences
from sda.text.vocabulary import Vocabulary


class About(NamedTuple):
    """What one sentence is about: the name of its label, the text of its source; None for none."""

    label: str | None = None
    source: str | None = None

    def as_dict(self) -> dict[str, str]:
        """What there is, by name."""
        return {name: text for name, text in self._asdict().items() if text is not None}


def in_words(
    sentences: Sentences, label_names: Sequence[str], vocabulary: Vocabulary
) -> list[About]:
    """What each of the sentences is about."""
    context = sentences.context
    nothing: list[str | None] = [None] * len(sentences)
    if context is None:
        return [About()] * len(sentences)
    numbers = None if context.labels is None else context.labels.tolist()
    labels = nothing if numbers is None else [label_names[number] for number in numbers]
    sources = nothing if context.source is None else vocabulary.decode(context.source)
    return [About(*pair) for pair in zip(labels, sources, strict=True)]
