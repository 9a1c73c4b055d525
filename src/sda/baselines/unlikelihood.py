"""+UN of the paper: objectives of Stage I for rare words and against repetition (decision 0017).

The paper prints log G + 1/o for rare words, whose gradient is that of maximum likelihood. What is
here: the nearest form that has an effect, and the forms of the articles that the paper cites. Each
adds a term of its own to `nll`, so a generator whose loss has further terms keeps them as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from sda.models.generator import Generator, without_dropout
from sda.models.hidden import HiddenStateGenerator
from sda.models.softmax import CHUNK
from sda.sampling import sample
from sda.text.rarity import rare_threshold
from sda.text.sentences import Sentences
from sda.text.vocabulary import Vocabulary
from sda.training.steps import nll

SMALLEST = 1e-5
"""The least that 1 - p counts as: a word that is certain must not cost infinitely much."""


def unlikelihood(log_probs: Tensor) -> Tensor:
    """-log(1 - p), the cost of words that should not be written, in the shape of `log_probs`."""
    return -(-log_probs.expm1()).clamp(min=SMALLEST).log()


@dataclass(eq=False)
class RareWords:
    """Maximum likelihood in which a word that training has o times weighs 1 + `gamma` / o if rare.

    A word is rare if o is below `threshold`, by default the paper's 50 scaled to the size of the
    training set (`rare_threshold`). The end symbol and the unknown word are never rare.
    """

    vocabulary: Vocabulary
    train: Sentences
    gamma: float = 10.0
    threshold: int | None = None

    def __post_init__(self) -> None:
        vocabulary, train = self.vocabulary, self.train
        if self.gamma < 0:
            raise ValueError(f"gamma must be 0 or more, not {self.gamma}")
        threshold = rare_threshold(len(train)) if self.threshold is None else self.threshold
        counts = torch.bincount(train.tokens[train.mask], minlength=len(vocabulary))
        is_rare = (counts > 0) & (counts < threshold)
        for special in (vocabulary.eos, vocabulary.unk):
            if special is not None:
                is_rare[special] = False
        if not is_rare.any():
            raise ValueError(f"no word is rare, since all are seen {threshold} times or more")
        self._bonus = torch.where(is_rare, self.gamma / counts.clamp(min=1), 0.0)

    def __call__(self, generator: Generator, sentences: Sentences) -> Tensor:
        loss = nll(generator, sentences)
        bonus = self._bonus.to(sentences.tokens.device)[sentences.tokens] * sentences.mask
        # Few sentences have a rare word, so the second pass is a short one.
        rows = bonus.any(1)
        if not bool(rows.any()):
            return loss
        log_probs = generator.log_probs(sentences[rows])
        extra = (bonus[rows, : log_probs.shape[1]] * log_probs).sum()
        return loss - extra / len(sentences)


@dataclass(eq=False)
class Tokens:
    """Maximum likelihood, and a cost for words that the sentence already has (Welleck et al.).

    At each position every distinct earlier word of the sentence, the right one excepted, costs
    `alpha` times -log(1 - p).
    """

    alpha: float = 1.0

    def __post_init__(self) -> None:
        _require_weight(self.alpha)

    def __call__(self, generator: Generator, sentences: Sentences) -> Tensor:
        loss = nll(generator, sentences)
        sentences = sentences.trimmed()
        if isinstance(generator, HiddenStateGenerator):
            penalty = _penalty_in_one_pass(generator, sentences)
        else:
            penalty = _penalty_by_step(generator, sentences)
        return loss + self.alpha * penalty / len(sentences)


@dataclass(eq=False)
class Repetition:
    """Maximum likelihood, and a cost for n-grams that a written sentence repeats.

    In a share `rate` of the batches the generator writes as many sentences as the batch has. Every
    word of an n-gram that its sentence had before costs `alpha` times -log(1 - p).
    """

    rng: torch.Generator
    n: int = 3
    rate: float = 0.5
    alpha: float = 1.0

    def __post_init__(self) -> None:
        if self.n < 1:
            raise ValueError(f"n must be 1 or more, not {self.n}")
        if not 0 <= self.rate <= 1:
            raise ValueError(f"rate must be from 0 to 1, not {self.rate}")
        _require_weight(self.alpha)

    def __call__(self, generator: Generator, sentences: Sentences) -> Tensor:
        loss = nll(generator, sentences)
        if torch.rand((), generator=self.rng, device=self.rng.device).item() >= self.rate:
            return loss
        written = sample(generator, len(sentences), self.rng, context=sentences.context).trimmed()
        marked = repeated(written.tokens, _words(generator, written), self.n)
        return loss + self.alpha * _cost(generator, written, marked.float())


@dataclass(eq=False)
class VocabularyKl:
    """Maximum likelihood, and a cost for words that the generator writes too often (Li et al.).

    With each batch the generator writes as many sentences. A written word costs `alpha` times
    q log(q / p) times -log(1 - its probability), where q is the share that the word has in what was
    written, and p that in real sentences; the cost is zero unless q exceeds p by `threshold`.

    Shares come from running counts of both, in which a batch counts 1 - 1/`window` times the one
    after it: they are part of the training state.
    """

    vocabulary: Vocabulary
    rng: torch.Generator
    alpha: float = 1.0
    window: int = 32
    threshold: float = 0.001

    def __post_init__(self) -> None:
        _require_weight(self.alpha)
        if self.window < 1:
            raise ValueError(f"window must be 1 or more, not {self.window}")
        if self.threshold < 0:
            raise ValueError(f"threshold must be 0 or more, not {self.threshold}")
        self._written = torch.zeros(len(self.vocabulary), dtype=torch.float64)
        self._real = torch.zeros(len(self.vocabulary), dtype=torch.float64)

    def __call__(self, generator: Generator, sentences: Sentences) -> Tensor:
        loss = nll(generator, sentences)
        written = sample(generator, len(sentences), self.rng, context=sentences.context).trimmed()
        words = _words(generator, written)
        self._written = self._renewed(self._written, written.tokens[words])
        self._real = self._renewed(self._real, sentences.tokens[_words(generator, sentences)])
        weights = self.weights().to(written.tokens.device, loss.dtype)
        return loss + self.alpha * _cost(generator, written, weights[written.tokens] * words)

    def weights(self) -> Tensor:
        """(V,) q log(q / p) of words that are written too often, zero of all others."""
        written = self._written / self._written.sum().clamp(min=1)
        # A word that the last real batches lack counts as seen once.
        real = self._real.clamp(min=1) / self._real.sum().clamp(min=1)
        kl = torch.xlogy(written, written / real)
        return torch.where(written - real > self.threshold, kl, 0.0)

    def state_dict(self) -> dict[str, Tensor]:
        """The running counts, (V,) each."""
        return {"written": self._written, "real": self._real}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        """Go on from the counts that `state_dict` of another gave."""
        self._written, self._real = state["written"], state["real"]

    def _renewed(self, counts: Tensor, ids: Tensor) -> Tensor:
        return (1 - 1 / self.window) * counts + torch.bincount(ids.cpu(), minlength=len(counts))


def repeated(tokens: Tensor, words: Tensor, n: int) -> Tensor:
    """(B, T), true on every word of an n-gram that its sentence had before.

    `words` (B, T) is true on the words of each sentence, which come first in the row. What an
    n-gram repeats is not marked, and may overlap it.
    """
    marked = torch.zeros_like(words)
    count = tokens.shape[1] - n + 1
    if count < 2:
        return marked
    same = tokens[:, :, None] == tokens[:, None, :]
    equal = same[:, :count, :count]
    for shift in range(1, n):
        equal = equal & same[:, shift : shift + count, shift : shift + count]
    # An n-gram whose last word is one of the sentence lies within it, and so do earlier ones.
    again = equal.tril(-1).any(2) & words[:, n - 1 :]
    for shift in range(n):
        marked[:, shift : shift + count] |= again
    return marked


def _words(generator: Generator, sentences: Sentences) -> Tensor:
    """(B, T), true on the words: neither padding nor the end symbol."""
    if generator.eos is None:
        return sentences.mask
    return sentences.mask & (sentences.tokens != generator.eos)


def _cost(generator: Generator, written: Sentences, weights: Tensor) -> Tensor:
    """The mean over written sentences of the sum of -log(1 - p), weighted by (B, T).

    Sentences are written without dropout, and p is the probability that they were written with.
    """
    rows = weights.any(1)
    if not bool(rows.any()):
        return weights.new_zeros(())
    with without_dropout(generator):
        log_probs = generator.log_probs(written[rows])
    weights = weights[rows, : log_probs.shape[1]]
    # Past a sentence's end the log-probability is zero, as if a word were certain.
    costs = unlikelihood(log_probs).masked_fill(weights == 0, 0.0)
    return (weights * costs).sum() / len(written)


def _penalty_in_one_pass(generator: HiddenStateGenerator, sentences: Sentences) -> Tensor:
    """The sum over all positions of what earlier words cost, by chunks of positions.

    Logits are formed once more for the gradient: those of all positions may not fit the memory.
    """
    hidden = generator.hidden_states(sentences)
    rows, columns = sentences.mask.nonzero(as_tuple=True)
    weight = generator.output_weight

    def cost(hidden: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        logits = torch.addmm(generator.bias, hidden, weight.t())
        return _candidate_cost(logits, sentences.tokens[rows], columns)

    total = hidden.new_zeros(())
    for start in range(0, len(hidden), CHUNK):
        part = slice(start, start + CHUNK)
        total = total + checkpoint(
            cost,
            hidden[part],
            rows[part],
            columns[part],
            use_reentrant=False,
            preserve_rng_state=False,
        )
    return total


def _penalty_by_step(generator: Generator, sentences: Sentences) -> Tensor:
    """The same for a generator that gives its probabilities one word at a time."""
    inputs = generator.inputs(sentences)
    state = generator.start(len(sentences), sentences.context)
    total = torch.zeros((), device=generator.device)
    for t in range(inputs.shape[1]):
        logits, state = generator.step(state, inputs[:, t])
        going = sentences.lengths > t
        columns = torch.full_like(sentences.lengths[going], t)
        total = total + _candidate_cost(logits[going], sentences.tokens[going], columns)
    return total


def _candidate_cost(logits: Tensor, tokens: Tensor, columns: Tensor) -> Tensor:
    """The sum over M positions of the cost of the distinct words before them.

    Position m is the column `columns[m]` of the sentence `tokens[m]`, of (M, T), and has the logits
    (M, V). The word that stands there costs nothing.
    """
    earlier = torch.arange(tokens.shape[1], device=tokens.device) < columns[:, None]
    right = tokens.gather(1, columns[:, None])
    candidates = torch.where(earlier & (tokens != right), tokens, logits.shape[1]).sort(1).values
    is_candidate = candidates < logits.shape[1]
    # Sorted, equal words are neighbours, and each counts once.
    is_candidate[:, 1:] &= candidates[:, 1:] != candidates[:, :-1]
    log_probs = logits.log_softmax(1).gather(1, candidates.clamp(max=logits.shape[1] - 1))
    return unlikelihood(log_probs).masked_fill(~is_candidate, 0.0).sum()


def _require_weight(alpha: float) -> None:
    if alpha < 0:
        raise ValueError(f"alpha must be 0 or more, not {alpha}")
