"""Several processes in one folder: one works, the others are refused or only read."""

from __future__ import annotations

import os
import time
from pathlib import Path
from random import Random
from typing import Any

from .calling import call
from .children import in_child
from .crash_points import KINDS_OF_RUN, WithRuns, command, go_on_and_compare
from .ground import Ground
from .verdicts import EXIT, HANG, TRACEBACK, Verdict, judged

READERS = ("sample", "report", "resume", "compare")


class Together(WithRuns):
    name = "together"
    about = "two processes that train in one folder, and others that read it meanwhile"
    share = 5.0

    def run(self, ground: Ground, number: int, chance: Random, folder: Path) -> Verdict:
        kind = chance.choice([kind for kind in KINDS_OF_RUN if kind != "augment"])
        place = folder / "run"
        first = os.fork()
        if first == 0:
            code = 70
            try:
                told = call(*command(kind, ground, place))
                code = 71 if told.trouble is not None else int(str(told.code))
            finally:
                os._exit(code)
        time.sleep(chance.uniform(0.0, 1.0))
        other = chance.choice(("train", *READERS))
        words: list[Any] = command(kind, ground, place) if other == "train" else [other, place]
        tried = f"a run ({kind}) in one process, {other} in another"
        ended = in_child(lambda: _facts(words))
        _, status = os.waitpid(first, 0)
        code = os.waitstatus_to_exitcode(status)
        if code == 71:
            return Verdict(TRACEBACK, f"{kind}: the first of two", "", tried)
        if code not in (0, 2):
            return Verdict(EXIT, f"{kind}: the first of two ended with {code}", "", tried)
        if ended.hung:
            return Verdict(HANG, f"{kind}: {other}", "", tried)
        if ended.told is None:
            return Verdict(EXIT, f"{kind}: {other} ended with {ended.code}", "", tried)
        found = Verdict(**ended.told)
        if found.fault is not None:
            return Verdict(found.fault, found.place, found.detail, tried)
        return go_on_and_compare(kind, ground, place, tried)


def _facts(words: list[Any]) -> dict[str, Any]:
    return judged(call(*words), "").as_dict()
