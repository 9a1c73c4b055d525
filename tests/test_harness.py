"""Rows of the benchmarks say what was promised and whether it was kept, also after JSON."""

import json
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from benchmarks import __main__ as program

from harness import Limit, Row, as_dict, from_dict, least_cpu_seconds, peak_gigabytes


def test_a_ratio_must_reach_its_goal() -> None:
    assert Row("bleu", 0.5, 10.0, 20.0, "").is_met
    assert not Row("bleu", 0.51, 10.0, 20.0, "").is_met
    assert Row("bleu", 0.5, 10.0, None, "").is_met is None


def test_an_amount_must_stay_below_its_goal() -> None:
    assert Limit("evaluate", 14.9, 15.0, "s", "").is_met
    assert not Limit("evaluate", 15.0, 15.0, "s", "").is_met


@pytest.mark.parametrize(
    "row", [Row("a", 0.5, 10.0, None, "one"), Limit("b", 1.5, 2.0, "GB", "two")]
)
def test_rows_of_both_kinds_come_back_from_json(row: Row | Limit) -> None:
    assert from_dict(json.loads(json.dumps(as_dict(row)))) == row


def test_the_least_of_several_calls_counts() -> None:
    rounds = iter((400_000, 0, 400_000))
    least = least_cpu_seconds(lambda: sum(range(next(rounds))))
    assert 0 <= least < 0.002
    assert next(rounds, None) is None


@pytest.mark.slow
def test_the_peak_rises_with_what_is_held_and_stays() -> None:
    before = peak_gigabytes()
    held = b"x" * int(before * 1e9)
    while_held = peak_gigabytes()
    del held
    assert 0.01 < before < while_held < 100
    assert peak_gigabytes() >= while_held


def test_a_benchmark_that_fails_is_named_and_costs_no_other_its_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    good = Limit("good", 1.5, 2.0, "GB", "")

    def played(command: list[str], **_: Any) -> CompletedProcess[str]:
        name, file = command[-3], Path(command[-1])
        if name == "bad":
            return CompletedProcess(command, 1)
        file.write_text(json.dumps({"rows": [as_dict(good)]}), encoding="utf-8")
        return CompletedProcess(command, 0)

    monkeypatch.setattr(program.subprocess, "run", played)
    failed: list[str] = []
    assert [row.name for row in program.run_apart(["bad", "good"], failed)] == ["good"]
    assert failed == ["bad"]
