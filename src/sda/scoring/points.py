"""The scores of one point of a curve: a model with one decoding, or real text in its place."""

from __future__ import annotations

import hashlib

import numpy as np
import torch

from sda.evaluation.bleu_scores import bleu_scores, draw, reverse_bleu_scores, self_bleu_scores
from sda.evaluation.diversity import distinct, duplicate_share, mean_length
from sda.evaluation.grammar import Checker, grammar_score
from sda.evaluation.language_model import RUNS, halves, lm_score, reverse_lm_score
from sda.evaluation.nll import nll_test, truth_nll_test, truth_scores
from sda.evaluation.score import Convention, Score
from sda.models.generator import Generator
from sda.randomness import seeded
from sda.sampling import Decoding, sample
from sda.scoring.scorer import Selection
from sda.source import Loaded
from sda.text.kneser_ney import NgramModel
from sda.text.sentence_bleu import References
from sda.text.sentences import Flat, Sentences

ORDER = 5  # of every BLEU of a curve: orders are never mixed
CHECKED_SENTENCES = 1000  # by the grammar checker, of a set of samples


class PointScorer:
    """The same scores for every model and for real text: equal numbers, equal references.

    Real text is drawn from the validation sentences. Where they are fewer than wanted, test
    sentences fill up, half of them at most, and are no references then, for anyone. A checker adds
    issues of grammar to the scores of samples.
    """

    def __init__(
        self,
        loaded: Loaded,
        samples: int,
        seed: int,
        convention: Convention,
        checker: Checker | None = None,
    ) -> None:
        held_out = loaded.held_out
        self._truth = held_out.truth
        self._vocabulary = loaded.vocabulary
        self._checker = checker
        self._seed = seed
        self._convention = convention
        references, real = held_out.references, held_out.real
        self.count = min(samples, len(real) + len(references) // 2)
        missing = self.count - len(real)
        if missing > 0:
            more, references = _split_off(references, missing, seed)
            real = Flat.join(real, more)
        # Files may list sentences of one kind together, so they are drawn, not cut off.
        self._real = draw(real, self.count, seeded(seed, "real text"))
        # All test sentences would take longer than all else, and all models share these.
        order = torch.randperm(len(held_out.test), generator=seeded(seed, "likelihood"))
        self._test = held_out.test[order[: self.count]]
        self._references = References(references, ORDER)
        self._reference_text = references
        train, self._half = halves(references, seed)
        self._language_model = NgramModel(train)

    def fingerprint(self) -> str:
        """What tells the text and the conditions of these scores from any others."""
        digest = hashlib.sha256(repr((self.count, self._seed, self._convention)).encode())
        for flat in (self._reference_text, self._real):
            digest.update(flat.ids.tobytes() + flat.starts.tobytes())
        return digest.hexdigest()

    def samples(
        self,
        generator: Generator,
        decoding: Decoding,
        rng: torch.Generator,
        selection: Selection | None = None,
    ) -> list[Score]:
        """The scores of fresh samples, which a selection may choose among all that are written."""

        def write(n: int) -> Sentences:
            return sample(generator, n, rng, decoding)

        samples = write(self.count) if selection is None else selection(write, self.count)
        scores = self._text_scores(self._vocabulary.words(samples))
        if self._truth is not None:
            temperature = decoding.temperature if decoding.top_p is None else None
            scores += truth_scores(self._truth, samples, temperature, self._convention)
        if self._checker is not None and scores:
            texts = self._vocabulary.decode(samples[:CHECKED_SENTENCES])
            scores.append(grammar_score(texts, self._checker, self._convention))
        return scores

    def likelihood(self, generator: Generator, decoding: Decoding) -> list[Score]:
        """NLL_test, which needs no samples; none where words are cut off and it would be infinite.

        The unknown word keeps its probability here: test sentences may hold it.
        """
        if decoding.top_p is not None or not len(self._test):
            return []
        return [nll_test(generator, self._test, self._convention, decoding.temperature)]

    def real_text(self) -> list[Score]:
        """The same for real sentences, whose own distribution is the model where it is known."""
        scores = self._text_scores(self._real)
        if self._truth is not None:
            sentences = Sentences.from_flat(self._real, self._vocabulary.eos)
            scores += truth_scores(self._truth, sentences, None, self._convention)
            scores.append(truth_nll_test(self._truth, self._test, self._convention))
        return scores

    def _text_scores(self, samples: Flat) -> list[Score]:
        """Scores of words alone; none of samples that are all too short to have a diversity."""
        if samples.lengths.max() < 2:
            return []
        convention = self._convention
        rng = seeded(self._seed, "self-bleu")
        return [
            *bleu_scores(samples, self._references, (ORDER,), convention),
            *self_bleu_scores(samples, rng, orders=(ORDER,), convention=convention),
            distinct(samples, 2, convention),
            *reverse_bleu_scores(
                self._reference_text, samples, orders=(ORDER,), convention=convention
            ),
            lm_score(samples, self._language_model, convention=convention),
            reverse_lm_score(samples, self._half, convention=convention),
            duplicate_share(samples, convention),
            mean_length(samples, convention),
        ]


def _split_off(sentences: Flat, count: int, seed: int) -> tuple[Flat, Flat]:
    """`count` of the sentences in runs of neighbours, and the others.

    Neighbours may be alike, as captions of one image: dealt out one by one, those that are left
    would make those taken look too good.
    """
    rng = np.random.default_rng(seed)
    runs = np.arange(len(sentences)) * RUNS // max(1, len(sentences))
    order = np.argsort(rng.permutation(RUNS)[runs], kind="stable")
    return sentences.take(np.sort(order[:count])), sentences.take(np.sort(order[count:]))
