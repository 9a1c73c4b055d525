"""Every shipped settings file loads and builds, and the paper's scale is the paper's."""

import inspect
import tomllib
from collections.abc import Iterator
from importlib import resources
from itertools import product
from typing import Any

import pytest
import torch
from fakes import seeded

from sda.archive import Answered
from sda.errors import UserError
from sda.models.oracle import random_oracle
from sda.models.rnn import RnnDiscriminator, RnnGenerator
from sda.reference.bleu import Bleu
from sda.reference.likelihood import Likelihood
from sda.runs.assemble import build_metric, build_models, build_state
from sda.runs.plan import plan
from sda.settings.layers import Choices, named, names_of
from sda.settings.schema import Settings, leaves, make_settings, write_toml
from sda.text.corpus import Corpus
from sda.training.schedule import Phase
from sda.training.stages import JudgeSettings
from sda.training.step_kinds import INTERLEAVED, TRAINING

KINDS = ("defaults", "discriminators", "generators", "methods", "metrics", "presets")
PARTS = ("text", "oracle")  # of a profile
WITHOUT_METRIC = (
    "mle",
    "rl",
    "constant",
    "mle-longer",
    "d-rejection",
    "eda",
    "un-rare",
    "un-repeat",
    "un-vocabulary",
    "un-words",
    "mixup",
)
WITH_METRIC = (
    "metric-rejection",
    "sda",
    "sda-gail",
    "mixed",
    "random-buffer",
    "train-as-buffer",
    "raft",
    "metric-reward",
    "best-of-n",
    "sda-two-policy",
)
METHODS = (*WITHOUT_METRIC, *WITH_METRIC)
SOURCES = ("captions", "oracle", "lines.txt")


def test_there_is_no_other_kind_of_file() -> None:
    folders = [entry for entry in resources.files("sda.configs").iterdir() if entry.is_dir()]
    names = {entry.name for entry in folders if not entry.name.startswith("_")}

    # `data` tells what the files of the experiments are, `looks` how their rows are drawn; the
    # experiments, style transfer and pretrained models have tests of their own.
    assert names == {*KINDS, "profiles", "data", "experiments", "looks", "pretrained", "transfer"}
    assert list(names_of("methods")) == sorted(METHODS)
    assert names_of("profiles") == ("full", "small", "smoke")


FILES = [(kind, name, None) for kind in KINDS for name in names_of(kind)]
FILES_OF_PROFILES = [("profiles", name, part) for name in names_of("profiles") for part in PARTS]


def cases(layer: dict[str, Any], origin: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The plain values of a layer, then those of each case, with the origin that they are given."""
    yield origin, {key: value for key, value in layer.items() if key != "for"}
    for tag, values in layer.get("for", {}).items():
        yield from cases(values, f"{origin}, for {tag}")


for_every_generator = pytest.mark.parametrize("generator", names_of("generators"))
for_every_profile = pytest.mark.parametrize("profile", names_of("profiles"))


@pytest.mark.parametrize(("kind", "name", "part"), [*FILES, *FILES_OF_PROFILES])
def test_every_file_holds_known_settings(kind: str, name: str, part: str | None) -> None:
    layer = named(kind, name, part)
    # A recipe may be laid over another.
    assert layer.pop("base", "rnn") in names_of("generators")

    for _, table in cases(layer, ""):
        settings = make_settings({"source": "captions", **table})
        # Rules of a guard gain the values that they do not name.
        given = {key: value for key, value in leaves(table) if key != "guard.rules"}
        assert given.items() <= dict(leaves(settings.model_dump())).items()


@pytest.mark.slow
@for_every_generator
@pytest.mark.parametrize("discriminator", names_of("discriminators"))
def test_every_pair_of_models_builds_and_runs(
    generator: str, discriminator: str, corpus: Corpus
) -> None:
    choices = Choices("captions", generator=generator, discriminator=discriminator, profile="smoke")
    settings, _ = choices.settle()
    if discriminator.startswith("states"):
        with pytest.raises(UserError, match="can only be fitted after Stage I"):
            build_state(settings, corpus, seeded(1))
        return
    if generator.startswith("leak") and discriminator in ("rnn", "surface", "surface-sum"):
        with pytest.raises(UserError, match="features of a CNN discriminator"):
            build_state(settings, corpus, seeded(1))
        return
    state, _ = build_state(settings, corpus, seeded(1))

    assert state.generator.loss(corpus.train).isfinite()
    assert state.discriminator.real_logit(corpus.train).shape == (len(corpus),)


@pytest.mark.slow
@for_every_generator
def test_every_discriminator_can_be_the_judge_of_every_generator(
    generator: str, corpus: Corpus
) -> None:
    candidates = tuple(names_of("discriminators"))
    choices = Choices("captions", generator=generator, preset="recommended", profile="smoke")
    settings = choices.settle()[0]
    judging = settings.judge.model_copy(
        update={"candidates": candidates, "updates": 2, "check_every": 1}
    )
    state, _ = build_state(
        settings.model_copy(update={"judge": judging, "metric": []}), corpus, seeded(1)
    )
    assert state.judge is not None
    scores = torch.arange(len(corpus)).double()

    assert state.judge.learn(
        Answered(corpus.train, scores, scores[:, None], scores.long()), seeded(2)
    )
    assert set(state.judge.fits) == set(candidates)
    assert state.judge(corpus.valid).isfinite().all()


@pytest.mark.slow
@for_every_generator
@pytest.mark.parametrize("metric", names_of("metrics"))
def test_every_metric_builds_and_scores(generator: str, metric: str, corpus: Corpus) -> None:
    settings, _ = Choices("captions", generator=generator, metric=metric, profile="smoke").settle()
    if metric == "grammatical":
        # The corpus here lacks the grammar's words; the metric has tests of its own.
        with pytest.raises(UserError, match="the vocabulary lacks words of the caption grammar"):
            build_state(settings, corpus, seeded(1))
        return
    state, _ = build_state(settings, corpus, seeded(1))

    scores = build_metric(settings, corpus, state.generator, seeded(2))(corpus.valid)
    assert scores.total.shape == (len(corpus.valid),)
    assert not scores.total.isnan().any()


# Every method on every kind of source, with a profile and a generator in turn. All products would
# be over a thousand cases and could find no more: a layer is laid over the others value by value,
# so that two of them meet or do not, whatever the rest is. Generators meet profiles below.
@pytest.mark.parametrize(
    ("place", "method", "source"),
    [(place, *pair) for place, pair in enumerate(product(names_of("methods"), SOURCES))],
)
def test_every_method_settles_on_every_source(place: int, method: str, source: str) -> None:
    profiles, generators = names_of("profiles"), names_of("generators")
    # The profile moves on after each round of sources, so that no profile is bound to a source.
    profile = profiles[(place + place // len(SOURCES)) % len(profiles)]
    choices = Choices(
        source, method=method, profile=profile, generator=generators[place % len(generators)]
    )
    settings, origins = choices.settle()

    assert settings.method == method
    assert len(settings.metric) == (0 if method in WITHOUT_METRIC else 1)
    assert set(origins) <= dict(leaves(settings.model_dump())).keys()
    assert make_settings(tomllib.loads(write_toml(settings, origins))) == settings


SCALES = [("captions", 20), ("oracle", 20), ("oracle", 40), ("lines.txt", 20)]


@pytest.mark.slow
@for_every_generator
@for_every_profile
def test_every_generator_builds_at_every_scale(
    profile: str, generator: str, corpus: Corpus
) -> None:
    built: list[tuple[Any, Any]] = []
    for source, length in SCALES:
        values = {"embedded": {"length": length}}
        choices = Choices(source, profile=profile, generator=generator, values=values)
        settings, _ = choices.settle()
        # Sources whose models have the same sizes have the same models.
        if (settings.generator, settings.discriminator) not in built:
            built.append((settings.generator, settings.discriminator))
            build_models(settings, corpus.vocabulary, corpus.max_length, seeded(1))


@for_every_profile
def test_every_case_of_a_profile_is_reached(profile: str) -> None:
    reached: dict[str, set[str]] = {part: set() for part in PARTS}
    for (source, length), generator in product(SCALES, names_of("generators")):
        values = {"embedded": {"length": length}}
        choices = Choices(source, profile=profile, generator=generator, values=values)
        reached["oracle" if source == "oracle" else "text"] |= set(choices.settle()[1].values())
    reached["text"] |= set(
        Choices("lines.txt", profile=profile, generator="hf:folder").settle()[1].values()
    )

    for part in PARTS:
        layer = named("profiles", profile, part)
        written = {origin for origin, _ in cases(layer, f"profile {profile}")}
        assert written <= reached[part]


def test_an_oracle_from_a_file_has_the_settings_of_an_oracle() -> None:
    drawn, read = (Choices(source).settle()[0] for source in ("oracle", "oracle:file.npz"))

    assert read == drawn.model_copy(update={"source": "oracle:file.npz"})


ALL = {
    "mle.batch_size": 64,
    "stage2.batch_size": 64,
    # 64 real and 64 fake sentences.
    "discriminator_phase.batch_size": 128,
    "discriminator.use": "sda.models.rnn:RnnDiscriminator",
    "discriminator.embedding": 64,
    "discriminator.dropout": 0.25,
    "discriminator_phase.rate": 1e-4,
    "stage2.rollouts": 16,
    "stage2.rollout_every": 1,
    "stage2.reward": "prob",
    "stage2.baseline": "none",
    "stage2.steps": "alternating",
    "mle.clip": 5.0,
    "stage2.clip": 5.0,
    "mle.epochs": 100,
    "mle.patience": 0,
    "mle.keep_best": False,
    "stage2.epochs": 100,
    "stage2.first_steps": 6,
    "stage2.fewer_every": 10,
    "buffer.candidates": 1000,
    "buffer.first_fill": 10_000,
    "buffer.near_duplicates": None,
    "buffer.length_quota": False,
    "buffer.reject_copies": False,
    "buffer.max_age": None,
    "discriminator_phase.rounds": 5,
    "discriminator_phase.passes": 3,
    "discriminator_phase.sentences": 10_000,
}
SYNTHETIC = {
    "embedded.vocabulary": 5000,
    "embedded.train": 10_000,
    "embedded.test": 10_000,
    "mle.rate": 0.01,
    "stage2.rate": 0.01,
    "discriminator.hidden": 64,
    "buffer.capacity": 1000,
    "evaluation.every": 5,
}
TEXT = {
    "generator.embedding": 128,
    "generator.hidden": 128,
    "mle.rate": 1e-3,
    "stage2.rate": 1e-4,
    "discriminator.hidden": 128,
    "evaluation.every": 10,
    "evaluation.final_samples": 10_000,
    # With the end symbol 51 tokens.
    "data.max_length": 50,
}


def synthetic(length: int, size: int) -> dict[str, Any]:
    return {
        "embedded.length": length,
        "embedded.oracle_size": size,
        "generator.embedding": size,
        "generator.hidden": size,
    }


def full(source: str, **choices: Any) -> Settings:
    return Choices(source, profile="full", preset="paper", **choices).settle()[0]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (full("oracle"), ALL | SYNTHETIC | synthetic(20, 32)),
        (full("oracle", values={"embedded": {"length": 40}}), ALL | SYNTHETIC | synthetic(40, 64)),
        (full("lines.txt"), ALL | TEXT),
    ],
    ids=["oracle 20", "oracle 40", "text"],
)
def test_the_papers_scale(settings: Settings, expected: dict[str, Any]) -> None:
    values = dict(leaves(settings.model_dump()))

    assert {key: values[key] for key in expected} == expected


SEQGAN_FILTERS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20]


@pytest.mark.parametrize("source", ["oracle", "lines.txt"])
def test_seqgan_is_what_its_release_set(source: str) -> None:
    settings = full(source, generator="seqgan")
    phases, schedule, _ = plan(settings)

    assert settings.method == "rl"
    assert settings.metric == []
    assert settings.discriminator["widths"] == SEQGAN_FILTERS
    assert sum(settings.discriminator["maps"]) == 1720
    assert (settings.discriminator["dropout"], settings.discriminator["penalty"]) == (0.25, 0.2)
    assert (phases.count(Phase.GENERATOR), phases.count(Phase.DISCRIMINATOR)) == (120, 50)
    assert [step for steps in schedule for step in steps] == [TRAINING] * 200
    assert settings.discriminator_phase.rounds * settings.discriminator_phase.passes == 15
    assert (settings.stage2.rollouts, settings.stage2.rollout_every) == (16, 1)
    if source == "oracle":
        assert (settings.generator["embedding"], settings.generator["hidden"]) == (32, 32)
        assert (settings.mle.rate, settings.stage2.rate) == (0.01, 0.01)


def test_leakgan_is_what_its_release_meant() -> None:
    settings = full("oracle", generator="leakgan")
    phases, schedule, _ = plan(settings)

    assert settings.method == "rl"
    assert settings.generator["worker_reward"] == "intrinsic"
    assert settings.stage2.rescale == "rank"
    assert settings.discriminator["widths"] == SEQGAN_FILTERS
    assert (settings.discriminator["dropout"], settings.discriminator["penalty"]) == (0.0, 0.2)
    assert settings.discriminator_phase.rate == 5e-5
    turn = [Phase.DISCRIMINATOR] * 5 + [Phase.GENERATOR] * 8
    assert phases == turn * 10
    assert [step for steps in schedule for step in steps] == [TRAINING] * 800
    assert (settings.stage2.rollouts, settings.stage2.rollout_every) == (4, 4)
    assert (settings.mle.rate, settings.stage2.rate) == (0.0015, 0.0015)

    _, schedule, _ = plan(full("lines.txt", generator="leakgan"))
    steps = [step for steps in schedule for step in steps]
    assert steps[14:16] == [TRAINING, INTERLEAVED]
    assert steps.count(INTERLEAVED) == 800 // 15


def test_a_recipe_can_be_trained_by_another_method_than_its_own() -> None:
    settings = full("oracle", generator="seqgan", method="sda")

    assert settings.stage2.steps == "alternating"
    assert len(settings.metric) == 1


def test_the_papers_metrics(corpus: Corpus) -> None:
    state, likelihood = build_state(full("oracle"), corpus, seeded(1))
    assert [type(part) for _, part in likelihood.parts] == [Likelihood]

    settings = full("lines.txt")
    bleu = build_metric(settings, corpus, state.generator, seeded(1))
    assert [(weight, type(part)) for weight, part in bleu.parts] == [(1.0, Bleu)]
    assert bleu.names == ("bleu-3",)
    # The paper's number of references is the class's own.
    assert "references" not in settings.metric[0]
    assert inspect.signature(Bleu).parameters["references"].default == 1000


def test_the_papers_buffer_on_text(corpus: Corpus) -> None:
    many = torch.arange(80_000) % len(corpus)
    large = Corpus(corpus.vocabulary, corpus.train[many], corpus.valid, corpus.max_length)

    assert build_state(full("lines.txt"), large, seeded(1))[0].buffer.capacity == 5000


def test_the_papers_models(corpus: Corpus) -> None:
    state, _ = build_state(full("lines.txt"), corpus, seeded(1))

    assert isinstance(state.generator, RnnGenerator)
    assert state.generator.cell == "lstm"
    assert isinstance(state.discriminator, RnnDiscriminator)
    # Initial values are drawn from N(0, 0.1) in the generator and from N(0, 1) in the oracle.
    assert deviation(state.generator) == pytest.approx(0.1, rel=0.02)
    assert deviation(random_oracle(500, 20, 32, seeded(1))) == pytest.approx(1.0, rel=0.02)


def deviation(model: torch.nn.Module) -> float:
    return (
        torch.cat([parameter.detach().flatten() for parameter in model.parameters()]).std().item()
    )


@pytest.mark.parametrize(
    ("preset", "names"),
    [("vocabulary", ("bleu-3", "rare-words")), ("repetition", ("bleu-3", "repetition"))],
)
def test_presets_of_the_two_control_experiments(
    preset: str, names: tuple[str, ...], corpus: Corpus
) -> None:
    paper = Choices("lines.txt", preset="paper").settle()[0].model_dump()
    settings = Choices("lines.txt", preset=preset).settle()[0]

    assert build_state(settings, corpus, seeded(1))[1].names == names
    # Nothing but the metric differs from the paper's setting.
    assert {key for key, value in settings.model_dump().items() if value != paper[key]} == {
        "metric"
    }
    assert Choices("lines.txt", preset=preset, method="rl").settle()[0].metric == []


@pytest.mark.parametrize(
    ("preset", "trained"),
    [
        ("recommended", [("lines.txt", "sda")]),
        ("paper", [("lines.txt", "rl"), ("captions", "sda"), ("oracle", "sda")]),
    ],
)
def test_a_file_of_ones_own_is_trained_as_recommended(
    preset: str, trained: list[tuple[str, str]]
) -> None:
    for (source, method), profile in product(trained, names_of("profiles")):
        chosen = Choices(source, method=method, profile=profile)
        assert (
            chosen.settle()
            == Choices(source, method=method, profile=profile, preset=preset).settle()
        )


def test_a_preset_may_hold_values_for_one_profile() -> None:
    epochs = {
        profile: Choices("lines.txt", "sda", profile=profile).settle()[0].stage2.epochs
        for profile in names_of("profiles")
    }

    assert epochs == {"full": 40, "small": 12, "smoke": 3}


def test_a_text_without_a_metric_is_learned_by_likelihood_alone() -> None:
    metric = {"metric": [{"use": "sda.reference.bleu:Bleu"}]}

    assert Choices("lines.txt").settle()[0].method == "mle"
    assert Choices("lines.txt", metric="bleu").settle()[0].method == "sda"
    assert Choices("lines.txt", values=metric).settle()[0].method == "sda"
    assert Choices("lines.txt", preset="paper").settle()[0].method == "sda"
    assert Choices("captions").settle()[0].method == "sda"


@pytest.mark.parametrize("source", ["captions", "oracle"])
def test_what_nobody_asked_for_is_held_against_its_start(source: str) -> None:
    def is_checked(**choices: Any) -> bool:
        return Choices(source, **choices).settle()[0].hand_over.check

    assert is_checked() and is_checked(generator="leakrnn")
    assert not is_checked(preset="paper") and not is_checked(method="sda")
    assert not is_checked(profile="smoke")
    assert not is_checked(assignments=["hand_over.check=false"])


def test_the_discriminator_is_the_judge_where_one_is_fitted() -> None:
    def chosen(name: str, preset: str = "recommended") -> Settings:
        return Choices("lines.txt", preset=preset, discriminator=name).settle()[0]

    assert chosen("states").judge.candidates == ["states"]
    assert chosen("auto").judge.candidates == JudgeSettings().candidates
    assert chosen("states").discriminator == chosen("rnn").discriminator
    with pytest.raises(UserError, match="unknown discriminator 'state'"):
        chosen("state")
    with pytest.raises(UserError, match="it is for the preset recommended"):
        chosen("auto", preset="paper")
