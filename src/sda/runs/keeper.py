"""States of a run on disk: when they are saved, and how training goes back to one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sda.archive import Archive
from sda.doors import check
from sda.errors import UserError
from sda.runs.checkpoint import STATE_FILE, STATE_MARK, Checkpoint, fitting
from sda.runs.folder import STAGE_ONE, STOPPED_IN, RunFolder
from sda.runs.guard import Breach, Guard
from sda.runs.shapes import CountersShape
from sda.training.state import TrainState

REMARKS = "remarks"
# Of the generator: at its best epoch, and at the start of Stage II.
_COPIES = ("best.", "start.")


@dataclass(frozen=True)
class Keeper:
    """Saves a state every so many epochs, at the end of each stage, and where a rule may go back.

    `phases` and `epochs` are the lengths of the two stages.
    """

    state: TrainState
    folder: RunFolder
    guard: Guard
    phases: int
    epochs: int
    every: int

    def go_back(self) -> dict[str, Any]:
        """Take up the newest checkpoint and forget the lines after it; all, if there is none.

        Where lines of progress were lost that a state has behind it, the newest state before them
        is taken up: what follows is then as it was.

        Returns what it tells beside the state: the kind of `device` that it was made on, and the
        stage that a callback ended training in, each where there is one; and under `REMARKS` what
        there is to say.
        """
        found = find_state(self.folder)
        if found is None:
            self.folder.cut_progress(0)
            return {}
        name, values, remarks = found
        self.folder.cut_progress(self._load(name))
        kept = {key: values[key] for key in ("device", STOPPED_IN) if values.get(key) is not None}
        return {**kept, REMARKS: remarks}

    def _load(self, name: str) -> int:
        """Be in the state of the checkpoint; returns the size of the progress file at its time."""
        checkpoint = self.folder.checkpoints.load(name)
        place = self.folder.checkpoints.folder / name
        counters = check(CountersShape, checkpoint.values.get("counters"), f"{place / STATE_FILE}")
        with fitting(place):
            self.state.load(checkpoint.tensors, counters)
            return int(checkpoint.values["progress_bytes"])

    def save(self, progress_bytes: int, breach: Breach | None = None) -> None:
        """Save the state if it is due; after a breach the one that its rule ends with."""
        state, checkpoints = self.state, self.folder.checkpoints
        epoch, number = state.sda_epoch, state.phase + state.sda_epoch
        if breach is not None and breach.back_to is not None:
            self._roll_back(breach.back_to)
        stage_one_ends = state.phase == self.phases and not epoch
        ends = number == self.phases + self.epochs or breach is not None
        names = []
        if stage_one_ends:
            names.append(STAGE_ONE)
        if breach is None and epoch and epoch in self.guard.best_epochs():
            names.append(_best_name(epoch))
        is_due = stage_one_ends or ends or number % self.every == 0
        if names or is_due:
            self._write(progress_bytes, names, number if is_due else None)
        checkpoints.drop_others("best-", {_best_name(best) for best in self.guard.best_epochs()})

    def save_end(self, progress_bytes: int, stage: str) -> None:
        """Save the state as the last one of a run that a callback ended in this stage.

        Where Stage I ends with it before its time, it is also the state that Stage I left. That
        training is over is part of it: scoring may be interrupted, and must not train on later.
        """
        state = self.state
        names = [STAGE_ONE] if state.phase < self.phases else []
        self._write(progress_bytes, names, state.phase + state.sda_epoch, {STOPPED_IN: stage})

    def _write(
        self,
        progress_bytes: int,
        names: Sequence[str],
        number: int | None,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        values = {
            "counters": self.state.counters(),
            "progress_bytes": progress_bytes,
            "device": self.state.device.type,
            **(more or {}),
        }
        checkpoint = Checkpoint(self.state.tensors(), values)
        for name in names:
            self.folder.checkpoints.save(name, checkpoint)
        if number is not None:
            self.folder.checkpoints.save_numbered(number, checkpoint)

    def _roll_back(self, epoch: int) -> None:
        """The state is that after this epoch of Stage II, but for what all of them cost."""
        state = self.state
        if epoch == state.sda_epoch:
            return
        updates, written = state.updates, state.written
        # What the metric was asked, and what a judge learned of it, is true of any state.
        judge, archive = state.judge, state.archive
        state.judge, state.archive = None, Archive()
        self._load(_best_name(epoch) if epoch else STAGE_ONE)
        state.updates, state.written = updates, written
        state.judge, state.archive = judge, archive


def find_state(folder: RunFolder) -> tuple[str, dict[str, Any], list[str]] | None:
    """The name of the state to go on from, what its file holds, and what there is to say of it.

    None where there is no state yet.
    """
    names, whole = folder.checkpoints.newest_first(), folder.whole_progress()
    for name in names:
        values = folder.checkpoints.load_values(name)
        if values.get("progress_bytes", 0) > whole:
            continue
        remarks = []
        if name != names[0]:
            remarks.append(
                f"{folder.progress}: its last line was not written to its end, so the epoch is"
                " trained once more"
            )
        if STATE_MARK not in values:
            remarks.append(
                f"{folder.checkpoints.folder / name}: saved by an earlier version, without a"
                " checksum of where training stood"
            )
        return name, values, remarks
    if not names:
        return None
    raise UserError(
        f"{folder.progress}: has lost lines of epochs that every checkpoint has behind it; put the"
        f" file back, or remove {folder.path} and train it again"
    )


def keep_what_is_needed(folder: RunFolder) -> None:
    """Of a run that is finished, only what writes, what scores, and what others begin with.

    The last state need not learn on, and the end of Stage I only as the start of another run
    (decision 0161).
    """
    checkpoints = folder.checkpoints
    checkpoints.drop_others("best-", ())
    checkpoints.keep_latest()
    latest = checkpoints.latest()
    if latest is not None:
        checkpoints.keep_parts(latest, lambda key: not _is_for_training(key))
    if checkpoints.has(STAGE_ONE):
        checkpoints.keep_parts(STAGE_ONE, lambda key: not key.startswith(_COPIES))


def _is_for_training(key: str) -> bool:
    """Whether a tensor of a state is there only for training to go on."""
    return key.startswith(_COPIES) or key.partition(".")[0].endswith("_optimizer")


def _best_name(epoch: int) -> str:
    return f"best-{epoch:06}"
