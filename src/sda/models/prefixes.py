"""What a CNN discriminator sees in every beginning of a sentence: the leak of LeakGAN.

All features are computed without gradient: the leak informs the generator, and must not teach the
discriminator to please it.
"""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor
from torch.nn.functional import linear, pad

from sda.models.cnn import CnnDiscriminator
from sda.text.sentences import Sentences


class PrefixReader:
    """Features of prefixes, all at once or some words at a time; equal to those of each alone.

    A window that lies within a prefix is in every longer one too, so the peaks of all prefixes are
    running maxima. Only where a prefix is shorter than a window is there one that touches padding.
    It is a plain object: a module that holds it does not make the discriminator its child.
    """

    def __init__(self, discriminator: CnnDiscriminator) -> None:
        self._discriminator = discriminator
        self.size = sum(discriminator.maps)

    @torch.no_grad()
    def features(self, sentences: Sentences, wanted: Tensor | None = None) -> Tensor:
        """(B, T + 1, F), entry t for the first t words; zero past the end of a sentence.

        With `wanted` (B, T + 1) only those entries are computed, and the others are zero.
        """
        words = sentences.tokens.shape[1]
        if wanted is None:
            columns = torch.arange(words + 1, device=sentences.tokens.device)
            wanted = columns <= sentences.lengths[:, None]
        features = self.wanted_features(sentences, wanted)
        found = features.new_zeros(*wanted.shape, self.size)
        found[wanted] = features
        return found

    @torch.no_grad()
    def wanted_features(self, sentences: Sentences, wanted: Tensor) -> Tensor:
        """(M, F) the features of the prefixes that `wanted` (B, T + 1) names, row by row."""
        peaks = self._peaks(sentences.tokens, wanted.shape[1], None)
        return self._discriminator.highway(peaks[wanted])

    def weights(self) -> list[Tensor]:
        """All that features depend on, as it is now."""
        return [parameter.detach() for parameter in self._discriminator.parameters()]

    @torch.no_grad()
    def read(self, tokens: Tensor, count: int, before: Tensor | None) -> tuple[Tensor, Tensor]:
        """Features (B, count, F) of the longest `count` prefixes of words (B, t), themselves last.

        Also returns the peaks (B, F) of all t words. `before` has those of t - `count` words, and
        is None where the empty prefix is among the ones that are read.
        """
        peaks = self._peaks(tokens, count, before)
        return self._discriminator.highway(peaks), peaks[:, -1]

    def _peaks(self, tokens: Tensor, count: int, before: Tensor | None) -> Tensor:
        """(B, count, F) the highest scores of all maps in the longest `count` prefixes."""
        d = self._discriminator
        embedded = d.embedding(tokens)
        known = [None] * len(d.maps) if before is None else before.split(d.maps, 1)  # type: ignore[no-untyped-call]
        return torch.cat(
            [
                self._peaks_of_width(embedded, width, cast(Tensor, layer.weight), count, peaks)
                for width, layer, peaks in zip(d.widths, d.filters, known, strict=True)
            ],
            2,
        )

    def _peaks_of_width(
        self, embedded: Tensor, width: int, weight: Tensor, count: int, before: Tensor | None
    ) -> Tensor:
        """(B, count, maps): prefixes shorter than a window first, then running maxima."""
        words, size = embedded.shape[1:]
        shortest = words + 1 - count
        whole = min(count, max(0, words + 1 - width))
        parts = []
        if whole < count:
            parts.append(
                self._padded_windows(embedded[:, : width - 1], width, weight)[:, shortest:]
            )
        if whole:
            row = embedded[:, words + 1 - whole - width :].flatten(1)
            windows = linear(row.unfold(1, width * size, size), weight)
            if before is not None and shortest > width:
                windows[:, 0] = torch.maximum(windows[:, 0], before)
            parts.append(windows.cummax(1).values)
        return torch.cat(parts, 1)

    def _padded_windows(self, embedded: Tensor, width: int, weight: Tensor) -> Tensor:
        """(B, t + 1, maps) scores of the one window of the first 0, 1, ..., t < width words."""
        size = embedded.shape[2]
        taps = weight.view(-1, width, size).permute(1, 2, 0)
        padding = self._discriminator.embedding.weight[-1] @ taps
        after = padding.flip(0).cumsum(0).flip(0)[: embedded.shape[1] + 1]
        words = torch.einsum("bts,tsm->btm", embedded, taps[: embedded.shape[1]]).cumsum(1)
        return pad(words, (0, 0, 1, 0)) + after
