"""The command that runs an experiment: what it says, and that nothing can end it for good."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lives import SECONDS, Life
from tiny import Answer, contents

from reproduction.records import record_of
from reproduction.small_jobs import Work, install, places_in, shrink, threads, tiny_choices
from sda.errors import UserError
from sda.reproduction import hands
from sda.reproduction import jobs as jobs_module
from sda.reproduction.definitions import Portion, experiment
from sda.reproduction.jobs import plan_jobs
from sda.reproduction.ledger import Ledger
from sda.reproduction.runner import plan_work
from sda.reproduction.work import do_job
from sda.runs.folder import RunFolder

Command = Callable[..., Answer]
ROWS = ("mle", "sda")
OPTIONS = ("--profile", "smoke", "--seeds", "1", "--rows", "mle", "--rows", "sda")


def places_of(folder: Path) -> tuple[str, ...]:
    where = places_in(folder)
    pairs = (("--data", where.data), ("--out", where.runs), ("--results", where.results))
    return tuple(str(word) for pair in pairs for word in pair)


def said(answer: Answer) -> str:
    """Without the breaks of lines that a narrow terminal brings."""
    return " ".join(answer.err.split())


def test_a_plan_runs_nothing(command: Command, tmp_path: Path) -> None:
    reproduce = ("reproduce", "baselines", *OPTIONS, *places_of(tmp_path), "--plan")
    answer = command(*reproduce)

    assert answer.code == 0 and list(tmp_path.iterdir()) == []
    assert said(answer).startswith(experiment("baselines").question)
    assert "runs done: 0, left: 2, time not known yet" in said(answer)
    assert said(answer).endswith("left: rnn-mle-smoke-0 left: rnn-sda-smoke-0")

    first, second = plan_jobs(experiment("baselines"), Portion("smoke", None, 1, ROWS))
    ledger = Ledger(places_in(tmp_path).results)
    ledger.write(record_of(first, costs={"seconds": 30.0}))
    times = {"costs": {"seconds": 50.0}, "first_stage_costs": {"seconds": 30.0}}
    ledger.write(record_of(second, **times, key="of other settings"))
    # The start's folder is not there, so both are to be trained: 30 and 20 seconds.
    assert "runs done: 0, left: 2, about 50 s" in said(command(*reproduce))


def test_jobs_are_run_and_one_that_fails_is_told(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trouble = {"rnn-sda-smoke-0": UserError("training stopped: the loss is nan")}
    work = install(Work(trouble), monkeypatch)
    answer = command("reproduce", "baselines", *OPTIONS, *places_of(tmp_path))

    assert answer.code == 2
    assert [job.name for job in work.ended] == ["rnn-mle-smoke-0", "rnn-sda-smoke-0"]
    lines = answer.err.splitlines()
    assert lines[-3:] == [
        "done: baselines rnn-mle-smoke-0",
        "failed: baselines rnn-sda-smoke-0: training stopped: the loss is nan",
        "sda: rnn-sda-smoke-0: training stopped: the loss is nan",
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("cocoa",), "unknown experiment 'cocoa' (known: ablation, baselines, budget, coco, "),
        (("coco", "--profile", "huge"), "unknown profile 'huge'"),
        (("coco", "--models", "gru"), "unknown model 'gru' (known: rnn, leakrnn)"),
        (("coco", "--rows", "adv"), "unknown row 'adv'"),
        (("coco", "--profile", "smoke"), "missing coco/train.txt, coco/valid.txt, coco/test.txt"),
        (("synthetic20", "--profile", "smoke"), "missing oracle/oracle_lstm.npz"),
        (("coco", "--models", "leakrnn", "--rows", "raft"), "coco: leakrnn has no row raft"),
    ],
    ids=lambda part: "-".join(part) if isinstance(part, tuple) else "",
)
def test_mistakes_are_one_sentence(
    arguments: tuple[str, ...], words: str, command: Command, tmp_path: Path
) -> None:
    answer = command("reproduce", *arguments, *places_of(tmp_path))

    assert answer.code == 2 and answer.out == ""
    assert words in answer.err.splitlines()[-1]
    assert "Traceback" not in answer.err
    assert list(tmp_path.iterdir()) == []


def test_a_text_of_ones_own_needs_a_ledger_of_its_own(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own = places_in(tmp_path).data / "coco" / "valid.txt"
    own.parent.mkdir(parents=True)
    own.write_text("a dog\n")
    options = ("reproduce", "coco", "--profile", "smoke", "--data", "data", "--plan")
    shipped, mine = command(*options), command(*options, "--results", "mine")

    assert shipped.code == 2 and shipped.err.count("\n") == 1
    assert "coco/valid.txt has 6 bytes" in shipped.err and "--results" in shipped.err
    assert mine.code == 0
    assert said(mine).startswith("Not the public file: coco/valid.txt has 6 bytes")


@pytest.mark.parametrize("arguments", [("table", "coco"), ("figure", "coco")])
def test_a_ledger_that_is_not_there_is_one_sentence(
    arguments: tuple[str, ...], command: Command, tmp_path: Path
) -> None:
    answer = command(*arguments, "--results", str(tmp_path / "typo"))

    assert answer.code == 2 and answer.out == ""
    assert "typo: no folder of records; --results says where they are" in answer.err


def test_a_page_is_not_emptied_by_a_wrong_name(command: Command, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- begin table coco -->\n\nfigures\n\n<!-- end -->\n")
    before = page.read_text()

    answer = command("table", "--update", str(page), "--results", str(tmp_path / "typo"))
    assert answer.code == 2 and page.read_text() == before


def test_a_broken_ledger_is_one_sentence(command: Command, tmp_path: Path) -> None:
    broken = places_in(tmp_path).results / "coco" / "rnn-mle-small-0.json"
    broken.parent.mkdir(parents=True)
    broken.write_text("{")
    answer = command("reproduce", "baselines", *OPTIONS, *places_of(tmp_path))

    assert answer.code == 2
    assert answer.err.startswith(f"sda: {broken}: not valid JSON") and answer.err.count("\n") == 1


def figures(folder: Path) -> dict[str, dict[str, Any]]:
    """All records without times and commit."""
    found = {}
    for record in Ledger(folder).records():
        data = dict(record.data)
        del data["commit"], data["date"], data["measuring_seconds"]
        for costs in ("costs", "first_stage_costs"):
            kept = {"updates", "written"}
            data[costs] = {name: data[costs][name] for name in data[costs].keys() & kept}
        found[f"{record.path.parent.name}/{record.path.name}"] = data
    return found


@pytest.mark.slow
def test_interrupted_and_killed_it_goes_on_to_the_same_records(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_module, "Choices", tiny_choices)
    jobs = plan_jobs(experiment("baselines"), Portion("smoke", None, 1, ROWS))
    whole, parts = places_in(tmp_path / "whole"), places_in(tmp_path / "parts")
    for job in plan_work(jobs, whole).left:
        do_job(job, whole)
    start, second = (RunFolder(parts.folder(job)) for job in jobs)

    def lines(folder: RunFolder) -> int:
        return folder.progress.read_bytes().count(b"\n") if folder.progress.is_file() else 0

    reproduce = ("reproduce", "baselines", *OPTIONS, *places_of(tmp_path / "parts"))
    # While the start is trained.
    life = Life(tmp_path / "first", *reproduce, first=shrink)
    life.wait_for(lambda: lines(start) > 0)
    life.interrupt()
    assert life.end() == 130
    assert "interrupted" in life.err.read_text() and "Traceback" not in life.err.read_text()
    assert not start.is_finished

    # The command alone is killed: whoever trains for it must not go on without it.
    life = Life(tmp_path / "second", *reproduce, first=shrink)
    life.wait_for(lambda: second.checkpoints.latest() is not None)
    life.kill()
    wait_until_free(second)
    assert not second.is_finished

    monkeypatch.setattr(hands, "processes", threads)
    answer = command(*reproduce)
    assert answer.code == 0 and "runs done: 1, left: 1" in said(answer)
    assert figures(parts.results) == figures(whole.results)
    assert len(figures(parts.results)) == len(jobs)

    files = contents(tmp_path / "parts")
    answer = command(*reproduce)
    assert answer.code == 0 and "runs done: 2, left: 0" in said(answer)
    assert contents(tmp_path / "parts") == files
    assert json.loads(start.finished.read_text())["epochs"] == lines(start)


def wait_until_free(folder: RunFolder) -> None:
    """No process trains in the folder any more."""
    end = time.monotonic() + SECONDS
    while True:
        try:
            with folder.locked():
                return
        except UserError:
            assert time.monotonic() < end
            time.sleep(0.01)
