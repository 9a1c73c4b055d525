"""What is handed over: rows that were asked for, rows that help, or a sentence."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from labelled_tiny import rows

from sda.labelled import label_check
from sda.labelled import rows_trial as trial
from sda.labelled.augment_settings import settle_augmentation, wanted_rows
from sda.labelled.augmented import Task
from sda.labelled.augmented_rows import Augmented
from sda.labelled.helping import Gain
from sda.labelled.labelled_rows import of_lists
from sda.labelled.row_choice import Written
from sda.labelled.word_rules import WordRules
from sda.show.terminal import Quiet

TASK = Task(of_lists(*rows()), settle_augmentation({}))
ROW = Written("the cow is nice", "good")
RULES = WordRules((), (), 2)


class Writer:
    """Writes one row, if there is hope."""

    hope = True

    def __init__(self, task: Task, folder: Path, reporter: Any, deadline: Any) -> None:
        self._task = task

    def has_hope(self) -> bool:
        return Writer.hope

    def declined(self) -> tuple[str, ...]:
        return () if Writer.hope else ("no hope",)

    def rows(self) -> Augmented:
        written = (ROW,) if Writer.hope else ()
        return Augmented(self._task.rows, written, (), self._task.wanted, self.declined())

    def none(self, *why: str) -> Augmented:
        return Augmented(self._task.rows, (), (), {}, why)


@pytest.fixture
def gains(monkeypatch: pytest.MonkeyPatch) -> list[Gain]:
    """What the trial finds; the first is taken each time."""
    found: list[Gain] = []
    monkeypatch.setattr(trial, "Augmenter", Writer)
    monkeypatch.setattr(trial, "trial_gain", lambda *_: found[0])
    monkeypatch.setattr(Writer, "hope", True)
    return found


def test_rows_are_handed_over_where_a_gain_is_shown(gains: list[Gain], tmp_path: Path) -> None:
    gains.append(Gain(1.0, 0.1, 2.0))
    assert trial.handed_over(TASK, tmp_path).written == (ROW,)
    gains[0] = Gain(1.0, 0.0, 2.0)
    found = trial.handed_over(TASK, tmp_path)
    assert not found.written
    (why,) = found.declined
    assert "+1.0 points of macro-F1 (+0.0 to +2.0), which is no sure gain" in why
    assert "--per-class N writes them all the same" in why


def test_without_hope_nothing_is_tried(
    gains: list[Gain], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Writer, "hope", False)
    assert trial.handed_over(TASK, tmp_path).declined == ("no hope",)


def test_a_label_with_two_rows_cannot_be_tried(gains: list[Gain], tmp_path: Path) -> None:
    task = replace(TASK, rows=of_lists(["a", "b", "c", "d", "e"], [0, 0, 0, 1, 1]))
    (why,) = trial.handed_over(task, tmp_path).declined
    assert "label '1' has 2 rows" in why


class Copying(Writer):
    """Writes a row that says what the labels are; notes what it was given."""

    tasks: ClassVar[list[Task]] = []

    def __init__(self, task: Task, folder: Path, reporter: Any, deadline: Any) -> None:
        folder.mkdir()
        Copying.tasks.append(task)
        super().__init__(task, folder, reporter, deadline)


def test_the_trial_holds_folds_out_and_asks_words_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Copying.tasks = []
    monkeypatch.setattr(label_check, "Augmenter", Copying)
    found = trial.trial_gain(TASK, tmp_path, Quiet())

    assert len(Copying.tasks) == trial.FOLDS
    for task in Copying.tasks:
        assert not set(task.rows.texts) & set(task.held_out)
    assert sorted(text for task in Copying.tasks for text in task.held_out) == sorted(rows()[0])
    # Nothing is to be gained where the rows tell everything already.
    assert found == Gain(0, 0, 0)
    kept = json.loads((tmp_path / "trial" / "all-0.json").read_text())
    assert list(kept) == ["TF-IDF"] and list(kept["TF-IDF"]) == ["rows as they are", "SDA", "done"]
    # What was tried is not tried again.
    assert trial.trial_gain(TASK, tmp_path, Quiet()) == found
    assert len(Copying.tasks) == trial.FOLDS


def test_of_very_many_rows_some_are_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Copying.tasks = []
    monkeypatch.setattr(label_check, "Augmenter", Copying)
    monkeypatch.setattr(trial, "MOST_CHECKED", 16)
    trial.trial_gain(TASK, tmp_path, Quiet())

    # Ten of each label are kept in any case.
    assert [len(task.rows) + len(task.held_out) for task in Copying.tasks] == [20] * trial.FOLDS


@pytest.mark.parametrize(
    ("values", "rules", "count", "is_tried"),
    [
        ({}, None, 32, True),
        ({"per_class": 2}, None, 32, False),
        ({"balance": True}, None, 32, False),
        ({"least": 0.9}, None, 32, False),
        ({}, RULES, 32, False),
        ({}, RULES, 128, True),
    ],
)
def test_who_has_to_show_that_rows_help(
    values: dict[str, Any], rules: WordRules | None, count: int, is_tried: bool
) -> None:
    texts, labels = rows()
    many = of_lists(texts * (count // 32), labels * (count // 32))
    task = Task(many, settle_augmentation(values), rules=rules)
    assert trial.is_tried(task) is is_tried


@pytest.mark.parametrize(
    ("counts", "unlabelled", "has_rules", "wanted"),
    [
        ((100, 10), 1000, False, (25, 3)),
        ((10, 10), 1000, True, (250, 250)),
        ((10, 30), 0, True, (50, 150)),
        ((9000, 10), 10**6, True, (1000, 1000)),
    ],
)
def test_how_many_rows_by_default(
    counts: Sequence[int], unlabelled: int, has_rules: bool, wanted: Sequence[int]
) -> None:
    named = dict(zip("ab", counts, strict=True))
    found = wanted_rows(named, settle_augmentation({}), unlabelled, has_rules)
    assert tuple(found.values()) == wanted
