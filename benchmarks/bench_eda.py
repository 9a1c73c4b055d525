"""EDA of captions, on ids and from file to file, against plain Python on lists of words.

Both have the synonyms of WordNet for the words of the captions, looked up beforehand.
"""

from __future__ import annotations

import random
import tempfile
from itertools import pairwise
from pathlib import Path

import torch

from benchmarks import textbook_eda as textbook
from benchmarks.harness import Row, compare
from sda.baselines.edits import Amount, edit
from sda.baselines.file_edits import Recipe, augment_file
from sda.text.captions.caption_grammar import CaptionGrammar
from sda.text.sentences import Flat
from sda.text.synonyms import WordChoices, find_choices, wordnet

SENTENCES = 5_000
PER_SENTENCE = 4
NOTE = f"{SENTENCES:,} captions, {PER_SENTENCE} new ones of each"


def rows() -> list[Row]:
    grammar = CaptionGrammar()
    sentences = grammar.sample(SENTENCES, torch.Generator().manual_seed(0))
    choices, spellings = find_choices(grammar.words, wordnet(), in_vocabulary=False)
    lines = spelled(sentences, grammar.words)
    table = synonym_lists(grammar.words, choices, spellings)
    with tempfile.TemporaryDirectory() as folder:
        return [
            ids_row(sentences, choices, lines, table),
            file_row(Path(folder), lines, table),
        ]


def ids_row(
    sentences: Flat, choices: WordChoices, lines: list[list[str]], table: textbook.Table
) -> Row:
    def ours() -> Flat:
        return edit(sentences, choices, 0, Amount(per_sentence=PER_SENTENCE))

    assert len(ours()) == len(by_textbook(lines, table))
    seconds = compare(ours, lambda: by_textbook(lines, table))
    return Row("EDA on ids", *seconds, 20.0, NOTE)


def file_row(folder: Path, lines: list[list[str]], table: textbook.Table) -> Row:
    """Here both sides read, split, join and write."""
    source, target = folder / "captions.txt", folder / "augmented.txt"
    source.write_text("".join(f"{' '.join(words)}\n" for words in lines), encoding="utf-8")

    def ours() -> None:
        recipe = Recipe(per_sentence=PER_SENTENCE)
        augment_file(source, target, recipe, lambda what, done, total: None)

    def theirs() -> None:
        read = [line.split() for line in source.read_text(encoding="utf-8").splitlines()]
        new = by_textbook(read, table)
        target.write_text("".join(f"{' '.join(words)}\n" for words in new), encoding="utf-8")

    ours()
    return Row("EDA from file to file", *compare(ours, theirs), 10.0, NOTE)


def by_textbook(lines: list[list[str]], table: textbook.Table) -> list[list[str]]:
    rng = random.Random(0)
    return [
        new for words in lines for new in textbook.eda(words, table, rng, per_sentence=PER_SENTENCE)
    ]


def spelled(sentences: Flat, words: tuple[str, ...]) -> list[list[str]]:
    texts = [words[number] for number in sentences.ids.tolist()]
    return [texts[begin:end] for begin, end in pairwise(sentences.starts.tolist())]


def synonym_lists(
    words: tuple[str, ...], choices: WordChoices, spellings: tuple[str, ...]
) -> dict[str, list[str]]:
    """The choices as a dictionary of words."""
    rows = spelled(Flat(choices.words, choices.starts), spellings)
    return {word: row for word, row in zip(words, rows, strict=True) if row}
