"""What every objective of Stage I promises. A new objective is one more row in `CASES`."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
import torch
from fakes import seeded
from torch import Tensor

from contracts.rows import each_of
from contracts.test_generators import CASES as GENERATORS
from contracts.test_generators import WORDS, every_sentence, parameters
from sda.baselines.mixup import Mixup
from sda.baselines.unlikelihood import RareWords, Repetition, Tokens, VocabularyKl
from sda.models.generator import Generator
from sda.text.sentences import Sentences
from sda.text.vocabulary import NumberVocabulary
from sda.training.steps import Objective, nll


@dataclass(frozen=True)
class Case:
    build: Callable[[Sentences, torch.Generator], Objective]
    is_drawn: bool = False
    """Whether sentences are written or partners drawn, so that two batches differ by chance."""


VOCABULARY = NumberVocabulary(WORDS)

CASES = {
    "maximum likelihood": Case(lambda train, rng: nll),
    "rare words": Case(lambda train, rng: RareWords(VOCABULARY, train, threshold=1000)),
    "tokens": Case(lambda train, rng: Tokens()),
    "repetition": Case(lambda train, rng: Repetition(rng, n=1, rate=1.0), is_drawn=True),
    "repetition, at times": Case(lambda train, rng: Repetition(rng, n=2), is_drawn=True),
    "vocabulary": Case(lambda train, rng: VocabularyKl(VOCABULARY, rng, 10.0), is_drawn=True),
    "mixup": Case(lambda train, rng: Mixup(rng), is_drawn=True),
}
BASES = ("lstm", "gru", "transformer", "cnn", "leak", "leak with intrinsic rewards", "fixed length")


case = each_of(CASES)


@pytest.fixture(params=BASES)
def generator(request: pytest.FixtureRequest) -> Generator:
    return GENERATORS[request.param](seeded(3))


def loss_of(case: Case, generator: Generator, sentences: Sentences, seed: int = 1) -> Tensor:
    """What a fresh objective says."""
    objective = case.build(every_sentence(generator), seeded(seed))
    return objective(generator, sentences)


def test_the_loss_is_one_finite_number(case: Case, generator: Generator) -> None:
    loss = loss_of(case, generator, every_sentence(generator))

    assert loss.shape == () and loss.dtype == torch.float32
    assert bool(loss.isfinite()) and loss.requires_grad


def test_gradients_reach_every_parameter(case: Case, generator: Generator) -> None:
    loss_of(case, generator, every_sentence(generator)).backward()  # type: ignore[no-untyped-call]

    for value in parameters(generator):
        assert value.grad is not None and bool(value.grad.any()) and value.grad.isfinite().all()


def test_padding_never_matters(case: Case, generator: Generator) -> None:
    sentences = every_sentence(generator)
    garbage = torch.full((len(sentences), 5), WORDS - 1)
    wider = Sentences(torch.cat((sentences.tokens, garbage), 1), sentences.lengths)
    inside = sentences.tokens.masked_fill(~sentences.mask, WORDS - 1)
    expected = loss_of(case, generator, sentences)

    torch.testing.assert_close(loss_of(case, generator, wider), expected)
    filled = Sentences(inside, sentences.lengths)
    torch.testing.assert_close(loss_of(case, generator, filled), expected)


# Mixup draws partners by their place in the batch.
@pytest.mark.parametrize("case", [name for name in CASES if name != "mixup"], indirect=True)
def test_the_order_of_sentences_does_not_matter(case: Case, generator: Generator) -> None:
    sentences = every_sentence(generator)
    order = torch.randperm(len(sentences), generator=seeded(2))

    torch.testing.assert_close(
        loss_of(case, generator, sentences[order]), loss_of(case, generator, sentences)
    )


@pytest.mark.parametrize("case", [n for n in CASES if not CASES[n].is_drawn], indirect=True)
def test_the_loss_is_the_mean_of_the_sentences(case: Case, generator: Generator) -> None:
    sentences = every_sentence(generator)
    alone = [loss_of(case, generator, sentences[i : i + 1]) for i in range(len(sentences))]

    torch.testing.assert_close(loss_of(case, generator, sentences), torch.stack(alone).mean())


# The vocabulary's shares are the better known the larger the batch is, and its cost the lower.
@pytest.mark.slow
@pytest.mark.parametrize("case", ["repetition", "repetition, at times", "mixup"], indirect=True)
@pytest.mark.parametrize("generator", ["lstm"], indirect=True)
def test_a_batch_twice_as_large_has_the_same_expected_loss(
    case: Case, generator: Generator
) -> None:
    one = every_sentence(generator)
    twice = Sentences.join([one, one])
    with torch.no_grad():
        losses = [
            torch.stack([loss_of(case, generator, some, seed) for seed in range(100)])
            for some in (one, twice)
        ]
    error = sum(float(some.var()) / len(some) for some in losses) ** 0.5

    assert abs(float(losses[0].mean() - losses[1].mean())) < 4 * error
    assert error < 0.05


def test_the_seed_decides(case: Case, generator: Generator) -> None:
    sentences = every_sentence(generator)
    one, same = (loss_of(case, generator, sentences, seed=5) for _ in range(2))

    assert torch.equal(one, same)


def test_the_state_of_torch_is_left_alone(case: Case, generator: Generator) -> None:
    modes = [module.training for module in generator.modules()]
    untouched = torch.get_rng_state()
    loss_of(case, generator, every_sentence(generator))

    assert torch.equal(torch.get_rng_state(), untouched)
    assert [module.training for module in generator.modules()] == modes
