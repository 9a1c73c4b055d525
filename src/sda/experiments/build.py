"""Components from settings: `use = "package.module:Name"`, the rest are arguments."""

from __future__ import annotations

import importlib
import inspect
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from pydantic import ConfigDict, TypeAdapter, ValidationError
from torch import nn

from sda.algorithm import self_data_augmentation
from sda.baselines.two_policy import imitate_with_two_policies
from sda.buffer import Buffer
from sda.errors import UserError
from sda.experiments.config import Settings
from sda.models.discriminator import Discriminator
from sda.models.generator import Generator
from sda.reference.filters import NotCopy
from sda.reference.metric import ReferenceMetric, WeightedSum
from sda.sampling import Write
from sda.text.corpus import Corpus
from sda.text.vocabulary import Vocabulary
from sda.training.progress import Progress
from sda.training.schedule import (
    Phase,
    Step,
    paper_schedule,
    same_number,
    stage_one,
    with_likelihood,
)
from sda.training.settings import BufferSettings, StageTwoSettings, TrainingSettings
from sda.training.state import SecondPolicy, TrainState
from sda.training.steps import Objective, nll
from sda.training.wasserstein import Critic, critic_optimizer, read_features

LARGEST_DEFAULT_BUFFER = 5000
ONE_KIND = {
    "training": Step.TRAINING,
    "likelihood": Step.CONTINUED,
    "buffer": Step.RANKED,
    "blended": Step.BLENDED,
}
FINITE = ConfigDict(allow_inf_nan=False, arbitrary_types_allowed=True)


def build(section: Mapping[str, Any], key: str, base: type = object, **known: Any) -> Any:
    """The component that the section names, given what is known and what the section says.

    It must be a subclass of `base`. A key that it does not take is an error that lists those it
    does.
    """
    if "use" not in section:
        raise UserError(f"setting '{key}.use' is missing: it names a class as package.module:Name")
    make = _locate(str(section["use"]), key, base)
    parameters = inspect.signature(make).parameters
    hints = typing.get_type_hints(make.__init__)
    free = [name for name in parameters if name not in known]
    arguments = {name: value for name, value in known.items() if name in parameters}
    for name, value in section.items():
        if name == "use":
            continue
        if name not in free:
            raise UserError(
                f"unknown setting '{key}.{name}' ({section['use']} takes: {', '.join(free)})"
            )
        arguments[name] = _typed(value, hints.get(name, Any), f"{key}.{name}")
    missing = [n for n in free if n not in arguments and parameters[n].default is inspect._empty]
    if missing:
        raise UserError(f"setting '{key}.{missing[0]}' is missing: {section['use']} needs it")
    try:
        return make(**arguments)
    # Sizes below zero are a RuntimeError of torch.
    except (ValueError, RuntimeError) as error:
        raise UserError(f"setting '{key}': {error}") from None


def takes(section: Mapping[str, Any], key: str, argument: str) -> bool:
    """Whether the component that the section names asks for this argument."""
    make = _locate(str(section.get("use", "")), key, object)
    return argument in inspect.signature(make).parameters


def _locate(use: str, key: str, base: type) -> Any:
    module, _, name = use.partition(":")
    if not module or module.startswith(".") or not name:
        raise UserError(f"setting '{key}.use': {use!r} is not written as package.module:Name")
    try:
        found = getattr(importlib.import_module(module), name)
    # A user's own module may fail in any way.
    except Exception as error:
        raise UserError(f"setting '{key}.use': {error}") from None
    if not inspect.isclass(found) or not issubclass(found, base):
        kind = "class" if base is object else f"subclass of {base.__module__}.{base.__name__}"
        raise UserError(f"setting '{key}.use': {use} is not a {kind}")
    return found


def _typed(value: Any, hint: Any, key: str) -> Any:
    try:
        return TypeAdapter(hint, config=FINITE).validate_python(value)
    except ValidationError as error:
        problem = error.errors()[0]["msg"]
        raise UserError(
            f"setting '{key}': {problem[0].lower()}{problem[1:]}, not {value!r}"
        ) from None


def build_models(
    settings: Settings, vocabulary: Vocabulary, max_length: int, rng: torch.Generator
) -> tuple[Generator, Discriminator]:
    """Fresh models; the discriminator comes first, because some generators read its features."""
    discriminator: Discriminator = build(
        settings.discriminator,
        "discriminator",
        Discriminator,
        vocabulary_size=len(vocabulary),
        rng=rng,
    )
    return _build_generator(settings, vocabulary, max_length, discriminator, rng), discriminator


def _build_generator(
    settings: Settings,
    vocabulary: Vocabulary,
    max_length: int,
    discriminator: Discriminator,
    rng: torch.Generator,
) -> Generator:
    generator: Generator = build(
        settings.generator,
        "generator",
        Generator,
        vocabulary_size=len(vocabulary),
        eos=vocabulary.eos,
        max_length=max_length,
        discriminator=discriminator,
        rng=rng,
    )
    return generator


def build_metric(
    settings: Settings,
    corpus: Corpus,
    generator: Generator,
    rng: torch.Generator,
    function: Any = None,
) -> WeightedSum:
    """The weighted sum of the metric's parts; `function` is a user's own, if one was handed in."""
    known: dict[str, Any] = {
        "vocabulary": corpus.vocabulary,
        "train": corpus.train,
        "generator": generator,
        "rng": rng,
    }
    parts = []
    for i, section in enumerate(settings.metric):
        own = {"function": function} if function is not None and "function" in section else {}
        rest = {k: v for k, v in section.items() if k != "weight" and k not in own}
        weight = _typed(section.get("weight", 1.0), float, f"metric.{i}.weight")
        parts.append((weight, build(rest, f"metric.{i}", ReferenceMetric, **known, **own)))
    if settings.buffer.reject_copies:
        parts.append((1.0, NotCopy(corpus.vocabulary, corpus.train)))
    return WeightedSum(parts)


def build_state(
    settings: Settings, corpus: Corpus, rng: torch.Generator, function: Any = None
) -> tuple[TrainState, WeightedSum]:
    """Fresh models, optimisers, an empty buffer, and the metric that fills it."""
    generator, discriminator = build_models(settings, corpus.vocabulary, corpus.max_length, rng)
    metric = build_metric(settings, corpus, generator, rng, function)
    state = TrainState(
        generator,
        discriminator,
        _adam(generator, settings.mle.rate),
        _adam(generator, settings.stage2.rate),
        _adam(discriminator, settings.discriminator_phase.rate),
        _buffer(settings.buffer, corpus, metric.names),
        rng,
        _second_policy(settings, corpus, discriminator, rng)
        if settings.stage2.two_policy
        else None,
    )
    return state, metric


def _second_policy(
    settings: Settings, corpus: Corpus, discriminator: Discriminator, rng: torch.Generator
) -> SecondPolicy:
    """A second generator, which reads the same discriminator, and an untaught critic.

    The generator's first values do not matter: Stage II begins with those of the first.
    """
    generator = _build_generator(settings, corpus.vocabulary, corpus.max_length, discriminator, rng)
    critic = Critic(read_features(discriminator, corpus.train[:1]).shape[1], rng)
    rate = settings.stage2.rate
    return SecondPolicy(generator, _adam(generator, rate), critic, critic_optimizer(critic))


def _adam(model: nn.Module, rate: float) -> torch.optim.Optimizer:
    return torch.optim.Adam(model.parameters(), lr=rate, fused=True)


def _buffer(settings: BufferSettings, corpus: Corpus, parts: tuple[str, ...]) -> Buffer:
    share = round(settings.share * len(corpus))
    return Buffer(
        settings.capacity or max(1, min(LARGEST_DEFAULT_BUFFER, share)),
        parts,
        corpus.vocabulary.eos,
        settings.near_duplicates,
        corpus.train.lengths if settings.length_quota else None,
        settings.max_age,
    )


Loop = Callable[..., Iterator[Progress]]


def choose_loop(settings: Settings) -> Loop:
    """Algorithm 1, or the form with two policies; both are called in the same way."""
    return two_policies if settings.stage2.two_policy else self_data_augmentation


def two_policies(
    state: TrainState,
    corpus: Corpus,
    metric: WeightedSum,
    phases: Sequence[Phase],
    schedule: Sequence[Sequence[Step]],
    settings: TrainingSettings,
    objective: Objective = nll,
    tick: Callable[[], None] = lambda: None,
    *_: object,
) -> Iterator[Progress]:
    """Stage I of Algorithm 1, then Stage II with two policies; yields what Algorithm 1 yields.

    Its rewards and the first fill of its buffer are its own.
    """
    yield from self_data_augmentation(state, corpus, metric, phases, [], settings, objective, tick)
    yield from imitate_with_two_policies(state, corpus, metric, schedule, settings, tick)


def plan(settings: Settings) -> tuple[list[Phase], list[list[Step]], TrainingSettings]:
    """Both schedules, and the training settings with what no step needs switched off."""
    mle, two, judge = settings.mle, settings.stage2, settings.discriminator_phase
    schedule = _schedule(two)
    if two.reward == "metric" and not settings.metric:
        raise UserError("setting 'stage2.reward': 'metric' needs a metric, and there is none")
    imitates = two.steps in ("alternating", "training")
    is_judged = imitates and two.reward in ("prob", "gail")
    selects = settings.selection and takes(settings.selection, "selection", "discriminator")
    is_read = takes(settings.generator, "generator", "discriminator")
    first_rounds = judge.first_rounds if is_judged or selects or is_read else 0
    buffer = settings.buffer
    if buffer.source == "training":
        if buffer.reject_copies:
            raise UserError("setting 'buffer.source': 'training' leaves nothing to reject_copies")
        buffer = buffer.model_copy(update={"candidates": 0})
    if two.steps in ("training", "likelihood"):
        buffer = buffer.model_copy(update={"candidates": 0, "first_fill": 0, "source": "generator"})
    _check_policies(settings)
    training = TrainingSettings(
        mle=mle,
        discriminator_phase=judge if is_judged else judge.model_copy(update={"rounds": 0}),
        buffer=buffer,
        stage2=two,
    )
    return stage_one(mle.epochs, first_rounds, mle.alternations), schedule, training


def _check_policies(settings: Settings) -> None:
    """Two policies are told what they do not know, rather than to pass over it."""
    two = settings.stage2
    if two.lambda_w and not two.two_policy:
        raise UserError(
            "setting 'stage2.lambda_w': the distance is that of two policies, so"
            " stage2.two_policy must be true"
        )
    if not two.two_policy:
        return
    if two.steps != "alternating" or two.mle_every:
        raise UserError(
            "setting 'stage2.two_policy': two policies need stage2.steps = \"alternating\" and"
            " stage2.mle_every = 0"
        )
    if two.kl or two.reward not in ("prob", "gail") or settings.buffer.source != "generator":
        raise UserError(
            "setting 'stage2.two_policy': two policies learn from the discriminator and their own"
            " sentences, without stage2.kl, another stage2.reward or another buffer.source"
        )


def _schedule(two: StageTwoSettings) -> list[list[Step]]:
    """What the steps of Stage II are; none for plain maximum likelihood."""
    if two.steps == "none":
        return []
    if two.steps == "mixed":
        return [[Step.MIXED]] * two.epochs
    if two.steps == "alternating":
        schedule = paper_schedule(two.epochs, two.first_steps, two.fewer_every)
    else:
        schedule = same_number(ONE_KIND[two.steps], two.epochs, two.first_steps, two.fewer_every)
    return with_likelihood(schedule, two.mle_every) if two.mle_every else schedule


def first_writer(training: TrainingSettings, corpus: Corpus) -> Write | None:
    """What fills the buffer at first in place of the generator: the training sentences, or None."""
    return (lambda _: corpus.train) if training.buffer.source == "training" else None
