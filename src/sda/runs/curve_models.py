"""The models that a curve is drawn of, and what tells one from another."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import nn

from sda.baselines.selection import Kept
from sda.models.generator import Generator, generator_log_prob
from sda.models.guided import Guided
from sda.runs.parts import Selector
from sda.runs.report import run_names
from sda.runs.run import Run
from sda.scoring.row_scorer import Selection
from sda.settings.method_name import method_name
from sda.source import Loaded

PROBED = 16  # sentences whose scores tell two models apart that have the same weights


@dataclass(frozen=True)
class Model:
    """A generator under the name that its curve has, and the name of the one it started from.

    `choose` makes what chooses among its sentences, if anything does.
    """

    name: str
    start: str | None
    generator: Generator
    digest: str
    choose: Callable[[torch.Generator], Selection | None] | None = None

    def selection(self, rng: torch.Generator) -> Selection | None:
        return None if self.choose is None else self.choose(rng)


def collect_models(runs: Sequence[Run], loaded: Loaded) -> list[Model]:
    """The start of every run and what became of it, each distinct start once.

    What became of it may be the same generator with a selection.
    """
    starts: dict[str, str] = {}
    found = []
    first = [run.generator("mle") for run in runs]
    digests = [_digest(generator, loaded) for generator in first]
    several = len(set(digests)) > 1
    for run, name, generator, start in zip(runs, run_names(runs), first, digests, strict=True):
        if start not in starts:
            starts[start] = f"mle ({name})" if several else "mle"
            found.append(Model(starts[start], None, generator, start))
        method = method_name(run.settings)
        title = method if len(runs) == 1 else f"{method} ({name})"
        last = last_model(run, loaded)
        if last.digest != start:
            found.append(replace(last, name=title, start=starts[start]))
    return found


def last_model(run: Run, loaded: Loaded) -> Model:
    """What became of the run: its generator, with what chooses among its sentences."""
    method = run.settings.method
    if run.settings.selection:
        generator, selector = run.selecting(loaded)
        digest = _selecting_digest(_digest(generator, loaded), selector)
        return Model(method, None, generator, digest, selector.selection)
    if run.keep < 1 or run.guide:
        generator, judge, keep = run.generator(), run.judge().model, run.keep
        told = hashlib.sha256(f"{_digest(generator, loaded)} {keep} {run.guide}".encode())
        told.update(_weights(judge))
        if run.guide:
            generator = Guided(generator, judge, run.guide)
        choose = (lambda _: Kept(judge, keep)) if keep < 1 else None
        return Model(method, None, generator, told.hexdigest(), choose)
    generator = run.generator("last")
    return Model(method, None, generator, _digest(generator, loaded))


def _digest(generator: Generator, loaded: Loaded) -> str:
    """The same for generators that write the same sentences.

    Weights alone would not do: a generator may also read another network, which is no part of it.
    """
    digest = hashlib.sha256(_weights(generator))
    digest.update(generator_log_prob(generator, loaded.corpus.train[:PROBED]).numpy().tobytes())
    return digest.hexdigest()


def _selecting_digest(generator: str, selector: Selector) -> str:
    """The same where the same would be chosen among sentences of the generator with that digest.

    Settings alone would not do: a metric may be a function in a file, and the file may change.
    """
    settings, corpus = selector.settings, selector.corpus
    told = {
        "generator": generator,
        "selection": settings.selection,
        "metric": settings.metric,
        "reject_copies": settings.buffer.reject_copies,
        "seed": settings.seed,
        "train": corpus.train.fingerprint(),
    }
    digest = hashlib.sha256(json.dumps(told, sort_keys=True).encode())
    digest.update(_weights(selector.discriminator))
    digest.update(selector.metric(corpus.valid[:PROBED]).total.numpy().tobytes())
    return digest.hexdigest()


def _weights(model: nn.Module) -> bytes:
    tensors = sorted(model.state_dict().items())
    return b"".join(name.encode() + tensor.cpu().numpy().tobytes() for name, tensor in tensors)
