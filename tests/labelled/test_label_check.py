"""The check: folds, ways, what is kept for an interruption, and the page."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
from labelled_tiny import WordCounts, rows

from sda.errors import UserError
from sda.labelled import label_check
from sda.labelled.arms import BASE, CUTOFF, RIVALS, WEAK, WEIGHTS
from sda.labelled.augment_settings import settle_augmentation
from sda.labelled.augmented import Deadline, Task, keep_to
from sda.labelled.check_page import check_page, way_table
from sda.labelled.helping import BY_LOT, OURS, SHUFFLED
from sda.labelled.label_check import CheckPart, LabelCheck
from sda.labelled.labelled_rows import of_lists
from sda.labelled.row_choice import Written
from sda.show.terminal import Quiet

TASK = Task(of_lists(*rows()), settle_augmentation({}), pool=("the cow is nice",) * 3)


class Writer:
    """Writes two rows, and notes what it was given."""

    tasks: ClassVar[list[Task]] = []

    def __init__(self, task: Task, folder: Path, reporter: Quiet, deadline: Deadline) -> None:
        folder.mkdir()
        Writer.tasks.append(task)

    def rows(self) -> Any:
        class Found:
            written = (Written("a nice <b>cow</b>", "good"), Written("a rude cow", "bad"))

        return Found

    def rows_by_lot(self, wanted: Mapping[str, int]) -> list[Written]:
        assert wanted == {"bad": 1, "good": 1}
        return [Written("a cow", "good")]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    Writer.tasks = []
    monkeypatch.setattr(label_check, "Augmenter", Writer)
    few = {name: RIVALS[name] for name in (BASE, WEIGHTS, CUTOFF, WEAK)}
    monkeypatch.setattr(label_check, "RIVALS", few)
    return tmp_path / "check"


# The classifier takes no weights, and there are no rules: two of the ways are not to be had.
def test_every_fold_is_held_out_and_never_seen(folder: Path) -> None:
    check = LabelCheck(TASK, folder, Quiet(), folds=4)
    found = check({"words": WordCounts})

    # All rows, and ten of each label; sixteen less a fold are twelve.
    assert check.parts == [CheckPart(size, fold) for size in (None, 10) for fold in range(4)]
    assert len(Writer.tasks) == 8
    for task in Writer.tasks:
        assert not set(task.rows.texts) & set(task.held_out)
    for size, count in ((None, 24), (10, 20)):
        some = Writer.tasks[:4] if size is None else Writer.tasks[4:]
        assert [len(task.rows) for task in some] == [count] * 4
        assert sum(len(task.held_out) for task in some) == 32
    ways = found.outcomes[None]["words"]
    assert list(ways) == [BASE, CUTOFF, OURS, SHUFFLED, BY_LOT]
    assert ways[BASE].accuracy == 100
    assert found.recommendation("words").sentence.startswith("Do not augment")


def test_what_is_done_is_not_done_again(folder: Path) -> None:
    first = LabelCheck(TASK, folder, Quiet(), 2, has_curve=False)({"words": WordCounts})
    # The last ways of a part are lost, as if the check had been killed before.
    kept = folder / "all-1.json"
    text = kept.read_text()
    kept.write_text(text[: text.index('"SDA"')].rstrip().rstrip(",") + "}}")
    again = LabelCheck(TASK, folder, Quiet(), 2, has_curve=False)({"words": WordCounts})

    assert len(Writer.tasks) == 2
    assert again.as_dict() == first.as_dict()
    assert kept.read_text() == text


def test_another_work_in_the_folder_is_refused(folder: Path) -> None:
    LabelCheck(TASK, folder, Quiet(), 2, has_curve=False)
    with pytest.raises(UserError, match="holds work on other rows or with other options"):
        LabelCheck(TASK, folder, Quiet(), 3, has_curve=False)


def test_too_few_rows_for_a_check(folder: Path) -> None:
    task = Task(of_lists(["a", "b", "c", "d"], [0, 0, 1, 1]), settle_augmentation({}))
    with pytest.raises(UserError, match="label '0' has 2 rows; a check needs 3 of every label"):
        LabelCheck(task, folder, Quiet())


def test_the_page_says_what_is_recommended_first(folder: Path) -> None:
    found = LabelCheck(TASK, folder, Quiet(), folds=3)({"words": WordCounts})
    page = check_page(found, TASK)

    assert page.index("Do not augment") < page.index("<svg")
    assert page.count("<svg") == 2  # gains, and a learning curve
    assert "32 rows (16 bad, 16 good), 3 unlabelled texts, 3 folds" in page
    assert not re.search(r"<script|https?://(?!www\.w3\.org)", page)
    table = way_table(found, "words")
    assert [row[0] for row in table.groups[0].rows] == list(found.outcomes[None]["words"])


def test_what_a_kill_left_half_written_is_gone(tmp_path: Path) -> None:
    (tmp_path / ".task.json.999999999.part").write_text("{")
    keep_to(tmp_path, "mine")

    assert [path.name for path in tmp_path.iterdir()] == ["task.json"]
