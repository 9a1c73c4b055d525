"""The commands as functions, with the same words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sda.evaluation.evaluator import Evaluation, Options
from sda.evaluation.texts import evaluate_texts
from sda.runs.run import Run
from sda.runs.train import train_run
from sda.settings.layers import Choices
from sda.show.terminal import Quiet, Terminal
from sda.text.reading import read_lines


def train(
    source: str | Path,
    out: str | Path,
    *,
    method: str | None = None,
    generator: str = "rnn",
    discriminator: str | None = None,
    metric: str | Callable[..., Any] | None = None,
    profile: str = "small",
    preset: str | None = None,
    seed: int | None = None,
    config: str | Path | None = None,
    settings: Mapping[str, Any] | None = None,
    resume: bool = False,
    quiet: bool = True,
) -> Run:
    """Train in the folder `out` and return the run.

    `metric` may be a function from a list of strings to a list of floats. `settings` is a nested
    mapping like the settings file, for example {"stage2": {"rollouts": 4}}.
    """
    function = None if metric is None or isinstance(metric, str) else metric
    if function is not None:
        metric = f"{function.__module__}:{getattr(function, '__qualname__', 'function')}"
    assert metric is None or isinstance(metric, str)
    choices = Choices(
        source=str(source),
        method=method,
        generator=generator,
        preset=preset,
        profile=profile,
        discriminator=discriminator,
        metric=metric,
        config=None if config is None else Path(config),
        values={**({} if seed is None else {"seed": seed}), **(settings or {})},
    )
    settled, origins = choices.settle()
    reporter = Quiet() if quiet else Terminal()
    return train_run(settled, origins, Path(out), reporter, resume, function)


def evaluate(
    samples: Sequence[str] | str | Path,
    test: Sequence[str] | str | Path,
    train: Sequence[str] | str | Path | None = None,
    real: Sequence[str] | str | Path | None = None,
    options: Options | None = None,
) -> Evaluation:
    """Scores, real text beside them, and alarms; each argument is a list of texts or a file.

    Without `real`, half of the test sentences are set aside as the real text.
    """
    return evaluate_texts(
        _texts(samples),
        _texts(test),
        None if train is None else _texts(train),
        None if real is None else _texts(real),
        options or Options(),
    )


def _texts(given: Sequence[str] | str | Path) -> Sequence[str]:
    return read_lines(Path(given)) if isinstance(given, str | Path) else given
