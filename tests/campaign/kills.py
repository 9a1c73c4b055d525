"""Runs that are ended by a signal at a random moment, several times, and go on after each."""

from __future__ import annotations

import signal
import time
from functools import partial
from pathlib import Path
from random import Random

from .calling import call
from .children import in_child
from .crash_points import KINDS_OF_RUN, WithRuns, command, go_on_and_compare
from .ground import Ground, scratch
from .verdicts import EXIT, HANG, Verdict

SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
ENDS = {
    signal.SIGKILL: (-signal.SIGKILL,),
    signal.SIGINT: (0, 130),  # typer may catch it, say so and end the command
    signal.SIGTERM: (-signal.SIGTERM,),
}


class Kills(WithRuns):
    name = "kills"
    about = "runs of five kinds that a signal ends at a random moment, then go on"
    share = 20.0

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}

    def prepare(self, ground: Ground) -> None:
        super().prepare(ground)
        for kind in KINDS_OF_RUN:
            if kind not in self._seconds:
                with scratch(ground) as folder:
                    began = time.monotonic()
                    place = _place(kind, folder)
                    in_child(partial(_run, kind, ground, place))
                    self._seconds[kind] = time.monotonic() - began

    def run(self, ground: Ground, number: int, chance: Random, folder: Path) -> Verdict:
        kind = chance.choice(KINDS_OF_RUN)
        place = _place(kind, folder)
        told = []
        for _ in range(chance.choice((1, 1, 2, 3))):
            sent = chance.choice(SIGNALS)
            # When it hits depends on how busy the machine is; over many cases it is everywhere.
            moment = chance.uniform(0.0, self._seconds[kind])
            told.append(f"{sent.name} after {moment:.2f} s")
            ended = in_child(lambda: _run(kind, ground, place), stop=(sent, moment))
            tried = f"a run ({kind}): {', '.join(told)}"
            if ended.hung:
                return Verdict(HANG, f"{kind}: after {sent.name}", "", tried)
            if ended.code not in (0, *ENDS[sent]):
                return Verdict(EXIT, f"{kind}: {sent.name} ended it with {ended.code}", "", tried)
        return go_on_and_compare(kind, ground, place, tried)


def _run(kind: str, ground: Ground, place: Path) -> object:
    return call(*command(kind, ground, place)).code


def _place(kind: str, folder: Path) -> Path:
    place = folder / "run"
    if kind == "augment":
        place.mkdir()
    return place
