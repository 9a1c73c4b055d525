"""Which jobs are left, in which order they run, and what becomes of the others when one fails."""

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reproduction.records import record_of
from reproduction.small_jobs import Work, ended_suddenly, places_in, threads, tiny_job
from sda.errors import UserError
from sda.reproduction.jobs import Job
from sda.reproduction.ledger import Ledger
from sda.reproduction.runner import Plan, estimate, plan_work, processes, run_jobs
from sda.reproduction.watch import Screen, span
from sda.reproduction.work import Places, do_job, epochs_done

MLE, RL, SDA, EDA = (tiny_job(row) for row in ("mle", "rl", "sda", "eda"))
MLE_1, SDA_1 = (tiny_job(row, seed=1) for row in ("mle", "sda"))


@pytest.fixture
def places(tmp_path_factory: pytest.TempPathFactory) -> Places:
    return places_in(tmp_path_factory.mktemp("places"))


def finish(job: Job, places: Places) -> None:
    """The run folder looks as if the run were at its end."""
    folder = places.folder(job)
    folder.mkdir(parents=True)
    (folder / "finished.json").write_text("{}")


def names(jobs: Sequence[Job]) -> list[str]:
    return [job.name for job in jobs]


def test_a_shared_start_is_left_once_and_first(places: Places) -> None:
    plan = plan_work([SDA_1, SDA, RL, EDA, SDA], places)

    assert plan.done == []
    assert names(plan.left) == [
        "rnn-eda-smoke-0",
        "rnn-mle-smoke-0",
        "rnn-sda-smoke-0",
        "rnn-rl-smoke-0",
        "rnn-mle-smoke-1",
        "rnn-sda-smoke-1",
    ]


def test_a_start_that_is_a_row_has_the_name_of_the_row(places: Places) -> None:
    assert SDA.start is not None and MLE.key == SDA.start.key
    row = Job("coco", "base", *("rnn", "smoke"), 0, MLE.settings, {}, None)

    assert names(plan_work([SDA, row], places).left) == ["rnn-base-smoke-0", "rnn-sda-smoke-0"]


def test_what_the_ledger_has_is_done(places: Places) -> None:
    ledger = Ledger(places.results)
    for job in (MLE, SDA):
        ledger.write(record_of(job))

    plan = plan_work([MLE, SDA], places)
    # Nobody needs the run folder of the start any more.
    assert names(plan.done) == ["rnn-mle-smoke-0", "rnn-sda-smoke-0"] and plan.left == []


def test_a_start_is_trained_again_if_others_need_it_and_its_folder_is_gone(places: Places) -> None:
    Ledger(places.results).write(record_of(MLE))

    plan = plan_work([MLE, SDA], places)
    assert plan.done == [] and names(plan.left) == ["rnn-mle-smoke-0", "rnn-sda-smoke-0"]

    finish(MLE, places)
    plan = plan_work([MLE, SDA], places)
    assert names(plan.done) == ["rnn-mle-smoke-0"] and names(plan.left) == ["rnn-sda-smoke-0"]


def test_a_start_that_ended_before_it_was_recorded_is_left(places: Places) -> None:
    finish(MLE, places)

    assert names(plan_work([SDA], places).left) == ["rnn-mle-smoke-0", "rnn-sda-smoke-0"]


class Watching:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.ends: list[Job] = []
        self.failures: list[tuple[Job, str]] = []
        self.most = 0

    def look(self, active: Sequence[Job]) -> None:
        self.most = max(self.most, len(active))

    def ended(self, job: Job) -> None:
        self.ends.append(job)

    def failed(self, job: Job, trouble: UserError) -> None:
        self.failures.append((job, str(trouble)))


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_every_job_is_run_once_after_its_start(workers: int, places: Places) -> None:
    work, watcher = Work(), Watching()
    plan = plan_work([SDA, RL, EDA, SDA_1], places)
    with threads(workers) as pool:
        run_jobs(plan, places, workers, watcher, work, pool)

    assert sorted(names(work.ended)) == sorted(names(plan.left))
    # Two starts and one that needs none could run at once.
    assert watcher.most == min(workers, 3)
    assert sorted(names(watcher.ends)) == sorted(names(plan.left))
    if workers == 1:
        assert work.ended == plan.left


def test_nothing_to_do(places: Places) -> None:
    work = Work()
    with threads(2) as pool:
        run_jobs(Plan([MLE], []), places, 2, Watching(), work, pool)

    assert work.ended == []


def test_others_go_on_when_one_fails(places: Places) -> None:
    trouble = UserError("training stopped: the loss is nan")
    work, watcher = Work({"rnn-rl-smoke-0": trouble}), Watching()
    plan = plan_work([RL, SDA, SDA_1], places)
    with pytest.raises(UserError) as caught, threads(2) as pool:
        run_jobs(plan, places, 2, watcher, work, pool)

    assert str(caught.value) == "rnn-rl-smoke-0: training stopped: the loss is nan"
    assert len(work.ended) == len(plan.left) == 5
    assert [(job.name, text) for job, text in watcher.failures] == [
        ("rnn-rl-smoke-0", str(trouble))
    ]
    assert "rnn-rl-smoke-0" not in names(watcher.ends) and len(watcher.ends) == 4


def test_what_begins_with_a_failure_is_not_run(places: Places) -> None:
    failing = {name: UserError("no") for name in ("rnn-mle-smoke-0", "rnn-sda-smoke-1")}
    work = Work(failing)
    with pytest.raises(UserError) as caught, threads(1) as pool:
        run_jobs(plan_work([RL, SDA, EDA, SDA_1], places), places, 1, Watching(), work, pool)

    assert str(caught.value) == (
        "rnn-mle-smoke-0: no; not run without it: rnn-rl-smoke-0, rnn-sda-smoke-0;"
        " rnn-sda-smoke-1: no"
    )
    assert names(work.ended) == [
        "rnn-eda-smoke-0",
        "rnn-mle-smoke-0",
        "rnn-mle-smoke-1",
        "rnn-sda-smoke-1",
    ]


@pytest.mark.parametrize("kind", [ZeroDivisionError, KeyboardInterrupt])
def test_whatever_is_no_mistake_of_the_user_ends_all(
    kind: type[BaseException], places: Places
) -> None:
    work = Work({"rnn-eda-smoke-0": kind("x")})
    with pytest.raises(kind), threads(1) as pool:
        run_jobs(plan_work([EDA, SDA, SDA_1], places), places, 1, Watching(), work, pool)

    assert names(work.ended) == ["rnn-eda-smoke-0"]


ROWS = ("mle", "rl", "sda", "eda")
ALL = {job.name: job for seed in (0, 1) for row in ROWS for job in [tiny_job(row, seed=seed)]}


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(sorted(ALL)), unique=True),
    st.sets(st.sampled_from(sorted(ALL))),
    st.integers(1, 3),
)
def test_any_plan_with_any_failures(
    places: Places,
    wanted: list[str],
    failing: set[str],
    workers: int,
) -> None:
    work = Work({name: UserError("no") for name in failing})
    plan = plan_work([ALL[name] for name in wanted], places)
    needed = {*wanted, *(f"rnn-mle-smoke-{name[-1]}" for name in wanted if "eda" not in name)}
    assert set(names(plan.left)) == needed
    run = {
        name
        for name in needed
        if "mle" in name or "eda" in name or f"rnn-mle-smoke-{name[-1]}" not in failing
    }
    try:
        with threads(workers) as pool:
            run_jobs(plan, places, workers, Watching(), work, pool)
        assert not run & failing
    except UserError as trouble:
        assert all(f"{name}: no" in str(trouble) for name in run & failing)

    assert sorted(names(work.ended)) == sorted(run)


@pytest.mark.slow
def test_a_mistake_in_another_process_is_one_here(places: Places) -> None:
    """With real processes: one run diverges, and the other comes to its end."""
    bad, good = tiny_job("sda", "stage2.rate=1e30"), tiny_job("rl")
    plan = plan_work([bad, good], places)
    with pytest.raises(UserError) as caught, processes(2) as pool:
        run_jobs(plan, places, 2, Watching(), do_job, pool)

    words = str(caught.value)
    assert words.startswith("rnn-sda-smoke-0: training stopped: ") and "\n" not in words
    # The run that failed can be looked at, and would go on from its last good state.
    assert epochs_done(bad, places) == 3
    ledger = Ledger(places.results)
    assert ledger.find(good.key) is not None and ledger.find(bad.key) is None
    assert plan_work([bad, good], places).left == [bad]


@pytest.mark.slow
def test_a_process_that_ends_suddenly_is_one_sentence(places: Places) -> None:
    plan = plan_work([EDA, SDA], places)
    with (
        pytest.raises(UserError, match="sudden end, perhaps for want of memory"),
        processes(1) as pool,
    ):
        run_jobs(plan, places, 1, Watching(), ended_suddenly, pool)


def test_estimates_are_of_jobs_like_those_left(places: Places) -> None:
    ledger = Ledger(places.results)
    assert estimate([MLE], [], 1) is None
    assert estimate([], [], 1) == 0.0

    ledger.write(record_of(MLE, costs={"seconds": 7.0}, measuring_seconds=3.0))
    # A record of an older version does not say how long measuring took.
    ledger.write(record_of(MLE_1, costs={"seconds": 10.0}))
    # By hand: a start takes 10 s; what begins with one is not known yet.
    assert estimate([MLE, EDA], ledger.records(), 2) == 10.0
    assert estimate([MLE, SDA], ledger.records(), 2) is None

    # The time of a start that is shared does not count once more: 24 - 10 + 1.
    times = {
        "costs": {"seconds": 24.0},
        "first_stage_costs": {"seconds": 10.0},
        "measuring_seconds": 1.0,
    }
    ledger.write(record_of(RL, **times))
    assert estimate([MLE, SDA], ledger.records(), 1) == 25.0
    other = tiny_job("sda", source="oracle")
    assert estimate([other], ledger.records(), 1) is None


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59.4, "59 s"), (61, "1 min"), (3570, "1 h 0 min"), (9000, "2 h 30 min")],
)
def test_spans_of_time(seconds: float, text: str) -> None:
    assert span(seconds) == text


def test_what_a_person_sees(places: Places, capsys: pytest.CaptureFixture[str]) -> None:
    with Screen(2, places, epochs_done) as screen:
        screen.look([MLE])
        screen.ended(MLE)
        screen.failed(SDA, UserError("[bold] is no mark"))

    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        "done: tests rnn-mle-smoke-0\nfailed: tests rnn-sda-smoke-0: [bold] is no mark\n"
    )
