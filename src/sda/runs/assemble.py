"""Models, metric, buffer and state of a run, put together from its settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

from sda.archive import Archive, Question
from sda.buffer import Buffer
from sda.devices import DTYPES
from sda.errors import UserError
from sda.models.discriminator import Discriminator
from sda.models.generator import Frame, Generator
from sda.randomness import seeded
from sda.reference.asking import AskedMetric, AskingRule, Told
from sda.reference.filters import NotCopy
from sda.reference.metric import ReferenceMetric, WeightedSum
from sda.runs.components import build, takes, typed
from sda.settings.layers import discriminator_section
from sda.settings.schema import Settings
from sda.text.about import in_words
from sda.text.context import Context
from sda.text.corpus import Corpus
from sda.text.sentences import Sentences
from sda.text.vocabulary import Vocabulary
from sda.training.judging import Judge
from sda.training.stages import BufferSettings
from sda.training.state import SecondPolicy, TrainState
from sda.training.wasserstein import Critic, critic_optimizer, read_features

LARGEST_DEFAULT_BUFFER = 5000


def build_models(
    settings: Settings,
    vocabulary: Vocabulary,
    max_length: int,
    rng: torch.Generator,
    labels: Sequence[str] = (),
) -> tuple[Generator, Discriminator]:
    """Fresh models; the discriminator comes first, because some generators read its features.

    `labels` are those that sentences may have; none where they have none.
    """
    reads = (takes(settings.generator, "generator", name) for name in ("labels", "label_names"))
    if labels and not any(reads):
        raise UserError(
            f"setting 'data.label': {settings.generator['use']} does not read labels: choose a"
            " generator that does (rnn, gru, transformer, cnn, hf:PATH), or train without a label"
        )
    _check_dtype(settings)
    if takes(settings.discriminator, "discriminator", "generator"):
        raise UserError(
            f"setting 'discriminator.use': {settings.discriminator['use']} reads a trained"
            " generator, so it can only be fitted after Stage I: use it with"
            ' discriminator_phase.negatives = "rejected"'
        )
    discriminator: Discriminator = build(
        settings.discriminator,
        "discriminator",
        Discriminator,
        vocabulary_size=len(vocabulary),
        vocabulary=vocabulary,
        rng=rng,
        labels=len(labels),
        dtype=DTYPES[settings.dtype],
    )
    generator = _build_generator(settings, vocabulary, max_length, discriminator, rng, labels)
    if settings.data.has_prompts and not generator.reads_source:
        raise UserError(
            f"setting 'data.prompt': {settings.generator['use']} reads no prompts: choose a"
            " pretrained generator, as --generator hf:PATH, or train without them"
        )
    return generator, discriminator


def _check_dtype(settings: Settings) -> None:
    """Some model of the run can be computed in the type that is set."""
    judges = [discriminator_section(name) for name in settings.judge.candidates]
    models = [("generator", settings.generator), ("discriminator", settings.discriminator)]
    models += [("discriminator", section) for section in judges]
    if settings.dtype != "float32" and not any(takes(part, key, "dtype") for key, part in models):
        raise UserError(
            f"setting 'dtype': {settings.generator['use']} is computed in float32; {settings.dtype}"
            " is for pretrained models, as --generator hf:PATH, and for transformer"
        )


def _build_generator(
    settings: Settings,
    vocabulary: Vocabulary,
    max_length: int,
    discriminator: Discriminator,
    rng: torch.Generator,
    labels: Sequence[str],
) -> Generator:
    generator: Generator = build(
        settings.generator,
        "generator",
        Generator,
        frame=Frame(len(vocabulary), vocabulary.eos, max_length),
        vocabulary=vocabulary,
        discriminator=discriminator,
        rng=rng,
        labels=len(labels),
        label_names=labels,
        dtype=DTYPES[settings.dtype],
    )
    return generator


def build_metric(
    settings: Settings, corpus: Corpus, generator: Generator, rng: torch.Generator
) -> WeightedSum:
    """The weighted sum of the metric's parts."""
    known: dict[str, Any] = {
        "vocabulary": corpus.vocabulary,
        "train": corpus.train,
        "generator": generator,
        "rng": rng,
        "label_names": corpus.labels,
    }
    parts = []
    for i, section in enumerate(settings.metric):
        rest = {k: v for k, v in section.items() if k != "weight"}
        weight = typed(section.get("weight", 1.0), float, f"metric.{i}.weight")
        parts.append((weight, build(rest, f"metric.{i}", ReferenceMetric, **known)))
    if settings.buffer.reject_copies:
        parts.append((1.0, NotCopy(corpus.vocabulary, corpus.train)))
    return WeightedSum(parts)


def build_state(
    settings: Settings,
    corpus: Corpus,
    rng: torch.Generator,
    device: torch.device | str = "cpu",
) -> tuple[TrainState, WeightedSum]:
    """Fresh models on the device, optimisers, an empty buffer, and the metric that fills it.

    First values are drawn on the CPU, so that they are the same on every device.
    """
    generator, discriminator = build_models(
        settings, corpus.vocabulary, corpus.max_length, rng, corpus.labels
    )
    generator, discriminator = generator.to(device), discriminator.to(device)
    metric = build_metric(settings, corpus, generator, rng)
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
        judge=build_judge(settings, corpus.vocabulary, generator, len(corpus.labels)),
    )
    return state, metric


def ask_through_archive(
    state: TrainState,
    metric: WeightedSum,
    settings: Settings,
    corpus: Corpus,
    path: Path,
    told: Told,
) -> AskedMetric:
    """The metric as a run asks it, with all answers in the file; the state knows how many."""
    state.archive = Archive(
        path,
        metric.names,
        repeats=metric.depends_on_generator,
        keeps=settings.discriminator_phase.negatives == "rejected",
    )

    def questions(sentences: Sentences) -> list[Question]:
        texts = corpus.vocabulary.decode(sentences)
        return list(map(Question, texts, in_words(sentences, corpus.labels, corpus.vocabulary)))

    rule = AskingRule(**settings.calls.model_dump())
    return AskedMetric(metric, state.archive, questions, rule, told, state.shares)


def build_judge(
    settings: Settings, vocabulary: Vocabulary, generator: Generator, labels: int = 0
) -> Judge | None:
    """A judge that is not fitted, where a discriminator is to learn from rejected sentences."""
    if settings.discriminator_phase.negatives != "rejected":
        return None
    about = Context(torch.zeros(1, dtype=torch.int64)) if labels else None
    word = torch.full((1, 1), vocabulary.eos or 0)
    example = Sentences(word, torch.ones(1, dtype=torch.int64), about)

    def maker(name: str) -> Callable[[int], Discriminator]:
        section = discriminator_section(name)

        def make(number: int) -> Discriminator:
            judge: Discriminator = build(
                section,
                f"discriminator {name}",
                Discriminator,
                vocabulary_size=len(vocabulary),
                vocabulary=vocabulary,
                # Its own: first weights do not depend on which other candidates there are.
                rng=seeded(settings.seed, "judge", name, number),
                labels=labels,
                generator=generator,
                example=example,
                dtype=DTYPES[settings.dtype],
            )
            return judge.to(generator.device)

        return make

    return Judge({name: maker(name) for name in settings.judge.candidates}, settings.judge)


def _second_policy(
    settings: Settings, corpus: Corpus, discriminator: Discriminator, rng: torch.Generator
) -> SecondPolicy:
    """A second generator, which reads the same discriminator, and an untaught critic.

    The generator's first values do not matter: Stage II begins with those of the first.
    """
    device = discriminator.device
    generator = _build_generator(
        settings,
        corpus.vocabulary,
        corpus.max_length,
        discriminator,
        rng,
        corpus.labels,
    ).to(device)
    one = corpus.train[:1].to(device)
    critic = Critic(read_features(discriminator, one).shape[1], rng).to(device)
    rate = settings.stage2.rate
    return SecondPolicy(generator, _adam(generator, rate), critic, critic_optimizer(critic))


def _adam(model: nn.Module, rate: float) -> torch.optim.Optimizer:
    on_device = {parameter.device.type for parameter in model.parameters()}
    return torch.optim.Adam(model.parameters(), lr=rate, fused=on_device <= {"cpu", "cuda"})


def _buffer(settings: BufferSettings, corpus: Corpus, parts: tuple[str, ...]) -> Buffer:
    bins = max(1, len(corpus.labels))
    share = min(LARGEST_DEFAULT_BUFFER, round(settings.share * len(corpus)))
    return Buffer(
        settings.capacity or max(1, share // bins),
        parts,
        corpus.vocabulary.eos,
        settings.near_duplicates,
        corpus.train.lengths if settings.length_quota else None,
        settings.max_age,
        bins=bins,
        words=corpus.vocabulary.words,
    )
