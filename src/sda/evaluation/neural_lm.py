"""An LSTM in the place of the n-gram model: slower, and with a longer memory.

It sees agreement over more words than an n-gram does, and is gamed in the same ways: one likely
sentence repeated has a low perplexity, and only the reverse score punishes it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray

from sda.evaluation.language_model import LanguageModel, lm_score, unseen_words
from sda.evaluation.score import PLAIN, Convention, Score
from sda.models.generator import Frame, generator_log_prob
from sda.models.rnn import RnnGenerator
from sda.text.sentences import Flat, Sentences

EPOCHS = 8
HIDDEN = 128
AfterEpoch = Callable[[int, float], None]

_END, _UNKNOWN, _FIRST_WORD = range(3)
_DROPOUT = 0.3
_RATE = 0.006
_RATE_DROP = 4.0
_DROPS = 2
_BATCH = 32
_CLIP = 1.0


class NeuralModel:
    """An LSTM trained on nine tenths of the sentences, as good as it was on the last tenth.

    Words that `train` has once are the unknown word to it, which thereby learns where rare words
    stand. What probability it has is shared evenly by those words and `unseen` more, so that models
    of different texts can be compared: see `unseen_words`. `progress` is called after each epoch
    with its number and the loss per token on the last tenth. The same seed gives the same model,
    and torch's global random numbers are left as they were.
    """

    def __init__(
        self,
        train: Flat,
        seed: int,
        unseen: int = 1,
        epochs: int = EPOCHS,
        hidden: int = HIDDEN,
        progress: AfterEpoch | None = None,
    ) -> None:
        if len(train) < 2:
            raise ValueError("an LSTM needs at least two sentences, one to learn and one to check")
        if min(unseen, epochs) < 1:
            raise ValueError(f"unseen and epochs must be 1 or more, not {unseen} and {epochs}")
        words, counts = np.unique(train.ids, return_counts=True)
        self._words = words[counts > 1]
        self._unknown_words = len(words) - len(self._words) + unseen
        self.facts: dict[str, object] = {
            "lm": "lstm",
            "hidden": hidden,
            "epochs": epochs,
            "seed": seed,
            "fitted": len(train),
            "words": len(self._words),
            "unseen": unseen,
        }
        sentences = self._encode(train)
        rng = torch.Generator().manual_seed(seed)
        order = torch.randperm(len(sentences), generator=rng)
        tenth = -(-len(sentences) // 10)
        check, fit = sentences[order[:tenth]], sentences[order[tenth:]]
        # Layers under construction and dropout draw from the global generator.
        with torch.random.fork_rng(devices=[]):
            torch.default_generator.manual_seed(seed)
            self._generator = RnnGenerator(
                Frame(len(self._words) + _FIRST_WORD, _END, sentences.tokens.shape[1]),
                rng,
                embedding=hidden,
                hidden=hidden,
                dropout=_DROPOUT,
                tied=True,
            )
            _fit(self._generator, fit, check, epochs, rng, progress)

    def log_prob(self, sentences: Flat) -> NDArray[np.float64]:
        """(B,) natural logarithm of the probability of each sentence and its end."""
        encoded = self._encode(sentences)
        unknown = (encoded.tokens == _UNKNOWN).sum(1) * math.log(self._unknown_words)
        log_probs: NDArray[np.float64]
        log_probs = (generator_log_prob(self._generator, encoded) - unknown).numpy()
        return log_probs

    def _encode(self, sentences: Flat) -> Sentences:
        """The sentences in the model's own ids, each closed by the end symbol."""
        known = np.isin(sentences.ids, self._words)
        places = np.searchsorted(self._words, sentences.ids) + _FIRST_WORD
        ids = np.where(known, places, _UNKNOWN).astype(np.int32)
        return Sentences.from_flat(Flat(ids, sentences.starts), _END)


def reverse_lstm_score(
    samples: Flat,
    real: Flat,
    seed: int,
    convention: Convention = PLAIN,
    epochs: int = EPOCHS,
    hidden: int = HIDDEN,
    progress: AfterEpoch | None = None,
) -> Score:
    """The perplexity of real text per token, ends counted, under an LSTM trained on the samples."""
    unseen = unseen_words(samples, real)
    model: LanguageModel = NeuralModel(samples, seed, unseen, epochs, hidden, progress)
    return lm_score(real, model, "reverse-lstm-perplexity", convention)


def _fit(
    generator: RnnGenerator,
    fit: Sentences,
    check: Sentences,
    epochs: int,
    rng: torch.Generator,
    progress: AfterEpoch | None,
) -> None:
    """The generator has the weights of the epoch that was best on `check`.

    An epoch that is no better is taken back, and the rate falls; the third such epoch is the last.
    """
    optimizer = torch.optim.Adam(generator.parameters(), lr=_RATE)
    best, kept, drops = float("inf"), _copy(generator), 0
    for epoch in range(1, epochs + 1):
        order = torch.randperm(len(fit), generator=rng)
        for start in range(0, len(fit), _BATCH):
            batch = fit[order[start : start + _BATCH]]
            loss = generator.loss(batch) * len(batch) / batch.lengths.sum()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(generator.parameters(), _CLIP)
            optimizer.step()
        nll = -float(generator_log_prob(generator, check).sum() / check.lengths.sum())
        if progress is not None:
            progress(epoch, nll)
        if nll < best:
            best, kept = nll, _copy(generator)
            continue
        generator.load_state_dict(kept)
        drops += 1
        if drops > _DROPS:
            return
        for group in optimizer.param_groups:
            group["lr"] /= _RATE_DROP


def _copy(generator: RnnGenerator) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in generator.state_dict().items()}
