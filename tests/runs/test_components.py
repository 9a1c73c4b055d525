"""Components from settings, and one sentence for every way in which settings can be wrong."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from fakes import lists_of, seeded, sentences_of
from tiny import tiny_settings, train_tiny

from sda.algorithm import self_data_augmentation
from sda.baselines.two_policy import TwoPolicies
from sda.errors import UserError
from sda.models.discriminator import Discriminator
from sda.models.generator import Frame, Generator
from sda.models.rnn import RnnGenerator
from sda.reference.bleu import Bleu
from sda.runs.assemble import build_metric, build_state
from sda.runs.components import build
from sda.runs.handed import Handed
from sda.runs.plan import choose_loop, choose_policies, plan
from sda.settings.layers import Choices
from sda.settings.vouched import Vouched
from sda.text.corpus import Corpus
from sda.text.sentences import Sentences
from sda.training.progress import Progress
from sda.training.schedule import Phase
from sda.training.state import TrainState
from sda.training.step_kinds import AUGMENTED, TRAINING
from sda.training.wasserstein import read_features

RNN = "sda.models.rnn:RnnGenerator"


def build_rnn(rng: torch.Generator, section: dict[str, Any]) -> RnnGenerator:
    made: RnnGenerator = build(
        section,
        "generator",
        Generator,
        frame=Frame(10, 0, 6),
        rng=rng,
        unused="by this class",
    )
    return made


def test_a_component_gets_what_is_known_and_what_is_set(rng: torch.Generator) -> None:
    made = build_rnn(rng, {"use": RNN, "cell": "gru", "hidden": 7})

    assert isinstance(made, RnnGenerator)
    assert (made.vocabulary_size, made.eos, made.max_length) == (10, 0, 6)
    assert (made.cell, made.hidden, made.embedding.embedding_dim) == ("gru", 7, 32)


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({}, r"setting 'generator\.use' is missing"),
        ({"use": RNN, "hiden": 7}, r"unknown setting 'generator\.hiden' .*takes: cell, embedding"),
        # What the run supplies is not for the user to set.
        ({"use": RNN, "rng": 7}, r"unknown setting 'generator\.rng'"),
        ({"use": RNN, "hidden": "wide"}, r"setting 'generator\.hidden': .* not 'wide'"),
        ({"use": RNN, "cell": "lstn"}, r"setting 'generator\.cell': .* not 'lstn'"),
        (
            {"use": RNN, "tied": True, "hidden": 3, "embedding": 4},
            "setting 'generator': tied embeddings need embedding = hidden, not 4 and 3",
        ),
        ({"use": RNN, "embedding": -1}, "setting 'generator': sizes must be 1 or more"),
        ({"use": RNN, "embedding": 2**63}, "setting 'generator': "),
        ({"use": "RnnGenerator"}, "not written as package.module:Name"),
        ({"use": ":RnnGenerator"}, "not written as package.module:Name"),
        ({"use": ".rnn:RnnGenerator"}, "not written as package.module:Name"),
        ({"use": "sda.models.nothing:X"}, r"'generator\.use': No module named"),
        ({"use": "sda.models.rnn:Nothing"}, r"'generator\.use': .*has no attribute 'Nothing'"),
        ({"use": "sda.models.rnn:cast"}, "is not a subclass of .*Generator"),
        ({"use": "sda.models.rnn:RnnDiscriminator"}, "is not a subclass of .*Generator"),
    ],
)
def test_what_is_wrong_is_named(
    section: dict[str, Any], message: str, rng: torch.Generator
) -> None:
    with pytest.raises(UserError, match=message):
        build_rnn(rng, section)


def test_a_missing_argument_is_named(vocabulary: object) -> None:
    section = {"use": "sda.reference.function:Function"}

    with pytest.raises(UserError, match=r"'metric\.0\.function' is missing"):
        build(section, "metric.0", vocabulary=vocabulary)


def test_a_module_that_cannot_be_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rng: torch.Generator
) -> None:
    (tmp_path / "broken_module.py").write_text("raise OverflowError('far too much')\n")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(UserError, match=r"'generator\.use': far too much"):
        build_rnn(rng, {"use": Vouched("broken_module:Anything")})
    assert "broken_module" not in sys.modules


def metric_of(corpus: Corpus, *assignments: str, **choices: Any) -> Any:
    settings, _ = tiny_settings("captions", *assignments, **choices)
    generator = RnnGenerator(Frame(10, 0, 6), seeded(1))
    return build_metric(settings, corpus, generator, seeded(2))


def test_parts_are_weighted(corpus: Corpus) -> None:
    plain = metric_of(corpus, metric="bleu + repetition")(corpus.valid)
    heavy = metric_of(corpus, "metric.1.weight=3", metric="0.5*bleu + repetition")(corpus.valid)

    assert plain.parts[:, 0].tolist() == pytest.approx((2 * heavy.parts[:, 0]).tolist())
    assert heavy.parts[:, 1].tolist() == pytest.approx((3 * plain.parts[:, 1]).tolist())
    assert heavy.total.tolist() == pytest.approx(heavy.parts.sum(1).tolist())


def test_a_weight_that_is_no_number(corpus: Corpus) -> None:
    with pytest.raises(UserError, match=r"setting 'metric\.0\.weight': .* not 'heavy'"):
        metric_of(corpus, "metric.0.weight=heavy")


def test_copies_are_rejected_when_asked(corpus: Corpus) -> None:
    unseen = sentences_of([1, 9, 3, 0])
    sentences = Sentences.join([corpus.train[:2], unseen])
    assert lists_of(unseen)[0] not in lists_of(corpus.train)

    kept = metric_of(corpus)(sentences).total
    rejected = metric_of(corpus, "buffer.reject_copies=true")(sentences).total

    assert kept.isfinite().tolist() == [True, True, True]
    assert rejected.isfinite().tolist() == [False, False, True]


def test_a_function_that_is_handed_in(corpus: Corpus) -> None:
    settings, _ = tiny_settings("captions", metric="bleu + 2*somewhere:else")
    generator = RnnGenerator(Frame(10, 0, 6), seeded(1))

    def words(texts: list[str]) -> list[float]:
        return [float(len(text.split())) for text in texts]

    settings.metric[1]["function"] = Handed(words)
    metric = build_metric(settings, corpus, generator, seeded(2))

    assert isinstance(metric.parts[0][1], Bleu)
    assert metric(corpus.valid).parts[:, 1].tolist() == [8.0, 6.0, 8.0]


def test_a_state_has_one_rate_for_each_optimiser(corpus: Corpus) -> None:
    rates = ("mle.rate=0.1", "stage2.rate=0.2", "discriminator_phase.rate=0.3")
    settings, _ = tiny_settings("captions", *rates)
    state, metric = build_state(settings, corpus, seeded(3))

    optimizers = (state.mle_optimizer, state.policy_optimizer, state.discriminator_optimizer)
    assert [optimizer.param_groups[0]["lr"] for optimizer in optimizers] == [0.1, 0.2, 0.3]
    assert isinstance(state.discriminator, Discriminator)
    assert metric.names == ("bleu-3",)


def test_one_policy_unless_there_are_to_be_two(corpus: Corpus) -> None:
    one = tiny_settings("captions")[0]
    two = tiny_settings("captions", "stage2.rate=0.2", method="sda-two-policy")[0]
    state, _ = build_state(two, corpus, seeded(3))

    assert build_state(one, corpus, seeded(3))[0].second is None
    assert choose_loop(one) is choose_loop(two) is self_data_augmentation
    assert choose_policies(state, corpus, [], one.stage2) is None
    assert isinstance(choose_policies(state, corpus, [], two.stage2), TwoPolicies)
    assert state.second is not None
    assert state.second.optimizer.param_groups[0]["lr"] == 0.2
    assert state.second.generator.loss(corpus.train).isfinite()
    assert state.second.critic.judge(read_features(state.discriminator, corpus.valid)).shape == (3,)
    # The first policy is the one that a run without the second would have.
    generator = build_state(one, corpus, seeded(3))[0].generator
    pairs = zip(generator.parameters(), state.generator.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)


def test_both_policies_read_one_discriminator(corpus: Corpus) -> None:
    settings, _ = Choices(
        "captions", method="sda-two-policy", generator="leakrnn", profile="smoke"
    ).settle()
    state, _ = build_state(settings, corpus, seeded(3))
    assert state.second is not None

    before = state.second.generator.log_probs(corpus.valid).detach()
    with torch.no_grad():
        state.discriminator.get_parameter("embedding.weight").add_(1.0)
    assert not torch.equal(before, state.second.generator.log_probs(corpus.valid))


@pytest.mark.parametrize(
    ("method", "assignment", "message"),
    [
        ("sda-two-policy", "stage2.steps=training", "two policies need stage2.steps"),
        ("sda-two-policy", "stage2.mle_every=3", "and stage2.mle_every = 0"),
        ("sda", "stage2.lambda_w=0.1", "stage2.two_policy must be true"),
    ],
)
def test_what_two_policies_cannot_do(method: str, assignment: str, message: str) -> None:
    settings, _ = tiny_settings("captions", assignment, method=method)

    with pytest.raises(UserError, match=message):
        plan(settings)


@pytest.mark.parametrize(
    ("assignments", "capacity"),
    [((), 1), (("buffer.share=0.5",), 5), (("buffer.capacity=77",), 77)],
)
def test_the_buffer_holds_a_share(
    corpus: Corpus, assignments: tuple[str, ...], capacity: int
) -> None:
    settings, _ = tiny_settings("captions", *assignments)

    assert build_state(settings, corpus, seeded(3))[0].buffer.capacity == capacity


def test_plans_of_the_methods() -> None:
    plans = {
        method: plan(tiny_settings("captions", "stage2.fewer_every=1", method=method)[0])
        for method in ("mle", "rl", "sda")
    }
    both = [Phase.GENERATOR, Phase.GENERATOR, Phase.DISCRIMINATOR]

    assert [phases for phases, _, _ in plans.values()] == [both[:2], both, both]
    training, augmented = TRAINING, AUGMENTED
    assert plans["mle"][1] == []
    assert plans["rl"][1] == [[training] * 3, [training] * 2]
    assert plans["sda"][1] == [[training, training, augmented], [training, augmented]]
    # Nobody reads a buffer there, so nothing is written for it.
    assert plans["rl"][2].buffer.candidates == plans["rl"][2].buffer.first_fill == 0
    assert plans["sda"][2].buffer.candidates == 16


def test_no_epochs_of_stage_two_leave_stage_one_with_its_discriminator() -> None:
    settings, _ = tiny_settings("captions", "stage2.epochs=0")

    phases, schedule, _ = plan(settings)
    assert phases == [Phase.GENERATOR, Phase.GENERATOR, Phase.DISCRIMINATOR]
    assert schedule == []


class OneEpoch:
    """A loop of one's own: it does nothing, and says so once."""

    def __init__(self, stage: str = "mle") -> None:
        self.stage = stage

    def __call__(self, *, state: TrainState, **_: object) -> Iterator[Progress]:
        state.mle_epoch = state.phase = 1
        yield Progress(self.stage, 1, {"nll_valid": 1.0})


def test_a_loop_of_ones_own_walks_the_stages(toy_file: Path, tmp_path: Path) -> None:
    more = ("loop.use=runs.test_components:OneEpoch", "mle.epochs=1")
    run = train_tiny(toy_file, tmp_path / "run", more, method="mle")

    assert [line["epoch"] for line in run.progress()] == [1]
    assert run.progress()[0]["updates"] == 0
    assert run.is_finished
