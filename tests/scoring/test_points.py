"""Models and real text get the same scores under the same conditions."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
import torch
from fakes import FixedGenerator, seeded

import sda.scoring.points as points_module
from sda.evaluation.score import PLAIN, Convention, Score
from sda.evaluation.truth import LstmTruth
from sda.models.generator import Generator
from sda.sampling import Decoding, Write, sample
from sda.scoring.points import PointScorer, _split_off
from sda.source import HeldOut, Loaded
from sda.text.corpus import Corpus
from sda.text.sentences import Flat, Sentences
from sda.text.vocabulary import NumberVocabulary

PROBABILITIES = [0.4, 0.3, 0.2, 0.1]
ORACLE = FixedGenerator(PROBABILITIES, max_length=6)
TEXT = [
    *("bleu-5", "self-bleu-5", "distinct-2", "reverse-bleu-5"),
    *("lm-perplexity", "reverse-lm-perplexity", "duplicate-share", "length"),
]


def loaded(valid: int = 30, test: int = 80, known: bool = True) -> Loaded:
    """Numbers drawn from fixed probabilities, six to a sentence."""
    parts = [sample(ORACLE, n, seeded(seed)) for seed, n in enumerate((50, valid, test))]
    vocabulary = NumberVocabulary(4)
    train, real, references = (part.flat(None) for part in parts)
    truth = LstmTruth(ORACLE) if known else None
    held_out = HeldOut(parts[2], references, real, train, truth)
    return Loaded(Corpus(vocabulary, parts[0], parts[1], 6), held_out, vocabulary, [])


def scorer(samples: int = 20, valid: int = 30, test: int = 80, known: bool = True) -> PointScorer:
    return PointScorer(loaded(valid, test, known), samples, 0, PLAIN)


def by_name(scores: list[Score]) -> dict[str, Score]:
    return {score.name: score for score in scores}


def test_a_model_and_real_text_are_scored_alike() -> None:
    points = scorer()
    model = by_name(points.samples(ORACLE, Decoding(), seeded(0)))
    real = by_name(points.real_text())

    assert list(model) == [*TEXT, "nll-oracle"]
    assert list(real) == [*TEXT, "nll-oracle", "nll-test"]
    for name in TEXT:
        assert model[name].signature.split("|ngrams")[0] == real[name].signature.split("|ngrams")[0]
    assert "refs:80|hyps:20|" in real["bleu-5"].signature
    assert "refs:19|hyps:20|of:20|" in real["self-bleu-5"].signature
    assert "refs:20|hyps:80|" in real["reverse-bleu-5"].signature


def test_without_a_truth_there_are_scores_of_words_alone() -> None:
    points = scorer(known=False)

    assert list(by_name(points.samples(ORACLE, Decoding(), seeded(0)))) == TEXT
    assert list(by_name(points.real_text())) == TEXT


class ThreeIsWrong:
    """Finds an issue in every word that is 3, and notes how many texts it was shown."""

    name = "three"
    kinds = ("wrong",)

    def __init__(self) -> None:
        self.seen = 0

    def issues(self, texts: Sequence[str]) -> list[list[str]]:
        self.seen += len(texts)
        return [["wrong"] * text.count("3") for text in texts]


def test_a_checker_adds_issues_of_the_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(points_module, "CHECKED_SENTENCES", 10)
    checker = ThreeIsWrong()
    points = PointScorer(loaded(), 20, 0, PLAIN, checker)
    samples = sample(ORACLE, 20, seeded(7))
    found = by_name(points.samples(ORACLE, Decoding(), seeded(7)))

    # Six words to a sentence, and only the first ten sentences are checked.
    expected = 1000 * int((samples.tokens[:10] == 3).sum()) / 60
    assert found["grammar-issues"].value == pytest.approx(expected) and expected > 0
    assert 0 < checker.seen <= 10
    assert "grammar-issues" not in by_name(points.real_text())


def test_test_sentences_fill_up_where_real_text_is_short() -> None:
    points = scorer(samples=50)
    real = by_name(points.real_text())

    assert points.count == 50
    # Twenty of the eighty test sentences are no references any more, for anyone.
    assert "refs:60|hyps:50|" in real["bleu-5"].signature
    model = by_name(points.samples(ORACLE, Decoding(), seeded(0)))
    assert model["bleu-5"].signature == real["bleu-5"].signature


def test_no_more_than_half_of_the_test_sentences_are_taken() -> None:
    points = scorer(samples=2000)

    assert points.count == 70
    assert "refs:40|hyps:70|" in by_name(points.real_text())["bleu-5"].signature


def test_the_likelihood_is_that_of_the_temperature() -> None:
    points = scorer(samples=80)
    (warm,), (cold,) = (points.likelihood(ORACLE, Decoding(t)) for t in (1.0, 0.5))
    truth = by_name(points.real_text())["nll-test"]

    assert "sentences:70|" in warm.signature
    assert warm.value == pytest.approx(truth.value, rel=1e-5)
    assert "model:truth" in truth.signature
    # At half the temperature probabilities are squared, and 0.3 is what the squares sum to.
    assert cold.value == pytest.approx(2 * warm.value + math.log(0.3), rel=1e-5)


def test_the_likelihood_ignores_what_may_not_be_written() -> None:
    points = scorer()

    assert points.likelihood(ORACLE, Decoding(0.7, never=0)) == points.likelihood(
        ORACLE, Decoding(0.7)
    )


def test_words_that_are_cut_off_leave_no_likelihood() -> None:
    points = scorer()

    assert points.likelihood(ORACLE, Decoding(top_p=0.5)) == []
    cut = by_name(points.samples(ORACLE, Decoding(top_p=0.5), seeded(0)))
    # Only words 0 and 1 are left.
    assert cut["distinct-2"].value == pytest.approx(4 / (20 * 5))
    assert "temperature" not in cut["nll-oracle"].signature


def test_the_same_random_numbers_give_the_same_scores() -> None:
    points = scorer()
    first = points.samples(ORACLE, Decoding(), seeded(1))

    assert points.samples(ORACLE, Decoding(), seeded(1)) == first
    assert scorer().samples(ORACLE, Decoding(), seeded(1)) == first
    assert points.samples(ORACLE, Decoding(), seeded(2)) != first


def test_a_selection_chooses_what_is_scored() -> None:
    points = scorer()
    written: list[int] = []

    def second(write: Write, n: int) -> Sentences:
        written.append(len(write(n)))
        return write(n)

    chosen = points.samples(ORACLE, Decoding(), seeded(1), second)
    rng = seeded(1)
    sample(ORACLE, 20, rng)

    assert written == [20]
    assert chosen == points.samples(ORACLE, Decoding(), rng)


def test_fingerprints_tell_conditions_apart() -> None:
    marks = [
        scorer().fingerprint(),
        scorer(samples=21).fingerprint(),
        scorer(valid=31).fingerprint(),
        scorer(test=81).fingerprint(),
        PointScorer(loaded(), 20, 1, PLAIN).fingerprint(),
        PointScorer(loaded(), 20, 0, Convention(lowercase=True)).fingerprint(),
    ]

    assert len(set(marks)) == len(marks)
    assert scorer().fingerprint() == marks[0]


def test_sentences_too_short_for_a_diversity_have_no_scores() -> None:
    short: Generator = FixedGenerator(PROBABILITIES, max_length=1)

    assert scorer(known=False).samples(short, Decoding(), seeded(0)) == []


def test_neighbours_are_split_off_together() -> None:
    sentences = Flat.from_lists([[number] for number in range(1000)])
    taken, rest = _split_off(sentences, 95, seed=0)

    assert sorted([*taken.ids, *rest.ids]) == list(range(1000))
    assert len(taken) == 95
    # Runs of ten, of which one may be cut and some may touch.
    assert (np.diff(taken.ids) == 1).sum() >= 85
    assert taken.ids.tolist() != list(range(95))
    assert _split_off(sentences, 95, seed=1)[0].ids.tolist() != taken.ids.tolist()


def test_scoring_leaves_the_global_random_numbers_alone() -> None:
    before = torch.get_rng_state()
    scorer().samples(ORACLE, Decoding(), seeded(0))

    assert torch.equal(torch.get_rng_state(), before)
