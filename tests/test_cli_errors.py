"""Every mistake is one sentence and exit code 2, and costs nothing that was there before."""

import errno
import io
import os
import resource
import shlex
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from lives import Life
from tiny import (
    SMOKE,
    Answer,
    Interrupting,
    assert_one_sentence,
    contents,
    file_with,
    outcome,
    toy_lines,
    train_tiny,
)

from sda.runs.run import Run
from sda.settings.layers import names_of

Command = Callable[..., Answer]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "does not exist"),
        (b"", "is empty"),
        (b"\n\n", "no sentence is left"),
        ("ein schöner Satz\n".encode("latin-1") * 20, "line 1"),
        ("a sentence\n".encode("utf-16") * 20, "UTF-16"),
        (b"word \0 word\n" * 20, "NUL"),
        (b"one two three\n" * 20, "1 distinct sentences are left"),
        (b"word " * 51 + b"\n", "no sentence is left"),
    ],
)
def test_texts_that_cannot_be_read(
    content: bytes | None, words: str, command: Command, tmp_path: Path
) -> None:
    path = file_with(tmp_path / "text.txt", content)

    answer = command("train", path, "--out", tmp_path / "run", *SMOKE)

    assert_one_sentence(answer, str(path), words)
    assert not (tmp_path / "run").exists()
    if content is not None:
        assert path.read_bytes() == content


def test_a_name_that_is_too_long_for_a_file(command: Command, toy_file: Path) -> None:
    answer = command("evaluate", toy_file, "--test", "a" * 5000)

    assert_one_sentence(answer, "aaa", "File name too long")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--set stage2.rolouts=3", "unknown setting 'stage2.rolouts' (known here: epochs,"),
        ("--set stage2.rollouts=few", "setting 'stage2.rollouts': "),
        ("--set generator.hiden=3", "unknown setting 'generator.hiden' ("),
        ("--set generator.hidden=-3", "setting 'generator"),
        ("--set generator.use=nowhere:Rnn", "No module named 'nowhere'"),
        ("--set rollouts", "write it as key=value"),
        ("--profile nope", "unknown profile 'nope' (known: full, small, smoke)"),
        ("--method nope", f"unknown method 'nope' (known: {', '.join(names_of('methods'))})"),
        ("--generator nope", "unknown generator 'nope' (known: "),
        ("--discriminator nope", "unknown discriminator 'nope' (known: cnn, rnn, seqgan, "),
        ("--metric nope", "unknown metric 'nope' (known: bleu, "),
        ("--metric nope.py:score", "nope.py: no such file"),
        ("--metric 'heavy*bleu'", "'heavy' is not a number"),
        ("--metric ''", "unknown metric '' (known: bleu, "),
        ("--metric 'nan*bleu'", "setting 'metric.0.weight': input should be a finite number"),
        ("--set generator.dropout=nan", "'generator.dropout': input should be a finite"),
        ("--set evaluation.self_bleu_samples=1", "should be greater than or equal to 2"),
        (
            "--set evaluation.cold_temperature=1e-300",
            "'evaluation.cold_temperature': input should be greater",
        ),
        ("--set method=mle", "setting 'method' is 'mle' in a settings file or by --set, but"),
        ("--set source=captions", "setting 'source' is 'captions' in a settings file or"),
        ("--length 5", "setting 'embedded.length' has a meaning only for the source 'oracle'"),
        ("--config nope.toml", "nope.toml: no such file"),
        ("--valid nope.txt", "nope.txt does not exist"),
    ],
)
def test_settings_that_cannot_be(
    options: str, words: str, command: Command, toy_file: Path, tmp_path: Path
) -> None:
    answer = command("train", toy_file, "--out", tmp_path / "run", *SMOKE, *shlex.split(options))

    assert_one_sentence(answer, words)
    assert list(tmp_path.iterdir()) == []


def test_a_settings_file_with_broken_toml(command: Command, toy_file: Path, tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text("[stage2\nrollouts = 3\n")

    answer = command("train", toy_file, "--config", config, "--out", tmp_path / "run")
    assert_one_sentence(answer, f"{config}: not valid TOML", "line 1")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return 1 / 0", "raised ZeroDivisionError: division by zero for the sentence"),
        ("return [float('nan')] * len(texts)", "returned nan for the sentence"),
        ("return [1.0]", "returned 1 value for 2 sentences, the first of them"),
        ("return 3", "returned int instead of a list of floats"),
        ("return ['good'] * len(texts)", "returned 'good', which is not a number"),
        ("import nowhere", "raised ModuleNotFoundError"),
    ],
)
def test_metrics_that_fail(
    body: str, words: str, command: Command, toy_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(f"def score(texts):\n    {body}\n")
    metric = ("--metric", f"{tmp_path}/mine.py:score")

    answer = command("train", toy_file, *metric, "--out", tmp_path / "run", *SMOKE)
    line = 1 if "returned" in words else 2
    assert_one_sentence(answer, words, f"({tmp_path}/mine.py, line {line})")
    # Nothing was trained: the mended metric begins anew.
    assert not (tmp_path / "run").exists()


def test_a_metric_that_rules_out_all(command: Command, toy_file: Path, tmp_path: Path) -> None:
    body = "return [float('-inf')] * len(texts)"
    (tmp_path / "mine.py").write_text(f"def score(texts):\n    {body}\n")
    metric = ("--metric", f"{tmp_path}/mine.py:score")

    answer = command("train", toy_file, *metric, "--out", tmp_path / "run", *SMOKE)
    assert "scored all 16 sentences that it was tried on -inf" in answer.err
    assert_one_sentence(answer, "the buffer is empty")
    # What was learned before the metric was asked is there.
    assert len(Run(tmp_path / "run").sample(2)) == 2


def test_a_metric_that_rules_out_all_as_the_reward(
    command: Command, toy_file: Path, tmp_path: Path
) -> None:
    body = "return [float('-inf')] * len(texts)"
    (tmp_path / "mine.py").write_text(f"def score(texts):\n    {body}\n")
    metric = ("--metric", f"{tmp_path}/mine.py:score", "--method", "metric-reward")

    answer = command("train", toy_file, *metric, "--out", tmp_path / "run", *SMOKE)
    assert_one_sentence(answer, "the metric rules out all", "sentences of a batch")


def test_a_metric_that_was_mended(command: Command, toy_file: Path, tmp_path: Path) -> None:
    metric = tmp_path / "mine.py"
    train = ("train", toy_file, "--metric", f"{metric}:score", "--out", tmp_path / "run", *SMOKE)
    # It fails after the trial, in Stage II: the trial asks twice.
    lines = ("asked = []", "def score(texts):", "    asked.append(texts)")
    broken = (*lines, "    return [1 / (len(asked) < 3)] * len(texts)", "")
    metric.write_text("\n".join(broken))
    assert command(*train, "--set", "calls.wait=0").code == 2
    metric.write_text("def score(texts):\n    return [1.0] * len(texts)\n")

    assert command(*train, "--set", "calls.wait=0", "--resume").code == 0


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("def score(texts)\n", "SyntaxError"),
        ("import nowhere\n", "ModuleNotFoundError"),
        ("rate = 3\n", "has no function named 'score'"),
    ],
)
def test_metric_files_that_cannot_be_loaded(
    content: str, words: str, command: Command, toy_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(content)
    metric = ("--metric", f"{tmp_path}/mine.py:score")

    answer = command("train", toy_file, *metric, "--out", tmp_path / "run", *SMOKE)
    assert_one_sentence(answer, words)
    assert not (tmp_path / "run" / "config.toml").exists()


@pytest.mark.parametrize("key", ["mle.rate", "stage2.rate", "discriminator_phase.rate"])
def test_losses_that_are_no_numbers(
    key: str, command: Command, toy_file: Path, tmp_path: Path
) -> None:
    answer = command(
        *("train", toy_file, "--out", tmp_path / "run", *SMOKE, "--set", f"{key}=1e38")
    )

    assert_one_sentence(answer, "training stopped: ", "the last good state is in")


@pytest.mark.parametrize("place", ["thesis.txt", "thesis.txt/run"])
def test_a_file_in_the_place_of_the_folder(
    place: str, command: Command, toy_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")

    answer = command("train", toy_file, "--out", tmp_path / place, *SMOKE)
    assert_one_sentence(answer, str(tmp_path / place))
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_a_folder_with_other_things_in_it(command: Command, toy_file: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    before = contents(tmp_path)

    for options in ((), ("--resume",)):
        answer = command("train", toy_file, "--out", tmp_path, *SMOKE, *options)
        assert_one_sentence(answer, "not empty and not a run")
    assert contents(tmp_path) == before


def test_a_folder_that_cannot_be_written_to(
    command: Command, toy_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    # Permissions do not bind a superuser, so the refusal is played.
    monkeypatch.setattr(Path, "mkdir", refuse)
    answer = command("train", toy_file, "--out", tmp_path / "run", *SMOKE)
    assert_one_sentence(answer, f"{tmp_path / 'run'}: Permission denied")


def allow_little() -> None:
    # Enough for settings and vocabulary, not for a checkpoint.
    resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


@pytest.mark.slow
def test_a_disk_that_is_full(toy_run: Run, toy_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    life = Life(tmp_path, "train", toy_file, "--out", folder, *SMOKE, first=allow_little)

    answer = Answer(life.end(), life.out.read_text(), life.err.read_text())
    assert_one_sentence(answer, f"{folder}/checkpoints/", "File too large")
    assert os.listdir(folder / "checkpoints") == []
    train_tiny(toy_file, folder, resume=True)
    assert outcome(folder) == outcome(toy_run.path)


def test_standard_output_on_a_full_disk(
    command: Command, toy_run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "samples.txt").open("w") as file:

        class Full(io.StringIO):
            def write(self, _: str) -> int:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

            def fileno(self) -> int:
                return file.fileno()

        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", Full())
            answer = command("sample", toy_run.path)

    assert_one_sentence(answer, "sda: standard output: No space left on device")


def test_a_disk_that_fills_up_later(
    command: Command, toy_run: Run, toy_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        train_tiny(toy_file, folder, (), Interrupting(epochs=4))
    before = contents(folder / "checkpoints")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        answer = command("train", toy_file, "--out", folder, "--resume", *SMOKE)
    assert_one_sentence(answer, "No space left on device")
    assert contents(folder / "checkpoints") == before
    assert command("train", toy_file, "--out", folder, "--resume", *SMOKE).code == 0
    assert outcome(folder) == outcome(toy_run.path)


def test_a_broken_checkpoint(
    command: Command, toy_run: Run, toy_file: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        train_tiny(toy_file, folder, (), Interrupting(epochs=4))
    broken = folder / "checkpoints" / "000004"
    tensors = broken / "tensors.safetensors"
    tensors.write_bytes(tensors.read_bytes()[:-1])
    before = contents(folder)

    answer = command("train", toy_file, "--out", folder, "--resume", *SMOKE)
    assert_one_sentence(answer, f"{tensors}: broken checkpoint; remove the folder {broken}")
    assert contents(folder) == before
    assert_one_sentence(command("sample", folder), str(tensors))
    # The advice is good.
    shutil.rmtree(broken)
    assert command("train", toy_file, "--out", folder, "--resume", *SMOKE).code == 0
    assert outcome(folder) == outcome(toy_run.path)


def test_commands_on_what_is_no_run(command: Command, toy_file: Path, tmp_path: Path) -> None:
    for name in ("sample", "report"):
        assert_one_sentence(command(name, tmp_path), f"{tmp_path}: not a run folder")
    missing = tmp_path / "nothing.txt"
    assert_one_sentence(command("inspect", missing), f"{missing} does not exist")
    assert_one_sentence(command("evaluate", missing, "--test", toy_file), str(missing))
    assert_one_sentence(command("evaluate", toy_file, "--test", missing), str(missing))
    assert contents(tmp_path) == {}


def test_results_that_cannot_be_written(
    command: Command, toy_run: Run, toy_file: Path, tmp_path: Path
) -> None:
    lines = tmp_path / "lines.txt"
    lines.write_text("\n".join(toy_lines()[:3]))
    target = tmp_path / "nowhere" / "file"

    for arguments in (
        ("sample", toy_run.path, "-o", target),
        ("evaluate", lines, "--test", toy_file, "--json", target),
        ("report", toy_run.path, "-o", target),
    ):
        assert_one_sentence(command(*arguments), f"{target}: No such file or directory")


def test_a_page_whose_name_is_no_text(
    command: Command, toy_run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / os.fsdecode(b"page-\xff.html")
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n")
    monkeypatch.setattr(sys, "stdout", out)

    assert command("report", toy_run.path, "--out", target).code == 0

    out.flush()
    assert out.buffer.getvalue() == os.fsencode(target) + b"\n"  # type: ignore[attr-defined]
    assert target.is_file()


@pytest.mark.parametrize("option", ["-n", "--max-length"])
def test_sentences_without_end(option: str, command: Command, toy_run: Run) -> None:
    answer = command("sample", toy_run.path, option, 10**20)

    assert answer.code == 2
    assert f"'{option}'" in answer.err


@pytest.mark.parametrize("name", ["compare", "report"])
def test_runs_on_other_texts(
    name: str, command: Command, toy_run: Run, captions_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(toy_run.path.parent)
    answer = command(name, captions_run.path, toy_run.path)

    assert_one_sentence(answer, f"{toy_run.path}: source is ", "and 'captions' in")
    assert not Path("report.html").exists()


@pytest.mark.parametrize("option", ["--column", "--field"])
def test_a_column_or_field_of_plain_text(
    option: str, command: Command, toy_file: Path, tmp_path: Path
) -> None:
    words = f"{toy_file} has no {option[2:]} 'text'"
    for arguments in (
        ("inspect", toy_file),
        ("train", toy_file, "--out", tmp_path / "run", *SMOKE),
        ("eda", toy_file, "-o", tmp_path / "out.txt"),
        ("evaluate", toy_file, "--test", toy_file, "--train", toy_file),
    ):
        assert_one_sentence(command(*arguments, option, "text"), words)
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("option", ["--json", "--markdown", "--latex", "--html"])
def test_results_that_would_replace_what_is_read(
    option: str, command: Command, toy_file: Path, tmp_path: Path
) -> None:
    names = ("samples", "test", "train", "real")
    samples, test, train, real = (tmp_path / f"{name}.txt" for name in names)
    for path in (samples, test, train, real):
        shutil.copy(toy_file, path)
    before = contents(tmp_path)
    evaluate = ("evaluate", samples, "--test", test, "--train", train, "--real", real)

    for path in (samples, test, train, real):
        answer = command(*evaluate, option, path)
        assert_one_sentence(answer, f"{option}: {path} is a file that is read")
    page = tmp_path / "out.html"
    if option != "--html":
        answer = command(*evaluate, option, page, "--html", page)
        assert_one_sentence(answer, f"--html: {page} is the file of {option}")
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--temperature 1,hot", "--temperature: write numbers with commas between them"),
        ("--temperature 1,0", "temperature must be at least 1e-06, not 0.0"),
        ("--temperature 1e-300", "temperature must be at least 1e-06, not 1e-300"),
        ("--top-p 2", "top_p must be above 0 and at most 1"),
    ],
)
def test_sweeps_that_cannot_be(
    options: str, words: str, command: Command, toy_run: Run, tmp_path: Path
) -> None:
    answer = command("curve", toy_run.path, "--out", tmp_path / "out", *options.split())

    assert_one_sentence(answer, words)
    assert not (tmp_path / "out").exists()


def test_a_curve_of_no_run(command: Command, tmp_path: Path) -> None:
    assert_one_sentence(command("curve", tmp_path, "--out", tmp_path / "out"), "not a run folder")
    assert not (tmp_path / "out").exists()


def test_a_curve_of_different_texts(command: Command, toy_run: Run, captions_run: Run) -> None:
    answer = command("curve", toy_run.path, captions_run.path, "--out", toy_run.path / "never")

    assert_one_sentence(answer, str(captions_run.path), "curves are compared on one text")
    assert not (toy_run.path / "never").exists()
