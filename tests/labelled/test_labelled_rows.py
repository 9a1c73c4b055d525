"""Tables of labelled texts: what is read, refused and written."""

import json
from pathlib import Path

import pytest

from sda.errors import UserError
from sda.labelled.labelled_rows import check_table_name, of_lists, read_labelled, write_rows

CSV = 'id,text,label\n1,"good, really",pos\n2,bad,neg\n3,,neg\n4,fine,pos\n5,poor,neg\n'


def test_rows_keep_all_their_columns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(CSV)
    rows = read_labelled(tmp_path / "a.csv", "text", "label")

    assert rows.texts == ("good, really", "bad", "fine", "poor")
    assert rows.labels == ("pos", "neg", "pos", "neg")
    assert rows.names == ("neg", "pos")
    assert rows.columns == ("id", "text", "label")
    # A row without text is kept, and not learned.
    assert [entry["id"] for entry in rows.entries] == ["1", "2", "3", "4", "5"]
    assert rows.blank == 1
    assert rows.counts() == {"neg": 2, "pos": 2}
    assert rows.numbers.tolist() == [1, 0, 1, 0]


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
    with pytest.raises(UserError, match=r"--out: .*name a file that ends in \.csv, \.tsv, \.jsonl"):
        check_table_name("--out", tmp_path / "a.txt")
    with pytest.raises(UserError, match="there is no folder"):
        check_table_name("--out", tmp_path / "b" / "a.csv")


def test_a_text_that_is_no_text_is_not_lost_in_silence(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"text,label\na,x\n{'a' * 100_001},y\nb,x\n")
    with pytest.raises(UserError, match="line 3: more than 100,000 characters"):
        read_labelled(tmp_path / "a.csv", "text", "label")


def test_some_rows_keep_the_shares_of_their_labels() -> None:
    rows = of_lists([f"text {n}" for n in range(1000)], [n % 10 == 0 for n in range(1000)])
    some = rows.some(100, seed=0)

    assert some.counts() == {"False": 90, "True": 10}
    assert some == rows.some(100, seed=0) != rows.some(100, seed=1)
    assert set(some.texts) <= set(rows.texts)
    assert rows.some(1000, seed=0) is rows
    # A rare label is not lost.
    for count, kept in ((2, 2), (12, 10)):
        labels = [int(n < count) for n in range(1000)]
        rare = of_lists([f"text {n}" for n in range(1000)], labels).some(100, seed=0)
        assert rare.counts() == {"0": 100 * (1000 - count) // 1000, "1": kept}


def test_entries_of_objects_keep_their_form_in_a_table(tmp_path: Path) -> None:
    write_rows(tmp_path / "a.csv", ("a", "b"), [{"a": [1, 2], "b": 0.123456789}, {"b": None}])
    assert (tmp_path / "a.csv").read_text() == 'a,b\n"[1, 2]",0.123456789\n,\n'
