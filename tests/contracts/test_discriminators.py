"""What every discriminator promises. A new discriminator is one more row in `CASES`."""

import copy
from collections.abc import Callable
from functools import partial

import pytest
import torch
from fakes import seeded, sentences_of
from tiny_models import byte_model
from torch import nn

from contracts.rows import each_of
from sda.models.cnn import CnnDiscriminator
from sda.models.discriminator import Discriminator
from sda.models.generator import Frame, without_dropout
from sda.models.leak import LeakGenerator
from sda.models.panel import Panel
from sda.models.rnn import RnnDiscriminator, RnnGenerator
from sda.models.surface_judge import SurfaceJudge
from sda.models.word_judge import Pooling, WordJudge
from sda.rewards import judge
from sda.text.sentences import Sentences
from sda.text.vocabulary import NumberVocabulary

WORDS = 9
Build = Callable[[torch.Generator], Discriminator]


def rnn(rng: torch.Generator) -> Discriminator:
    return RnnDiscriminator(WORDS, rng, embedding=5, hidden=4, init_std=0.8)


def cnn(rng: torch.Generator, penalty: float = 0.0) -> Discriminator:
    return CnnDiscriminator(WORDS, rng, 5, widths=(1, 2, 4), maps=(3, 4, 5), penalty=penalty)


def word_judge(rng: torch.Generator, pooling: Pooling, cell: str = "lstm") -> Discriminator:
    frame = Frame(WORDS, 0, 8)
    reader = RnnGenerator(frame, rng, cell, 5, 4, init_std=0.8)  # type: ignore[arg-type]
    return WordJudge(reader, LONG, rng, 6, pooling=pooling, init_std=0.5)


def judge_of_steps(rng: torch.Generator) -> Discriminator:
    """Of a generator that has no more than `start` and `step`, but for what every one has."""
    leak_reads = CnnDiscriminator(WORDS, seeded(0), 3, widths=(1, 2), maps=(3, 3))
    reader = LeakGenerator(Frame(WORDS, 0, 8), rng, leak_reads, 5, 6, 3, 2, init_std=0.8)
    return WordJudge(reader, LONG, rng, 6, init_std=0.5)


def panel(rng: torch.Generator) -> Discriminator:
    first, second = copy.deepcopy(rng), rng
    return Panel([word_judge(first, "product"), word_judge(second, "product")])


def pretrained(rng: torch.Generator) -> Discriminator:
    """Reads with a random causal model, whose vectors are far from scaled."""
    from sda.pretrained.judge import PretrainedJudge

    return PretrainedJudge(
        NumberVocabulary(WORDS), rng, str(byte_model("llama")), hidden=5, init_std=0.8
    )


CASES: dict[str, Build] = {
    "pretrained": pretrained,
    "rnn": rnn,
    "cnn": cnn,
    "cnn with penalty": partial(cnn, penalty=0.2),
    "product of words": partial(word_judge, pooling="product"),
    "sum of words": partial(word_judge, pooling="sum", cell="gru"),
    "words of leakrnn": judge_of_steps,
    "surface": lambda rng: SurfaceJudge(WORDS, rng, hidden=6, pooling="any"),
    "panel of two": panel,
}

SHORT = sentences_of([3], [1, 2], [8, 0], [2])
LONG = sentences_of([1, 2, 3, 4, 5, 6], [7, 7, 7], [1, 2, 0, 0])


build = each_of(CASES)


@pytest.fixture
def discriminator(build: Build) -> Discriminator:
    return build(seeded(3))


def test_one_judgement_and_one_row_of_features_per_sentence(discriminator: Discriminator) -> None:
    features = discriminator.features(LONG)

    assert discriminator.real_logit(LONG).shape == (3,)
    assert features.dim() == 2 and len(features) == 3


def test_neither_padding_nor_company_matters(discriminator: Discriminator) -> None:
    garbage = torch.full((len(SHORT), 6), WORDS - 1)
    wider = Sentences(torch.cat((SHORT.tokens, garbage), 1), SHORT.lengths)
    company = Sentences.join([SHORT, LONG])
    with without_dropout(discriminator):
        alone = discriminator.real_logit(SHORT)
        torch.testing.assert_close(discriminator.real_logit(wider), alone)
        torch.testing.assert_close(discriminator.real_logit(company)[: len(SHORT)], alone)
        features = discriminator.features(company)[: len(SHORT)]
        torch.testing.assert_close(features, discriminator.features(SHORT))
        one_by_one = [discriminator.real_logit(company[i : i + 1]) for i in range(len(company))]
        torch.testing.assert_close(torch.cat(one_by_one), discriminator.real_logit(company))


@pytest.mark.parametrize("known", [1, 2, 3, 5])
def test_completions_are_judged_as_if_the_prefix_were_not_shared(
    discriminator: Discriminator, known: int
) -> None:
    rng = seeded(5)
    prefixes = torch.randint(WORDS, (3, known), generator=rng)
    rests = torch.randint(WORDS, (6, 4), generator=rng)
    tokens = torch.cat((prefixes.repeat_interleave(2, 0), rests), 1)
    lengths = known + torch.tensor([1, 4, 2, 3, 1, 4])
    completions = Sentences(tokens, lengths)
    with without_dropout(discriminator):
        shared = discriminator.completed_logit(prefixes, completions)
        torch.testing.assert_close(shared, discriminator.real_logit(completions))


def test_word_zero_is_told_from_padding(discriminator: Discriminator) -> None:
    two, four = judge(discriminator, sentences_of([1, 2], [1, 2, 0, 0])).tolist()

    assert two != pytest.approx(four, abs=1e-4)


def test_every_word_and_its_place_matter(discriminator: Discriminator) -> None:
    with without_dropout(discriminator):
        logits = discriminator.real_logit(
            sentences_of([1, 2, 3, 4], [5, 2, 3, 4], [1, 2, 5, 4], [1, 2, 3, 5], [4, 3, 2, 1])
        )

    assert len(set(logits.tolist())) == 5


def test_gradients_reach_every_parameter(discriminator: Discriminator) -> None:
    loss = discriminator.real_logit(LONG).square().sum() + discriminator.penalty()
    loss.backward()  # type: ignore[no-untyped-call]

    learned = [(n, v) for n, v in discriminator.named_parameters() if v.requires_grad]
    assert learned
    for name, value in learned:
        assert value.grad is not None and bool(value.grad.any()), name


def test_penalty_is_not_negative_and_belongs_to_the_parameters(
    discriminator: Discriminator,
) -> None:
    penalty = discriminator.penalty()
    if isinstance(penalty, float):
        assert penalty == 0
        return
    squares = sum(
        float(value.detach().square().sum())
        for name, value in discriminator.named_parameters()
        if name.startswith("output")
    )
    assert penalty.item() == pytest.approx(0.2 * squares / 2)
    assert penalty.requires_grad


def test_weights_can_be_saved_and_loaded(build: Build) -> None:
    one, other = build(seeded(3)), build(seeded(4))
    assert not torch.equal(judge(one, LONG), judge(other, LONG))
    other.load_state_dict(copy.deepcopy(one.state_dict()))

    assert torch.equal(judge(one, LONG), judge(other, LONG))


def test_the_seed_alone_decides_the_first_values(build: Build) -> None:
    one = build(seeded(3)).state_dict()
    torch.rand(5)
    same = build(seeded(3)).state_dict()

    assert all(torch.equal(value, same[name]) for name, value in one.items())


def test_a_judgement_has_no_gradient_and_no_dropout(discriminator: Discriminator) -> None:
    modes = [layer.training for layer in discriminator.modules()]
    rewards = judge(discriminator, LONG)

    assert not rewards.requires_grad
    assert torch.equal(rewards, judge(discriminator, LONG))
    assert ((rewards > 0) & (rewards < 1)).all()
    assert [layer.training for layer in discriminator.modules()] == modes


def test_dropout_is_on_in_training(discriminator: Discriminator) -> None:
    assert any(isinstance(layer, nn.Dropout) for layer in discriminator.modules())
    torch.manual_seed(0)

    assert not torch.equal(discriminator.real_logit(LONG), discriminator.real_logit(LONG))


def test_a_fit_asks_for_rows_of_the_same_sentences(discriminator: Discriminator) -> None:
    both = Sentences.join([SHORT, LONG])
    rows = torch.tensor([5, 0, 0, 3])
    with without_dropout(discriminator):
        logits = discriminator.begin_fit(both)

        torch.testing.assert_close(logits(rows), discriminator.real_logit(both[rows]))
