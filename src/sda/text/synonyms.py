"""Words that may stand in the place of others: tables of synonyms, and the same on ids.

The table of the package comes from WordNet 3.0; its licence lies beside it in `data`.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sda.errors import UserError
from sda.text.reading import read_lines
from sda.text.sentences import Flat
from sda.text.stop_words import STOP_WORDS

Synonyms = Mapping[str, tuple[str, ...]]
"""The synonyms of a word, the best first."""


class WordChoices(NamedTuple):
    """What each word may become: word w any of `words[starts[w]:starts[w + 1]]`, the best first.

    `starts` is (V + 1,). A word without a choice is left as it is.
    """

    words: NDArray[np.int32]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        """The number of words that have a row (not of fields)."""
        return len(self.starts) - 1

    @staticmethod
    def from_lists(lists: Sequence[Sequence[int]]) -> WordChoices:
        return WordChoices(*Flat.from_lists(lists))


@cache
def wordnet() -> Synonyms:
    """The table of the package: 43,874 English words in small letters, by commonest sense."""
    packed = resources.files("sda.text").joinpath("data", "synonyms.txt.gz").read_bytes()
    lines = gzip.decompress(packed).decode("utf-8").splitlines()
    pairs = (line.split("\t") for line in lines)
    return {word: tuple(synonyms.split(" ")) for word, synonyms in pairs}


def read_synonyms(path: Path) -> Synonyms:
    """A user's own table: a line is a word, a tab, and its synonyms with spaces between them.

    The file is `.txt` or `.txt.gz`. Blank lines are skipped; a word may have several lines.
    """
    if not path.name.lower().removesuffix(".gz").endswith(".txt"):
        raise UserError(f"{path}: a table of synonyms is a .txt or .txt.gz file.")
    table: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        word, tab, rest = line.partition("\t")
        synonyms = rest.split()
        if not tab or len(word.split()) != 1 or not synonyms:
            raise UserError(
                f"{path}, line {number}: a word, a tab and its synonyms with spaces between them"
                " are needed."
            )
        word = word.strip()
        table[word] = tuple(dict.fromkeys((*table.get(word, ()), *synonyms)))
    if not table:
        raise UserError(f"{path}: no synonym in it.")
    return table


def find_choices(
    spellings: Sequence[str], table: Synonyms, in_vocabulary: bool
) -> tuple[WordChoices, tuple[str, ...]]:
    """What each spelling may become, and the spellings of all ids that this may write.

    Id i is `spellings[i]`. Synonyms that are no spelling are left out if `in_vocabulary`, and
    otherwise get the ids that follow. Stop words have no synonyms, however they are written.
    """
    ids = {word: number for number, word in enumerate(spellings)}
    rows: list[list[int]] = []
    for word in spellings:
        found = () if word.lower() in STOP_WORDS else table.get(word, ())
        if not in_vocabulary:
            for synonym in found:
                ids.setdefault(synonym, len(ids))
        rows.append([ids[other] for other in found if other in ids and other != word])
    return WordChoices.from_lists(rows), tuple(ids)
