"""What a CNN discriminator sees in every beginning of a sentence: the leak of LeakGAN.

All features are computed without gradient: the leak informs the generator, and must not teach the
discriminator to please it.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import embedding, linear

from sda.models.cnn import CnnDiscriminator
from sda.text.sentences import Sentences


class PrefixReader:
    """Features of prefixes, all at once or word by word; equal to those of the prefix alone.

    A window that lies within a prefix is in every longer one too, so the peaks of all prefixes are
    running maxima. Only where a prefix is shorter than a window is there one that touches padding.
    It is a plain object: a module that holds it does not make the discriminator its child.
    """

    def __init__(self, discriminator: CnnDiscriminator) -> None:
        self._discriminator = discriminator
        self.size = sum(discriminator.maps)

    @torch.no_grad()
    def features(self, sentences: Sentences) -> Tensor:
        """(B, T + 1, F), entry t for the first t words; zero past the end of a sentence."""
        d = self._discriminator
        embedded = d.embedding(sentences.tokens.masked_fill(~sentences.mask, d.pad))
        peaks = torch.cat(
            [self._running_peaks(embedded, width, weight) for width, weight in self._filters()], 2
        )
        columns = torch.arange(peaks.shape[1], device=peaks.device)
        inside = columns <= sentences.lengths[:, None]
        found = peaks.new_zeros(peaks.shape)
        found[inside] = d.highway(peaks[inside])
        return found

    def _filters(self) -> list[tuple[int, Tensor]]:
        d = self._discriminator
        return [(w, layer.weight) for w, layer in zip(d.widths, d.filters, strict=True)]  # type: ignore[misc]

    def _running_peaks(self, embedded: Tensor, width: int, weight: Tensor) -> Tensor:
        """(B, T + 1, maps) of one width: windows over padding first, then running maxima."""
        words, size = embedded.shape[1:]
        short = self._padded_windows(embedded[:, : width - 1], width, weight)
        if words < width:
            return short
        windows = linear(embedded.flatten(1).unfold(1, width * size, size), weight)
        return torch.cat((short, windows.cummax(1).values), 1)

    def _padded_windows(self, embedded: Tensor, width: int, weight: Tensor) -> Tensor:
        """(B, t + 1, maps) scores of the one window of the first 0, 1, ..., t < width words."""
        size = embedded.shape[2]
        taps = weight.view(-1, width, size).permute(1, 2, 0)
        padding = self._discriminator.embedding.weight[-1] @ taps
        after = padding.flip(0).cumsum(0).flip(0)[: embedded.shape[1] + 1]
        words = torch.einsum("bts,tsm->btm", embedded, taps[: embedded.shape[1]]).cumsum(1)
        return torch.nn.functional.pad(words, (0, 0, 1, 0)) + after

    @torch.no_grad()
    def read(self, tokens: Tensor, peaks: Tensor | None) -> tuple[Tensor, Tensor]:
        """Features (B, F) and peaks (B, F) of the prefixes (B, t), given the peaks at t - 1."""
        d = self._discriminator
        count = tokens.shape[1]
        found = []
        for number, (width, weight) in enumerate(self._filters()):
            window = tokens[:, max(0, count - width) :]
            if count < width:
                window = torch.nn.functional.pad(window, (0, width - count), value=d.pad)
            score = linear(embedding(window, d.embedding.weight).flatten(1), weight)
            if peaks is not None and count > width:
                start = sum(d.maps[:number])
                score = torch.maximum(score, peaks[:, start : start + d.maps[number]])
            found.append(score)
        new = torch.cat(found, 1)
        return d.highway(new), new
