"""Components from settings: `use = "package.module:Name"`, the rest are arguments."""

from __future__ import annotations

import importlib
import inspect
import typing
from collections.abc import Mapping
from typing import Any

import torch
from pydantic import ConfigDict, TypeAdapter, ValidationError
from torch import nn

from sda.buffer import Buffer
from sda.errors import UserError
from sda.experiments.config import Settings
from sda.models.discriminator import Discriminator
from sda.models.generator import Generator
from sda.reference.filters import NotCopy
from sda.reference.metric import ReferenceMetric, WeightedSum
from sda.text.corpus import Corpus
from sda.text.vocabulary import Vocabulary
from sda.training.schedule import (
    Phase,
    Step,
    paper_schedule,
    stage_one,
    training_only,
    with_likelihood,
)
from sda.training.settings import BufferSettings, TrainingSettings
from sda.training.state import TrainState

LARGEST_DEFAULT_BUFFER = 5000
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
    size = len(vocabulary)
    discriminator: Discriminator = build(
        settings.discriminator, "discriminator", Discriminator, vocabulary_size=size, rng=rng
    )
    generator: Generator = build(
        settings.generator,
        "generator",
        Generator,
        vocabulary_size=size,
        eos=vocabulary.eos,
        max_length=max_length,
        discriminator=discriminator,
        rng=rng,
    )
    return generator, discriminator


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
    )
    return state, metric


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


def plan(settings: Settings) -> tuple[list[Phase], list[list[Step]], TrainingSettings]:
    """Both schedules, and the training settings with what no step needs switched off."""
    mle, two = settings.mle, settings.stage2
    training = TrainingSettings(
        mle=mle,
        discriminator_phase=settings.discriminator_phase,
        buffer=settings.buffer,
        stage2=two,
    )
    if two.steps == "none" or not two.epochs:
        return stage_one(mle.epochs, 0, mle.alternations), [], training
    phases = stage_one(mle.epochs, settings.discriminator_phase.first_rounds, mle.alternations)
    make = paper_schedule if two.steps == "alternating" else training_only
    schedule = make(two.epochs, two.first_steps, two.fewer_every)
    if two.mle_every:
        schedule = with_likelihood(schedule, two.mle_every)
    if two.steps == "training":
        unused = settings.buffer.model_copy(update={"candidates": 0, "first_fill": 0})
        training = training.model_copy(update={"buffer": unused})
    return phases, schedule, training
