"""Mixing embeddings: what is mixed, in which proportion, and what is left behind."""

from collections.abc import Callable

import pytest
import torch
from contracts.test_generators import CASES, WORDS, Build, every_sentence
from fakes import FixedGenerator, seeded, sentences_of
from torch import Tensor

from sda.baselines.mixup import Mixup, mixed_nll
from sda.errors import UserError
from sda.models.generator import Frame, Generator, without_dropout
from sda.models.rnn import RnnGenerator
from sda.text.sentences import Sentences
from sda.training.steps import nll

# The others have no embeddings of their own, and a pretrained model keeps its own where it likes.
WITHOUT = ("start and step alone", "stored oracle")
EMBEDDING = [name for name in CASES if name not in WITHOUT and not name.startswith("pretrained")]


def rnn() -> RnnGenerator:
    return RnnGenerator(Frame(WORDS, 0, 6), seeded(1), embedding=5, hidden=5, init_std=0.8)


@pytest.fixture(params=EMBEDDING)
def generator(request: pytest.FixtureRequest) -> Generator:
    build: Build = CASES[request.param]
    return build(seeded(3))


def test_a_whole_share_is_maximum_likelihood(generator: Generator) -> None:
    sentences = every_sentence(generator)
    partners = torch.randperm(len(sentences), generator=seeded(1))
    with without_dropout(generator):
        expected = nll(generator, sentences)
        own = mixed_nll(generator, sentences, partners, 1.0)
        others = mixed_nll(generator, sentences, partners, 0.0)

    assert torch.equal(own, expected)
    torch.testing.assert_close(others, expected)


def test_own_partners_change_nothing(generator: Generator) -> None:
    sentences = every_sentence(generator)
    with without_dropout(generator):
        mixed = mixed_nll(generator, sentences, torch.arange(len(sentences)), 0.3)
        torch.testing.assert_close(mixed, nll(generator, sentences))


def by_hand(generator: RnnGenerator, sentences: Sentences, i: int, j: int, share: float) -> Tensor:
    """The loss of sentence i and its partner j, whose padding is as it should be read."""

    def embedded(row: int) -> Tensor:
        read = torch.cat((torch.tensor([generator.bos]), sentences.tokens[row, :-1]))
        return generator.embedding(read)

    mixture = share * embedded(i) + (1 - share) * embedded(j)
    hidden = generator.recurrent[0](mixture[None])[0][0]
    log_probs = generator.logits(hidden).log_softmax(1)
    own, other = (
        -log_probs.gather(1, sentences.tokens[row, :, None])[: sentences.lengths[row]].sum()
        for row in (i, j)
    )
    return share * own + (1 - share) * other


@pytest.mark.parametrize(
    "sentences",
    [
        sentences_of([1, 2, 3, 0], [3, 3, 1, 0], [2, 1, 2, 0]),
        # Past its end a sentence is read as end symbols, which are zero here.
        sentences_of([1, 2, 3, 0], [3, 0], [2, 1, 0]),
    ],
)
def test_inputs_and_losses_are_mixed_in_the_same_share(sentences: Sentences) -> None:
    generator = rnn()
    partners = torch.tensor([1, 2, 0])
    pairs = enumerate(partners.tolist())
    expected = torch.stack([by_hand(generator, sentences, i, j, 0.3) for i, j in pairs]).mean()
    found = mixed_nll(generator, sentences, partners, 0.3)
    parameters = list(generator.parameters())

    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(
        torch.autograd.grad(found, parameters), torch.autograd.grad(expected, parameters)
    )


def test_padding_is_not_read() -> None:
    generator, partners = rnn(), torch.tensor([1, 0])
    clean = sentences_of([1, 2, 3, 0], [3, 0])
    garbage = Sentences(torch.tensor([[1, 2, 3, 0, 2], [3, 0, 2, 1, 1]]), clean.lengths)
    expected = mixed_nll(generator, clean, partners, 0.3)

    assert torch.equal(mixed_nll(generator, garbage, partners, 0.3), expected)


def test_the_same_seed_mixes_in_the_same_way() -> None:
    generator, sentences = rnn(), sentences_of([1, 2, 3, 0], [3, 3, 1, 0], [2, 0])
    one, same, other = (Mixup(seeded(seed)) for seed in (1, 1, 2))
    losses = [[m(generator, sentences).item() for _ in range(3)] for m in (one, same, other)]

    assert losses[0] == losses[1] != losses[2]
    assert len(set(losses[0])) == 3


def shares(alpha: float, monkeypatch: pytest.MonkeyPatch) -> Tensor:
    """(2000,) the proportions of as many batches."""
    found: list[float] = []

    def note(_: object, __: object, ___: object, share: float) -> Tensor:
        found.append(share)
        return torch.zeros(())

    monkeypatch.setattr("sda.baselines.mixup.mixed_nll", note)
    objective, generator, sentences = Mixup(seeded(1), alpha), rnn(), sentences_of([1, 0])
    for _ in range(2000):
        objective(generator, sentences)
    return torch.tensor(found)


@pytest.mark.parametrize("alpha", [0.2, 1.0, 5.0])
def test_shares_have_the_variance_of_the_distribution(
    alpha: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = shares(alpha, monkeypatch)

    assert drawn.mean().item() == pytest.approx(0.5, abs=0.04)
    assert drawn.var().item() == pytest.approx(1 / (4 * (2 * alpha + 1)), rel=0.15)


def count_hooks(generator: Generator) -> int:
    embedding = generator.embedding
    assert isinstance(embedding, torch.nn.Module)
    return len(embedding._forward_hooks)


def test_nothing_is_mixed_afterwards_even_if_the_loss_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    generator, sentences = rnn(), sentences_of([1, 2, 0], [3, 0])
    before = nll(generator, sentences)
    mixed_nll(generator, sentences, torch.tensor([1, 0]), 0.3)
    assert count_hooks(generator) == 0
    assert torch.equal(nll(generator, sentences), before)

    def fail(_: Sentences) -> Tensor:
        assert count_hooks(generator) == 1
        raise RuntimeError("out of memory")

    monkeypatch.setattr(generator, "loss", fail)
    with pytest.raises(RuntimeError, match="out of memory"):
        mixed_nll(generator, sentences, torch.tensor([1, 0]), 0.3)
    assert count_hooks(generator) == 0


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Mixup(seeded(0), alpha=0.0), ValueError, "alpha must be above 0"),
        (
            lambda: Mixup(seeded(0))(FixedGenerator([0.5, 0.5], 0), sentences_of([1, 0])),
            UserError,
            "'objective.use'.*FixedGenerator has none",
        ),
    ],
)
def test_what_cannot_be_mixed_is_refused(
    make: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make()
