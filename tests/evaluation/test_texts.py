"""Texts and files become scores under one convention."""

import json
from pathlib import Path

import pytest

from sda.errors import UserError
from sda.evaluation.score import Score
from sda.evaluation.texts import Evaluator, encode_texts, evaluate_files, evaluate_texts

TEST = ["a man rides a horse", "a dog runs", ""]
TRAIN = ["a man rides a horse", "", "the cat sleeps"]
SAMPLES = ["a man rides a horse", "", "A dog runs", "a man rides a horse"]


def by_name(scores: list[Score]) -> dict[str, Score]:
    return {score.name: score for score in scores}


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_groups_share_one_table_of_words() -> None:
    first, second = encode_texts(["a b", "", " b  a\tb "], ["c b"])
    assert first.ids.tolist() == [0, 1, 1, 0, 1]
    assert first.starts.tolist() == [0, 2, 2, 5]
    assert second.ids.tolist() == [2, 1]


def test_case_is_kept_unless_asked() -> None:
    assert encode_texts(["A a"])[0].ids.tolist() == [0, 1]
    assert encode_texts(["A a"], lowercase=True)[0].ids.tolist() == [0, 0]


def test_the_tokenizer_is_the_one_named() -> None:
    assert len(encode_texts(["end."])[0].ids) == 1
    assert len(encode_texts(["end."], tokenizer="words")[0].ids) == 2
    with pytest.raises(UserError, match="'letters'"):
        encode_texts(["end."], tokenizer="letters")


def test_all_scores_come_by_name() -> None:
    scores = by_name(evaluate_texts(SAMPLES, TEST, TRAIN))
    assert list(scores) == [
        *(f"bleu-{n}" for n in (2, 3, 4, 5)),
        *(f"self-bleu-{n}" for n in (2, 3, 4, 5)),
        *(f"distinct-{n}" for n in (1, 2, 3, 4)),
        "length",
        "duplicate-share",
        "copy-share",
        "seq-rep-3",
    ]
    assert scores["length"].value == pytest.approx(13 / 4)
    assert scores["duplicate-share"].value == pytest.approx(1 / 4)
    # The blank sample is no copy of the blank training line.
    assert scores["copy-share"].value == pytest.approx(2 / 4)


def test_every_sample_counts_and_blank_references_do_not() -> None:
    cased = by_name(evaluate_texts(SAMPLES, TEST))["bleu-2"]
    assert "refs:2|hyps:4|" in cased.signature
    # Two perfect samples, one empty, and "A dog runs" with two words and one bigram known.
    assert cased.value == pytest.approx((2 + (2 / 3 * 1 / 2) ** 0.5) / 4)
    lower = by_name(evaluate_texts(SAMPLES, TEST, lowercase=True))["bleu-2"]
    assert lower.value == pytest.approx(3 / 4)
    assert "case:lower" in lower.signature


def test_without_training_texts_there_is_no_copy_share() -> None:
    assert "copy-share" not in by_name(evaluate_texts(SAMPLES, TEST))


def test_scores_that_samples_do_not_define_are_absent() -> None:
    names = list(by_name(evaluate_texts(["a"], TEST)))
    assert names == [
        "bleu-2",
        "bleu-3",
        "bleu-4",
        "bleu-5",
        "distinct-1",
        "length",
        "duplicate-share",
    ]
    empty = by_name(evaluate_texts(["", ""], TEST))
    assert empty["bleu-2"].value == empty["self-bleu-2"].value == 0.0
    assert "distinct-1" not in empty


def test_self_bleu_is_limited_by_seed() -> None:
    samples = [f"a man rides {i} {'horse ' * (i % 5)}" for i in range(30)]
    limited = by_name(evaluate_texts(samples, TEST, self_bleu_limit=5, seed=1))
    assert "hyps:5|of:30|seed:1|" in limited["self-bleu-2"].signature
    other = by_name(evaluate_texts(samples, TEST, self_bleu_limit=5, seed=2))
    assert limited["self-bleu-2"].value != other["self-bleu-2"].value
    assert limited["bleu-2"] == other["bleu-2"]


def test_the_default_limit_is_two_thousand() -> None:
    scores = by_name(evaluate_texts(["a b c"] * 2001, TEST))
    assert "hyps:2000|of:2001|seed:0|" in scores["self-bleu-2"].signature


def test_an_evaluator_forgets_earlier_samples() -> None:
    evaluator = Evaluator(TEST, TRAIN)
    first = evaluator.scores(SAMPLES)
    evaluator.scores(["some other words", "and more"])
    assert evaluator.scores(SAMPLES) == first == evaluate_texts(SAMPLES, TEST, TRAIN)


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
        evaluate_texts(samples, test, self_bleu_limit=limit)


def test_files_give_one_report_each_in_order(tmp_path: Path) -> None:
    test, train = write(tmp_path / "test.txt", TEST), write(tmp_path / "train.txt", TRAIN)
    first = write(tmp_path / "first.txt", SAMPLES)
    second = write(tmp_path / "second.txt", ["a dog"] * 3)
    reports = json.loads(json.dumps(evaluate_files([first, second], test, train)))
    assert [report["file"] for report in reports] == [str(first), str(second)]
    assert [report["sentences"] for report in reports] == [4, 3]
    expected = [score.as_dict() for score in evaluate_texts(SAMPLES, TEST, TRAIN)]
    assert reports[0]["scores"] == expected


def test_tables_are_read_by_column(tmp_path: Path) -> None:
    test = write(tmp_path / "test.txt", TEST)
    table = write(tmp_path / "samples.csv", ["id,caption", "1,a dog runs"])
    (report,) = evaluate_files([table], test, column="caption")
    assert report["sentences"] == 1


def test_a_blank_test_file_is_named(tmp_path: Path) -> None:
    samples, test = (
        write(tmp_path / "samples.txt", SAMPLES),
        write(tmp_path / "blank.txt", ["", ""]),
    )
    with pytest.raises(UserError, match=r"blank\.txt holds blank lines only"):
        evaluate_files([samples], test)
