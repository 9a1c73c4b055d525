"""Write the synonym table of the package from the files of WordNet 3.0.

    python tools/make_synonyms.py FOLDER src/sda/text/data/synonyms.txt.gz

FOLDER holds `index.*`, `data.*` and `cntlist.rev` (Debian: package wordnet-base). A line of the
table is a word, a tab, and its synonyms with spaces between them, those of the commonest sense
first. Only single words in small letters are kept, and no synonym that WordNet marks as a slur, as
obscene or as disparaging.
"""

from __future__ import annotations

import argparse
import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

KINDS = {"noun": "1", "verb": "2", "adj": "3", "adv": "4"}
"""Names of the files, and how sense keys number them; a satellite adjective is 5 there."""
WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
UNWANTED = {"ethnic_slur", "obscenity", "disparagement", "depreciation", "derogation"}
"""Words of the usage domains whose members are left out."""
MARKER = re.compile(r"\((?:a|p|ip)\)$")  # where an adjective may stand, as in galore(ip)


class Synset(NamedTuple):
    """Words of one meaning; `usage` has the domain's place and the word, 0 for all of them."""

    words: list[str]
    usage: list[tuple[str, int]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    lines = sorted(table(arguments.folder))
    # Without name and time in its head the file depends on the lines alone.
    with arguments.out.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
        file.write("".join(lines).encode())
    print(f"{len(lines):,} words, {arguments.out.stat().st_size:,} bytes")


def table(folder: Path) -> Iterator[str]:
    """A line for every word that has a synonym."""
    synsets = {kind: read_synsets(folder / f"data.{kind}") for kind in KINDS}
    domains = {
        offset for offset, found in synsets["noun"].items() if UNWANTED.intersection(found.words)
    }
    counts = read_counts(folder / "cntlist.rev")
    senses: dict[str, list[tuple[int, int, str, str]]] = {}
    for kind, number in KINDS.items():
        for word, offsets in read_index(folder / f"index.{kind}"):
            for sense, offset in enumerate(offsets, 1):
                count = counts.get((word, number, sense), 0)
                senses.setdefault(word, []).append((-count, sense, kind, offset))
    for word, found in senses.items():
        synonyms: dict[str, None] = {}
        for _, _, kind, offset in sorted(found):
            synonyms |= dict.fromkeys(wanted(synsets[kind][offset], domains))
        # The index is in small letters; only the synsets tell names from words.
        if word in synonyms and len(synonyms) > 1:
            del synonyms[word]
            yield f"{word}\t{' '.join(synonyms)}\n"


def wanted(synset: Synset, domains: set[str]) -> list[str]:
    """The single words in small letters of the synset that belong to none of the domains."""
    marked = {number for offset, number in synset.usage if offset in domains}
    if 0 in marked:
        return []
    return [
        word
        for number, word in enumerate(synset.words, 1)
        if WORD.fullmatch(word) and number not in marked
    ]


def read_synsets(path: Path) -> dict[str, Synset]:
    """The synsets of a data file by their offsets."""
    synsets = {}
    for line in records(path):
        fields = line.partition("|")[0].split()
        count = int(fields[3], 16)
        words = [MARKER.sub("", word) for word in fields[4 : 4 + 2 * count : 2]]
        first = 4 + 2 * count + 1
        pointers = fields[first : first + 4 * int(fields[first - 1])]
        usage = [
            (pointers[place + 1], int(pointers[place + 3][:2], 16))
            for place in range(0, len(pointers), 4)
            if pointers[place] == ";u"
        ]
        synsets[fields[0]] = Synset(words, usage)
    return synsets


def read_index(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Every word of an index file with the offsets of its senses, the commonest first."""
    for line in records(path):
        fields = line.split()
        yield fields[0], fields[-int(fields[2]) :]


def read_counts(path: Path) -> dict[tuple[str, str, int], int]:
    """How often a sense was met: by word, kind and number of the sense."""
    counts = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        key, sense, count = line.split()
        word, _, rest = key.partition("%")
        kind = "3" if rest[0] == "5" else rest[0]
        counts[word, kind, int(sense)] = int(count)
    return counts


def records(path: Path) -> Iterator[str]:
    """The lines after the licence, which is indented."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return (line for line in lines if not line.startswith(" "))


if __name__ == "__main__":
    main()
