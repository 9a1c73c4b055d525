"""A judge of style by a convolutional network."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import chain

import torch
from torch import Tensor, nn

from sda.models.cnn import CnnDiscriminator
from sda.randomness import seeded
from sda.text.sentences import Sentences
from sda.text.tokens import tokenizer
from sda.text.vocabulary import WordVocabulary
from sda.transfer.length_batches import length_batches
from sda.transfer.styled import StyledTexts

WIDTHS = (1, 2, 3, 4)
MAPS = 64
EMBEDDING = 100
BATCH = 64
LEAST_UPDATES = 600  # small texts are read more often than twice
AT_ONCE = 1024  # sentences judged in one go


class StyleCnn:
    """A judge whose features come from windows of one to four words.

    It is the discriminator of `sda.models.cnn` with the styles as labels: its answers for all
    styles, made to sum to one.
    """

    kind = "cnn"

    def __init__(
        self, names: tuple[str, ...], vocabulary: WordVocabulary, body: CnnDiscriminator
    ) -> None:
        self.names = names
        self.vocabulary = vocabulary
        self.body = body.eval()

    @classmethod
    def new(cls, names: tuple[str, ...], vocabulary: WordVocabulary, seed: int) -> StyleCnn:
        """A judge that has not learned anything."""
        size, maps, rng = len(vocabulary), [MAPS] * len(WIDTHS), seeded(seed, "style", "start")
        body = CnnDiscriminator(
            *(size, rng, EMBEDDING, WIDTHS, maps), dropout=0.5, labels=len(names)
        )
        # What is the same for all styles has no part in the answer.
        body.output.requires_grad_(False)
        # Words that begin close to each other learn faster: 94 % of reviews are judged right after
        # 100 updates, in place of 86.
        with torch.no_grad():
            body.embedding.weight.mul_(0.1)
        return cls(names, vocabulary, body)

    @classmethod
    def fit(cls, texts: StyledTexts, seed: int) -> StyleCnn:
        """A judge that has learned these texts, each style as often as the others."""
        counts = Counter(chain.from_iterable(map(str.split, chain.from_iterable(texts.texts))))
        words = {word: count for word, count in counts.items() if count > 1} or dict(counts)
        # One word that occurs too seldom is enough for there to be an unknown one.
        known = WordVocabulary(
            tuple(sorted(words, key=lambda word: (-words[word], word))),
            has_unknown=True,
            tokenizer=tokenizer("whitespace"),
        )
        # Layers and dropout draw from torch's own numbers, which other work goes on with.
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            judge = cls.new(texts.names, known, seed)
            judge._learn(texts, seed)
        return judge

    def probabilities(self, texts: Sequence[str]) -> Tensor:
        """(N, styles) how likely each text is of each style."""
        if not texts:
            return torch.zeros(0, len(self.names))
        found = self.vocabulary.encode(texts)
        order = found.lengths.argsort()
        with torch.no_grad():
            parts = [self._logits(found[rows].trimmed()) for rows in torch.split(order, AT_ONCE)]
        logits = torch.cat(parts)[order.argsort()]
        return logits.softmax(1)

    def tensors(self) -> dict[str, Tensor]:
        return dict(self.body.state_dict())

    def values(self) -> dict[str, object]:
        return {"vocabulary": self.vocabulary.to_json()}

    @classmethod
    def from_saved(
        cls, names: tuple[str, ...], tensors: dict[str, Tensor], values: dict[str, object]
    ) -> StyleCnn:
        vocabulary = values["vocabulary"]
        assert isinstance(vocabulary, dict)
        with torch.random.fork_rng(devices=[]):
            judge = cls.new(names, WordVocabulary.from_json(vocabulary), seed=0)
        judge.body.load_state_dict(tensors)
        return judge

    def _logits(self, sentences: Sentences) -> Tensor:
        assert self.body.labels is not None
        features = self.body.dropout(self.body.features(sentences))
        logits: Tensor = features @ self.body.labels.weight.T
        return logits

    def _learn(self, texts: StyledTexts, seed: int) -> None:
        sentences = self.vocabulary.encode(list(chain.from_iterable(texts.texts)))
        sizes = torch.tensor([len(part) for part in texts.texts])
        styles = torch.arange(len(sizes)).repeat_interleave(sizes)
        weights = len(sentences) / (len(sizes) * sizes.float())
        trained = [value for value in self.body.parameters() if value.requires_grad]
        optimiser = torch.optim.Adam(trained, lr=1e-3)
        updates = math.ceil(len(sentences) / BATCH)
        epochs = max(2, math.ceil(LEAST_UPDATES / updates))
        rng = seeded(seed, "style", "order")
        self.body.train()
        for epoch in range(epochs):
            optimiser.param_groups[0]["lr"] = 1e-3 * 0.25 ** (epoch / (epochs - 1))
            for rows in length_batches(sentences.lengths, BATCH, rng):
                logits = self._logits(sentences[rows].trimmed())
                loss = nn.functional.cross_entropy(logits, styles[rows], weights)
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimiser.step()
        self.body.eval()
