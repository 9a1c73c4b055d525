"""Files that were damaged behind the program's back: one sentence, and no other result."""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given
from hypothesis import settings as tried
from hypothesis import strategies as st
from tiny import Answer

from sda.doors import check, read_checked
from sda.errors import UserError
from sda.files import parse_json
from sda.reproduction.record_shape import RecordShape
from sda.runs.checkpoint import BESIDE, STATE_FILE, STATE_MARK
from sda.runs.folder import RunFolder
from sda.runs.keeper import find_state
from sda.runs.run import Run
from sda.runs.shapes import ScoresShape, StateShape
from sda.settings.schema import DEEPEST, read_toml
from sda.text import reading
from sda.text.reading import read_lines

Command = Callable[..., Answer]


@pytest.fixture
def copy(toy_run: Run, tmp_path: Path) -> RunFolder:
    return RunFolder(shutil.copytree(toy_run.path, tmp_path / "run"))


def told(answer: Answer, *words: str) -> None:
    assert answer.code == 2, answer
    assert "Traceback" not in answer.err
    for word in words:
        assert word in answer.err


def change(path: Path, update: Callable[[Any], object]) -> None:
    """The JSON file holds what the update leaves of its value."""
    value = json.loads(path.read_text())
    update(value)
    path.write_text(json.dumps(value))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("scores.json", b"\xff", "not UTF-8"),
        ("scores.json", b"[]", "scores.json: "),
        ("scores.json", b'{"rows": []}', "is missing"),
        ("scores.json", b'{"rows": [{"name": 3}]}', "'rows.0.name'"),
        ("progress.jsonl", b'{"stage": "mle", "epoch": 1, "seconds": "x"}\n', "line 1: 'seconds'"),
        ("progress.jsonl", b"\xff\n", "line 1: not UTF-8"),
        ("samples.txt", b"a \xff", "samples.txt: not UTF-8"),
        ("buffer.jsonl", b'{"text": "a", "score": "high", "epoch": 1}\n', "line 1: 'score'"),
        ("examples.json", b'{"real": [{"text": 3}]}', "'real.0.text'"),
        ("examples.json", b'{"real": [{"text": "a", "similarity": 0.5}]}', "stand together"),
        ("examples.json", b'{"real": [{"text": "a", "by": "judge"}]}', "stand together"),
    ],
)
def test_what_a_report_reads(
    name: str, content: bytes, words: str, copy: RunFolder, command: Command
) -> None:
    (copy.path / name).write_bytes(content)

    told(command("report", copy.path), name, words)


def test_no_number_where_a_mean_is_taken(copy: RunFolder, command: Command) -> None:
    """The standard deviation of what is beyond all bounds once ended in a traceback."""
    change(copy.scores, lambda value: value["rows"][1]["scores"][0].update(value=float("inf")))

    told(command("compare", copy.path), "scores.json: 'rows.1.scores.0.value': ")


def test_a_finished_file_that_says_nothing(copy: RunFolder, command: Command) -> None:
    copy.finished.write_text("[]")

    told(command("compare", copy.path), "finished.json: ")


def test_counters_that_were_changed_do_not_go_on_silently(copy: RunFolder) -> None:
    name = copy.checkpoints.latest()
    assert name is not None
    state = copy.checkpoints.folder / name / STATE_FILE
    before = json.loads(state.read_text())
    change(state, lambda value: value["counters"].update(updates=value["counters"]["updates"] + 1))
    with pytest.raises(UserError, match=r"state\.json: changed since it was written"):
        copy.checkpoints.load(name)
    # One that an earlier version wrote has no mark, and is opened with a word.
    del before[STATE_MARK], before[BESIDE]
    state.write_text(json.dumps(before))
    found = find_state(copy)
    assert found is not None and "saved by an earlier version" in found[2][0]


def test_a_line_that_was_lost_goes_back_to_the_state_before(copy: RunFolder) -> None:
    latest = copy.checkpoints.latest()
    assert latest is not None
    whole = copy.progress.read_bytes()
    earlier = whole[:-1].rfind(b"\n") + 1
    first = shutil.copytree(copy.checkpoints.folder / latest, copy.checkpoints.folder / "000001")
    values = json.loads((first / STATE_FILE).read_text())
    del values[STATE_MARK], values[BESIDE]
    (first / STATE_FILE).write_text(json.dumps({**values, "progress_bytes": earlier}))
    assert (find_state(copy) or ("",))[0] == latest

    copy.progress.write_bytes(whole[: earlier + 5])
    found = find_state(copy)
    assert found is not None and found[0] == "000001"
    assert "was not written to its end" in found[2][0]
    copy.progress.unlink()
    with pytest.raises(UserError, match="has lost lines of epochs"):
        find_state(copy)


@pytest.mark.parametrize(
    ("update", "words"),
    [
        (lambda value: value.pop("counters"), "state.json: "),
        (lambda value: value["counters"].pop("rates"), "'rates'"),
        (lambda value: value["counters"].update(phase="many"), "'phase'"),
        (lambda value: value["counters"]["rates"].clear(), "does not fit"),
        (lambda value: value.update(progress_bytes=10**9), "has lost lines"),
    ],
)
def test_a_damaged_start(
    update: Callable[[Any], object],
    words: str,
    toy_run: Run,
    copy: RunFolder,
    tmp_path: Path,
    command: Command,
) -> None:
    state = copy.checkpoints.folder / "stage1" / STATE_FILE
    change(state, lambda value: (value.pop(STATE_MARK), value.pop(BESIDE), update(value)))
    out = tmp_path / "out"
    settings = RunFolder(toy_run.path).config.read_text().replace("\nmethod = ", "\n# method = ")
    config = tmp_path / "same.toml"
    config.write_text("\n".join(line for line in settings.splitlines() if "source" not in line[:8]))
    answer = command(
        *(
            "train",
            toy_run.settings.source,
            "--config",
            config,
            "--method",
            toy_run.settings.method,
        ),
        *("--out", out, "--start", copy.path),
    )

    told(answer, words)


def test_weights_that_are_no_numbers(copy: RunFolder, command: Command) -> None:
    name = copy.checkpoints.latest()
    assert name is not None
    checkpoint = copy.checkpoints.load(name)
    weights = next(key for key in checkpoint.tensors if key.startswith("generator."))
    checkpoint.tensors[weights].view(-1)[0] = torch.nan
    copy.checkpoints.save(name, checkpoint)

    told(command("sample", copy.path, "--stage", "last"), "weights that are no numbers")


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "[" * 5000 + "]" * 5000,
        "a" + ".a" * 5000 + " = 1",
        "x = " + "{a = " * (DEEPEST + 2) + "1" + "}" * (DEEPEST + 2),
    ],
)
def test_settings_that_are_nested_too_deeply(text: str, tmp_path: Path, command: Command) -> None:
    config = tmp_path / "deep.toml"
    config.write_text(text)
    with pytest.raises(UserError, match="nested too deeply"):
        read_toml(config)
    told(
        command("train", "captions", "--config", config), "deep.toml: tables are nested too deeply"
    )


def test_a_packed_text_that_fills_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "ALWAYS_UNPACKED", 1000)
    bomb, text = tmp_path / "bomb.txt.gz", tmp_path / "text.txt.gz"
    bomb.write_bytes(gzip.compress(bytes(10_000_000)))
    text.write_bytes(gzip.compress(b"a sentence\n" * 50))

    assert len(read_lines(text)) == 50
    with pytest.raises(UserError, match="unpacks to over 200 times its size"):
        read_lines(bomb)
    with pytest.raises(UserError, match="is a device"):
        read_lines(Path("/dev/zero"))


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("builtins:exit", "comes with Python"),
        ("os:_exit", "comes with Python"),
        ("END.py:score", "SystemExit"),
        ("ASK.py:score", "raised SystemExit"),
        ("OWN.py:score", "raised Own: mine"),
    ],
)
def test_a_metric_that_would_end_python(
    metric: str, words: str, tmp_path: Path, toy_file: Path, command: Command
) -> None:
    (tmp_path / "END.py").write_text("raise SystemExit(3)\n")
    own = "class Own(BaseException): ...\ndef score(texts):\n    raise Own('mine')\n"
    (tmp_path / "OWN.py").write_text(own)
    (tmp_path / "ASK.py").write_text("def score(texts):\n    raise SystemExit(1)\n")
    place = metric if metric[0].islower() else tmp_path / metric

    told(
        command(
            "train", toy_file, "--metric", place, "--out", tmp_path / "run", "--profile", "smoke"
        ),
        words,
    )


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"),
        RuntimeError("could not create a primitive"),
    ],
)
def test_want_of_memory_is_one_sentence(
    error: Exception, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_much(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("sda.runs.run.Run.__init__", too_much)
    told(command("sample", "anything"), "not enough memory")


def record() -> dict[str, Any]:
    points = {
        "points": [{"temperature": 1.0, "samplings": [{"bleu-3": 0.5}]}],
        "real": {},
        "temperatures": [1.0],
        "samples": 10,
        "repeats": 1,
    }
    names = {name: name for name in ("key", "experiment", "row", "base", "profile")}
    tables = {name: {} for name in ("packages", "real", "first_stage_costs")}
    lists = {name: [] for name in ("alarms", "progress", "samples")}
    return {
        **names,
        **tables,
        **lists,
        "format": 1,
        "seed": 0,
        "start": None,
        "commit": None,
        "settings": {"source": "captions"},
        "scores": {"bleu-3": {"value": 0.5, "interval": [0.4, 0.6]}},
        "costs": {"seconds": 1.0},
        "curve": points,
    }


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("experiment", "../../elsewhere"),
        ("row", "a/b"),
        ("base", ".hidden"),
        ("seed", "0"),
        ("scores", {"bleu-3": 0.5}),
        ("scores", {"bleu-3": {"value": float("nan")}}),
        ("scores", {"bleu-3": {"value": 1.0, "interval": [1.0]}}),
        ("costs", {"seconds": float("inf")}),
        ("curve", {"points": []}),
        ("curve", {}),
        ("curve", {**record()["curve"], "points": [{"temperature": 0, "samplings": [{}]}]}),
        ("progress", [{"stage": "mle"}]),
        ("settings", {}),
        ("samples", [3]),
    ],
)
def test_a_record_of_the_ledger(key: str, value: Any) -> None:
    check(RecordShape, record(), "whole.json")
    with pytest.raises(UserError, match=r"^x\.json: "):
        check(RecordShape, {**record(), key: value}, "x.json")


def test_ratings_of_another_study(tmp_path: Path) -> None:
    from studies.people import small_study, write_study

    from sda.studies.store import Store

    folder = write_study(tmp_path / "study", small_study())
    store = Store.of(folder)
    store.close()
    for statement, words in (
        ("CREATE TRIGGER t AFTER INSERT ON ratings BEGIN DELETE FROM ratings; END", "holds 't'"),
        ("DROP TRIGGER t", ""),
        ("INSERT INTO ratings VALUES (1, 'elsewhere', 0, 'fluency', 3, 1)", "another study"),
        ("UPDATE ratings SET value = 'good'", "a rating in it"),
        ("DELETE FROM ratings", ""),
    ):
        with sqlite3.connect(folder.store) as connection:
            connection.execute(statement)
        connection.close()
        if words:
            with pytest.raises(UserError, match=words):
                Store.of(folder)
        else:
            Store.of(folder).close()
    content = bytearray(folder.store.read_bytes())
    content[100:3000] = bytes(2900)
    folder.store.write_bytes(content)
    with pytest.raises(UserError, match=r"ratings\.sqlite: "):
        Store.of(folder)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["rows", "name", "scores", "value", "x"]), inner)
    ),
    max_leaves=12,
)


@given(JSON)
def test_whatever_a_file_holds_is_taken_or_told(value: Any) -> None:
    for shape in (ScoresShape, StateShape, RecordShape):
        try:
            assert check(shape, value, "file.json") is value
        except UserError as error:
            assert str(error).startswith("file.json: ") and "\n" not in str(error)


@given(st.binary(max_size=60))
def test_whatever_the_bytes_are(content: bytes) -> None:
    try:
        json.dumps(parse_json(content, "here"), ensure_ascii=False).encode()
    except UserError as error:
        assert str(error).startswith("here: ")


@given(place=st.integers(0, 10_000), other=st.integers(0, 255))
@tried(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_flipped_byte_is_never_gone_on_from(place: int, other: int, copy: RunFolder) -> None:
    """Of `state.json`: told, or without meaning."""
    name = copy.checkpoints.latest()
    assert name is not None
    path = copy.checkpoints.folder / name / STATE_FILE
    content = path.read_bytes()
    place %= len(content)
    path.write_bytes(content[:place] + bytes([other]) + content[place + 1 :])
    try:
        found = read_checked(path, StateShape)
        copy.checkpoints.load_values(name)
    except UserError:
        pass
    else:
        before = json.loads(content)
        # Without the key of the mark it is a state of an earlier version, which says so.
        assert found == before or STATE_MARK not in found
    finally:
        path.write_bytes(content)
