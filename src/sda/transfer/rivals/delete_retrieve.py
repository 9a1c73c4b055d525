"""Delete and retrieve (Li et al., 2018): a network joins content and markers to a sentence.

It learns to write sentences from what is left without their markers, and from the markers. To
rewrite, it is given the content of the source with the markers of the nearest sentence of the
target's style. Departure: content is one vector, without attention.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sda.randomness import seeded
from sda.text.sentences import Flat, Sentences
from sda.text.vocabulary import WordVocabulary
from sda.transfer.length_batches import length_batches
from sda.transfer.rivals.autoencoder import (
    Autoencoder,
    AutoencoderSettings,
    Done,
    frequent_words,
)
from sda.transfer.rivals.retrieval import Retrieval, without
from sda.transfer.styled import StyledTexts

LONGER = 2  # words that a rewriting may have more than the longest source
AT_ONCE = 500


class DeleteRetrieve(Retrieval):
    """Content of the source and markers of its nearest sentence, joined by a network."""

    def __init__(self, texts: StyledTexts, vocabulary: WordVocabulary, model: Autoencoder) -> None:
        super().__init__(texts)
        self.vocabulary = vocabulary
        self.model = model
        known = vocabulary.encode_words(self.markers.table.words)
        self._ids = np.array(known, np.int32)

    @classmethod
    def fit(
        cls, texts: StyledTexts, seed: int, settings: AutoencoderSettings, done: Done
    ) -> DeleteRetrieve:
        """The rival, trained."""
        vocabulary = frequent_words(texts, settings.words)
        # Layers draw from torch's own numbers, which other work goes on with.
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            rival = cls(texts, vocabulary, Autoencoder(len(vocabulary), 1, settings))
        rival._learn(settings, seed, done)
        return rival

    def rewrite(self, texts: Sequence[str], origin: int, target: int) -> list[str]:
        """Each text of one style in the other."""
        flat = self.markers.table.flat(texts)
        content = without(flat, self.markers.find(flat, origin))
        places = np.array(self.nearest(content, target), np.int64)
        borrowed = without(*self._taken(target, places, is_marked=False))
        sentences, manner = self._sentences(content), self._words(borrowed)
        unk = self.vocabulary.unk
        assert unk is not None
        steps = int(flat.lengths.max(initial=0)) + 1 + LONGER
        found: list[str] = []
        for rows in torch.split(torch.arange(len(texts)), AT_ONCE):
            with torch.no_grad():
                said, _ = self.model.encode(sentences[rows].trimmed())
                how = self._manner(manner[rows])
            found += self.vocabulary.decode(self.model.write(said, how, steps, unk))
        return found

    def _learn(self, settings: AutoencoderSettings, seed: int, done: Done) -> None:
        rng = seeded(seed, "delete-retrieve")
        wholes, contents, markers = [], [], []
        for style, part in enumerate(self.parts):
            order = torch.randperm(len(part), generator=rng)[: settings.sentences].numpy()
            flat, marked = self._taken(style, order, is_marked=True)
            wholes.append(self._sentences(flat))
            contents.append(self._sentences(without(flat, marked)))
            markers.append(self._words(without(flat, ~marked)))
        whole, content, manner = map(Sentences.join, (wholes, contents, markers))
        optimiser = torch.optim.Adam(self.model.parameters(), lr=settings.rate)
        for _ in range(settings.first_epochs + settings.epochs):
            for rows in length_batches(whole.lengths, settings.batch, rng):
                part_of = whole[rows].trimmed()
                said, _ = self.model.encode(content[rows].trimmed())
                logits, _ = self.model.teach(part_of.tokens, said, self._manner(manner[rows]))
                loss = nn.functional.cross_entropy(
                    logits[part_of.mask], part_of.tokens[part_of.mask]
                )
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
                optimiser.step()
            done("joining")

    def _taken(
        self, style: int, order: NDArray[np.int64], is_marked: bool
    ) -> tuple[Flat, NDArray[np.bool_]]:
        """Sentences of the style by their places, and which of their words are markers, or not."""
        part = self.parts[style]
        marked = Flat(self.found[style].astype(np.int32), part.starts).take(order).ids
        return part.take(order), marked.astype(np.bool_) == is_marked

    def _sentences(self, sentences: Flat) -> Sentences:
        """In the ids of the network, each with its end."""
        return Sentences.from_flat(self._numbered(sentences), self.vocabulary.eos)

    def _words(self, sentences: Flat) -> Sentences:
        return Sentences.from_flat(self._numbered(sentences))

    def _numbered(self, sentences: Flat) -> Flat:
        return Flat(self._ids[sentences.ids], sentences.starts)

    def _manner(self, markers: Sentences) -> Tensor:
        """(B, E) the mean of the markers' words; zero where there are none."""
        mask = markers.mask[:, :, None]
        words: Tensor = self.model.embedding(markers.tokens) * mask
        return words.sum(1) / markers.lengths.clamp(min=1)[:, None]
