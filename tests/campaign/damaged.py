"""Folders one file of which is damaged, given to the commands that read them.

A command may refuse such a folder with a sentence, or do its work. What it must not do is to go on
and give another result without a word. Some files may be edited by their owners, and what stands
in them then is what they mean: these are in `OWN_WORD`, and a result that follows them is right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tiny import TINY, sets

from .calling import before_training, call
from .damage import damage
from .ground import Ground, copied, scratch
from .results import differences
from .verdicts import SILENT, Told, Verdict, judged
from .worker import Kind

OWN_WORD = frozenset(
    {
        "config.toml",  # the settings are the user's
        "samples.txt",  # sentences: to take one out by hand is allowed
        "rewritings.json",
        "examples.json",
        "toy.txt",
    }
)

Words = Callable[[Ground, Path], Sequence[object]]


@dataclass(frozen=True)
class Reader:
    """A command that reads a folder.

    One that `is_steady` gives the same answer for the same folder, down to the last character.
    """

    words: Words
    weight: float = 1.0
    is_steady: bool = False
    trains: bool = False


@dataclass
class Damaged(Kind):
    """One sort of folder, and who reads it."""

    name: str
    about: str
    share: float
    source: Callable[[Ground], Path]
    readers: dict[str, Reader]
    others: Callable[[Ground], Path] | None = None
    """A folder of the same sort, whose files get mixed in."""
    finished: Callable[[Ground], Path] | None = None
    """What a command that goes on has to end with."""
    own_word: frozenset[str] = OWN_WORD
    _steady: dict[str, Told] = field(default_factory=dict)

    def prepare(self, ground: Ground) -> None:
        self.source(ground)
        for folder in (self.others, self.finished):
            if folder is not None:
                folder(ground)

    def warm(self, ground: Ground) -> None:
        with scratch(ground) as place:
            for number, reader in enumerate(self.readers):
                self._whole_answer(reader, ground, place / str(number))

    def run(self, ground: Ground, number: int, chance: Random, folder: Path) -> Verdict:
        source = self.source(ground)
        path = copied(source, folder / "it")
        files = sorted(file for file in path.rglob("*") if file.is_file() and file.name != ".lock")
        target = chance.choice(files)
        inner = target.relative_to(path)
        mixed = [file for file in files if file.suffix == target.suffix and file != target]
        if self.others is not None:
            mixed += [self.others(ground) / inner] * 3
        names = list(self.readers)
        reader = chance.choices(names, [self.readers[name].weight for name in names])[0]
        what = damage(target, [file for file in mixed if file.is_file()], chance)
        tried = f"{self.name}: {inner} {what}; {reader}"
        told = self._call(reader, ground, path)
        verdict = judged(told, tried)
        if verdict.fault is not None or told.code != 0 or inner.name in self.own_word:
            return verdict
        return self._compared(reader, ground, folder, inner, told, tried)

    def _whole_answer(self, reader: str, ground: Ground, folder: Path) -> Told:
        """What the command says of the folder as it should be."""
        if reader not in self._steady:
            path = copied(self.source(ground), folder / "it")
            self._steady[reader] = self._call(reader, ground, path)
        return self._steady[reader]

    def _call(self, reader: str, ground: Ground, path: Path) -> Told:
        wanted = self.readers[reader]
        words = wanted.words(ground, path)
        if wanted.trains:
            return call(*words)
        with before_training():
            return call(*words)

    def _compared(
        self, reader: str, ground: Ground, folder: Path, inner: Path, told: Told, tried: str
    ) -> Verdict:
        wanted = self.readers[reader]
        if wanted.is_steady:
            expected = self._whole_answer(reader, ground, folder / "whole")
            if told.out != expected.out and told.err == expected.err:
                place = f"{reader} of a damaged {inner}"
                return Verdict(SILENT, place, f"{told.out[:300]}\n---\n{expected.out[:300]}", tried)
        if self.finished is not None and wanted.trains and not told.has_warned:
            found = differences(self.finished(ground), folder / "it", {str(inner)})
            if found:
                place = f"{reader} of a damaged {inner}"
                return Verdict(SILENT, place, f"differs in {', '.join(found)}", tried)
        return Verdict(tried=tried)


def _sample(_: Ground, run: Path) -> Sequence[object]:
    return "sample", run, "-n", 5, "--seed", 3


def _start(ground: Ground, run: Path) -> Sequence[object]:
    words = ("train", ground.toy, "--preset", "paper", "--profile", "smoke", "--quiet")
    return *words, *sets(TINY), "--start", run, "--out", "started"


def _apply(ground: Ground, run: Path) -> Sequence[object]:
    few = run.parent / "few.txt"
    few.write_text("the food was great .\nnever again !\n")
    return "transfer", "apply", run, "--to", "positive", few


def _with(name: str) -> Words:
    """The command with the damaged run beside a whole one."""
    return lambda ground, run: (name, run, ground.trained("paper", 1))


def _alone(*words: str) -> Words:
    return lambda _, path: (*words, path)


# Weights follow what a command costs: all readers come up, those that take ten times as long less
# often.
READ_RUNS = {
    "sample": Reader(_sample, 4, is_steady=True),
    "sample --stage mle": Reader(
        lambda ground, run: (*_sample(ground, run), "--stage", "mle"), 2, is_steady=True
    ),
    "sample --keep": Reader(lambda ground, run: (*_sample(ground, run), "--keep", 0.5), 0.5),
    "report": Reader(_alone("report"), 1),
    "report of two": Reader(lambda g, run: (*_with("report")(g, run), "-o", "page.html"), 0.5),
    "compare": Reader(_with("compare"), 0.5),
    "compare --json": Reader(lambda g, run: (*_with("compare")(g, run), "--json", "c.json"), 0.3),
    "compare --latex": Reader(lambda g, run: (*_with("compare")(g, run), "--latex", "c.tex"), 0.3),
    "resume": Reader(_alone("resume", "--quiet"), 2),
    "export": Reader(lambda _, run: ("export", run, "--out", "out"), 0.5),
    "evaluate": Reader(
        lambda g, run: ("evaluate", run / "samples.txt", "--test", g.toy, "--quick"), 0.1
    ),
    "train --start": Reader(_start, 0.5),
    "curve": Reader(
        lambda _, run: (
            *("curve", run, "-o", "curve", "--samples", 10, "--repeats", 1),
            *("--temperature", 1.0),
        ),
        0.01,
    ),
}


def _resume(kind: str) -> dict[str, Reader]:
    return {
        "going on": Reader(
            lambda g, run: (*g.words(kind), "--out", run, "--seed", 0, "--resume"), 1, trains=True
        )
    }


def _read_study(*words: object) -> Words:
    return lambda _, study: ("judge", words[0], study, *words[1:])


def _read_ledger(*words: object) -> Words:
    return lambda _, ledger: (words[0], "baselines", "--results", ledger, *words[1:])


SORTS: tuple[Damaged, ...] = (
    Damaged(
        "damaged-runs",
        "finished runs by the paper's method",
        8,
        lambda ground: ground.trained("paper"),
        READ_RUNS,
        lambda ground: ground.trained("leakrnn"),
    ),
    Damaged(
        "damaged-judged-runs",
        "finished runs with a metric and a judge",
        5,
        lambda ground: ground.trained("judged"),
        READ_RUNS,
        lambda ground: ground.trained("paper"),
    ),
    Damaged(
        "damaged-unfinished-runs",
        "unfinished runs that go on",
        5,
        lambda ground: ground.halfway("paper"),
        _resume("paper"),
        lambda ground: ground.trained("paper", 1),
        lambda ground: ground.trained("paper"),
    ),
    Damaged(
        "damaged-unfinished-judged-runs",
        "unfinished runs with a metric and a judge that go on",
        5,
        lambda ground: ground.halfway("judged"),
        _resume("judged"),
        lambda ground: ground.trained("judged", 1),
        lambda ground: ground.trained("judged"),
    ),
    Damaged(
        "damaged-transfer-runs",
        "finished runs of style transfer",
        4,
        lambda ground: ground.trained("transfer"),
        {
            "transfer apply": Reader(_apply, 3, is_steady=True),
            "report": Reader(_alone("report")),
            "resume": Reader(_alone("resume", "--quiet")),
            "sample": Reader(_sample),
        },
        lambda ground: ground.trained("transfer", 1),
    ),
    Damaged(
        "damaged-unfinished-transfer-runs",
        "unfinished runs of style transfer that go on",
        3,
        lambda ground: ground.halfway("transfer"),
        _resume("transfer"),
        lambda ground: ground.trained("transfer", 1),
        lambda ground: ground.trained("transfer"),
    ),
    Damaged(
        "damaged-augment-work",
        "the work folder of augment, gone on with",
        3,
        lambda ground: ground.augmented,
        {"augment": Reader(lambda ground, path: ground.augment_words(path), trains=True)},
        None,
        lambda ground: ground.augmented,
    ),
    Damaged(
        "damaged-studies",
        "studies with their ratings",
        6,
        lambda ground: ground.study,
        {
            "judge results": Reader(_read_study("results")),
            "judge results --json": Reader(_read_study("results", "--json", "r.json")),
            "judge results --html": Reader(_read_study("results", "--html", "r.html"), 0.1),
            "judge results --datasheet": Reader(_read_study("results", "--datasheet", "d.md")),
            "judge export": Reader(_read_study("export", "-o", "out.csv"), 2),
            "judge export --tasks": Reader(
                _read_study("export", "-o", "o.csv", "--tasks", "t.csv")
            ),
            "judge invite": Reader(_read_study("invite", "--judges", 2)),
            "judge revoke": Reader(_read_study("revoke", "--judge", 1)),
            "judge purge": Reader(_read_study("purge")),
        },
    ),
    Damaged(
        "damaged-ledgers",
        "records of the ledger",
        6,
        lambda ground: ground.ledger,
        {
            "table": Reader(_read_ledger("table"), 4),
            "table --format": Reader(_read_ledger("table", "--format", "latex")),
            "table --all": Reader(_read_ledger("table", "--all")),
            "figure": Reader(_read_ledger("figure", "-o", "f.svg"), 0.1),
            "reproduce --plan": Reader(
                lambda _, ledger: (
                    *("reproduce", "baselines", "--plan", "--seeds", 1, "--results", ledger),
                    *("--data", "data", "--out", "runs"),
                ),
                0.05,
            ),
        },
    ),
)
