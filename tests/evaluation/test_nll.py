"""Likelihoods per token with their errors, against values known by hand and by theory."""

import math
from collections.abc import Sequence

import pytest
import torch
from fakes import FixedGenerator, seeded, sentences_of
from hypothesis import given
from hypothesis import strategies as st

from sda.evaluation.nll import (
    divergence_scores,
    model_scores,
    nll_test,
    per_token,
    truth_nll_test,
    truth_scores,
)
from sda.evaluation.score import Score
from sda.evaluation.truth import CaptionTruth, LstmTruth
from sda.models.oracle import random_oracle
from sda.sampling import sample
from sda.text.captions.caption_grammar import CaptionGrammar, CaptionOracle
from sda.text.sentences import Flat, Sentences
from sda.text.tokens import WhitespaceTokenizer
from sda.text.vocabulary import WordVocabulary


def by_name(scores: list[Score]) -> dict[str, Score]:
    return {score.name: score for score in scores}


def assert_near(score: Score, value: float) -> None:
    """Within five standard errors, and the error is small enough for that to mean something."""
    assert score.standard_error is not None
    assert 0 < score.standard_error < 0.03
    assert abs(score.value - value) < 5 * score.standard_error


def test_a_ratio_by_hand() -> None:
    # 6 / 4 = 1.5; residuals 2 - 1.5 and 4 - 4.5; sqrt(2 / 1 * (0.25 + 0.25)) / 4 = 0.25.
    assert per_token(torch.tensor([2.0, 4.0]).double(), torch.tensor([1, 3])) == (1.5, 0.25)


def test_one_sentence_has_no_error() -> None:
    assert per_token(torch.tensor([3.0]).double(), torch.tensor([2])) == (1.5, None)


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=20), st.integers(1, 9))
def test_at_one_length_the_error_is_that_of_a_mean(values: list[float], length: int) -> None:
    tensor = torch.tensor(values, dtype=torch.float64)
    ratio, error = per_token(tensor, torch.full((len(values),), length))

    assert ratio == pytest.approx(tensor.mean().item() / length, abs=1e-9)
    expected = tensor.std().item() / math.sqrt(len(values)) / length
    assert error == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_the_error_is_the_spread_of_the_ratio() -> None:
    rng = seeded(3)
    repetitions, size = 2000, 50
    lengths = torch.randint(1, 20, (repetitions, size), generator=rng)
    noise = torch.randn(repetitions, size, generator=rng, dtype=torch.float64)
    values = 2.0 * lengths + noise * lengths.double().sqrt()
    found = [per_token(*row) for row in zip(values, lengths, strict=True)]
    ratios = torch.tensor([ratio for ratio, _ in found])
    errors = torch.tensor([error for _, error in found])

    # The spread of 2,000 ratios is known to 1.6 %; six times that is never reached by chance.
    assert errors.mean().item() == pytest.approx(ratios.std().item(), rel=0.1)


def test_nll_of_test_data_by_hand() -> None:
    generator = FixedGenerator([0.5, 0.25, 0.25], eos=0)
    score = nll_test(generator, sentences_of([0], [1, 0], [1, 2, 0]))

    # Two bits for a word and one for each end, over six tokens.
    assert score.value == pytest.approx((3 * 1 + 3 * 2) * math.log(2) / 6)
    assert (score.name, score.higher_is_better) == ("nll-test", False)
    assert score.signature.startswith("sentences:3|per:token|temperature:1|")


def entropy(*probabilities: float) -> float:
    return -sum(p * math.log(p) for p in probabilities)


def test_own_samples_have_the_entropy_as_their_nll() -> None:
    probabilities = [0.5, 0.25, 0.125, 0.125]
    oracle = FixedGenerator(probabilities)
    samples = sample(oracle, 2000, seeded(1))
    (score,) = truth_scores(LstmTruth(oracle), samples)

    assert score.name == "nll-oracle"
    assert_near(score, entropy(*probabilities))


def test_two_draws_of_a_random_oracle_agree() -> None:
    oracle = random_oracle(50, 8, 8, seeded(2))
    truth = LstmTruth(oracle)
    samples, test = sample(oracle, 2000, seeded(3)), sample(oracle, 2000, seeded(4))
    scores = by_name(divergence_scores(oracle, truth, samples, test))
    (nll,) = truth_scores(truth, samples)

    assert nll.value == scores["entropy"].value
    other = nll_test(oracle, test)
    assert nll.standard_error is not None
    assert other.standard_error is not None
    error = math.hypot(nll.standard_error, other.standard_error)
    assert 0 < abs(nll.value - other.value) < 5 * error


def test_a_model_has_no_divergence_from_itself() -> None:
    oracle = random_oracle(50, 8, 8, seeded(2))
    samples = sample(oracle, 100, seeded(3))
    scores = by_name(divergence_scores(oracle, LstmTruth(oracle), samples, samples))

    for name in ("kl-model-oracle", "kl-oracle-model", "js"):
        assert (scores[name].value, scores[name].standard_error) == (0.0, 0.0)
        assert scores[name].interval == (0.0, 0.0)


def test_both_divergences_by_hand() -> None:
    p, q = (0.5, 0.25, 0.25), (0.25, 0.25, 0.5)
    model, oracle = FixedGenerator(p), FixedGenerator(q)
    samples, test = sample(model, 4000, seeded(5)), sample(oracle, 4000, seeded(6))
    scores = by_name(divergence_scores(model, LstmTruth(oracle), samples, test))

    # Half of the words cost one bit more and a quarter one bit less, both ways round.
    assert_near(scores["kl-model-oracle"], math.log(2) / 4)
    assert_near(scores["kl-oracle-model"], math.log(2) / 4)
    assert_near(scores["entropy"], entropy(*p))
    assert scores["entropy"].higher_is_better is None
    assert scores["kl-model-oracle"].higher_is_better is False


def js(p: Sequence[float], q: Sequence[float]) -> float:
    """Jensen-Shannon of two distributions over the same few outcomes, by definition."""
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    return entropy(*middle) - (entropy(*p) + entropy(*q)) / 2


def test_js_of_two_points_is_exact() -> None:
    # One word a sentence; the samples have just the shares of their source.
    model = FixedGenerator([0.5, 0.5], max_length=1)
    oracle = FixedGenerator([0.25, 0.75], max_length=1)
    samples, test = sentences_of([0], [1]), sentences_of([0], [1], [1], [1])
    score = by_name(divergence_scores(model, LstmTruth(oracle), samples, test))["js"]

    assert score.value == pytest.approx(js((0.5, 0.5), (0.25, 0.75)), abs=1e-7)
    assert score.higher_is_better is False
    assert score.signature.startswith("sentences:2|test:4|per:sentence|temperature:1|ci:normal|")
    # Under the mean of both, 3/8 and 5/8, log p / m has two values, and so has log q / m.
    ours = math.log(4 / 3) - math.log(4 / 5)
    theirs = math.log(2 / 3) - math.log(6 / 5)
    expected = math.sqrt(ours**2 / 2 / 2 + theirs**2 * 0.25 / 4) / 2
    assert score.standard_error == pytest.approx(expected, abs=1e-6)


def test_js_is_estimated_within_its_error() -> None:
    p, q = (0.6, 0.3, 0.1), (0.2, 0.3, 0.5)
    model, oracle = FixedGenerator(p, max_length=2), FixedGenerator(q, max_length=2)
    samples, test = sample(model, 4000, seeded(8)), sample(oracle, 3000, seeded(9))
    score = by_name(divergence_scores(model, LstmTruth(oracle), samples, test))["js"]

    both = [[a * b for a in source for b in source] for source in (p, q)]
    assert_near(score, js(both[0], both[1]))


def test_one_sample_has_a_js_without_error() -> None:
    model = FixedGenerator([0.5, 0.5], max_length=1)
    words = sentences_of([0])
    score = by_name(divergence_scores(model, LstmTruth(model), words, words))["js"]

    assert (score.value, score.standard_error, score.interval) == (0.0, None, None)


def test_a_look_at_the_samples_alone_gives_the_same_figures() -> None:
    model, oracle = FixedGenerator([0.5, 0.5]), FixedGenerator([0.25, 0.75])
    samples, test = sample(model, 50, seeded(1)), sample(oracle, 50, seeded(2))
    everything = divergence_scores(model, LstmTruth(oracle), samples, test)

    assert model_scores(model, LstmTruth(oracle), samples) == everything[:2]


def test_intervals_lie_around_their_scores() -> None:
    model, oracle = FixedGenerator([0.5, 0.5]), FixedGenerator([0.25, 0.75])
    samples, test = sample(model, 900, seeded(1)), sample(oracle, 700, seeded(2))
    for score in divergence_scores(model, LstmTruth(oracle), samples, test):
        if score.name == "entropy":
            continue  # All words are equally likely, so that it is exact.
        assert score.interval is not None
        assert score.standard_error is not None
        width = score.interval[1] - score.interval[0]
        assert width == pytest.approx(2 * 1.96 * score.standard_error, rel=0.15)
        assert score.interval[0] < score.value < score.interval[1]


@pytest.fixture(scope="module")
def captions() -> tuple[CaptionTruth, Sentences, int]:
    """The truth, 400 captions and the end symbol."""
    grammar = CaptionGrammar()
    vocabulary = WordVocabulary(grammar.words, has_unknown=False, tokenizer=WhitespaceTokenizer())
    first = len(vocabulary) - len(grammar.words)
    flat = grammar.sample(400, seeded(7))
    sentences = Sentences.from_flat(Flat(flat.ids + first, flat.starts), vocabulary.eos)
    return CaptionTruth(CaptionOracle(grammar), vocabulary), sentences, vocabulary.eos


def test_captions_are_grammatical(captions: tuple[CaptionTruth, Sentences, int]) -> None:
    truth, sentences, _ = captions
    scores = by_name(truth_scores(truth, sentences, temperature=0.8))

    assert scores["grammatical-share"].value == 1.0
    assert scores["grammatical-share"].standard_error == 0.0
    assert scores["grammatical-share"].interval == (1.0, 1.0)
    assert scores["nll-oracle-grammatical"].value == scores["nll-oracle"].value
    # The expected log-probability of a caption over the expected number of its tokens.
    words = truth.oracle.grammar.automaton.expected_counts().sum()
    expected = truth.oracle.grammar.entropy() / (words + 1)
    assert_near(scores["nll-oracle"], expected - math.log(0.99) / (words + 1))
    assert all("temperature:0.8" in score.signature for score in scores.values())
    # As in the signature of NLL_test, and none at all where nothing was sampled.
    assert "|temperature:1|" in truth_scores(truth, sentences)[0].signature
    assert "temperature" not in truth_scores(truth, sentences, temperature=None)[0].signature


def test_half_of_the_sentences_are_nonsense(captions: tuple[CaptionTruth, Sentences, int]) -> None:
    truth, sentences, eos = captions
    nonsense = sentences_of([5, 5, eos])
    scores = by_name(truth_scores(truth, Sentences.join([sentences[:1], nonsense])))

    assert scores["grammatical-share"].value == 0.5
    assert scores["grammatical-share"].standard_error == pytest.approx(0.5)
    alone = by_name(truth_scores(truth, sentences[:1]))
    assert alone["grammatical-share"].standard_error is None
    assert scores["nll-oracle-grammatical"].value == pytest.approx(alone["nll-oracle"].value)
    assert scores["nll-oracle"].value > alone["nll-oracle"].value


def test_nonsense_alone_has_no_grammatical_nll(
    captions: tuple[CaptionTruth, Sentences, int],
) -> None:
    truth, _, eos = captions
    scores = by_name(truth_scores(truth, sentences_of([5, 5, eos])))

    assert scores["grammatical-share"].value == 0.0
    assert "nll-oracle-grammatical" not in scores


def test_what_the_grammar_cannot_write_is_as_far_as_can_be(
    captions: tuple[CaptionTruth, Sentences, int],
) -> None:
    truth, sentences, eos = captions
    vocabulary = len(truth.oracle.grammar.words) + 10
    model = FixedGenerator([1 / vocabulary] * vocabulary, eos=eos)
    nonsense = sentences_of([5, 5, eos], [6, 5, eos])
    score = by_name(divergence_scores(model, truth, nonsense, sentences))["js"]

    # A model of random words gives captions next to no probability either.
    assert score.value == pytest.approx(math.log(2), abs=1e-6)


def test_a_colder_model_has_a_likelihood_of_its_own() -> None:
    generator = FixedGenerator([0.4, 0.3, 0.2, 0.1])
    test = sentences_of([0, 1, 2], [3])
    # Squares over their sum, 0.3.
    expected = -math.log(0.16 * 0.09 * 0.04 * 0.01 / 0.3**4) / 4
    score = nll_test(generator, test, temperature=0.5)

    assert score.value == pytest.approx(expected, rel=1e-6)
    assert "|temperature:0.5|" in score.signature
    assert "|temperature:1|" in nll_test(generator, test).signature


def test_a_model_equal_to_the_truth_has_the_likelihood_of_the_truth() -> None:
    oracle = FixedGenerator([0.4, 0.3, 0.2, 0.1])
    test = sample(oracle, 50, seeded(0))
    score = truth_nll_test(LstmTruth(oracle), test)

    assert score.value == pytest.approx(nll_test(oracle, test).value)
    assert (score.name, score.higher_is_better) == ("nll-test", False)
    assert "|model:truth|" in score.signature
