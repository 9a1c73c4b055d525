"""Unlikelihood objectives on sentences and probabilities that can be worked out by hand."""

import math
from collections.abc import Callable, Iterator

import pytest
import torch
from fakes import FixedGenerator, seeded, sentences_of
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from sda.baselines import unlikelihood as module
from sda.baselines.unlikelihood import (
    SMALLEST,
    RareWords,
    Repetition,
    Tokens,
    VocabularyKl,
    repeated,
    unlikelihood,
)
from sda.evaluation.diversity import repetition
from sda.models.generator import Frame, Generator, without_dropout
from sda.models.rnn import RnnGenerator
from sda.models.transformer import TransformerGenerator
from sda.sampling import sample
from sda.text.sentences import Sentences
from sda.text.vocabulary import NumberVocabulary, WordVocabulary
from sda.training.steps import nll

WORDS = 6


def rnn(**settings: object) -> RnnGenerator:
    sizes = {"embedding": 5, "hidden": 5, "init_std": 0.8} | settings
    return RnnGenerator(Frame(WORDS, 0, 7), seeded(1), **sizes)  # type: ignore[arg-type]


def assert_same_gradient(generator: Generator, one: Tensor, other: Tensor) -> None:
    parameters = list(generator.parameters())
    found = torch.autograd.grad(one, parameters)
    torch.testing.assert_close(found, torch.autograd.grad(other, parameters))


def test_the_cost_of_a_word_is_that_of_its_absence() -> None:
    p = torch.tensor([0.0, 1e-9, 0.25, 0.5, 1 - 1e-3, 1.0], dtype=torch.float64)
    expected = [0, 1e-9, math.log(4 / 3), math.log(2), -math.log(1e-3), -math.log(SMALLEST)]

    assert unlikelihood(p.log()).tolist() == pytest.approx(expected, rel=1e-6, abs=1e-20)


def test_the_cost_has_the_gradient_of_finite_differences() -> None:
    log_probs = torch.tensor([-8.0, -1.0, -0.1], dtype=torch.float64, requires_grad=True)

    assert torch.autograd.gradcheck(unlikelihood, (log_probs,))


# Word 1 occurs three times, word 2 twice and word 3 once; 0 ends a sentence.
TRAIN = sentences_of([1, 2, 0], [1, 2, 3, 0], [1, 0])


def test_a_rare_word_weighs_more_the_rarer_it_is() -> None:
    generator = rnn()
    objective = RareWords(NumberVocabulary(WORDS), TRAIN, gamma=5.0, threshold=3)
    sentences = sentences_of([1, 2, 3, 0], [1, 4, 0], [2, 2, 0])
    weights = torch.tensor([[1, 3.5, 6, 1], [1, 1, 1, 0], [3.5, 3.5, 1, 0]])
    loss, by_hand = objective(generator, sentences), generator.loss(sentences, weights)

    torch.testing.assert_close(loss, by_hand)
    assert_same_gradient(generator, loss, by_hand)


def test_without_rare_words_rare_words_is_maximum_likelihood() -> None:
    generator = rnn()
    objective = RareWords(NumberVocabulary(WORDS), TRAIN, threshold=3)
    sentences = sentences_of([1, 1, 0], [4, 0])

    assert torch.equal(objective(generator, sentences), nll(generator, sentences))


def test_the_threshold_of_a_small_set_is_three() -> None:
    generator = rnn()
    given, default = (
        RareWords(NumberVocabulary(WORDS), TRAIN, threshold=threshold) for threshold in (3, None)
    )
    sentences = sentences_of([1, 2, 3, 0])

    assert torch.equal(given(generator, sentences), default(generator, sentences))


def test_end_and_unknown_word_are_never_rare(vocabulary: WordVocabulary) -> None:
    unknowing = WordVocabulary(vocabulary.known, True, vocabulary.tokenizer)
    assert (unknowing.eos, unknowing.unk) == (0, 1)
    objective = RareWords(unknowing, sentences_of([1, 2, 0]))
    generator = FixedGenerator([1 / 11] * 11, eos=0)
    common, rare = sentences_of([1, 0]), sentences_of([2, 0])

    assert torch.equal(objective(generator, common), nll(generator, common))
    assert objective(generator, rare).item() == pytest.approx(12 * math.log(11), rel=1e-5)


def test_earlier_words_cost_once_and_the_right_one_nothing() -> None:
    p = [0.1, 0.2, 0.3, 0.4]
    generator = FixedGenerator(p, eos=0, max_length=9)
    # Before each word: nothing, 1, 1 and 2 without the right 1, 1 and 2, 1 and 2 and 3.
    sentences = sentences_of([1, 2, 1, 3, 0], [3, 0])
    costs = [-math.log(1 - each) for each in p]
    expected = [costs[1] + costs[2] + (costs[1] + costs[2]) + sum(costs[1:4]), costs[3]]
    penalty = Tokens(alpha=2.0)(generator, sentences) - nll(generator, sentences)

    assert penalty.item() == pytest.approx(2 * sum(expected) / 2, rel=1e-5)


@pytest.mark.parametrize("tied", [False, True])
def test_one_pass_and_steps_agree_in_chunks_of_any_size(
    tied: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = rnn(tied=tied)
    sentences = sample(generator, 40, seeded(2)).trimmed()
    for chunk in (1, 7, 128):
        monkeypatch.setattr(module, "CHUNK", chunk)
        by_pass = module._penalty_in_one_pass(generator, sentences)
        by_step = module._penalty_by_step(generator, sentences)
        torch.testing.assert_close(by_pass, by_step)
        assert_same_gradient(generator, by_pass, by_step)


def earlier_words(generator: Generator) -> Tensor:
    return Tokens()(generator, sentences_of([1, 2, 1, 3, 0], [3, 3, 0]))


def repeated_words(generator: Generator) -> Tensor:
    written = sentences_of([1, 2, 1, 2, 1, 0], [3, 0])
    return module._cost(generator, written, repeated(written.tokens, written.mask, 2).double())


def rare_words(generator: Generator) -> Tensor:
    objective = RareWords(NumberVocabulary(WORDS), TRAIN, threshold=3)
    return objective(generator, sentences_of([1, 2, 0], [3, 1, 0]))


@pytest.fixture
def double_precision() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.mark.usefixtures("double_precision")
@pytest.mark.parametrize("loss", [earlier_words, repeated_words, rare_words])
def test_gradients_are_those_of_finite_differences(loss: Callable[[Generator], Tensor]) -> None:
    generator = rnn()
    parameter = generator.output
    assert parameter is not None
    (gradient,) = torch.autograd.grad(loss(generator), [parameter])
    for place in ((1, 0), (2, 3), (5, 4)):
        values = []
        for shift in (1e-5, -1e-5):
            with torch.no_grad():
                parameter[place] += shift
                values.append(loss(generator).item())
                parameter[place] -= shift
        slope = (values[0] - values[1]) / 2e-5
        assert gradient[place].item() == pytest.approx(slope, rel=1e-5, abs=1e-9)


def by_comparing(sentence: list[int], n: int) -> list[bool]:
    grams = [tuple(sentence[i : i + n]) for i in range(len(sentence) - n + 1)]
    marked = [False] * len(sentence)
    for i, gram in enumerate(grams):
        if gram in grams[:i]:
            marked[i : i + n] = [True] * n
    return marked


@given(st.lists(st.lists(st.integers(0, 2), max_size=9), min_size=1, max_size=6), st.integers(1, 4))
def test_marks_what_comparing_every_pair_marks(lists: list[list[int]], n: int) -> None:
    sentences = sentences_of(*lists)
    marked = repeated(sentences.tokens, sentences.mask, n)

    expected = [word for sentence in lists for word in by_comparing(sentence, n)]
    assert marked[sentences.mask].tolist() == expected
    assert not marked[~sentences.mask].any()


@given(st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=9), min_size=1, max_size=6))
def test_sentences_without_a_mark_are_those_that_evaluation_finds_no_repeat_in(
    lists: list[list[int]],
) -> None:
    sentences = sentences_of(*lists)
    is_marked = bool(repeated(sentences.tokens, sentences.mask, 3).any())

    assert is_marked == (repetition(sentences.flat(None), 3).value > 0)


def certain(p: float, eos: int | None = None) -> FixedGenerator:
    """Writes word 2, and all but never another."""
    return FixedGenerator([(1 - p) / 2, (1 - p) / 2, p], eos=eos, max_length=5)


@pytest.mark.parametrize("size", [1, 4])
def test_repetition_costs_the_words_that_repeat(size: int) -> None:
    generator = certain(0.99999)
    batch = sentences_of(*[[0, 1]] * size)
    penalty = Repetition(seeded(1), rate=1.0, alpha=2.0)(generator, batch) - nll(generator, batch)

    # 2 2 2 2 2: the second and third 3-gram repeat the first, and hold the last four words.
    assert penalty.item() == pytest.approx(2 * 4 * -math.log(1e-5), rel=0.01)


def test_the_end_symbol_makes_no_ngram() -> None:
    generator = certain(0.99999, eos=2)
    batch = sentences_of([0, 2])

    # Every sentence is an end symbol alone.
    assert torch.equal(Repetition(seeded(1), 1, 1.0)(generator, batch), nll(generator, batch))


@pytest.mark.slow
def test_sentences_are_written_in_a_share_of_the_batches() -> None:
    generator, batch = certain(0.5), sentences_of([0, 1])

    def written(rate: float) -> int:
        objective = Repetition(seeded(3), n=1, rate=rate)
        plain = nll(generator, batch)
        return sum(not torch.equal(objective(generator, batch), plain) for _ in range(200))

    # A sentence of five words repeats one of three for sure.
    assert (written(0.0), written(1.0)) == (0, 200)
    assert 70 < written(0.5) < 130


@pytest.mark.parametrize(
    ("threshold", "weights"),
    [
        (0.1, [0.5 * math.log(2), 0, 0, 0]),
        (0.01, [0.5 * math.log(2), 0.3 * math.log(1.2), 0.2 * math.log(1.6), 0]),
    ],
)
def test_kl_weights_by_hand(threshold: float, weights: list[float]) -> None:
    objective = VocabularyKl(NumberVocabulary(4), seeded(1), threshold=threshold)
    assert not objective.weights().any()
    # Shares 0.5, 0.3, 0.2 and 0 against 0.25, 0.25, an eighth for want of any, and 0.5.
    written = torch.tensor([5, 3, 2, 0], dtype=torch.float64)
    real = torch.tensor([2, 2, 0, 4], dtype=torch.float64)
    objective.load_state_dict({"written": written, "real": real})

    assert objective.weights().tolist() == pytest.approx(weights)


def test_counts_fade_and_leave_the_end_symbol_out() -> None:
    generator = FixedGenerator([0.5, 0.5], eos=0, max_length=4)
    objective = VocabularyKl(NumberVocabulary(2), seeded(1), window=4)
    objective(generator, sentences_of([1, 1, 1, 0], [1, 0]))
    assert objective.state_dict()["real"].tolist() == [0, 4]
    objective(generator, sentences_of([1, 1, 0], [0]))
    assert objective.state_dict()["real"].tolist() == [0, 0.75 * 4 + 2]
    assert objective.state_dict()["written"][0] == 0


@pytest.mark.parametrize("size", [1, 4])
def test_a_word_written_too_often_costs(size: int) -> None:
    p = 0.99999
    generator, batch = certain(p), sentences_of(*[[0, 1, 2, 0, 1]] * size)
    objective = VocabularyKl(NumberVocabulary(3), seeded(1), alpha=3.0)
    penalty = objective(generator, batch) - nll(generator, batch)

    # All five words written are 2, of the real ones a fifth is.
    assert penalty.item() == pytest.approx(3 * 5 * math.log(5) * -math.log(1 - p), rel=0.01)


def test_a_restored_objective_goes_on_as_the_first_would_have() -> None:
    generator = rnn()
    batch = sentences_of([1, 2, 3, 0], [4, 5, 0])

    def fresh(rng: torch.Generator) -> VocabularyKl:
        return VocabularyKl(NumberVocabulary(WORDS), rng, alpha=100.0)

    first_rng, second_rng = seeded(1), seeded(9)
    first, second, blank = fresh(first_rng), fresh(second_rng), fresh(seeded(1))
    for _ in range(3):
        first(generator, batch)
    second.load_state_dict(first.state_dict())
    second_rng.set_state(first_rng.get_state())
    expected = first(generator, batch)

    assert torch.equal(second(generator, batch), expected)
    assert not torch.equal(blank(generator, batch), expected)


def test_written_sentences_are_judged_without_dropout() -> None:
    generator = TransformerGenerator(
        Frame(WORDS, 0, 7), seeded(1), width=8, heads=2, feedforward=8, dropout=0.5, init_std=0.5
    )
    written = sentences_of([1, 2, 1, 2, 1, 0])
    weights = written.mask.float()
    with without_dropout(generator):
        expected = unlikelihood(generator.log_probs(written)).sum()

    torch.testing.assert_close(module._cost(generator, written, weights), expected)
    assert all(layer.training for layer in generator.modules())


def test_a_word_that_cannot_be_written_costs_nothing_and_breaks_nothing() -> None:
    generator = FixedGenerator([0.5, 0.5, 0.0], eos=0)
    loss = Tokens()(generator, Sentences(torch.tensor([[1, 0, 2]]), torch.tensor([2])))
    (gradient,) = torch.autograd.grad(loss, [generator.logits])

    assert loss.item() == pytest.approx(3 * math.log(2))
    assert gradient.isfinite().all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Tokens(alpha=-1), "alpha must be 0 or more, not -1"),
        (lambda: Repetition(seeded(0), n=0), "n must be 1 or more, not 0"),
        (lambda: Repetition(seeded(0), rate=1.5), "rate must be from 0 to 1, not 1.5"),
        (lambda: VocabularyKl(NumberVocabulary(2), seeded(0), window=0), "window must be 1"),
        (lambda: VocabularyKl(NumberVocabulary(2), seeded(0), threshold=-1), "threshold must be"),
        (lambda: RareWords(NumberVocabulary(WORDS), TRAIN, gamma=-1), "gamma must be 0 or more"),
    ],
)
def test_settings_out_of_range_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
