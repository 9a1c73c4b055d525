"""A discriminator that sees how a sentence looks: how common its words are, what it repeats.

What a generator makes of a word says little of either: each rare word is another one, and a
repetition is likely where the generator repeats. A metric may be about nothing else
(decision 0158).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from sda.models.word_judge import Pooling, WordJudge
from sda.text.sentences import Sentences

REPEATED = 3
"""The longest n-grams that are looked for among those before."""


class SurfaceReader(nn.Module):
    """Says of each word what can be seen without knowing it."""

    def __init__(self, vocabulary_size: int) -> None:
        super().__init__()
        self.largest: Tensor
        self.register_buffer("largest", torch.tensor(float(vocabulary_size)), persistent=False)

    @property
    def device(self) -> torch.device:
        return self.largest.device

    @torch.no_grad()
    def word_states(self, sentences: Sentences) -> Tensor:
        """(M, F) of each word that is not padding: its rank in the vocabulary, which has frequent
        words first, the n-grams ending with it that stood before, its place, and the length of
        the sentence.
        """
        sentences = sentences.trimmed()
        tokens, mask = sentences.tokens, sentences.mask
        ranks = tokens.float()
        places = torch.arange(tokens.shape[1], device=tokens.device).float().expand_as(ranks)
        lengths = sentences.lengths.float()[:, None].expand_as(ranks)
        figures = [ranks.log1p(), ranks / self.largest, *_repeated(tokens), places, lengths.log1p()]
        return torch.stack(figures, 2)[mask]


class SurfaceJudge(WordJudge):
    """A verdict on each word from how it looks, and D from the verdicts as in a judge of states.

    One rare word may be enough for a metric, so `any` stands beside the sum.
    """

    pace = 10.0  # few numbers of one size each: larger steps are safe, and needed for sharp edges

    def __init__(
        self,
        vocabulary_size: int,
        rng: torch.Generator,
        hidden: int = 64,
        dropout: float = 0.1,
        pooling: Pooling = "sum",
    ) -> None:
        one_word = Sentences(torch.zeros(1, 1, dtype=torch.int64), torch.ones(1, dtype=torch.int64))
        # Layers draw from torch's own numbers first, which other judges go on with.
        with torch.random.fork_rng(devices=[]):
            super().__init__(
                SurfaceReader(vocabulary_size), one_word, rng, hidden, dropout, pooling
            )


def _repeated(tokens: Tensor) -> list[Tensor]:
    """For each n up to `REPEATED` (B, T): 1 where the n-gram ending there stood before, else 0."""
    width = tokens.shape[1]
    alike = tokens[:, :, None] == tokens[:, None, :]
    alike &= torch.ones(width, width, device=tokens.device).tril(-1).bool()
    found, longer = [], alike
    for n in range(REPEATED):
        if n:
            # An n-gram stood before if what it begins with did, and the word after that is its own.
            before = torch.zeros_like(longer)
            before[:, 1:, 1:] = longer[:, :-1, :-1]
            longer = alike & before
        found.append(longer.any(2).float())
    return found
