"""Scores of rewritings: by hand, their intervals, and the rows beside them."""

import csv
from html import escape
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from sda.errors import UserError
from sda.transfer.human_ratings import hold_against, read_ratings
from sda.transfer.sources import styled_source, true_pairs
from sda.transfer.style_judges import LanguageModelRatio, NaiveBayes
from sda.transfer.transfer_evaluation import CHANCE, COPY, evaluate_systems, random_targets
from sda.transfer.transfer_scores import Measured, TransferScorer
from sda.transfer.transfer_table import page, tables
from sda.transfer.transfer_task import System, TransferTask

NEGATIVE, POSITIVE = true_pairs("reviews", 60, seed=1)
TRAIN = styled_source("reviews", 200, seed=0)
OTHERS = [POSITIVE[1:] + POSITIVE[:1], NEGATIVE[1:] + NEGATIVE[:1]]
SIZE = len(NEGATIVE)
TASK = TransferTask(
    TRAIN.names,
    (*NEGATIVE, *POSITIVE),
    (0,) * SIZE + (1,) * SIZE,
    (1,) * SIZE + (0,) * SIZE,
    ((*POSITIVE, *NEGATIVE), (*OTHERS[0], *OTHERS[1])),
)
RIGHT = System("right", (*POSITIVE, *NEGATIVE))
WRONG = System("wrong", (*OTHERS[0], *OTHERS[1]))
SCORER = TransferScorer(TASK, [NaiveBayes.fit(TRAIN), LanguageModelRatio.fit(TRAIN)], TRAIN)


def test_copying_changes_nothing_and_a_reference_is_itself() -> None:
    copy = {name: each.value for name, each in SCORER.measure(TASK.sources).items()}
    right = {name: each.value for name, each in SCORER.measure(RIGHT.texts).items()}

    assert list(copy) == [
        "style-naive-bayes",
        "style-language-model-ratio",
        "source-bleu",
        "reference-bleu-1",
        "reference-bleu-2",
        "perplexity",
        "copies",
    ]
    assert copy["style-naive-bayes"] < 10 and right["style-naive-bayes"] > 90
    assert copy["source-bleu"] == pytest.approx(100) and copy["copies"] == 100
    assert right["reference-bleu-1"] == pytest.approx(100) and right["copies"] == 0
    assert copy["reference-bleu-1"] == pytest.approx(right["source-bleu"], abs=3)


def test_bleu_is_that_of_sacrebleu() -> None:
    second = BLEU(tokenize="none", smooth_method="none", force=True)
    found = SCORER.measure(WRONG.texts)

    for name, references in (
        ("source-bleu", [TASK.sources]),
        ("reference-bleu-1", [TASK.references[0]]),
        ("reference-bleu-2", TASK.references),
    ):
        wanted = second.corpus_score(list(WRONG.texts), [list(each) for each in references]).score
        assert found[name].value == pytest.approx(wanted)


def test_contractions_count_as_one_word_unless_they_are_to_be_kept() -> None:
    task = TransferTask(("a", "b"), ("it 's a very good day",), (0,), (1,))
    apart = ["it ' s a very good day"]

    joined = TransferScorer(task).measure(apart)
    kept = TransferScorer(task, join=False).measure(apart)

    assert joined["source-bleu"].value == pytest.approx(100) and joined["copies"].value == 100
    assert kept["source-bleu"].value < 70 and kept["copies"].value == 0
    assert "joined:contractions" in joined["source-bleu"].signature
    assert "joined:none" in kept["source-bleu"].signature


@settings(max_examples=20, deadline=None)
@given(shares=st.lists(st.booleans(), min_size=2, max_size=200))
def test_an_interval_holds_its_figure_and_a_difference_to_itself_is_nothing(
    shares: list[bool],
) -> None:
    stats = np.stack((np.array(shares, float), np.ones(len(shares))), 1)
    found = Measured("share", stats, lambda sums: sums[:, 0] / sums[:, 1], True, "")

    assert found.interval is not None
    low, high = found.interval
    assert low <= found.value <= high
    assert found.minus(found) == (0.0, (0.0, 0.0))


def test_many_sentences_are_drawn_in_groups() -> None:
    rng = np.random.default_rng(0)
    stats = np.stack((rng.random(30_000) < 0.3, np.ones(30_000)), 1).astype(float)
    found = Measured("share", stats, lambda sums: sums[:, 0] / sums[:, 1], True, "")

    assert found.interval is not None
    width = found.interval[1] - found.interval[0]
    assert width == pytest.approx(2 * 1.96 * np.sqrt(0.21 / 30_000), rel=0.15)


def test_systems_stand_beside_copies_chance_and_people() -> None:
    found = evaluate_systems(SCORER, [RIGHT, WRONG])

    assert [each.name for each in found.systems] == [
        *(COPY, CHANCE, "human 0", "human 1"),
        *("right", "wrong"),
    ]
    first, second = tables(found)
    people = first.groups[0].rows[2]
    # A person of two is held against the other one only.
    assert people[-3] is None
    ((name, scores),) = [row for row in found.differences() if row[0] == "wrong"]
    value, interval = scores["source-bleu"]
    assert value < 0 and interval is not None and interval[1] < 0
    assert second.title == "Higher than right by" and second.body[0][0] == name
    assert len(found.as_dict()["differences"]) == 5
    assert "reference-bleu-2" in page(found) and "<h2>Sentences</h2>" not in page(found)
    told = page(found, [RIGHT, WRONG])
    first_sources = (SCORER.task.sources[0], RIGHT.texts[0], SCORER.task.references[1][0])
    assert all(f">{escape(text)}<" in told for text in first_sources)
    assert evaluate_systems(SCORER, [RIGHT, WRONG], against="wrong").against == "wrong"
    with pytest.raises(UserError, match="no system 'best': there are right"):
        evaluate_systems(SCORER, [RIGHT], against="best")


def test_without_training_sentences_and_references_there_is_less() -> None:
    bare = TransferTask(TASK.names, TASK.sources, TASK.origins, TASK.targets)
    found = evaluate_systems(TransferScorer(bare), [RIGHT])

    assert list(found.systems[-1].measured) == ["source-bleu", "copies"]
    (table,) = tables(found)
    assert [column.title for column in table.columns] == ["", "BLEU source", "copies"]


def test_chance_draws_from_the_target_style() -> None:
    drawn = random_targets(TASK, None, seed=0)
    one_way = TransferTask(TASK.names, ("x", "y"), (0, 0), (1, 1))

    assert drawn is not None
    assert set(drawn[:SIZE]) <= set(POSITIVE) and set(drawn[SIZE:]) <= set(NEGATIVE)
    assert random_targets(one_way, None, seed=0) is None
    from_train = random_targets(one_way, TRAIN, seed=0)
    assert from_train is not None and set(from_train) <= set(TRAIN.texts[1])


def write_ratings(path: Path, rows: list[list[object]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter="\t")
        writer.writerows([["item", "source", "candidate", "style"], *rows])
    return path


def test_scores_are_held_against_ratings(tmp_path: Path) -> None:
    copies = System("copies", TASK.sources)
    systems = [RIGHT, WRONG, copies]
    rows: list[list[object]] = [
        [n, source, text, rating]
        for system, rating in zip(systems, (5, 4, 1), strict=True)
        for n, (source, text) in enumerate(zip(TASK.sources, system.texts, strict=True))
    ]
    ratings = read_ratings(write_ratings(tmp_path / "r.tsv", rows))
    scored = evaluate_systems(SCORER, systems)

    report = hold_against(ratings, SCORER, systems, scored)

    assert ratings.questions == ("style", "mean rating")
    assert report.systems == ("right", "wrong", "copies") and report.rated == 6 * SIZE
    figures = [each.measured["style-naive-bayes"].value for each in scored.systems[-3:]]
    wanted = torch.corrcoef(torch.tensor([figures, [5.0, 4.0, 1.0]]))[0, 1].item()
    assert report.by_system["style-naive-bayes"].tolist() == pytest.approx([wanted] * 2, abs=1e-5)
    assert report.by_sentence["naive-bayes"][0] > 0.8
    assert report.by_sentence["bleu-2"][0] < 0
    assert len(report.tables()) == 2 and report.as_dict()["rated"] == 6 * SIZE
    with pytest.raises(UserError, match="no system has ratings of at least half"):
        hold_against(ratings, SCORER, [System("new", ("x",) * 2 * SIZE)], scored)


def test_ratings_need_their_columns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text,style\nx,1\n", encoding="utf-8")
    with pytest.raises(UserError, match="columns source and candidate"):
        read_ratings(tmp_path / "a.csv")
    with pytest.raises(UserError, match="no column of numbers"):
        read_ratings(write_ratings(tmp_path / "b.tsv", [["i", "x", "y", "good"]]))
    with pytest.raises(UserError, match=r"none\.tsv"):
        read_ratings(tmp_path / "none.tsv")
    with pytest.raises(UserError, match=r"c\.tsv, line 3: not as many entries"):
        read_ratings(write_ratings(tmp_path / "c.tsv", [["i", "x", "y", 1], ["i", "x"]]))
    (tmp_path / "d.tsv").write_bytes(b"source\tcandidate\n\xff\tx\n")
    with pytest.raises(UserError, match="no table of text in UTF-8"):
        read_ratings(tmp_path / "d.tsv")
