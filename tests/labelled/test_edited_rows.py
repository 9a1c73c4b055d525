"""`sda eda --label`: versions of rows have the labels of the rows."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from labelled_tiny import read_table, rows, write_table
from tiny import Answer

Command = Callable[..., Answer]


def test_versions_stand_behind_their_rows(command: Command, tmp_path: Path) -> None:
    source = write_table(tmp_path / "a.csv", *rows())
    out = tmp_path / "b.csv"
    answer = command("eda", source, "--label", "label", "-o", out, "--per-sentence", 2)
    table, before = read_table(out), read_table(source)

    assert answer.code == 0
    assert "32 lines and 64 new ones" in answer.out
    assert len(table) == 96
    assert [{k: row[k] for k in ("id", "text", "label")} for row in table[::3]] == before
    assert [row["label"] for row in table[1::3]] == [row["label"] for row in before]
    assert [row["source"] for row in table] == ["original", "eda", "eda"] * 32
    assert "WordNet, which is English, has synonyms of" in answer.out
    # The same options write the same bytes.
    written = out.read_bytes()
    command("eda", source, "--label", "label", "-o", out, "--per-sentence", 2)
    assert out.read_bytes() == written


# WordNet takes the German article "das" for an animal, the hyrax.
@pytest.mark.parametrize(
    ("first", "words"),
    [
        ("uns", "has a synonym of no word here: words were only swapped and left out"),
        ("das", "So few are usual for a text that is not English"),
    ],
)
def test_a_language_without_synonyms_is_said(
    first: str, words: str, command: Command, tmp_path: Path
) -> None:
    texts = [f"{first} schmeckte Essen sehr köstlich", "der Kellner bediente uns unfreundlich"] * 3
    objects = [{"text": text, "label": n % 2} for n, text in enumerate(texts)]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, objects)))
    out = tmp_path / "b.jsonl"
    answer = command(
        "eda", tmp_path / "a.jsonl", "--label", "label", "-o", out, "--per-sentence", 1
    )
    table = [json.loads(line) for line in out.read_text().splitlines()]

    assert answer.code == 0
    assert words in answer.out
    assert [row["label"] for row in table] == [0, 0, 1, 1] * 3


def test_a_row_without_text_is_kept(command: Command, tmp_path: Path) -> None:
    texts, labels = rows()
    source = write_table(tmp_path / "a.csv", [*texts, ""], [*labels, "bad"])
    command("eda", source, "--label", "label", "-o", tmp_path / "b.csv", "--per-sentence", 1)

    assert read_table(tmp_path / "b.csv")[-1]["id"] == "32"
