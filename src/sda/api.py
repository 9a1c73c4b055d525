"""The commands as functions, with the same words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sda.evaluation.score import Score
from sda.evaluation.texts import evaluate_texts
from sda.experiments.layers import Choices
from sda.experiments.reporter import Quiet, Terminal
from sda.experiments.run import Run, train_run
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
    preset: str = "paper",
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
    *,
    self_bleu_limit: int | None = 2000,
    seed: int = 0,
    lowercase: bool = False,
    tokenizer: str = "whitespace",
) -> list[Score]:
    """The scores of samples against test sentences; each argument is a list of texts or a file."""
    return evaluate_texts(
        _texts(samples),
        _texts(test),
        None if train is None else _texts(train),
        self_bleu_limit=self_bleu_limit,
        seed=seed,
        lowercase=lowercase,
        tokenizer=tokenizer,
    )


def _texts(given: Sequence[str] | str | Path) -> Sequence[str]:
    return read_lines(Path(given)) if isinstance(given, str | Path) else given
