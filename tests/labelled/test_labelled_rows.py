"""Tables of labelled texts: what is read, refused and written."""

import json
from pathlib import Path

import pytest

from sda.errors import UserError
from sda.labelled.labelled_rows import of_lists, read_labelled, write_rows

CSV = 'id,text,label\n1,"good, really",pos\n2,bad,neg\n3,,neg\n4,fine,pos\n5,poor,neg\n'


def test_rows_keep_all_their_columns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(CSV)
    rows = read_labelled(tmp_path / "a.csv", "text", "label")

    assert rows.texts == ("good, really", "bad", "fine", "poor")
    assert rows.labels == ("pos", "neg", "pos", "neg")
    assert rows.names == ("neg", "pos")
    assert rows.columns == ("id", "text", "label")
    assert rows.entries[2] == {"id": "4", "text": "fine", "label": "pos"}
    assert rows.skipped == 1


def test_objects_have_fields_of_any_kind(tmp_path: Path) -> None:
    objects = [{"t": f"text {n}", "y": n % 2, "more": [n]} for n in range(4)]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, objects)))
    rows = read_labelled(tmp_path / "a.jsonl", "t", "y")

    assert rows.labels == ("0", "1", "0", "1")
    write_rows(tmp_path / "b.jsonl", rows.columns, rows.entries)
    assert [json.loads(line) for line in (tmp_path / "b.jsonl").read_text().splitlines()] == objects


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_a_table_comes_back_as_it_was(tmp_path: Path, ending: str) -> None:
    entries = [
        {"text": 'a "b"\tc, d', "label": "=x"},
        {"text": "- two\nlines", "label": "y"},
        {"text": "plain", "label": "=x"},
        {"text": "more", "label": "y"},
    ]
    path = tmp_path / f"a.{ending}"
    write_rows(path, ("text", "label"), entries)

    assert list(read_labelled(path, "text", "label").entries) == entries


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", "a"], "at least two different labels are needed in 'label', and there is 'a'"),
        (["a", "a", "b"], "label 'b' has one row; every label needs at least 2"),
    ],
)
def test_too_few_rows_are_one_sentence(labels: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        of_lists([f"text {n}" for n in range(len(labels))], labels)


def test_as_many_labels_as_texts() -> None:
    with pytest.raises(UserError, match="3 texts and 2 labels"):
        of_lists(["a", "b", "c"], [0, 1])


def test_only_tables_and_objects_are_written(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"name a file that ends in \.csv, \.tsv, \.jsonl"):
        write_rows(tmp_path / "a.txt", ("text",), [])
