"""The figures of a run for other programs."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sda.errors import UserError
from sda.show.sinks import FOLDER, SINKS, tensorboard_sink, wandb_sink

LINE = {"stage": "mle", "epoch": 3, "nll_valid": 2.5, "updates": 7, "guard": "a text"}


def test_tensorboard_has_the_figures_by_stage_and_epoch(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="the extra tensorboard is not installed")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    log = tensorboard_sink(tmp_path / "run", {})
    assert not (tmp_path / "run").exists()
    log(LINE)
    log({**LINE, "epoch": 4, "nll_valid": 2.0})
    events = EventAccumulator(str(tmp_path / "run" / FOLDER))
    events.Reload()

    assert sorted(events.Tags()["scalars"]) == ["mle/nll_valid", "mle/updates"]
    found = [(event.step, event.value) for event in events.Scalars("mle/nll_valid")]
    assert found == [(3, 2.5), (4, 2.0)]


def test_wandb_is_told_the_same_and_nothing_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []

    def init(**options: Any) -> Any:
        told.append(options)
        return SimpleNamespace(log=told.append)

    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(init=init))  # type: ignore[arg-type]
    monkeypatch.delenv("WANDB_MODE", raising=False)
    log = wandb_sink(tmp_path / "run", {"seed": 1})
    assert told == []
    log(LINE)
    log(LINE)

    options, first, second = told
    assert (options["mode"], options["config"], options["resume"]) == (
        "offline",
        {"seed": 1},
        "allow",
    )
    assert first == second == {"mle/nll_valid": 2.5, "mle/updates": 7.0, "epoch": 3}


@pytest.mark.parametrize("name", sorted(SINKS))
def test_a_package_that_is_missing_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("wandb", "torch.utils.tensorboard"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UserError, match=rf"pip install 'sda-text\[{name}\]'"):
        SINKS[name](tmp_path, {})
