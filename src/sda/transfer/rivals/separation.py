"""Rivals that take style and content apart, trained from sentences to rewritings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import torch
from torch import Tensor, nn

from sda.randomness import seeded
from sda.text.sentences import Sentences
from sda.text.vocabulary import WordVocabulary
from sda.transfer.length_batches import length_batches
from sda.transfer.rivals.autoencoder import Autoencoder, AutoencoderSettings, Done, frequent_words
from sda.transfer.rivals.objectives import (
    Batch,
    Controlled,
    CrossAligned,
    LanguageModels,
    RivalObjective,
    Variational,
)
from sda.transfer.styled import StyledTexts

LONGER = 2  # words that a rewriting may have more than the longest source
OBJECTIVES = ("vae", "cross-aligned", "controlled", "language-models")
HIDDEN = 0.3  # share of words that the decoder does not see of what it has to write


@dataclass(frozen=True)
class Separation:
    """An autoencoder that is told the style, and is made to obey by the objective of that name."""

    vocabulary: WordVocabulary
    model: Autoencoder
    settings: AutoencoderSettings

    @classmethod
    def fit(
        cls, name: str, texts: StyledTexts, seed: int, settings: AutoencoderSettings, done: Done
    ) -> Separation:
        """The rival, trained."""
        vocabulary = frequent_words(texts, settings.words)
        drawn = [
            _some(part, settings.sentences, seed, style) for style, part in enumerate(texts.texts)
        ]
        sentences = vocabulary.encode(list(chain.from_iterable(drawn)))
        sizes = torch.tensor([len(part) for part in drawn])
        styles = torch.arange(len(drawn)).repeat_interleave(sizes)
        # Layers draw from torch's own numbers, which other work goes on with.
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = Autoencoder(len(vocabulary), len(drawn), settings)
            objective = _objective(name, len(vocabulary), len(drawn), settings)
            rival = cls(vocabulary, model, settings)
            rival._learn(objective, sentences, styles, seeded(seed, name), done)
        return rival

    def rewrite(self, texts: Sequence[str], origin: int, target: int) -> list[str]:
        """Each text in the style; what it was before is not asked for."""
        found: list[str] = []
        unk = self.vocabulary.unk
        assert unk is not None
        for start in range(0, len(texts), 500):
            sentences = self.vocabulary.encode(texts[start : start + 500])
            with torch.no_grad():
                content, _ = self.model.encode(sentences)
                manner = self.model.style(torch.full((len(sentences),), target))
            steps = sentences.tokens.shape[1] + LONGER
            found += self.vocabulary.decode(self.model.write(content, manner, steps, unk))
        return found

    def _learn(
        self,
        objective: RivalObjective,
        sentences: Sentences,
        styles: Tensor,
        rng: torch.Generator,
        done: Done,
    ) -> None:
        settings, model = self.settings, self.model
        optimiser = torch.optim.Adam(model.parameters(), lr=settings.rate)
        count = int(styles.max()) + 1
        for epoch in range(settings.first_epochs + settings.epochs):
            is_first = epoch < settings.first_epochs
            for rows in length_batches(sentences.lengths, settings.batch, rng):
                part, own = sentences[rows].trimmed(), styles[rows]
                if is_first:
                    objective.prepare(part, own)
                batch, loss = self._reconstruct(part, own, count, objective.is_random, rng)
                if not is_first:
                    loss = loss + objective.loss(model, batch)
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(model.parameters(), 5.0)
                optimiser.step()
            done("reconstruction" if is_first else "style")

    def _reconstruct(
        self, part: Sentences, own: Tensor, count: int, is_random: bool, rng: torch.Generator
    ) -> tuple[Batch, Tensor]:
        """What the parts of a loss need, and the surprise of a word when it is reconstructed."""
        unk = self.vocabulary.unk
        assert unk is not None
        mean, spread = self.model.encode(part)
        content = mean
        if is_random:
            content = mean + torch.randn(mean.shape, generator=rng) * (spread / 2).exp()
        # A decoder that sees all words before it would guess the next one without the content.
        hidden = torch.rand(part.tokens.shape, generator=rng) < HIDDEN
        logits, states = self.model.teach(
            part.tokens.masked_fill(hidden, unk), content, self.model.style(own)
        )
        mask = part.mask
        loss = nn.functional.cross_entropy(logits[mask], part.tokens[mask])
        others = (own + torch.randint(1, count, own.shape, generator=rng)) % count
        return Batch(part, own, others, content, mean, spread, states), loss


def _objective(name: str, size: int, styles: int, settings: AutoencoderSettings) -> RivalObjective:
    if name == "vae":
        return Variational()
    if name == "cross-aligned":
        return CrossAligned(styles, settings.hidden)
    if name == "controlled":
        return Controlled(size, styles, settings.embedding)
    return LanguageModels(size, styles, settings.embedding, settings.hidden)


def _some(texts: Sequence[str], most: int, seed: int, style: int) -> list[str]:
    """All texts, or so many of them at random."""
    if len(texts) <= most:
        return list(texts)
    order = torch.randperm(len(texts), generator=seeded(seed, "some", style))[:most]
    return [texts[place] for place in order.tolist()]
