"""Each command does what it says and prints what a script can rely on."""

import gzip
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from lives import Life
from tiny import SETS, Answer, outcome, sets, toy_lines

import sda
from sda.commands.generating import default_folder
from sda.runs.run import Run

Command = Callable[..., Answer]
# Even less than tiny, where only what is read and written matters.
SHORT = (*SETS, *sets(("mle.epochs=1", "stage2.epochs=0")))


def write_lines(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_help_lists_the_commands(command: Command) -> None:
    answer = command("--help")

    assert answer.code == 0
    for name in (
        "train",
        "resume",
        "demo",
        "sample",
        "evaluate",
        "report",
        "curve",
        "inspect",
        "augment",
        "eda",
        "data",
        "reproduce",
        "table",
        "figure",
        "compare",
        "transfer",
    ):
        assert name in answer.out
    assert command("--version") == Answer(0, f"{sda.__version__}\n", "")


def test_help_shows_no_value_of_options_that_take_none(command: Command) -> None:
    for name in ((), ("train",), ("evaluate",), ("reproduce",), ("sample",)):
        answer = command(*name, "--help")
        assert answer.code == 0
        assert "bool" not in answer.out


def test_help_imports_nothing_heavy() -> None:
    code = "import sys, sda.cli; sys.argv = ['sda', '--help']\ntry: sda.cli.main()\nfinally: "
    code += "print([n for n in ('torch', 'numpy', 'numba', 'matplotlib') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.endswith("[]\n")


@pytest.mark.slow
def test_demo(command: Command, tmp_path: Path) -> None:
    arguments = ("demo", "--profile", "smoke", "--out", tmp_path / "demo")
    answer = command(*arguments)

    assert answer.code == 0
    for words in ("real text", "T = 0.8", "SDA", "grammatical", "calls", "bought"):
        assert words in answer.out
    assert (tmp_path / "demo" / "sda" / "report.html").is_file()
    before = outcome(tmp_path / "demo" / "sda")
    again = command(*arguments)
    assert again.code == 0
    assert again.out == answer.out
    assert outcome(tmp_path / "demo" / "sda") == before


def test_train_tells_a_person(command: Command, toy_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "a [bold]run[/]"
    answer = command("train", toy_file, "--profile", "smoke", "--out", out, *SETS)

    assert answer.code == 0
    assert "training sentences" in answer.err
    for stage in ("MLE 1", "MLE 2", "discriminator 1", "imitation 1", "imitation 2"):
        assert f"{stage}: " in answer.err
    assert "Scores on test data" in answer.out
    assert f"report: {out}/report.html" in answer.out


def test_quiet_prints_nothing(command: Command, toy_file: Path, tmp_path: Path) -> None:
    arguments = ("--profile", "smoke", "--out", tmp_path / "run", "--quiet", *SHORT)

    assert command("train", toy_file, *arguments) == Answer(0, "", "")


def test_json_prints_an_object_a_line(command: Command, toy_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    answer = command("train", toy_file, "--profile", "smoke", "--out", out, "--json", *SETS)

    assert (answer.code, answer.err) == (0, "")
    lines = [json.loads(line) for line in answer.out.splitlines()]
    # The first says how often the metric will be asked.
    assert lines[0]["message"].startswith(
        "the metric will be asked at most 128 times: 16 to try it"
    )
    assert lines[1]["message"].startswith("advice: ")
    assert [line for line in lines[2:] if "warning" not in line] == Run(out).progress()


def test_train_with_files_of_its_own(command: Command, tmp_path: Path) -> None:
    lines = toy_lines()
    text = write_lines(tmp_path / "text.txt", lines[:60])
    valid = write_lines(tmp_path / "valid.txt", lines[60:70])
    test = write_lines(tmp_path / "test.txt", ["a word nobody knows", *lines[70:]])
    answer = command(
        *("train", text, "--valid", valid, "--test", test, "--seed", 5, "--max-length", 6),
        *("--min-count", 1, "--tokenizer", "words", "--lower", "--method", "mle"),
        *("--profile", "smoke", "--out", tmp_path / "run", "--quiet", *SHORT),
    )

    assert answer.code == 0
    settings = Run(tmp_path / "run").settings
    assert (settings.seed, settings.method, settings.data.tokenizer) == (5, "mle", "words")
    assert (settings.data.valid, settings.data.test) == (str(valid), str(test))
    assert (settings.data.max_length, settings.data.min_count) == (6, 1)
    assert settings.data.lowercase
    (real, *_) = Run(tmp_path / "run").scores()
    assert "refs:11|" in real.scores[0].signature


def test_train_from_other_kinds_of_files(command: Command, toy_run: Run, tmp_path: Path) -> None:
    lines = toy_lines()
    table = write_lines(tmp_path / "table.csv", ["n,text", *(f"1,{line}" for line in lines)])
    objects = write_lines(tmp_path / "o.jsonl", [json.dumps({"text": line}) for line in lines])
    packed = tmp_path / "packed.txt.gz"
    packed.write_bytes(gzip.compress("\n".join(lines).encode()))
    vocabularies = []
    for source, *options in ((table, "--column", "text"), (objects, "--field", "text"), (packed,)):
        out = tmp_path / f"run-{source.name}"
        arguments = ("--profile", "smoke", "--out", out, "--quiet", *SHORT)
        assert command("train", source, *options, *arguments).code == 0
        vocabularies.append((out / "vocabulary.json").read_text())

    assert vocabularies == [toy_run.folder.vocabulary.read_text()] * 3


def test_train_on_an_oracle(command: Command, tmp_path: Path) -> None:
    out = tmp_path / "run"
    small = ["--set", "embedded.vocabulary=50", "--set", "embedded.oracle_size=8"]
    answer = command(
        *("train", "oracle", "--length", 8, "--generator", "gru"),
        *("--profile", "smoke", "--out", out, "--quiet", *small, *SHORT),
    )

    assert answer.code == 0
    assert {len(line.split()) for line in (out / "samples.txt").read_text().splitlines()} == {8}


def test_a_metric_of_the_users_own(command: Command, toy_file: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def score(texts):\n    return [text.split().count('cat') for text in texts]\n"
    )
    answer = command(
        *("train", toy_file, "--metric", f"{tmp_path}/mine.py:score", "--profile", "smoke"),
        *("--out", tmp_path / "run", "--quiet", *SETS),
    )

    assert answer.code == 0
    lines = (tmp_path / "run" / "buffer.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    assert records[0]["score"] > 0
    assert all(record["score"] == record["text"].split().count("cat") for record in records)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("captions", "captions-sda-small-0"),
        ("data/lines.txt.gz", "lines-sda-small-0"),
        ("oracle:data/target.npz", "target-sda-small-0"),
    ],
)
def test_the_default_folder(source: str, name: str) -> None:
    assert default_folder(source, "rnn", "sda", "small", 0) == Path("runs") / name
    other = default_folder(source, "leakrnn", "mle", "small", 0)
    assert other == Path("runs") / name.replace("sda", "leakrnn-mle")


def test_sample_prints_sentences_and_nothing_else(command: Command, toy_run: Run) -> None:
    answer = command("sample", toy_run.path, "-n", 7, "--seed", 3)

    assert (answer.code, answer.err) == (0, "")
    assert answer.out.splitlines() == toy_run.sample(7, seed=3)
    assert command("sample", toy_run.path, "-n", 7, "--seed", 3) == answer
    assert command("sample", toy_run.path, "-n", 7, "--seed", 4) != answer
    start = command("sample", toy_run.path, "-n", 7, "--seed", 3, "--stage", "mle")
    assert start.out.splitlines() == toy_run.sample(7, seed=3, stage="mle")


def test_sample_into_a_file(command: Command, toy_run: Run, tmp_path: Path) -> None:
    path = tmp_path / "samples.txt"
    options = ("--top-k", 3, "--top-p", 0.9, "--temperature", 0.5, "--max-length", 4)

    assert command("sample", toy_run.path, "-n", 5, *options, "-o", path) == Answer(
        0, "", f"{path}: 5 sentences\n"
    )
    expected = toy_run.sample(5, 0.5, top_k=3, top_p=0.9, max_length=4)
    assert path.read_text().splitlines() == expected


def test_a_reader_who_has_seen_enough(toy_run: Run) -> None:
    code = "from sda.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "sample", str(toy_run.path), "-n", "20000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()

    assert said == b""
    assert process.wait() == 0


def test_evaluate_one_file(command: Command, toy_file: Path, tmp_path: Path) -> None:
    samples = write_lines(tmp_path / "samples.txt", toy_lines()[:10])
    path = tmp_path / "scores.json"
    answer = command(
        *("evaluate", samples, "--test", toy_file, "--train", toy_file, "--json", path),
        "--no-ceiling",
    )

    assert (answer.code, answer.err) == (0, "")
    assert "bleu-3" in answer.out
    report = json.loads(path.read_text())
    scores = {score["name"]: score for score in report["scores"]}
    assert report["file"] == str(samples)
    assert scores["bleu-3"]["value"] == pytest.approx(1.0)
    assert scores["copy-share"]["value"] == 1.0
    assert set(scores["bleu-3"]) == {
        "name",
        "value",
        "higher_is_better",
        "signature",
        "standard_error",
        "interval",
    }


def test_evaluate_several_files(command: Command, toy_file: Path, tmp_path: Path) -> None:
    good = write_lines(tmp_path / "good.txt", toy_lines()[:10])
    bad = write_lines(tmp_path / "bad.txt", ["cat cat cat cat"] * 3)
    path = tmp_path / "scores.json"
    answer = command("evaluate", good, bad, "--test", toy_file, "--self-bleu", 0, "--json", path)

    assert answer.code == 0
    reports = json.loads(path.read_text())
    assert [report["file"] for report in reports] == [str(good), str(bad)]
    values = [{score["name"]: score["value"] for score in report["scores"]} for report in reports]
    assert values[0]["bleu-2"] > values[1]["bleu-2"]
    assert values[1]["duplicate-share"] == pytest.approx(2 / 3)
    assert "duplicates" in [alarm["name"] for alarm in reports[1]["alarms"]]
    assert "ALARM bad: " in answer.out
    names = [{score["name"] for score in report["ceiling"]} for report in reports]
    assert {"bleu-2", "lm-perplexity", "mauve-ngram"} <= names[0] == names[1]


def test_evaluate_writes_every_form(command: Command, toy_file: Path, tmp_path: Path) -> None:
    samples = write_lines(tmp_path / "some_samples.txt", toy_lines()[:10])
    forms = {name: tmp_path / f"table.{name}" for name in ("markdown", "latex", "html")}
    options = [part for name, path in forms.items() for part in (f"--{name}", path)]

    assert command("evaluate", samples, "--test", toy_file, "--quick", *options).code == 0
    assert "| bleu-2 |" in forms["markdown"].read_text()
    assert "some\\_samples" in forms["latex"].read_text()
    page = forms["html"].read_text()
    assert page.startswith("<!doctype html>") and "bleu-2" in page and "://" not in page


def test_report(command: Command, toy_run: Run, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    shutil.copytree(toy_run.path, tmp_path / "other")

    answer = command("report", toy_run.path, tmp_path / "other", "-o", page)
    assert answer == Answer(0, f"{page}\n", "")
    assert page.read_text().startswith("<!doctype html>")
    before = toy_run.folder.report.read_bytes()
    assert command("report", toy_run.path).out == f"{toy_run.folder.report}\n"
    assert toy_run.folder.report.read_bytes() == before


def test_curve(command: Command, toy_run: Run, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(toy_run.path, run)
    arguments = ("curve", run, "--temperature", "1,0.5", "--samples", 20, "--repeats", 2)
    answer = command(*arguments)

    assert answer.code == 0
    assert answer.err.splitlines()[0] == "1/4 mle, temperature 1"
    assert len(answer.err.splitlines()) == 4
    assert answer.out.count("the bleu-5 of sda is") + answer.out.count("no common range") >= 4
    assert " distinct-2" in answer.out
    assert "real text" in answer.out
    for ending in ("json", "svg", "png", "html"):
        assert (run / f"curve.{ending}").stat().st_size > 1000
    files = {path.name: path.read_bytes() for path in run.glob("curve.*")}
    assert command(*arguments) == answer
    assert {path.name: path.read_bytes() for path in run.glob("curve.*")} == files


@pytest.mark.usefixtures("curves_without_drawings")
def test_curve_of_several_runs(command: Command, toy_run: Run, tmp_path: Path) -> None:
    runs = [tmp_path / "one", tmp_path / "two"]
    for run in runs:
        shutil.copytree(toy_run.path, run)
    out = tmp_path / "new" / "folder"
    options = ("--temperature", "0.5", "--top-p", "1,0.9", "--samples", 20, "--repeats", 1)
    answer = command("curve", *runs, "--out", out, *options)

    assert answer.code == 0
    found = json.loads((out / "curve.json").read_text())
    # Equal runs have one start, and all have a second curve.
    names = ["mle", "sda (one)", "sda (two)"]
    expected = [title for name in names for title in (name, f"{name} with top-p")]
    assert [curve["name"] for curve in found["curves"]] == expected
    assert f"figure and page: {out}/curve.html" in answer.out
    assert not list(runs[0].glob("curve.*"))


def test_inspect(command: Command, toy_file: Path) -> None:
    answer = command("inspect", toy_file)
    assert (answer.code, answer.err) == (0, "")
    assert "vocabulary" in answer.out

    counts = json.loads(command("inspect", toy_file, "--json").out)
    assert counts["files"][0]["read"] == 80
    assert counts["train"] + counts["valid"] + counts["test"] == 80
    short = ("--json", "--max-length", 5, "--cut", "--deduplicate", "--seed", 3)
    assert json.loads(command("inspect", toy_file, *short).out)["files"][0]["shortened"] == 80


def test_an_interrupted_command(toy_file: Path, tmp_path: Path) -> None:
    options = ("--profile", "smoke", "--json", *SETS, "--set", "mle.epochs=100000")
    life = Life(tmp_path, "train", toy_file, "--out", tmp_path / "run", *options)
    # How often the metric will be asked, advice on the text, then the first epoch.
    life.wait_for(lambda: life.out.is_file() and life.out.read_bytes().count(b"\n") >= 3)
    life.interrupt()

    assert life.end() == 130
    assert life.err.read_text() == (
        "sda: interrupted; what is done so far is kept. To go on, type:\n"
        f"  sda resume {tmp_path / 'run'}\n"
    )
    assert Run(tmp_path / "run").progress()
