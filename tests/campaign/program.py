"""The campaign as a program: how long, which kinds, and what is told at the end."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from .ground import Ground, quick
from .kinds import KINDS
from .soak import LARGEST_GROWTH, soak, told
from .tally import Tally, as_json, commit, of_kinds, table
from .verdicts import FAULTS
from .worker import Kind, cases, run_case

A_SEED = 10_000_000
"""Cases of seed N are numbered from N times this on."""


def main(words: Sequence[str]) -> int:
    """Run what the words ask for; 0 where nothing was found, 1 where something was."""
    asked = _parser().parse_args(words)
    if asked.join:
        found = [json.loads(file.read_text()) for file in asked.join]
        print(table([of_kinds(each, asked.only) for each in found]))
        return 0
    kinds = [KINDS[name] for name in asked.only or KINDS]
    root = asked.ground or Path(tempfile.mkdtemp(prefix="sda-campaign-"))
    root.mkdir(exist_ok=True)
    try:
        ground = Ground(root)
        with quick():
            if asked.soak is not None:
                return _soak(ground, asked.minutes, asked.soak, asked.out)
            if asked.case is not None:
                return _one(kinds, ground, asked.case)
            tallies = _all(
                kinds,
                ground,
                asked.minutes,
                asked.seed * A_SEED + asked.after,
                asked.worker,
                asked.most,
            )
    finally:
        if asked.ground is None:
            shutil.rmtree(root, ignore_errors=True)
    found = as_json(tallies, asked.seed)
    print(table([found]))
    if asked.out is not None:
        asked.out.write_text(json.dumps(found, indent=1) + "\n")
    return int(any(tally.faults for tally in tallies))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m tests.campaign", description=__doc__)
    parser.add_argument(
        "--minutes", type=float, default=10.0, help="how long, from when all is prepared"
    )
    parser.add_argument("--seed", type=int, default=0, help="which cases; others with another seed")
    parser.add_argument(
        "--after", type=int, default=0, help="leave out so many cases of each kind, done before"
    )
    parser.add_argument("--only", nargs="+", choices=list(KINDS), help="these kinds alone")
    parser.add_argument("--case", type=int, help="one case once more, by its number")
    parser.add_argument("--most", type=int, help="the most cases of a kind")
    parser.add_argument("--out", type=Path, help="the counts and findings as JSON")
    parser.add_argument(
        "--join",
        type=Path,
        nargs="+",
        help="run nothing: one table of what --out wrote before, of --only these kinds if given",
    )
    parser.add_argument(
        "--soak",
        type=int,
        metavar="PROCESSES",
        help="attack nothing: so many processes do the same work over and over, and memory is told",
    )
    parser.add_argument(
        "--ground",
        type=Path,
        help="a folder for the runs and studies that are attacked, to have them again next time",
    )
    parser.add_argument(
        "--worker",
        type=_share,
        default=(0, 1),
        metavar="I/N",
        help="the I-th of N processes that share the cases, from 1 on",
    )
    return parser


def _share(text: str) -> tuple[int, int]:
    first, _, of = text.partition("/")
    return int(first) - 1, int(of)


def _soak(ground: Ground, minutes: float, processes: int, out: Path | None) -> int:
    found = [each.thinned() for each in soak(ground, minutes, processes)]
    print(f"Commit {commit()}, {minutes:g} minutes.\n\n{told(found)}")
    if out is not None:
        curves = [{"rounds": each.rounds, "curve": each.curve} for each in found]
        facts = {"commit": commit(), "minutes": minutes, "processes": curves}
        out.write_text(json.dumps(facts, indent=1) + "\n")
    return int(any(each.growth > LARGEST_GROWTH for each in found))


def _one(kinds: Sequence[Kind], ground: Ground, number: int) -> int:
    for kind in kinds:
        kind.prepare(ground)
        verdict = run_case(kind, ground, number)
        print(f"{kind.name} {number}: {verdict.fault or 'ok'}\n{verdict.tried}")
        if verdict.fault is not None:
            print(f"{verdict.place}\n{verdict.detail}")
            return 1
    return 0


def _all(
    kinds: Sequence[Kind],
    ground: Ground,
    minutes: float,
    first: int,
    worker: tuple[int, int],
    most: int | None,
) -> list[Tally]:
    """Each kind has its share of the time that is left; what it does not need goes to the next.

    Ctrl-C ends it early, and what was counted by then is told.
    """
    for kind in kinds:
        kind.prepare(ground)
        kind.warm(ground)
    end = time.monotonic() + 60 * minutes
    tallies: list[Tally] = []
    try:
        for place, kind in enumerate(kinds):
            share = kind.share / sum(each.share for each in kinds[place:])
            began = time.monotonic()
            until = began + max(0.0, end - began) * share
            all_of_them = first - first % A_SEED + (kind.count(ground) or A_SEED)
            stop = min(all_of_them, first + (most or A_SEED))
            numbers = range(first + worker[0], stop, worker[1])
            tallies.append(Tally(kind.name, kind.about, kind.count(ground)))
            _one_kind(kind, ground, numbers, until, tallies[-1])
    except KeyboardInterrupt:
        print("ended early", file=sys.stderr)
    return tallies


def _one_kind(kind: Kind, ground: Ground, numbers: range, until: float, tally: Tally) -> None:
    began = time.monotonic()
    for case in cases(kind, ground, numbers, until):
        tally.add(case)
        if case.verdict.fault is not None and tally.is_new(case):
            print(
                f"{case.verdict.fault}: {case.verdict.place}\n"
                f"  {case.verdict.tried}\n"
                f"  again: --only {kind.name} --case {case.number}",
                file=sys.stderr,
                flush=True,
            )
    counts = ", ".join(f"{tally.of(fault)} {fault}" for fault in FAULTS)
    rate = tally.cases / max(time.monotonic() - began, 1e-9)
    print(
        f"{kind.name}: {tally.cases} cases, {counts}, {rate:.0f} a second",
        file=sys.stderr,
        flush=True,
    )
