"""A run that writes subwords, from the file to the report."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny import TINY, Answer, Interrupting, outcome, sets, toy_lines, train_tiny

import sda
from sda.errors import UserError
from sda.evaluation.evaluator import Options
from sda.runs.run import Run
from sda.text.subwords import SubwordVocabulary

pytest.importorskip("tokenizers")

SUBWORDS = ("data.subwords=262",)


@pytest.fixture(scope="module")
def run(toy_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train_tiny(toy_file, tmp_path_factory.mktemp("subwords") / "run", SUBWORDS)


def test_the_folder_keeps_the_pieces(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SubwordVocabulary, "learned", None)

    vocabulary, max_length = run.folder.load_vocabulary()

    assert isinstance(vocabulary, SubwordVocabulary)
    # Six words, most of them in several pieces.
    assert max_length > 7
    sentences = Run(run.path).sample(5, seed=3)
    assert len(sentences) == 5
    assert all(text == " ".join(text.split()) for text in sentences)


def test_what_is_written_down_is_text(run: Run) -> None:
    samples = run.folder.samples.read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line) for line in run.folder.buffer.read_text("utf-8").splitlines()]

    assert len(samples) == json.loads(run.folder.samples_info.read_text())["count"]
    texts = [entry["text"] for entry in entries]
    assert len(set(texts)) == len(texts) and all(texts)
    assert run.folder.report.is_file()


def test_a_run_goes_on_bit_for_bit(toy_file: Path, tmp_path: Path, run: Run) -> None:
    with pytest.raises(KeyboardInterrupt):
        train_tiny(toy_file, tmp_path / "run", SUBWORDS, Interrupting(epochs=4))
    again = train_tiny(toy_file, tmp_path / "run", SUBWORDS, resume=True)

    ours, theirs = outcome(again.path), outcome(run.path)
    # The page names its folder.
    for found in (ours, theirs):
        del found["files"]["report.html"]
    assert ours == theirs


@pytest.mark.slow
@pytest.mark.usefixtures("curves_without_drawings")
def test_commands_take_such_a_run(
    run: Run, toy_file: Path, tmp_path: Path, command: Callable[..., Answer]
) -> None:
    assert command("inspect", toy_file, "--subwords", 300).code == 0
    made = command(
        *("train", toy_file, "--subwords", 300, "--profile", "smoke", "--quiet"),
        *("--out", tmp_path / "made", *sets(TINY)),
    )
    assert made.code == 0, made.err
    assert command("curve", run.path, "--out", tmp_path / "curve.html").code == 0
    assert command("sample", run.path, "-n", 3).out.count("\n") == 3


def test_a_word_list_augmentation_is_refused(toy_file: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"not with data\.subwords"):
        train_tiny(toy_file, tmp_path / "run", SUBWORDS, method="eda")


def test_too_few_subwords_are_refused(toy_file: Path, command: Callable[..., Answer]) -> None:
    answer = command("train", toy_file, "--subwords", 100)

    assert answer.code == 2
    assert "subwords must be 256 or more" in answer.err


@pytest.mark.slow
def test_the_table_counts_words_as_evaluate_does(tmp_path: Path) -> None:
    lines = toy_lines()
    paths = [tmp_path / f"{name}.txt" for name in ("train", "valid", "test")]
    for path, part in zip(paths, (lines[:40], lines[40:60], lines[60:]), strict=True):
        path.write_text("".join(f"{line}\n" for line in part), encoding="utf-8")
    train, valid, test = paths
    files = (f"data.valid='{valid}'", f"data.test='{test}'", "evaluation.final_samples=20")
    run = train_tiny(train, tmp_path / "run", (*SUBWORDS, *files))
    table = json.loads(run.folder.scores.read_text())["rows"][-1]["scores"]

    options = Options(ceiling=False)
    evaluation = sda.evaluate(run.folder.samples, test, train, options=options)

    found = {score["name"]: score["value"] for score in table}
    counted = ("bleu-2", "bleu-3", "distinct-1", "length", "duplicate-share", "self-bleu-2")
    assert {name: found[name] for name in counted} == {
        name: pytest.approx(evaluation.value(name)) for name in counted
    }


def test_sentences_are_cut_after_words(run: Run) -> None:
    whole = run.sample(20, seed=3)

    assert run.sample(20, seed=3, max_length=2) == [" ".join(text.split()[:2]) for text in whole]
