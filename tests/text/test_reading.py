import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from sda.errors import UserError
from sda.text.reading import LONGEST_LINE, check_kinds, read_lines

Writer = Callable[[str, bytes], Path]


@pytest.fixture
def written(tmp_path: Path) -> Writer:
    def write(name: str, data: bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_text_lines_in_order_with_blank_ones(written: Writer, ending: str) -> None:
    path = written(f"a.txt{ending}", "a dog .\n\n  \nzwölf Bären\n".encode())

    assert read_lines(path) == ["a dog .", "", "  ", "zwölf Bären"]


def test_last_line_needs_no_line_end(written: Writer) -> None:
    assert read_lines(written("a.txt", b"a\nb")) == ["a", "b"]


def test_windows_line_ends_and_byte_order_mark_are_dropped(written: Writer) -> None:
    assert read_lines(written("a.txt", b"\xef\xbb\xbfa b\r\nc\r\n")) == ["a b", "c"]


def test_only_line_feeds_end_a_line(written: Writer) -> None:
    text = "one\u2028still one\x0bstill one\x85still one"

    assert read_lines(written("a.txt", f"{text}\ntwo\n".encode())) == [text, "two"]


def test_suffix_in_capitals(written: Writer) -> None:
    assert read_lines(written("A.TXT", b"a\n")) == ["a"]


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize(("suffix", "comma"), [("csv", ","), ("tsv", "\t")])
def test_table_gives_the_column(written: Writer, suffix: str, comma: str, ending: str) -> None:
    rows = ["id,text,stars", '1,"a ""good"" dog",5', "", "2,a cat,4", '3,"two\nlines",1']
    data = "\r\n".join(rows).replace(",", comma).encode()

    lines = read_lines(written(f"a.{suffix}{ending}", data), column="text")

    assert lines == ['a "good" dog', "", "a cat", "two\nlines"]


def test_byte_order_mark_is_no_part_of_the_first_column(written: Writer) -> None:
    assert read_lines(written("a.csv", b"\xef\xbb\xbftext\nhi\n"), column="text") == ["hi"]


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_json_lines_give_the_field(written: Writer, ending: str) -> None:
    data = b'{"text": "a dog", "n": 1}\n\n{"text": "z\\u00f6lf"}\n{"text": ""}\n'

    assert read_lines(written(f"a.jsonl{ending}", data), field="text") == [
        "a dog",
        "",
        "zölf",
        "",
    ]


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none\.txt does not exist"):
        read_lines(tmp_path / "none.txt")


def test_folder(tmp_path: Path) -> None:
    folder = tmp_path / "a.txt"
    folder.mkdir()
    with pytest.raises(UserError, match=r"a\.txt is a folder"):
        read_lines(folder)


def test_file_that_may_not_be_read(written: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, mode: str) -> None:
        raise PermissionError(13, "Permission denied")

    path = written("a.txt", b"a\n")
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UserError, match=r"a\.txt cannot be read \(Permission denied\)"):
        read_lines(path)


@pytest.mark.parametrize("name", ["a.doc", "a.json", "a.pdf.gz", "a.txt.bz2"])
def test_files_that_are_no_plain_text(written: Writer, name: str) -> None:
    with pytest.raises(UserError, match=r"files of this kind are not read; save it as .*\.jsonl"):
        read_lines(written(name, b"a\n"))


@pytest.mark.parametrize("name", ["samples", "a.log", "a.v2", "A.Md"])
def test_a_file_of_no_known_ending_is_text(written: Writer, name: str) -> None:
    assert read_lines(written(name, b"a b\n\nc\n")) == ["a b", "", "c"]


@pytest.mark.parametrize(
    ("name", "data"),
    [("a.txt", b""), ("a.txt.gz", b""), ("a.csv", b""), ("a.csv", b"text\n"), ("a.jsonl", b"")],
)
def test_empty_file(written: Writer, name: str, data: bytes) -> None:
    with pytest.raises(UserError, match="is empty"):
        read_lines(written(name, data), column="text", field="text")


NOT_UTF_8 = "line 3: byte 0xe9 at position 4 is not UTF-8"
NUL = "line 2: a NUL byte"


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.txt", b"fine\nfine\ncaf\xe9\n", NOT_UTF_8),
        ("a.txt.gz", b"fine\nfine\ncaf\xe9\n", NOT_UTF_8),
        ("a.csv", b"text\nfine\ncaf\xe9\n", NOT_UTF_8),
        ("a.jsonl", b'{"text": "fine"}\n\ncaf\xe9\n', NOT_UTF_8),
        ("a.txt", b"a\nb\0c\n", NUL),
        ("a.csv", b"other,text\n\0,b\n", NUL),
        ("a.jsonl", b'{"text": "a"}\n{"text": "b\\u0000c"}\n', NUL),
    ],
)
def test_bad_byte_is_named_with_its_line(
    written: Writer, name: str, data: bytes, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        read_lines(written(name, data), column="text", field="text")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_utf_16(written: Writer, encoding: str) -> None:
    text = "\ufeffa dog\n" if encoding == "utf-16-be" else "a dog\n"
    with pytest.raises(UserError, match=r"a\.txt, line 1: the file is UTF-16; save it as UTF-8"):
        read_lines(written("a.txt", text.encode(encoding)))


# The names are given: a packed file holds the time, and every worker must collect the same names.
@pytest.mark.parametrize(
    "data",
    [b"not gzip at all", gzip.compress(b"a dog\n" * 100)[:-12]],
    ids=["no gzip", "cut short"],
)
def test_broken_gzip(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(data)
    with pytest.raises(UserError, match=r"a\.txt\.gz is not a whole gzip file"):
        read_lines(path)


def test_gzip_with_damaged_content(tmp_path: Path) -> None:
    data = bytearray(gzip.compress(bytes(range(1, 128)) * 50))
    data[20] ^= 0xFF
    path = tmp_path / "a.txt.gz"
    path.write_bytes(data)
    with pytest.raises(UserError, match="is not a whole gzip file"):
        read_lines(path)


@pytest.mark.parametrize("letter", ["x", "\U0001f600"])
def test_the_longest_line_is_read_and_one_more_character_is_not(
    written: Writer, letter: str
) -> None:
    longest = letter * LONGEST_LINE

    assert read_lines(written("a.txt", f"{longest}\r\nb\n".encode())) == [longest, "b"]
    left_out: set[int] = set()
    data = f"a\n{longest}{letter}\nb\n".encode()
    assert read_lines(written("a.txt", data), left_out=left_out) == ["a", "b"]
    assert left_out == {2}


def test_lines_without_an_end_stay_out_of_memory(written: Writer) -> None:
    left_out: set[int] = set()
    data = b"a\n" + b"x" * 5_000_000 + b"\n\nb\n" + b"\xff" * 5_000_000
    assert read_lines(written("a.txt", data), left_out=left_out) == ["a", "", "b"]
    assert left_out == {2, 5}


def test_records_that_are_too_long(written: Writer) -> None:
    lines, long = "\n".join(["x" * 1000] * 120), "y" * 450_000
    table = f'text,n\n"{lines}",1\na,2\n{long},3\nb,4\n'.encode()
    left_out: set[int] = set()
    assert read_lines(written("a.csv", table), column="text", left_out=left_out) == ["a", "b"]
    assert left_out == {2, 123}
    objects = "".join(f'{{"text": "{text}"}}\n' for text in ("a", "x" * 100_001, long, "b"))
    left_out.clear()
    found = read_lines(written("a.jsonl", objects.encode()), field="text", left_out=left_out)
    assert (found, left_out) == (["a", "b"], {2, 3})


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_the_first_row_shows_what_separates_entries(
    written: Writer, name: str, separator: str
) -> None:
    rows = [["n", '"my, text"'], ["1", "a"], ["2", '"b,;|\tc"']]
    data = "".join(separator.join(row) + "\n" for row in rows).encode()
    assert read_lines(written(name, data), column="my, text") == ["a", "b,;|\tc"]


def test_the_usual_separator_comes_first(written: Writer) -> None:
    assert read_lines(written("a.csv", b"a;b;c,text\n1,x\n"), column="a;b;c") == ["1"]
    assert read_lines(written("b.csv", b"a;b\nx;y\n"), column="a;b") == ["x;y"]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (None, "say which column holds the text, by --column .*: 'id', 'text'"),
        ("body", "no column 'body'; it has 'id', 'text'"),
    ],
)
def test_missing_column(written: Writer, column: str | None, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_lines(written("a.csv", b"id,text\n1,a\n"), column=column)


def test_column_named_twice(written: Writer) -> None:
    with pytest.raises(UserError, match="2 columns are called 'text'"):
        read_lines(written("a.csv", b"text,text\n1,a\n"), column="text")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"id,text\n1,a\n2,a,b\n", "line 3: 3 entries where the header has 2"),
        (b"id,text\n1\n", "line 2: 1 entries where the header has 2"),
        (b'id,text\n1,a\n2,"never closed\n3,b\n', "line 3: unexpected end of data"),
        (b'id,text\n1,"Hi" he said\n', "line 2: ',' expected after '\"'"),
    ],
)
def test_broken_table(written: Writer, data: bytes, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_lines(written("a.csv", data), column="text")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"text": "a"', r"line 2: not JSON \("),
        ("[" * 50_000, r"line 2: not JSON \("),
        ('{"text": "a", "n": ' + "1" * 5_000 + "}", r"line 2: not JSON \("),
        ('["a"]', "line 2: a list, not an object"),
        ('"a"', "line 2: a string, not an object"),
        ("3", "line 2: a number, not an object"),
        ('{"body": "a", "n": 1}', "line 2: no field 'text'; it has 'body', 'n'"),
        ("{}", "line 2: no field 'text'; it has none"),
        ('{"text": 3}', "line 2: field 'text' is a number, not a string"),
        ('{"text": null}', "line 2: field 'text' is null, not a string"),
        ('{"text": true}', "line 2: field 'text' is a truth value, not a string"),
        ('{"text": {}}', "line 2: field 'text' is an object, not a string"),
        (json.dumps({"text": "\ud83d"}), "line 2: field 'text' holds half a character"),
    ],
)
def test_broken_json_line(written: Writer, line: str, message: str) -> None:
    data = f'{{"text": "fine"}}\n{line}\n'.encode()
    with pytest.raises(UserError, match=message):
        read_lines(written("a.jsonl", data), field="text")


def test_field_must_be_named(written: Writer) -> None:
    with pytest.raises(
        UserError, match=r"line 1: say which field holds the text, by --field .*: 'text', 'n'"
    ):
        read_lines(written("a.jsonl", b'{"text": "a", "n": 1}\n'))


@pytest.mark.parametrize(
    ("names", "column", "field", "words"),
    [
        (("a.txt",), "text", None, "a.txt has no column 'text': a column is part of .csv and .tsv"),
        (("a.jsonl.gz",), "text", "text", "a.jsonl.gz has no column 'text'"),
        (
            ("a.TXT", "b.csv"),
            "text",
            "text",
            "a.TXT has no field 'text': a field is part of .jsonl",
        ),
        (("a.csv",), None, "text", "a.csv has no field 'text'"),
        (("a.doc",), None, None, "a.doc: files of this kind are not read"),
    ],
)
def test_columns_and_fields_that_no_file_has(
    names: tuple[str, ...], column: str | None, field: str | None, words: str
) -> None:
    with pytest.raises(UserError, match=re.escape(words)):
        check_kinds([Path(name) for name in names], column, field)


@pytest.mark.parametrize(
    ("names", "column", "field"),
    [
        (("a.txt",), None, None),
        (("a.txt", "b.tsv.gz"), "text", None),
        (("a.csv", "b.jsonl", "c.txt"), "text", "body"),
    ],
)
def test_columns_and_fields_that_some_file_has(
    names: tuple[str, ...], column: str | None, field: str | None
) -> None:
    check_kinds([Path(name) for name in names], column, field)
