"""SeqGAN's convolutional discriminator: windows of several widths, max over time, a highway.

Departure: SeqGAN pads every sentence to one length and lets windows run over the padding. Here a
window lies within its sentence, or starts at its first word when the sentence is shorter than the
window, so a judgement does not depend on the company a sentence keeps. At full length both agree.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from sda.models.discriminator import Discriminator, match_label
from sda.text.context import Context
from sda.text.sentences import Sentences


class CnnDiscriminator(Discriminator):
    """Embedding, convolutions of the given widths with as many maps each, highway, one output.

    Labels, where sentences have some, are asked for as in `RnnDiscriminator`.
    """

    def __init__(
        self,
        vocabulary_size: int,
        rng: torch.Generator,
        embedding: int = 64,
        widths: Sequence[int] = (1, 2, 3, 4, 5),
        maps: Sequence[int] = (100, 100, 80, 80, 80),
        dropout: float = 0.25,
        penalty: float = 0.0,
        labels: int = 0,
    ) -> None:
        super().__init__()
        if len(widths) != len(maps):
            raise ValueError(f"{len(widths)} widths need as many numbers of maps, not {len(maps)}")
        if not widths or min(embedding, *widths, *maps) < 1:
            raise ValueError("embedding, widths and maps must be 1 or more")
        features = sum(maps)
        self.pad = vocabulary_size
        self.widths = tuple(widths)
        self.maps = tuple(maps)
        self.penalty_weight = penalty
        self.embedding = nn.Embedding(vocabulary_size + 1, embedding)
        self.filters = nn.ModuleList(
            nn.Linear(width * embedding, count, bias=False)
            for width, count in zip(widths, maps, strict=True)
        )
        self.filter_bias = nn.Parameter(torch.empty(features))
        self.gate = nn.Linear(features, features)
        self.transform = nn.Linear(features, features)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(features, 1)
        self.labels = nn.Embedding(labels, features) if labels else None
        self._initialise(rng)

    @torch.no_grad()
    def _initialise(self, rng: torch.Generator) -> None:
        """SeqGAN's values: embeddings uniform in [-1, 1], weights N(0, 0.1) cut at 2 sd."""
        self.embedding.weight.uniform_(-1, 1, generator=rng)
        for layer in (*self.filters, self.gate, self.transform, self.output):
            nn.init.trunc_normal_(layer.weight, std=0.1, a=-0.2, b=0.2, generator=rng)
        self.filter_bias.fill_(0.1)
        for layer in (self.gate, self.transform, self.output):
            layer.bias.zero_()
        self.output.bias.fill_(0.1)
        if self.labels is not None:
            nn.init.trunc_normal_(self.labels.weight, std=0.1, a=-0.2, b=0.2, generator=rng)

    def features(self, sentences: Sentences) -> Tensor:
        return self.highway(self._peaks(sentences))

    def real_logit(self, sentences: Sentences) -> Tensor:
        return self._logit(self.features(sentences), sentences.context)

    def completed_logit(self, prefixes: Tensor, completions: Sentences) -> Tensor:
        # Windows within the prefix are the same in all its completions and are looked at once.
        lengths = torch.full_like(prefixes[:, 0], prefixes.shape[1])
        inside = self._peaks(Sentences(prefixes, lengths), whole_windows=True)
        copies = len(completions) // len(prefixes)
        peaks = torch.maximum(
            inside.repeat_interleave(copies, 0),
            self._peaks(completions, known=prefixes.shape[1]),
        )
        return self._logit(self.highway(peaks), completions.context)

    def _peaks(self, sentences: Sentences, known: int = 0, whole_windows: bool = False) -> Tensor:
        """(B, F) the highest score of each map over the windows of each sentence.

        Windows within the first `known` words are left out. With `whole_windows` a sentence
        shorter than a window has no such window, and its peak is minus infinity.
        """
        sentences = sentences.trimmed()
        lengths = sentences.lengths
        tokens = sentences.tokens.masked_fill(~sentences.mask, self.pad)
        missing = max(self.widths) - tokens.shape[1]
        if missing > 0 and not whole_windows:
            tokens = nn.functional.pad(tokens, (0, missing), value=self.pad)
        embedded = self.embedding(tokens)
        size = embedded.shape[2]
        row = embedded.flatten(1)
        shortest = int(lengths.min()) if len(lengths) else 0
        peaks = []
        for width, count, layer in zip(self.widths, self.maps, self.filters, strict=True):
            if width > tokens.shape[1]:
                peaks.append(row.new_full((len(row), count), -torch.inf))
                continue
            first = max(0, known - width + 1)
            # A linear layer on windows of the flattened row is the convolution, and on a CPU the
            # fastest form of it; bias and ReLU commute with the maximum and come after it.
            scores = layer(row[:, first * size :].unfold(1, width * size, size))
            last = tokens.shape[1] - width
            if shortest - width < last:
                ends = (lengths - width).clamp(min=0)
                starts = torch.arange(first, last + 1, device=ends.device)
                scores = scores.masked_fill((starts > ends[:, None])[:, :, None], -torch.inf)
            peaks.append(scores.amax(1))
        return torch.cat(peaks, 1)

    def highway(self, peaks: Tensor) -> Tensor:
        """(B, F) features from the highest scores of the maps, before their bias."""
        pooled = torch.relu(peaks + self.filter_bias)
        gate = torch.sigmoid(self.gate(pooled))
        mixed: Tensor = gate * torch.relu(self.transform(pooled)) + (1 - gate) * pooled
        return mixed

    def _logit(self, features: Tensor, context: Context | None) -> Tensor:
        features = self.dropout(features)
        logit: Tensor = self.output(features)
        return logit[:, 0] + match_label(self.labels, features, context)

    def penalty(self) -> Tensor | float:
        if not self.penalty_weight:
            return 0.0
        squares = self.output.weight.square().sum() + self.output.bias.square().sum()
        return self.penalty_weight * squares / 2
