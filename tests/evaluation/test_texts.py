"""Texts and files become scores under one convention."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sda.errors import UserError
from sda.evaluation.evaluator import Evaluation, Evaluator, Options
from sda.evaluation.score import Score
from sda.evaluation.texts import evaluate_files, evaluate_texts

TEST = ["a man rides a horse", "a dog runs", ""]
TRAIN = ["a man rides a horse", "", "the cat sleeps"]
SAMPLES = ["a man rides a horse", "", "A dog runs", "a man rides a horse"]


BARE = Options(ceiling=False, language_model=False, features=False)


def by_name(evaluation: Evaluation) -> dict[str, Score]:
    return {score.name: score for score in evaluation.scores}


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_all_scores_come_by_name() -> None:
    scores = by_name(evaluate_texts(SAMPLES, TEST, TRAIN, options=BARE))
    assert list(scores) == [
        *(f"bleu-{n}" for n in (2, 3, 4, 5)),
        *(f"self-bleu-{n}" for n in (2, 3, 4, 5)),
        *(f"distinct-{n}" for n in (1, 2, 3, 4)),
        *(f"ngram-entropy-{n}" for n in (2, 3, 4)),
        "duplicate-share",
        "seq-rep-3",
        *(f"reverse-bleu-{n}" for n in (2, 3, 4, 5)),
        "copy-share",
        *("copied-span", "copied-span-max"),
        *(f"novelty-{n}" for n in (1, 2, 3, 4, 5)),
        *(f"train-bleu-{n}" for n in (2, 3, 4, 5)),
        *("rare-sentence-share", "rare-word-share", "rare-types"),
        "types",
        *("length", "length-sd", "length-q05", "length-q50", "length-q95"),
        "length-distance",
    ]
    assert scores["length"].value == pytest.approx(13 / 4)
    assert scores["duplicate-share"].value == pytest.approx(1 / 4)
    # The blank sample is no copy of the blank training line.
    assert scores["copy-share"].value == pytest.approx(2 / 4)


def test_every_sample_counts_and_blank_references_do_not() -> None:
    cased = by_name(evaluate_texts(SAMPLES, TEST, options=BARE))["bleu-2"]
    assert "refs:2|hyps:4|" in cased.signature
    # Two perfect samples, one empty, and "A dog runs" with two words and one bigram known.
    assert cased.value == pytest.approx((2 + (2 / 3 * 1 / 2) ** 0.5) / 4)
    lower = by_name(evaluate_texts(SAMPLES, TEST, options=replace(BARE, lowercase=True)))["bleu-2"]
    assert lower.value == pytest.approx(3 / 4)
    assert "case:lower" in lower.signature


def test_without_training_texts_there_is_no_copy_share() -> None:
    assert "copy-share" not in by_name(evaluate_texts(SAMPLES, TEST, options=BARE))


def test_scores_that_samples_do_not_define_are_absent() -> None:
    names = list(by_name(evaluate_texts(["a"], TEST, options=BARE)))
    assert names == [
        "bleu-2",
        "bleu-3",
        "bleu-4",
        "bleu-5",
        "distinct-1",
        "duplicate-share",
        *(f"reverse-bleu-{n}" for n in (2, 3, 4, 5)),
        "types",
        *("length", "length-sd", "length-q05", "length-q50", "length-q95"),
        "length-distance",
    ]
    empty = by_name(evaluate_texts(["", ""], TEST, options=BARE))
    assert empty["bleu-2"].value == empty["self-bleu-2"].value == 0.0
    assert "distinct-1" not in empty


def test_self_bleu_is_limited_by_seed() -> None:
    samples = [f"a man rides {i} {'horse ' * (i % 5)}" for i in range(30)]
    limited = by_name(
        evaluate_texts(samples, TEST, options=replace(BARE, self_bleu_limit=5, seed=1))
    )
    assert "hyps:5|of:30|seed:1|" in limited["self-bleu-2"].signature
    other = by_name(evaluate_texts(samples, TEST, options=replace(BARE, self_bleu_limit=5, seed=2)))
    assert limited["self-bleu-2"].value != other["self-bleu-2"].value
    assert limited["bleu-2"] == other["bleu-2"]


def test_the_default_limit_is_two_thousand() -> None:
    scores = by_name(evaluate_texts(["a b c"] * 2001, TEST, options=BARE))
    assert "hyps:2000|of:2001|seed:0|" in scores["self-bleu-2"].signature


def test_an_evaluator_forgets_earlier_samples() -> None:
    evaluator = Evaluator(TEST, TRAIN, options=BARE)
    first = evaluator.evaluate(SAMPLES)
    evaluator.evaluate(["some other words", "and more"])
    assert (
        evaluator.evaluate(SAMPLES) == first == evaluate_texts(SAMPLES, TEST, TRAIN, options=BARE)
    )


@pytest.mark.parametrize(
    ("samples", "test", "limit", "message"),
    [
        ([], TEST, 2000, "no samples"),
        (SAMPLES, ["", " "], 2000, "no test sentences"),
        (SAMPLES, TEST, 1, "at least 2 sentences, not 1"),
    ],
)
def test_what_cannot_be_scored_is_refused(
    samples: list[str], test: list[str], limit: int, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        evaluate_texts(samples, test, options=replace(BARE, self_bleu_limit=limit))


def test_files_give_one_report_each_in_order(tmp_path: Path) -> None:
    test, train = write(tmp_path / "test.txt", TEST), write(tmp_path / "train.txt", TRAIN)
    first = write(tmp_path / "first.txt", SAMPLES)
    second = write(tmp_path / "second.txt", ["a dog"] * 3)
    found = evaluate_files([first, second], test, train, options=BARE)
    assert [evaluation.sentences for evaluation in found] == [4, 3]
    assert found[0] == evaluate_texts(SAMPLES, TEST, TRAIN, options=BARE)
    assert json.loads(json.dumps(found[0].as_dict()))["scores"][0]["name"] == "bleu-2"


def test_tables_are_read_by_column(tmp_path: Path) -> None:
    test = write(tmp_path / "test.txt", TEST)
    table = write(tmp_path / "samples.csv", ["id,caption", "1,a dog runs"])
    (evaluation,) = evaluate_files([table], test, options=BARE, column="caption")
    assert evaluation.sentences == 1


@pytest.mark.parametrize("blank", ["test", "train", "real"])
def test_a_file_of_blank_lines_is_named(blank: str, tmp_path: Path) -> None:
    samples = write(tmp_path / "samples.txt", SAMPLES)
    files = {name: write(tmp_path / f"{name}.txt", TEST) for name in ("test", "train", "real")}
    write(files[blank], ["", " "])

    with pytest.raises(UserError, match=rf"{blank}\.txt holds blank lines only"):
        evaluate_files([samples], **files, options=BARE)


def test_training_texts_that_are_blank() -> None:
    with pytest.raises(UserError, match="no sentences in the training text"):
        evaluate_texts(SAMPLES, TEST, ["", " "], options=BARE)


def test_lines_that_are_too_long_are_left_out_and_told(tmp_path: Path) -> None:
    long = write(tmp_path / "samples", [*SAMPLES, "x" * 100_001, "y" * 500_000])
    short = write(tmp_path / "short.txt", SAMPLES)
    test = write(tmp_path / "test.txt", TEST)
    first, second = evaluate_files([long, short], test, options=BARE)

    assert first.sentences == len(SAMPLES) and first.scores == second.scores
    assert first.notes[-1] == f"{long}: 2 lines of over 100,000 characters left out"
