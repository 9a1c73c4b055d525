"""How well a language model of real text predicts samples, and one of the samples real text.

The perplexity of the samples sees quality only: one likely sentence repeated scores far better
than real text. The reverse, where a model of the samples has to predict real text, also sees what
the samples lack, and punishes the repeated sentence (Zhao et al., 2018; Semeniuta et al., 2018). A
copy of the generator's training text does well in both, so novelty is scored beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sda.evaluation.interval import mean_interval, ratio_interval
from sda.evaluation.score import PLAIN, Convention, Score, standard_error
from sda.text.kneser_ney import ORDER, NgramModel
from sda.text.sentences import Flat

RUNS = 100  # of neighbouring sentences, which `halves_order` keeps together


class LanguageModel(Protocol):
    """Anything that gives every sentence a probability above zero, unknown words included."""

    @property
    def facts(self) -> Mapping[str, object]:
        """What determines the model beside the text itself, for signatures."""

    def log_prob(self, sentences: Flat) -> NDArray[np.float64]:
        """(B,) natural logarithm of the probability of each sentence and its end."""


def lm_score(
    samples: Flat,
    model: LanguageModel,
    name: str = "lm-perplexity",
    convention: Convention = PLAIN,
    **facts: object,
) -> Score:
    """The perplexity of the samples per token, ends counted, under a model of real text.

    The model must not have seen the generator's training text, or copies of that would look best.
    The score is gamed by a colder softmax and by one likely sentence repeated, so it stands beside
    `reverse_lm_score`. Values below that of real text mean a lack of variety, not quality.
    """
    if not len(samples):
        raise ValueError("perplexity needs at least one sentence")
    nll = -model.log_prob(samples)
    tokens = (samples.lengths + 1).astype(np.float64)
    interval = ratio_interval(nll, tokens)
    edges = None if interval is None else (float(np.exp(interval[0])), float(np.exp(interval[1])))
    return Score(
        name,
        float(np.exp(nll.sum() / tokens.sum())),
        False,
        convention.sign(
            sentences=len(samples), per="token", **model.facts, **facts, ci="bootstrap"
        ),
        interval=edges,
    )


def order_gain_score(
    samples: Flat, model: LanguageModel, seed: int, convention: Convention = PLAIN
) -> Score:
    """`order-gain`: what shuffling the words of each sentence costs, in nats a token.

    One word has no order, so the gain is about longer sentences.
    """
    ordered = samples.take(np.flatnonzero(samples.lengths > 1))
    if not len(ordered):
        raise ValueError("order-gain needs a sample of at least two words")
    gains = order_gains(ordered, model, seed)
    signature = convention.sign(
        hyps=len(ordered), per="token", seed=seed, **model.facts, ci="bootstrap"
    )
    mean, error = float(gains.mean()), standard_error(gains)
    return Score("order-gain", mean, True, signature, error, mean_interval(gains))


def reverse_lm_score(
    samples: Flat, real: Flat, convention: Convention = PLAIN, order: int = ORDER
) -> Score:
    """The perplexity of real text per token, ends counted, under an n-gram model of the samples.

    It rises with anything that real text has and the samples lack, and falls with their number, so
    compare sets of one size. It hardly sees rubbish between good sentences, which `lm_score` does,
    and a copy of real text has the best value. The interval is over the real sentences.
    """
    model = NgramModel(samples, order, unseen_words(samples, real))
    return lm_score(real, model, "reverse-lm-perplexity", convention)


def unseen_words(samples: Flat, real: Flat) -> int:
    """How many words of the real text a model of the samples must share its leftover mass among.

    Were they all one word, a model of one sentence repeated would predict that word everywhere and
    real text as well as a model of real text does. At least 1, so that any word has a probability.
    """
    return max(1, len(np.setdiff1d(real.ids, samples.ids)))


def halves_order(size: int, seed: int) -> NDArray[np.int64]:
    """(size,) the sentences of a set in an order whose second half is to be set aside.

    Runs of neighbours go to one half as a whole. Caption files list the captions of one image
    together: dealt out one by one, half of an image's captions would help to predict the others,
    and real text would look 10 % better than any text on new images.
    """
    rng = np.random.default_rng(seed)
    # Fewer sentences than runs leave runs of one sentence and empty ones.
    runs = np.arange(size) * RUNS // max(1, size)
    order = np.argsort(rng.permutation(RUNS)[runs], kind="stable")
    middle = size // 2
    return np.concatenate((rng.permutation(order[:middle]), rng.permutation(order[middle:])))


def halves(sentences: Flat, seed: int) -> tuple[Flat, Flat]:
    """The halves of that order: one to train a model on, one to see what real text scores."""
    order, middle = halves_order(len(sentences), seed), len(sentences) // 2
    return sentences.take(order[:middle]), sentences.take(order[middle:])


def shuffled(sentences: Flat, seed: int) -> Flat:
    """The same sentences with the words of each in random order."""
    keys = np.random.default_rng(seed).random(len(sentences.ids))
    owners = np.repeat(np.arange(len(sentences)), sentences.lengths)
    return Flat(sentences.ids[np.lexsort((keys, owners))], sentences.starts)


def order_gains(sentences: Flat, model: LanguageModel, seed: int) -> NDArray[np.float64]:
    """(B,) by how many nats a token each sentence is likelier than its words in random order.

    Its mean is far above zero for real text and about zero for words without order, whatever the
    words are.
    """
    gains = model.log_prob(sentences) - model.log_prob(shuffled(sentences, seed))
    return gains / (sentences.lengths + 1)
