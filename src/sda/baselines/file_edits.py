"""Augmentation from file to file, in memory that does not grow with the number of lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from sda.baselines.contextual import fit_context, has_letters, rewrite
from sda.baselines.edits import OPERATIONS, USUAL, Amount, count_changed, edit
from sda.baselines.geometric import replace_geometric
from sda.baselines.neighbours import find_neighbours, has_meaning
from sda.errors import UserError
from sda.files import whole_file
from sda.text.quick_words import QuickText, read_quickly, spelled
from sda.text.reading import SUFFIXES, check_kinds, each_line
from sda.text.sentences import Flat
from sda.text.synonyms import WordChoices, find_choices, read_synonyms, wordnet
from sda.text.tokens import tokenizer

FITTED_LINES = 200_000
"""Lines, the first of the file, from which embeddings and language models are learnt."""

_WORDS_AT_A_TIME = 500_000  # of old and new lines together

Progress = Callable[[str, int, int], None]
Write = Callable[[Flat, int], Flat]
"""New sentences for the given ones, the first of which has this number in the file."""


@dataclass(frozen=True)
class Recipe:
    """How new lines are written; None stands for a method's default."""

    method: str = "eda"
    seed: int = 0
    alpha: float | None = None
    per_sentence: int = 4
    operations: tuple[str, ...] | None = None
    in_vocabulary: bool = False
    synonyms: Path | None = None
    lowercase: bool = False
    tokenizer: str = "whitespace"
    column: str | None = None
    field: str | None = None

    @property
    def amount(self) -> Amount:
        """How much is written."""
        return Amount(USUAL.alpha if self.alpha is None else self.alpha, self.per_sentence)

    def __post_init__(self) -> None:
        foreign = {
            "--alpha": (self.alpha, ("eda", "neighbours", "contextual")),
            "--operations": (self.operations, ("eda",)),
            "--synonyms": (self.synonyms, ("eda", "synonyms")),
        }
        for option, (value, methods) in foreign.items():
            if value is not None and self.method not in methods:
                raise UserError(f"{option} means nothing to --method {self.method}.")
        if self.alpha is not None and not 0.0 < self.alpha <= 1.0:
            raise UserError(f"--alpha must be above 0 and at most 1, not {self.alpha}.")
        unknown = [name for name in self.operations or () if name not in OPERATIONS]
        if unknown:
            known = ", ".join(OPERATIONS)
            raise UserError(f"--operations: {unknown[0]!r} is none of {known}.")


class Counts(NamedTuple):
    """What was read and written; `covered` is the share of the running words that have a synonym,
    where synonyms were looked for."""

    lines: int
    written: int
    changed: int
    covered: float | None = None


class Edited(NamedTuple):
    """New versions, all of a text in a row, text after text."""

    texts: list[str]
    counts: Counts


Lines = Callable[[], Iterable[str]]
"""The texts to be read, as often as they are asked for."""


class _Words(NamedTuple):
    """The words of a file: how often each occurs, and the number of lines that are not blank."""

    counts: Counter[str]
    lines: int


def augment_file(path: Path, out: Path, recipe: Recipe, progress: Progress) -> Counts:
    """`out` holds each line of the file followed by its new versions, whole or not at all.

    Blank lines are left out, and words stand apart by single spaces, or as the tokeniser joins
    them. The same file and recipe give the same bytes.
    """
    _check_target(path, out)
    check_kinds([path], recipe.column, recipe.field)
    is_plain = recipe.tokenizer == "whitespace" and not recipe.lowercase
    quick = read_quickly(path) if is_plain else None
    work = _Work(
        lambda: each_line(path, column=recipe.column, field=recipe.field),
        recipe,
        path,
        progress,
        quick,
    )
    with whole_file(out) as file:
        for source, new in work.portions():
            together = Flat.join(source, new).take(_interleaved(len(source), recipe.per_sentence))
            file.write(work.as_bytes(together))
    return work.counts


def edit_texts(
    texts: Sequence[str],
    recipe: Recipe,
    where: object,
    progress: Progress = lambda what, done, total: None,
) -> Edited:
    """New versions of texts, none of which is blank; `where` names them in messages."""
    work = _Work(lambda: texts, recipe, where, progress)
    found = [text for _, new in work.portions() for text in work.spelled(new)]
    return Edited(found, work.counts)


@dataclass(eq=False)
class _Work:
    """Texts that are read twice: to know their words, and to be rewritten.

    Those that were read `quick` are not read again.
    """

    lines: Lines
    recipe: Recipe
    where: object
    progress: Progress
    quick: QuickText | None = None

    def __post_init__(self) -> None:
        lines, recipe, where, quick = self.lines, self.recipe, self.where, self.quick
        self._found = _survey(lines, recipe, where) if quick is None else _surveyed(quick)
        self._spellings, self._write, covered = _writer(
            lines, self._found, recipe, where, self.progress
        )
        self._spelling_bytes = [word.encode() for word in self._spellings]
        self._join = tokenizer(recipe.tokenizer).join
        self.counts = Counts(0, 0, 0, covered)

    def portions(self) -> Iterator[tuple[Flat, Flat]]:
        """Texts, as many at a time as fit into memory, and the new versions of them."""
        for source in self._encoded():
            new = self._write(source, self.counts.lines)
            yield source, new
            lines, written, changed, covered = self.counts
            more = count_changed(*source, *new)
            self.counts = Counts(lines + len(source), written + len(new), changed + more, covered)
            self.progress("writing", self.counts.lines, self._found.lines)

    def _encoded(self) -> Iterator[Flat]:
        """The words of the texts as numbers, a portion at a time."""
        ids = {word: number for number, word in enumerate(self._spellings)}
        if self.quick is None:
            for portion in _portions(self.lines, self.recipe):
                yield _encoded(self.where, portion, ids)
            return
        found = self.quick
        numbers = np.fromiter((ids[word] for word in found.words), np.int32, len(found.words))
        most = _most_words(self.recipe)
        starts, first = found.lines.starts, 0
        while first < len(found.lines):
            last = int(np.searchsorted(starts, starts[first] + most))
            last = min(max(last, first + 1), len(found.lines))
            some = numbers[found.lines.ids[starts[first] : starts[last]]]
            yield Flat(some, starts[first : last + 1] - starts[first])
            first = last

    def as_bytes(self, sentences: Flat) -> bytes:
        """The texts of sentences, a line each."""
        if self.recipe.tokenizer == "whitespace":
            return spelled(sentences, self._spelling_bytes)
        return "".join(f"{text}\n" for text in self.spelled(sentences)).encode()

    def spelled(self, sentences: Flat) -> Iterator[str]:
        """The texts of sentences."""
        words = [self._spellings[number] for number in sentences.ids.tolist()]
        return (self._join(words[begin:end]) for begin, end in pairwise(sentences.starts.tolist()))


def _check_target(path: Path, out: Path) -> None:
    name = out.name.lower()
    if name.endswith((".gz", *(suffix for suffix in SUFFIXES if suffix != ".txt"))):
        raise UserError(f"{out}: plain text is written, a sentence a line; name it .txt.")
    if path.exists() and out.exists() and path.samefile(out):
        raise UserError(f"{out} is the file that is read; name another one.")
    if not out.parent.is_dir():
        raise UserError(f"{out}: there is no folder {out.parent}.")
    if out.is_dir():
        raise UserError(f"{out} is a folder; a file is needed.")


def _sentences(lines: Lines, recipe: Recipe) -> Iterator[list[str]]:
    """The words of every line that has some."""
    split = tokenizer(recipe.tokenizer).split
    for line in lines():
        words = split(line.lower() if recipe.lowercase else line)
        if words:
            yield words


def _portions(lines: Lines, recipe: Recipe) -> Iterator[list[list[str]]]:
    """The lines of the file, as many at a time as fit into the memory meant for them."""
    most = _most_words(recipe)
    portion: list[list[str]] = []
    gathered = 0
    for words in _sentences(lines, recipe):
        portion.append(words)
        gathered += len(words)
        if gathered >= most:
            yield portion
            portion, gathered = [], 0
    if portion:
        yield portion


def _most_words(recipe: Recipe) -> int:
    """Words of old lines that are rewritten at a time; the line that reaches it is the last."""
    return _WORDS_AT_A_TIME // (recipe.per_sentence + 1)


def _surveyed(quick: QuickText) -> _Words:
    counts = dict(zip(quick.words, quick.counts.tolist(), strict=True))
    return _Words(Counter(counts), len(quick.lines))


def _survey(lines: Lines, recipe: Recipe, where: object) -> _Words:
    """What words the texts have, and how many there are; refused if all are blank."""
    counts: Counter[str] = Counter()
    number = 0
    for portion in _portions(lines, recipe):
        counts.update(chain.from_iterable(portion))
        number += len(portion)
    if not number:
        raise UserError(f"{where}: all lines are blank.")
    return _Words(counts, number)


def _encoded(where: object, portion: list[list[str]], ids: dict[str, int]) -> Flat:
    try:
        return Flat.from_lists([[ids[word] for word in words] for words in portion])
    except KeyError:
        raise UserError(f"{where} changed while it was read.") from None


def _interleaved(lines: int, per_sentence: int) -> NDArray[np.int64]:
    """The order that puts each line before its new versions, where all lines came first."""
    versions = lines + np.arange(lines * per_sentence).reshape(lines, per_sentence)
    return np.concatenate((np.arange(lines)[:, None], versions), axis=1).ravel()


def _writer(
    lines: Lines, found: _Words, recipe: Recipe, where: object, progress: Progress
) -> tuple[tuple[str, ...], Write, float | None]:
    """The spellings of all ids that may be written, what writes, and what synonyms cover."""
    words = tuple(sorted(found.counts, key=lambda word: (-found.counts[word], word)))
    if recipe.method in ("eda", "synonyms"):
        return _from_table(where, words, found.counts, recipe)
    ids = {word: number for number, word in enumerate(words)}
    fitted = _encoded(where, list(islice(_sentences(lines, recipe), FITTED_LINES)), ids)
    if recipe.method == "neighbours":
        choices = find_neighbours(fitted, has_meaning(words), recipe.seed)
        if not len(choices.words):
            raise UserError(f"{where}: too few words for neighbours.")
        return words, _editing(choices, recipe, ("replace",)), None
    return words, _from_context(where, words, fitted, recipe, progress), None


def _from_table(
    where: object, words: tuple[str, ...], counts: Counter[str], recipe: Recipe
) -> tuple[tuple[str, ...], Write, float]:
    table = wordnet() if recipe.synonyms is None else read_synonyms(recipe.synonyms)
    choices, spellings = find_choices(words, table, recipe.in_vocabulary)
    operations = recipe.operations or OPERATIONS
    needs_synonyms = recipe.method == "synonyms" or {*operations} <= {"replace", "insert"}
    if needs_synonyms and not len(choices.words):
        raise UserError(f"{where}: none of its {len(words):,} words has a synonym.")
    has_some = np.diff(choices.starts) > 0
    known = np.fromiter((counts[word] for word in words), np.int64, len(words))
    covered = float(known[has_some].sum() / known.sum())
    if recipe.method == "eda":
        return spellings, _editing(choices, recipe, operations), covered
    return (
        spellings,
        lambda sentences, first: replace_geometric(
            sentences, choices, recipe.seed, per_sentence=recipe.per_sentence, first=first
        ),
        covered,
    )


def _editing(choices: WordChoices, recipe: Recipe, operations: tuple[str, ...]) -> Write:
    return lambda sentences, first: edit(
        sentences, choices, recipe.seed, recipe.amount, operations, first=first
    )


def _from_context(
    where: object, words: tuple[str, ...], fitted: Flat, recipe: Recipe, progress: Progress
) -> Write:
    def learning(done: int, total: int) -> None:
        progress("learning", done, total)

    try:
        model = fit_context(fitted, has_letters(words), recipe.seed, progress=learning)
    except ValueError as error:
        raise UserError(f"{where}: {error}.") from None
    rng = torch.Generator().manual_seed(recipe.seed)
    return lambda sentences, _: rewrite(model, sentences, rng, recipe.amount)
