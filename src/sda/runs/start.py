"""One Stage I for several runs: it saves most of the time, and makes their comparison a paired one.

A run that names another as its `start` takes that run's models, optimisers, random numbers and
lines of progress from the end of its Stage I, if both agree in all that Stage I depends on.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sda.doors import check
from sda.errors import UserError
from sda.files import read_json, read_whole, write_bytes
from sda.runs.checkpoint import STATE_FILE, fitting
from sda.runs.folder import STAGE_ONE, RunFolder
from sda.runs.origin import is_same
from sda.runs.plan import plan
from sda.runs.shapes import CountersShape
from sda.scoring.final import start_draws
from sda.scoring.row_scorer import ScoredRow
from sda.settings.method_name import method_name
from sda.settings.schema import Settings, leaves
from sda.source import Loaded
from sda.training.schedule import Phase
from sda.training.state import TrainState

SECTIONS = (
    "source",
    "seed",
    "threads",
    "data",
    "embedded",
    "generator",
    "discriminator",
    "augmentation",
    "objective",
    "mle",
    "loop",
)
JUDGE = ("rate", "batch_size", "first_rounds", "first_passes", "first_sentences", "unseen")


def stage_one_settings(settings: Settings) -> dict[str, Any]:
    """All values by dotted key that Stage I depends on."""
    table = settings.model_dump(mode="json")
    chosen = {name: table[name] for name in SECTIONS}
    judge = table["discriminator_phase"]
    chosen["discriminator_phase"] = {name: judge[name] for name in JUDGE}
    return dict(leaves(chosen))


def take_start(state: TrainState, settings: Settings, folder: RunFolder) -> int:
    """The state and the progress file are those of the start at the end of its Stage I.

    Returns the size of the progress file.
    """
    assert settings.start is not None
    # Once more: the folder may hold another run by now than when this one was begun.
    check_start(settings)
    start = RunFolder(Path(settings.start))
    checkpoint = start.checkpoints.load(STAGE_ONE)
    size = int(checkpoint.values.get("progress_bytes", 0))
    start.read_progress()
    lines = read_whole(start.progress)[:size]
    if len(lines) < size:
        raise UserError(f"{start.progress}: has lost lines of epochs that are done")
    # On the disk before any state that has them behind it.
    write_bytes(folder.progress, lines)
    place = start.checkpoints.folder / STAGE_ONE
    counters = check(CountersShape, checkpoint.values.get("counters"), f"{place / STATE_FILE}")
    with fitting(place):
        state.load_start(checkpoint.tensors, counters)
    state.phase = len(plan(settings)[0])
    return size


def start_rows(settings: Settings) -> list[ScoredRow]:
    """The rows that the start's own table has for it; none if they are not there or differ.

    They would come out the same here: scores draw from the seed and a name alone.
    """
    if settings.start is None:
        return []
    start = RunFolder(Path(settings.start))
    if not start.is_finished:
        return []
    other = start.settings()
    if other.evaluation != settings.evaluation or start_draws(other) != start_draws(settings):
        return []
    name = "mle" if start_draws(other) == "mle" else method_name(other)
    rows = [ScoredRow.from_dict(row) for row in start.read_scores()]
    found = [row for row in rows if row.temperature is None or row.name == name]
    # What came of the start may have the start's name too, where settings made a Stage II of it.
    wanted = [None, 1.0, settings.evaluation.cold_temperature]
    return found if [row.temperature for row in found] == wanted else []


def check_start(settings: Settings) -> None:
    """Refuse a start that is not at the end of Stage I, or whose Stage I is another."""
    if settings.start is None:
        return
    start = RunFolder(Path(settings.start))
    if not start.checkpoints.has(STAGE_ONE):
        raise UserError(f"{start.path}: no run that has come to the end of Stage I")
    other = start.settings()
    ours, theirs = stage_one_settings(settings), stage_one_settings(other)
    for key in ours | theirs:
        if not is_same(key, ours.get(key), theirs.get(key)):
            raise UserError(
                f"{start.path}: its Stage I has {key} = {theirs.get(key)!r}, not"
                f" {ours.get(key)!r}, so it cannot be the start of this run"
            )
    # The generators are equal, and a file may know no more of one than that it was an object.
    same = other.model_copy(update={"generator": settings.generator})
    phases, before = plan(settings)[0], plan(same)[0]
    if _phases_done(start) < len(before):
        raise UserError(
            f"{start.path}: a callback ended its Stage I, so it has less than its settings say and"
            " cannot be the start of another run"
        )
    if Phase.DISCRIMINATOR in phases and phases != before:
        raise UserError(
            f"{start.path}: its Stage I has no discriminator, which this run needs; train the start"
            " with a method that has one, such as sda"
        )


def _phases_done(start: RunFolder) -> int:
    """How many entries of Stage I the start has behind it in the state that Stage I left."""
    path = start.checkpoints.folder / STAGE_ONE / STATE_FILE
    counters = start.checkpoints.load_values(STAGE_ONE).get("counters")
    return int(check(CountersShape, counters, str(path))["phase"])


def check_start_text(settings: Settings, loaded: Loaded) -> None:
    """Refuse a start that learned from another text than the one that was read for this run."""
    if settings.start is None:
        return
    start = RunFolder(Path(settings.start))
    # A folder without a vocabulary is damaged, and not this run's to mend.
    read_json(start.vocabulary)
    start.keep_text(loaded)
