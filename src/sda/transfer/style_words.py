"""Which words are of a style: how much likelier they are in it than in the others.

Two words in a row count as well where neither says it alone, as "not good" does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from sda.text.sentences import Sentences

SMOOTHING = 1.0  # how often a word counts as seen in each style, beside how often it was
PAIR_SMOOTHING = 5.0  # the same for two words in a row, of which most are rare
ALONE = 0.5  # the most that the odds of one of two words may be where both together count


@dataclass(frozen=True)
class StyleWords:
    """The log-odds (styles, ids) of words, and of some pairs of words: of pair p, whose code is
    `codes[p]`, they are `pairs[:, p]`. Codes are sorted."""

    words: Tensor
    codes: Tensor
    pairs: Tensor

    @staticmethod
    def of(styles: Sequence[Sentences], ids: int, known: int) -> StyleWords:
        """Those of the sentences of each style, whose ids are below `ids`.

        Ids from `known` on, and id 0, which ends every sentence, are of no style.
        """
        of_style = torch.cat([torch.full_like(s.lengths, i) for i, s in enumerate(styles)])
        every = Sentences.join(styles)
        is_word = every.mask & (every.tokens > 0) & (every.tokens < known)
        owners = of_style[:, None].expand_as(every.tokens)
        words = _counted(every.tokens[is_word], owners[is_word], ids, len(styles))
        odds = _log_odds(words, SMOOTHING)
        odds[:, 0] = 0
        odds[:, known:] = 0
        both = is_word[:, 1:] & is_word[:, :-1]
        codes = (every.tokens[:, :-1] * ids + every.tokens[:, 1:])[both]
        found, numbers = torch.unique(codes, return_inverse=True)
        pairs = _counted(numbers, owners[:, 1:][both], len(found), len(styles))
        pair_odds = _log_odds(pairs, PAIR_SMOOTHING)
        alone = torch.maximum(odds[:, found // ids], odds[:, found % ids])
        pair_odds = pair_odds.where(alone <= ALONE, -torch.inf)
        kept = (pair_odds > ALONE).any(0)
        return StyleWords(odds.float(), found[kept], pair_odds[:, kept].float())

    def odds(self, sentences: Sentences) -> Tensor:
        """(styles, B, T) how much each word is of each style, alone or with a neighbour."""
        tokens = sentences.tokens.clamp(max=self.words.shape[1] - 1)
        odds = self.words[:, tokens]
        if not len(self.codes) or tokens.shape[1] < 2:
            return odds
        codes = tokens[:, :-1] * self.words.shape[1] + tokens[:, 1:]
        places = torch.searchsorted(self.codes, codes).clamp(max=len(self.codes) - 1)
        pairs = self.pairs[:, places].masked_fill(self.codes[places] != codes, -torch.inf)
        odds[:, :, 1:] = torch.maximum(odds[:, :, 1:], pairs)
        odds[:, :, :-1] = torch.maximum(odds[:, :, :-1], pairs)
        return odds

    def of_style(self, sentences: Sentences, styles: Tensor) -> Tensor:
        """(B, T) how much each word is of the style (B,) that its sentence has."""
        return self.odds(sentences)[styles, torch.arange(len(sentences))]

    def of_others(self, sentences: Sentences, styles: Tensor) -> Tensor:
        """(B, T) how much each word is of any style but this one (B,)."""
        every = self.odds(sentences)
        every[styles, torch.arange(len(sentences))] = -torch.inf
        return every.amax(0)

    def tensors(self) -> dict[str, Tensor]:
        return {"words": self.words, "codes": self.codes, "pairs": self.pairs}

    @staticmethod
    def from_tensors(tensors: Mapping[str, Tensor]) -> StyleWords:
        return StyleWords(tensors["words"], tensors["codes"], tensors["pairs"])


def _counted(numbers: Tensor, styles: Tensor, size: int, count: int) -> Tensor:
    """(count, size) how often each number occurs in each style."""
    found = torch.bincount(styles * size + numbers, minlength=count * size)
    return found.view(count, size).double()


def _log_odds(counts: Tensor, smoothing: float) -> Tensor:
    """(styles, n) the logarithm of the share in a style against that in the others."""

    def log_share(found: Tensor) -> Tensor:
        return ((found + smoothing) / (found.sum(1, keepdim=True) + smoothing)).log()

    return log_share(counts) - log_share(counts.sum(0) - counts)
