"""The models that a curve is drawn of, and what tells one from another."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import nn

from sda.models.generator import Generator, generator_log_prob
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

    `selector` makes what chooses among its sentences, if anything does.
    """

    name: str
    start: str | None
    generator: Generator
    digest: str
    selector: Selector | None = None

    def selection(self, rng: torch.Generator) -> Selection | None:
        return None if self.selector is None else self.selector.selection(rng)


def collect_models(runs: Sequence[Run], loaded: Loaded) -> list[Model]:
    """The start of every run and what became of it, each distinct start once.

    What became of it may be the same generator with a selection.
    """
    starts: dict[str, str] = {}
    found = []
    pairs = [(run.generator("mle"), run.generator("last")) for run in runs]
    digests = [tuple(_digest(generator, loaded) for generator in pair) for pair in pairs]
    several = len({start for start, _ in digests}) > 1
    for run, name, pair, (start, last) in zip(runs, run_names(runs), pairs, digests, strict=True):
        if start not in starts:
            starts[start] = f"mle ({name})" if several else "mle"
            found.append(Model(starts[start], None, pair[0], start))
        method = method_name(run.settings)
        title = method if len(runs) == 1 else f"{method} ({name})"
        if run.settings.selection:
            generator, selector = run.selecting(loaded)
            digest = _selecting_digest(last, selector)
            found.append(Model(title, starts[start], generator, digest, selector))
        elif last != start:
            found.append(Model(title, starts[start], pair[1], last))
    return found


def last_model(run: Run, loaded: Loaded) -> Model:
    """What became of the run: its generator, with its selection if it has one."""
    if not run.settings.selection:
        generator = run.generator("last")
        return Model(run.settings.method, None, generator, _digest(generator, loaded))
    generator, selector = run.selecting(loaded)
    digest = _selecting_digest(_digest(generator, loaded), selector)
    return Model(run.settings.method, None, generator, digest, selector)


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
