"""How each score of the catalogue is measured, from samples and what stands beside them.

A function gives all scores of its family that are wanted and that the samples define: self-BLEU
needs two samples, a score of n-grams a sample of n words. Without them a score is absent, since no
number would be true.
"""

from __future__ import annotations

from sda.evaluation import bleu_scores, diversity, language_model, neural_lm, novelty, words
from sda.evaluation.frechet import frechet_score
from sda.evaluation.grammar import grammar_score
from sda.evaluation.mauve import mauve_score
from sda.evaluation.samples import Beside, Samples
from sda.evaluation.score import Score
from sda.text.sentences import Flat


def bleu(samples: Samples, beside: Beside) -> list[Score]:
    """Reverse BLEU too, where it is wanted, since both come of one comparison."""
    orders, reverse = beside.orders("bleu"), beside.orders("reverse-bleu")
    words, references, convention = samples.words, beside.references, beside.convention
    if reverse:
        return bleu_scores.both_bleu_scores(words, references, orders, reverse, convention)
    return bleu_scores.bleu_scores(words, references, orders, convention)


def self_bleu(samples: Samples, beside: Beside) -> list[Score]:
    if len(samples.words) < 2:
        return []
    return bleu_scores.self_bleu_scores(
        samples.words,
        samples.rng,
        beside.self_bleu_limit,
        beside.orders("self-bleu"),
        beside.convention,
    )


def distinct(samples: Samples, beside: Beside) -> list[Score]:
    orders = [n for n in beside.orders("distinct") if n <= samples.longest]
    return [diversity.distinct(samples.ngrams, n, beside.convention) for n in orders]


def ngram_entropy(samples: Samples, beside: Beside) -> list[Score]:
    orders = [n for n in beside.orders("ngram-entropy") if n <= samples.longest]
    return [diversity.ngram_entropy(samples.ngrams, n, beside.convention) for n in orders]


def duplicates(samples: Samples, beside: Beside) -> list[Score]:
    return [diversity.duplicate_share(samples.words, beside.convention)]


def repetition(samples: Samples, beside: Beside) -> list[Score]:
    orders = [n for n in beside.orders("seq-rep") if n <= samples.longest]
    return [diversity.repetition(samples.ngrams, n, beside.convention) for n in orders]


def types(samples: Samples, beside: Beside) -> list[Score]:
    return [words.type_count(samples.words, beside.convention)]


def length(samples: Samples, beside: Beside) -> list[Score]:
    return [diversity.mean_length(samples.words, beside.convention)]


def lengths(samples: Samples, beside: Beside) -> list[Score]:
    """Spread and quantiles."""
    return words.length_scores(samples.words, beside.convention)


def length_distance(samples: Samples, beside: Beside) -> list[Score]:
    return [words.length_distance(samples.words, beside.test, beside.convention)]


def copies(samples: Samples, beside: Beside) -> list[Score]:
    return [novelty.copy_share(samples.words, _train(beside), beside.convention)]


def fresh_ngrams(samples: Samples, beside: Beside) -> list[Score]:
    """Copied spans too, since both come of one comparison with the training sentences."""
    orders = beside.orders("novelty")
    return novelty.novelty_scores(samples.words, _train(beside), orders, beside.convention)


def train_bleu(samples: Samples, beside: Beside) -> list[Score]:
    return novelty.train_bleu_scores(
        samples.words,
        _train(beside),
        len(beside.test),
        beside.seed,
        beside.orders("train-bleu"),
        beside.convention,
    )


def rare_words(samples: Samples, beside: Beside) -> list[Score]:
    if not samples.longest:
        return []
    train, convention = _train(beside), beside.convention
    return words.rare_word_scores(samples.words, train, convention=convention)


def perplexity(samples: Samples, beside: Beside) -> list[Score]:
    model, convention = beside.language_model, beside.convention
    return [language_model.lm_score(samples.words, model, convention=convention)]


def order_gain(samples: Samples, beside: Beside) -> list[Score]:
    if samples.longest < 2:
        return []
    model, seed, convention = beside.language_model, beside.seed, beside.convention
    return [language_model.order_gain_score(samples.words, model, seed, convention)]


def reverse_perplexity(samples: Samples, beside: Beside) -> list[Score]:
    return [language_model.reverse_lm_score(samples.words, beside.test, beside.convention)]


def lstm_perplexity(samples: Samples, beside: Beside) -> list[Score]:
    model, convention = beside.lstm, beside.convention
    return [language_model.lm_score(samples.words, model, "lstm-perplexity", convention)]


def reverse_lstm_perplexity(samples: Samples, beside: Beside) -> list[Score]:
    return [
        neural_lm.reverse_lstm_score(samples.words, beside.test, beside.seed, beside.convention)
    ]


def clouds(samples: Samples, beside: Beside) -> list[Score]:
    """The two distances between sets of sentences as clouds of points; none of a single point."""
    if min(len(samples.words), len(beside.test)) < 2:
        return []
    points, convention = beside.vectors(samples), beside.convention
    return [
        frechet_score(points, beside.points, convention),
        mauve_score(points, beside.points, convention=convention),
    ]


def grammar(samples: Samples, beside: Beside) -> list[Score]:
    """Of samples that nobody wrote out there are none."""
    if samples.texts is None:
        return []
    assert beside.checker is not None
    texts = samples.texts[: beside.checked]
    return [grammar_score(texts, beside.checker, beside.convention)]


def _train(beside: Beside) -> Flat:
    assert beside.train is not None
    return beside.train
