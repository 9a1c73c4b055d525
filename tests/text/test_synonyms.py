"""The table of the package, tables of users, and what words may become."""

import gzip
import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest

from sda.errors import UserError
from sda.text.stop_words import STOP_WORDS
from sda.text.synonyms import WordChoices, find_choices, read_synonyms, wordnet

Write = Callable[..., Path]


def rows(choices: WordChoices, spellings: tuple[str, ...]) -> list[list[str]]:
    starts = choices.starts.tolist()
    return [
        [spellings[word] for word in choices.words[starts[row] : starts[row + 1]].tolist()]
        for row in range(len(choices))
    ]


def test_the_package_has_a_table_and_its_licence() -> None:
    folder = resources.files("sda.text").joinpath("data")
    table = folder.joinpath("synonyms.txt.gz").read_bytes()

    assert len(table) < 1_200_000
    assert len(gzip.decompress(table).splitlines()) == len(wordnet()) == 43_874
    licence = folder.joinpath("WORDNET-LICENSE").read_text(encoding="utf-8")
    assert "WordNet 3.0 Copyright 2006 by Princeton University" in licence


def test_synonyms_are_single_words_in_small_letters() -> None:
    word = re.compile(r"[a-z]+(-[a-z]+)*")
    for key, synonyms in wordnet().items():
        assert synonyms
        assert len(set(synonyms)) == len(synonyms)
        assert key not in synonyms
        assert all(word.fullmatch(text) for text in (key, *synonyms))


def test_synonyms_of_the_commonest_sense_come_first() -> None:
    assert wordnet()["bike"][:2] == ("motorcycle", "bicycle")
    assert wordnet()["quickly"][0] == "rapidly"
    assert "someone" in wordnet()["person"]


def test_a_table_of_ones_own(text_file: Write) -> None:
    path = text_file(["cat\tkitty  puss", "", "dog\thound", "cat\tpuss tom"])

    assert read_synonyms(path) == {"cat": ("kitty", "puss", "tom"), "dog": ("hound",)}


@pytest.mark.parametrize("line", ["cat kitty", "cat\t", "\tkitty", "big cat\tlion", "cat\t \t"])
def test_lines_that_are_no_synonyms_are_named(line: str, text_file: Write) -> None:
    path = text_file(["dog\thound", line])

    with pytest.raises(UserError, match=r"text\.txt, line 2: a word, a tab"):
        read_synonyms(path)


def test_files_that_are_no_tables(text_file: Write, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no synonym in it"):
        read_synonyms(text_file(["", ""]))
    with pytest.raises(UserError, match=r"is a \.txt or \.txt\.gz file"):
        read_synonyms(text_file(["dog\thound"], "table.tsv"))
    with pytest.raises(UserError, match="does not exist"):
        read_synonyms(tmp_path / "none.txt")


def test_choices_within_and_beyond_the_vocabulary() -> None:
    words = ("cat", "the", "kitty", "The")
    table = {"cat": ("puss", "kitty", "cat"), "the": ("a",), "The": ("a",), "kitty": ("puss",)}

    choices, spellings = find_choices(words, table, in_vocabulary=True)
    assert spellings == words
    assert rows(choices, spellings) == [["kitty"], [], [], []]

    choices, spellings = find_choices(words, table, in_vocabulary=False)
    assert spellings == (*words, "puss")
    assert rows(choices, spellings) == [["puss", "kitty"], [], ["puss"], []]


def test_stop_words_are_small_words() -> None:
    assert {"a", "the", "of", "not", "was"} <= STOP_WORDS
    assert STOP_WORDS.isdisjoint({"man", "dog", "standing", "red"})
    assert all(word == word.lower() for word in STOP_WORDS)
