"""Folders of Hugging Face datasets as a text."""

from pathlib import Path

import pytest

from sda.errors import UserError
from sda.text.preparation import Preparation
from sda.text.prepare import prepare
from sda.text.reading import check_kinds, each_record, read_lines

ROWS = [{"text": f"the cat sat\n{number} times", "label": number % 2} for number in range(12)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    datasets = pytest.importorskip("datasets", reason="the extra datasets is not installed")
    place = tmp_path_factory.mktemp("datasets")
    table = datasets.Dataset.from_list(ROWS)
    table.save_to_disk(place / "table")
    datasets.DatasetDict({"train": table, "test": table}).save_to_disk(place / "splits")
    return place


def test_a_column_is_read_row_by_row(folder: Path) -> None:
    lines = read_lines(folder / "table", column="text")
    records = list(each_record(folder / "table", "text", None, "label"))

    assert lines == [f"the cat sat {number} times" for number in range(12)]
    assert [record.label for record in records[:3]] == ["0", "1", "0"]


def test_splits_are_named_one_by_one(folder: Path) -> None:
    assert len(read_lines(folder / "splits" / "train", column="text")) == 12
    with pytest.raises(UserError, match=r"splits/test; there are test, train"):
        read_lines(folder / "splits", column="text")


def test_what_cannot_be_read_says_why(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"say which column holds the text.*'text', 'label'"):
        read_lines(folder / "table")
    with pytest.raises(UserError, match="no field 'words'; it has 'text', 'label'"):
        read_lines(folder / "table", column="words")
    with pytest.raises(UserError, match="has no field"):
        check_kinds([folder / "table"], None, "text")
    with pytest.raises(UserError, match="is a folder; a file is needed"):
        read_lines(tmp_path)
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "state.json").write_text("{}")
    with pytest.raises(UserError, match="cannot be read"):
        read_lines(broken, column="text")


def test_a_run_prepares_it_like_a_file(folder: Path) -> None:
    prepared = prepare(folder / "table", Preparation(column="text", min_count=2), seed=0)

    assert len(prepared.train_lines) == 10
