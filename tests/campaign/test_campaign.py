"""A short part of the campaign with fixed numbers, and that the campaign sees faults at all."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from unittest import mock

import pytest

from sda.errors import UserError
from sda.files import read_json
from sda.runs import checkpoint

from . import crash_points, damaged, program
from .all_doors import DOORS
from .children import PATIENCE, in_child
from .crash_points import Operations
from .doors import DamagedAtTheDoor, Door, entered
from .ground import Ground
from .kinds import KINDS
from .results import differences
from .tally import Tally, as_json, of_kinds, table
from .verdicts import EXIT, HANG, SILENT, TRACEBACK, Told, Verdict, judged
from .worker import Case, Kind, cases, run_case

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("kind", "count"),
    [
        ("damaged-runs", 40),
        ("damaged-studies", 30),
        ("damaged-ledgers", 20),
        ("damaged-transfer-runs", 15),
        ("texts", 30),
        ("settings", 30),
        ("oracles", 20),
        ("forms", 30),
        *((kind.name, 60) for kind in DOORS),
    ],
)
def test_a_short_part(kind: str, count: int, ground: Ground) -> None:
    KINDS[kind].prepare(ground)
    verdicts = [run_case(KINDS[kind], ground, number) for number in range(count)]

    assert [verdict for verdict in verdicts if verdict.fault is not None] == []


class Planted(Kind):
    """Cases whose verdicts are known: 0 is well, 1 hangs, 2 dies, 3 breaks the campaign."""

    name, about, share = "planted", "faults that are put there", 1.0

    def run(self, ground: Ground, number: int, chance: Random, folder: Path) -> Verdict:
        if number == 1:
            time.sleep(60)
        if number == 2:
            os._exit(9)
        assert number != 3
        return Verdict(tried="nothing")


def test_what_hangs_or_dies_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    found = list(
        cases(Planted(), Ground(tmp_path), range(4), time.monotonic() + PATIENCE, patience=0.3)
    )

    assert [case.number for case in found] == [0, 1, 2, 3]
    assert [case.verdict.fault for case in found] == [None, HANG, EXIT, TRACEBACK]
    assert "ended with 9" in found[2].verdict.place


@pytest.mark.parametrize(
    ("told", "fault"),
    [
        (Told(0, "", ""), None),
        (Told(2, "", "sda: no such file\n"), None),
        (Told(2, "", ""), EXIT),
        (Told(3, "", "sda: odd\n"), EXIT),
        (Told(0, "", "", ValueError("x")), TRACEBACK),
        (Told(1, "", "Traceback (most recent call last):\n"), TRACEBACK),
        (Told(0, "", "/x/sda/a.py:3: RuntimeWarning: invalid value\n"), TRACEBACK),
    ],
)
def test_answers_are_judged(told: Told, fault: str | None) -> None:
    assert judged(told, "").fault == fault


def forge(path: Path, *_: object) -> str:
    """Other weights, with checksums that fit them."""
    folder = path.parent
    if path.name != "tensors.safetensors":
        return "nothing"
    content = bytearray(path.read_bytes())
    # The byte of each float that holds the ends of its exponent and of its digits.
    header = 8 + int.from_bytes(content[:8], "little")
    for place in range(header + 2, len(content), 4):
        content[place] ^= 64
    path.write_bytes(content)
    values = json.loads((folder / checkpoint.STATE_FILE).read_text())
    values["sha256"] = hashlib.sha256(content).hexdigest()
    values[checkpoint.STATE_MARK] = checkpoint._mark(values)
    (folder / checkpoint.STATE_FILE).write_text(json.dumps(values))
    return "forged"


def test_a_change_that_nobody_tells_is_found(ground: Ground) -> None:
    kind = replace(damaged.SORTS[0], readers={"sample": damaged.READ_RUNS["sample"]})

    with mock.patch.object(damaged, "damage", forge):
        verdicts = [run_case(kind, ground, number) for number in range(30)]
    assert {(verdict.fault, "forged" in verdict.tried) for verdict in verdicts} >= {
        (SILENT, True),
        (None, False),
    }


def test_a_campaign_that_is_ended_early_tells_what_it_has(tmp_path: Path) -> None:
    def some(*_: object) -> Iterator[Case]:
        yield Case(0, Verdict(TRACEBACK, "KeyError in a.py:1"), 0.5)
        raise KeyboardInterrupt

    with mock.patch.object(program, "cases", some):
        tallies = program._all([Planted(), Planted()], Ground(tmp_path), 1, 0, (0, 1), None)
    assert [(tally.cases, tally.faults) for tally in tallies] == [(1, 1)]


def test_cases_that_were_done_before_are_left_out(tmp_path: Path) -> None:
    asked: list[range] = []

    def none(_: Kind, __: Ground, numbers: range, *___: object) -> Iterator[Case]:
        asked.append(numbers)
        return iter(())

    one = program.A_SEED
    with mock.patch.object(program, "cases", none), mock.patch.object(Planted, "count") as count:
        for first, most, of in ((one, None, None), (one + 4, None, 7), (one + 2, 3, None)):
            count.return_value = of
            program._all([Planted()], Ground(tmp_path), 1, first, (0, 1), most)
    assert asked == [range(one, 2 * one), range(one + 4, one + 7), range(one + 2, one + 5)]


def test_a_door_that_refuses_as_it_should_not_is_seen() -> None:
    def refuse(sentence: str) -> Callable[[], object]:
        def read() -> object:
            raise UserError(sentence)

        return read

    assert entered(refuse("a.json: not valid JSON"), "", "a.json")[0].fault is None
    assert entered(refuse("not valid JSON"), "", "a.json")[0].fault == EXIT
    assert entered(refuse("a.json: one\ntwo"), "", "a.json")[0].fault == EXIT
    assert entered(refuse(" "), "")[0].fault == EXIT
    assert entered(lambda: {}["x"], "")[0].fault == TRACEBACK
    assert entered(lambda: warnings.warn("odd", stacklevel=1), "")[0].fault == TRACEBACK
    assert entered(lambda: 3, "") == (Verdict(), 3)


def test_a_changed_value_behind_a_seal_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"x": [1, 2, 3]}')
    door = Door(lambda _: tmp_path, "a.json", lambda path: read_json(path / "a.json"))
    sealed = DamagedAtTheDoor("x", "", 1, {"a": replace(door, is_sealed=True)})
    ground = Ground(tmp_path)
    sealed.prepare(ground)

    verdicts = [run_case(sealed, ground, number) for number in range(60)]
    assert {verdict.fault for verdict in verdicts} == {None, SILENT}
    assert {verdict.place for verdict in verdicts if verdict.fault} == {"a: another value"}


WRITES_TWO = """
import os, sys
from pathlib import Path
place = Path(sys.argv[1])
place.mkdir()
with (place / "a").open("w") as file:
    file.write("first")
    file.flush()
    os.fsync(file.fileno())
with (place / "b").open("w") as file:
    file.write("second")
os.replace(place / "b", place / "c")
"""


def _done(place: Path, begins: Callable[[Operations], None]) -> None:
    Operations(place, begins)
    with mock.patch.object(sys, "argv", ["", str(place)]):
        exec(WRITES_TWO, {})


def _holds(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_a_folder_is_recorded_as_a_crash_would_leave_it(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()

    def record() -> list[list[str]]:
        place, states = tmp_path / "recorded", []

        def begins(operations: Operations) -> None:
            states.append([crash_points._kept(place, lost, kept) for lost in _lost(operations)])

        _done(place, begins)
        return states

    def _lost(operations: Operations) -> tuple[dict[str, int], dict[str, int]]:
        return {}, {Path(path).name: 1 for path in operations.unsynced if Path(path).exists()}

    recorded = in_child(record).told
    assert recorded[0] == [crash_points.NOTHING] * 2
    for point, (killed, lost) in enumerate(recorded[1:], 1):
        place = tmp_path / f"crashed-{point}"

        def crash(operations: Operations, point: int = point) -> None:
            if operations.done == point:
                os._exit(77)

        assert in_child(lambda place=place, crash=crash: _done(place, crash)).code == 77
        assert _holds(place) == _holds(kept / killed)
        assert "second" not in _holds(kept / lost).values()
    # Before each: a folder, a file, a sync, another file, a name.
    assert [_holds(kept / killed) for killed, _ in recorded[1:]] == [
        {},
        {"a": "first"},
        {"a": "first"},
        {"a": "first", "b": "second"},
    ]
    assert _holds(kept / recorded[-1][1]) == {"a": "first", "b": "s"}


def test_two_folders_differ_in_all_but_times(tmp_path: Path) -> None:
    for name, line, text in (("a", '{"x": 1, "seconds": 1}', "in a"), ("b", '{"x": 1}', "in b")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "progress.jsonl").write_text(f"{line}\n")
        (folder / "place.txt").write_text(str(folder))
        (folder / "text.txt").write_text(text)

    assert differences(tmp_path / "a", tmp_path / "b") == ["text.txt"]
    assert differences(tmp_path / "a", tmp_path / "b", {"text.txt"}) == []


def test_a_child_that_is_killed_tells_nothing() -> None:
    assert in_child(lambda: [1, "a"]).told == [1, "a"]
    assert in_child(lambda: time.sleep(60), patience=0.2).hung
    assert in_child(lambda: sys.exit(3)).code == 70


def test_the_table_tells_how_to_have_a_finding_again() -> None:
    tally = Tally("texts", "files", None)
    for number, fault in enumerate((None, TRACEBACK, TRACEBACK)):
        tally.add(Case(number, Verdict(fault, "KeyError in a.py:1", "", "tried"), 0.5))

    found = as_json([tally], 4)
    text = table([found])
    assert "| texts | files | 3 | 2 | 0 | 0 | 0 | 0.5 s |" in text
    assert "--only texts --case 1" in text and "2 times" in text
    assert of_kinds(found, None) == of_kinds(found, ["texts"]) == found
    assert of_kinds(found, ["oracles"])["kinds"] == []
    joined = table([found, found | {"seed": 5}])
    assert joined.startswith("Seed 4, commit") and "; seed 5, commit" in joined
    assert "| texts | files | 6 | 4 | 0 | 0 | 0 | 0.5 s |" in joined
