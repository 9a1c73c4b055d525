"""Where the figures of each epoch go beside the run folder: TensorBoard, W&B or trackio.

A sink is a callback: it is called with the line of each finished epoch, and never ends training.
The only file that imports `wandb` and `trackio`, extras; torch itself writes for TensorBoard, with
another.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

from sda.errors import UserError

Sink = Callable[[dict[str, Any]], None]
FOLDER = "logs"  # in the run folder


def tensorboard_sink(folder: Path, settings: Mapping[str, Any]) -> Sink:
    """Figures by stage and epoch, as `tensorboard --logdir FOLDER` shows them."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise _missing("tensorboard") from error

    # With the first line: a run that does not begin leaves nothing behind.
    @cache
    def writer() -> Any:
        return SummaryWriter(folder / FOLDER)

    def log(line: dict[str, Any]) -> None:
        for name, value in _figures(line).items():
            writer().add_scalar(name, value, line["epoch"])
        writer().flush()

    return log


def wandb_sink(folder: Path, settings: Mapping[str, Any]) -> Sink:
    """The same in the folder `logs/wandb`, to be sent by `wandb sync`; with WANDB_MODE=online at
    once. A run that is taken up again goes on under its name."""
    try:
        import wandb
    except ImportError as error:
        raise _missing("wandb") from error

    @cache
    def run() -> Any:
        place = folder / FOLDER
        place.mkdir(parents=True, exist_ok=True)
        return wandb.init(
            project="sda",
            name=folder.name,
            id=_mark(folder),
            resume="allow",
            dir=place,
            config=dict(settings),
            mode=os.environ.get("WANDB_MODE", "offline"),
        )

    def log(line: dict[str, Any]) -> None:
        run().log({**_figures(line), "epoch": line["epoch"]})

    return log


def trackio_sink(folder: Path, settings: Mapping[str, Any]) -> Sink:
    """The same where trackio keeps the runs of this machine, for `trackio show --project sda`; or
    where its own variables say. A run that is taken up again goes on under its name."""
    try:
        import trackio
    except ImportError as error:
        raise _missing("trackio") from error

    @cache
    def run() -> Any:
        # Standard output belongs to the command, which may write JSON there.
        with redirect_stdout(sys.stderr):
            return trackio.init(
                project="sda",
                name=f"{folder.name}-{_mark(folder)[:8]}",
                config=dict(settings),
                resume="allow",
                embed=False,
                auto_log_gpu=False,
                auto_log_cpu=False,
            )

    def log(line: dict[str, Any]) -> None:
        run().log({**_figures(line), "epoch": line["epoch"]})

    return log


SINKS = {"tensorboard": tensorboard_sink, "wandb": wandb_sink, "trackio": trackio_sink}


def _mark(folder: Path) -> str:
    """What tells the folder from others of its name."""
    return hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]


def _figures(line: Mapping[str, Any]) -> dict[str, float]:
    """All numbers of a line by stage and name."""
    return {
        f"{line['stage']}/{name}": float(value)
        for name, value in line.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and name != "epoch"
    }


def _missing(package: str) -> UserError:
    return UserError(f"--log {package} needs the package: pip install 'sda-text[{package}]'")
