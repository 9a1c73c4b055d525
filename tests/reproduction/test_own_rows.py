"""Rows of a user's own: parsed, kept in the user's ledger, and shown beside the project's."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tiny import Answer, contents

from reproduction.records import record_of
from reproduction.small_jobs import Work, install
from sda.errors import UserError
from sda.reproduction import asked, shipped
from sda.reproduction.definitions import experiment
from sda.reproduction.jobs import make_job
from sda.reproduction.ledger import Ledger
from sda.reproduction.own_rows import OwnRows, keep_rows, kept_rows, parse_row, with_kept_rows
from sda.reproduction.shipped import made_by, open_ledger, shipped_folder

Command = Callable[..., Answer]
SAMPLES = experiment("samples")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with records of the project that a test can make up."""
    monkeypatch.chdir(tmp_path)
    for module in (shipped, asked):
        monkeypatch.setattr(module, "shipped_folder", lambda: tmp_path / "shipped")
    (tmp_path / "shipped").mkdir()
    return tmp_path


def own_file(folder: Path, text: str = "[buffer]\ncapacity = 7\n") -> Path:
    path = folder / "mine.toml"
    path.write_text(text)
    return path


def test_a_settings_file_is_a_row(folder: Path) -> None:
    file = own_file(folder, 'method = "raft"\ntitle = "mine"\n[buffer]\ncapacity = 7\n')
    row = parse_row(f"seven={file}", SAMPLES, "smoke")
    job = make_job(SAMPLES, row, "rnn", "smoke", 0)
    sda = make_job(SAMPLES, SAMPLES.row("sda"), "rnn", "smoke", 0)

    assert (row.name, row.title, row.method, row.preset) == ("seven", "mine", "raft", "paper")
    assert job.settings.buffer.capacity == 7 and job.settings.method == "raft"
    # What the experiment says holds for it, and it begins where the others do.
    assert job.settings.data == sda.settings.data
    assert job.start is not None and sda.start is not None and job.start.key == sda.start.key


def test_a_method_and_a_generator_are_rows() -> None:
    method = parse_row("more=raft", SAMPLES, "smoke")
    generator = parse_row("other=gru", SAMPLES, "smoke")

    assert make_job(SAMPLES, method, "leakrnn", "smoke", 0).settings.method == "raft"
    assert generator.bases == ["rnn"] and generator.method == "mle"
    job = make_job(SAMPLES, generator, "rnn", "smoke", 0)
    mle = make_job(SAMPLES, SAMPLES.row("mle"), "rnn", "smoke", 0)
    assert job.settings.generator != mle.settings.generator and job.key != mle.key


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("mine", "write it as NAME=FILE.toml"),
        ("a/b=raft", "write it as NAME=FILE.toml"),
        ("mine=", "write it as NAME=FILE.toml"),
        ("sda=raft", "samples has a row 'sda'; take another name"),
        ("mine=nothing", "'nothing' is no settings file"),
        ("mine=nowhere.toml", "nowhere.toml: no such file"),
        ("mine=mine.toml", "--row mine=mine.toml: unknown setting 'buffer.capacityy'"),
        ("mine=method.toml", "'method' is no text"),
        ("mine=unknown.toml", "unknown method 'magic'"),
    ],
)
def test_mistakes_are_one_sentence(row: str, words: str, folder: Path, command: Command) -> None:
    own_file(folder, "[buffer]\ncapacityy = 7\n")
    (folder / "method.toml").write_text("method = 3\n")
    (folder / "unknown.toml").write_text('method = "magic"\n')
    before = contents(folder)
    answer = command("reproduce", "samples", "--profile", "smoke", "--row", row)

    assert answer.code == 2 and answer.out == "" and words in answer.err
    assert answer.err.count("\n") == 1 and contents(folder) == before


def test_rows_are_kept_and_replaced(folder: Path) -> None:
    first = parse_row(f"a={own_file(folder)}", SAMPLES, "smoke")
    second = parse_row("b=raft", SAMPLES, "smoke")
    keep_rows(folder / "mine", SAMPLES, OwnRows([first], is_beside=True))
    again = parse_row("a=mixup", SAMPLES, "smoke")
    keep_rows(folder / "mine", SAMPLES, OwnRows([again, second], is_beside=True))

    # What a file says is not what the user says.
    kept = [row.model_copy(update={"is_kept": True}) for row in (again, second)]
    assert kept_rows(folder / "mine", SAMPLES) == OwnRows(kept, is_beside=True)
    assert kept_rows(folder / "mine", experiment("coco")) == OwnRows()
    assert kept_rows(folder / "nowhere", SAMPLES) == OwnRows()


@pytest.mark.parametrize("text", ["rows = 3\nis_beside = true\n", "is_beside = true\n", "="])
def test_a_broken_list_of_rows_is_one_sentence(text: str, folder: Path) -> None:
    path = folder / "mine" / "samples" / "rows.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(UserError, match=r"rows\.toml: not "):
        kept_rows(folder / "mine", SAMPLES)


def test_a_row_is_run_alone_and_shown_beside_the_project(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = experiment("baselines")
    ours = make_job(base, base.row("mle"), "rnn", "smoke", 0)
    Ledger(folder / "shipped").write(record_of(ours, scores={"grammatical-share": 0.123}))
    own_file(folder)
    work = install(Work({}), monkeypatch)
    options = ("--profile", "smoke", "--seeds", 1, "--models", "rnn")
    said = command("reproduce", "baselines", *options, "--row", "mine=mine.toml")

    assert said.code == 0
    # Its start is trained for it: the project ships records and no models.
    assert [job.row for job in work.ended] == ["mine-start", "mine"]
    assert "Rows of your own, kept in my-results: mine." in said.err
    assert "0.123" in said.out
    mine = make_job(base, parse_row("mine=mine.toml", base, "smoke"), "rnn", "smoke", 0)
    Ledger(folder / "my-results").write(record_of(mine, scores={"grammatical-share": 0.456}))
    shown = command("table", "baselines", "--profile", "smoke", "--results", "my-results")

    assert "0.123" in shown.out and "0.456" in shown.out
    assert "Rows of your own: mine." in shown.out
    assert [path.name for path in (folder / "shipped").rglob("*.*")] == ["rnn-mle-smoke-0.json"]
    assert "0.456" not in command("table", "baselines", "--profile", "smoke").out


def test_rows_of_ones_own_are_not_put_among_the_projects(folder: Path, command: Command) -> None:
    own = ("--row", "mine=raft", "--results", "shipped")
    answer = command("reproduce", "baselines", "--profile", "smoke", *own)

    assert answer.code == 2 and "give --results another folder" in answer.err
    assert contents(folder / "shipped") == {}


def test_runs_on_other_texts_do_not_stand_beside_the_project(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(Work({}), monkeypatch)
    for name in ("train", "valid", "test"):
        path = folder / "data" / "coco" / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("a dog\n")
    options = ("--profile", "smoke", "--seeds", 1, "--models", "rnn", "--row", "mine=raft")

    refused = command("reproduce", "samples", *options)
    assert refused.code == 2 and "--results" in refused.err
    assert command("reproduce", "samples", *options, "--results", "mine").code == 0
    assert not kept_rows(folder / "mine", SAMPLES).is_beside
    assert with_kept_rows(SAMPLES, open_ledger(folder / "mine"))[1].beneath is None


def test_nothing_run_says_whose_records_these_are(folder: Path, command: Command) -> None:
    base = experiment("baselines")
    job = make_job(base, base.row("mle"), "rnn", "smoke", 0)
    Ledger(folder / "shipped").write(record_of(job, commit="abc"))
    (folder / "shipped" / "commits.toml").write_text("abc = 2026-11-16\n")
    options = ("--profile", "smoke", "--seeds", 1, "--rows", "mle")
    answer = command("reproduce", "baselines", *options)

    assert answer.code == 0
    assert answer.err.splitlines()[-1] == (
        "Nothing was run: these are records that come with the project, made on 2026-11-16 by"
        " commit abc. To make your own: sda reproduce baselines --profile smoke --results NEW"
    )
    Ledger(folder / "mine").write(record_of(job))
    own = command("reproduce", "baselines", *options, "--results", "mine")
    assert "Nothing was run: all records are in mine already." in own.err


def test_the_time_of_an_empty_ledger_comes_from_the_projects(
    folder: Path, command: Command
) -> None:
    base = experiment("baselines")
    job = make_job(base, base.row("mle"), "rnn", "smoke", 0)
    Ledger(folder / "shipped").write(record_of(job, costs={"cpu_seconds": 40.0, "seconds": 90.0}))
    options = ("--profile", "smoke", "--seeds", 1, "--rows", "mle", "--results", "new", "--plan")

    assert "left: 1, about 40 s" in " ".join(
        command("reproduce", "baselines", *options).err.split()
    )


def test_days_and_commits_in_words(folder: Path) -> None:
    path = folder / "shipped" / "commits.toml"
    path.write_text("one = 2026-11-16\n")
    job = make_job(SAMPLES, SAMPLES.row("mle"), "rnn", "smoke", 0)
    ledger = Ledger(folder / "shipped")

    def of(*facts: dict[str, str]) -> str:
        return made_by([ledger.write(record_of(job, **each)) for each in facts])

    assert of({"commit": "one"}) == "on 2026-11-16 by commit one"
    assert of({"commit": "two"}) == "by commit two"
    assert of({"commit": "one"}, {"commit": "two", "date": "2026-11-18"}) == (
        "from 2026-11-16 to 2026-11-18 by commits one, two"
    )


def test_the_projects_records_are_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ledger = open_ledger(None)

    assert ledger.beneath == shipped_folder() and len(ledger.records()) > 200
    # All have a day.
    assert made_by(ledger.records()).startswith("from 2026-11-16 to ")
