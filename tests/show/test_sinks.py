"""The figures of a run for other programs."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sda.errors import UserError
from sda.show.sinks import FOLDER, SINKS, tensorboard_sink, trackio_sink, wandb_sink

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


def test_trackio_is_told_the_same_and_says_nothing_on_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[Any] = []

    def init(**options: Any) -> Any:
        print("* Created new run")
        told.append(options)
        return SimpleNamespace(log=told.append)

    monkeypatch.setitem(sys.modules, "trackio", SimpleNamespace(init=init))  # type: ignore[arg-type]
    log = trackio_sink(tmp_path / "run", {"seed": 1})
    assert told == []
    log(LINE)
    log(LINE)
    trackio_sink(tmp_path / "other" / "run", {})(LINE)

    options, first, second, other, _ = told
    assert (options["config"], options["resume"]) == ({"seed": 1}, "allow")
    # Nothing but figures, and no page that opens.
    assert not any(options[name] for name in ("embed", "auto_log_gpu", "auto_log_cpu"))
    assert first == second == {"mle/nll_valid": 2.5, "mle/updates": 7.0, "epoch": 3}
    # There the name is all that tells runs apart.
    assert options["name"].startswith("run-") and options["name"] != other["name"]
    assert capsys.readouterr().out == ""


def test_trackio_keeps_what_it_is_told(tmp_path: Path) -> None:
    """By the package itself, where it is installed."""
    pytest.importorskip("trackio", reason="the extra trackio is not installed")
    code = f"""
from pathlib import Path
from sda.show.sinks import trackio_sink
from trackio.sqlite_storage import SQLiteStorage
import trackio

for epoch in (3, 4):
    log = trackio_sink(Path({str(tmp_path / "run")!r}), {{"seed": 1}})
    log({LINE!r} | {{"epoch": epoch}})
    trackio.finish()
runs = SQLiteStorage.get_runs("sda")
assert len(runs) == 1, runs
lines = SQLiteStorage.get_logs("sda", runs[0])
assert [(line["epoch"], line["mle/nll_valid"]) for line in lines] == [(3, 2.5), (4, 2.5)], lines
"""
    # It looks up its folder once, as it is imported.
    quiet = {**os.environ, "TRACKIO_DIR": str(tmp_path / "kept"), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=quiet, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "kept").glob("sda*"))


@pytest.mark.parametrize("name", sorted(SINKS))
def test_a_package_that_is_missing_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("trackio", "wandb", "torch.utils.tensorboard"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UserError, match=rf"pip install 'sda-text\[{name}\]'"):
        SINKS[name](tmp_path, {})
