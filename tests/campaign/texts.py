"""Files of text that nobody would write, given to every command that reads a text."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from tiny import toy_lines

from .calling import before_training, call
from .damage import ANY, ODD_BYTES
from .drawing_values import drawn
from .ground import Ground, scratch
from .verdicts import Verdict, judged
from .worker import Kind

TRAIN = ("--profile", "smoke", "--quiet", "--out", "run")
Words = Callable[[Path, Ground], Sequence[object]]
READERS: dict[str, tuple[float, Words]] = {
    "inspect": (4, lambda file, _: ("inspect", file)),
    "inspect --subwords": (0.2, lambda file, _: ("inspect", file, "--subwords", 50)),
    "inspect --tokenizer": (1, lambda file, _: ("inspect", file, "--tokenizer", "characters")),
    "inspect --label": (1, lambda file, _: ("inspect", file, "--label", "label", "--lower")),
    "train": (2, lambda file, _: ("train", file, *TRAIN)),
    "train --valid": (1, lambda file, ground: ("train", ground.toy, "--valid", file, *TRAIN)),
    "evaluate": (1, lambda file, ground: ("evaluate", file, "--test", ground.toy, "--quick")),
    "evaluate --test": (
        1,
        lambda file, ground: ("evaluate", ground.toy, "--test", file, "--quick"),
    ),
    "eda": (3, lambda file, _: ("eda", file, "-o", "more.txt")),
    "eda --method contextual": (
        0.05,
        lambda file, _: ("eda", file, "-o", "more.txt", "--method", "contextual"),
    ),
    "eda --synonyms": (2, lambda file, ground: ("eda", ground.toy, "-o", "x", "--synonyms", file)),
    "eda --label": (1, lambda file, _: ("eda", file, "-o", "x.csv", "--label", "label")),
    "augment": (1, lambda file, _: ("augment", file, "-o", "x.csv", "--quiet")),
    "augment --rules": (
        1,
        lambda file, ground: ("augment", ground.table, "-o", "x.csv", "--rules", file, "--quiet"),
    ),
    "augment --unlabelled": (
        1,
        lambda file, ground: (
            *("augment", ground.table, "-o", "x.csv", "--unlabelled", file, "--quiet"),
        ),
    ),
    "judge new": (1, lambda file, ground: ("judge", "new", "study", "--model", f"a={file}")),
    "judge import": (2, lambda file, _: ("judge", "import", "study", file)),
    "transfer train": (
        1,
        lambda file, ground: ("transfer", "train", file, ground.toy, "--out", "run", "--quiet"),
    ),
    "transfer apply": (
        1,
        lambda file, ground: (
            *("transfer", "apply", ground.trained("transfer"), "--to", "positive", file),
        ),
    ),
    "transfer evaluate": (
        0.2,
        lambda file, ground: (
            *("transfer", "evaluate", file, ground.toy, "--sources", ground.toy, file),
        ),
    ),
}
FORMS = (".txt", ".csv", ".tsv", ".jsonl", ".json", "")


class Texts(Kind):
    name = "texts"
    about = "files of text, tables, JSON lines and gz, read by every command that reads texts"
    share = 10.0

    def prepare(self, ground: Ground) -> None:
        ground.trained("transfer")
        assert ground.toy.exists() and ground.table.exists()

    def warm(self, ground: Ground) -> None:
        with scratch(ground), before_training():
            for _, words in READERS.values():
                call(*words(ground.toy, ground))
            call("inspect", ground.table, "--column", "text")
            call("augment", ground.table, "-o", "x.csv", "--quiet")

    def run(self, ground: Ground, number: int, chance: Random, folder: Path) -> Verdict:
        suffix = chance.choice(FORMS)
        content, what = made_up(suffix, number, chance)
        if chance.random() < 0.2:
            content = gzip.compress(content, 1)
            if chance.random() < 0.3:
                content = content[: chance.randrange(len(content))]
            suffix, what = suffix + ".gz", what + ", compressed"
        file = folder / f"text{suffix}"
        file.write_bytes(content)
        if chance.random() < 0.2:
            what += ", " + chance.choice(ANY)(file, chance)
        names = list(READERS)
        reader = chance.choices(names, [READERS[name][0] for name in names])[0]
        words = [*READERS[reader][1](file, ground), *_more(suffix, chance)]
        with before_training():
            told = call(*words)
        return judged(told, f"{reader} of {file.name}: {what}; {' '.join(map(str, words))}")


def _more(suffix: str, chance: Random) -> list[str]:
    """The column that holds the text, most of the time."""
    if chance.random() < 0.2:
        return []
    column = chance.choice(("text", "text", "text", "1", "", "é", "label"))
    if suffix.startswith((".csv", ".tsv")):
        return ["--column", column]
    return ["--field", column] if suffix.startswith(".jsonl") else []


def made_up(suffix: str, number: int, chance: Random) -> tuple[bytes, str]:
    """The content of a file of that kind, and what it is in words."""
    way = chance.randrange(4)
    if way == 0:
        content: bytes = drawn("bytes", number)
        return content, "bytes"
    lines = toy_lines()
    odd = drawn("texts", number)
    if suffix in (".csv", ".tsv"):
        return _table(number, chance, odd, "," if suffix == ".csv" else "\t"), "a table"
    if suffix in (".jsonl", ".json"):
        values = drawn("objects", number)
        if way == 1:
            values = [{"text": value, "label": odd} for value in values]
        elif way == 2:
            values = [{"text": line, "label": "ab"[n % 2]} for n, line in enumerate(lines)]
            values[chance.randrange(len(values))] = {"text": odd, "label": drawn("json", number)}
        return "\n".join(json.dumps(value) for value in values).encode(), "JSON lines"
    if way == 1:
        lines = drawn("lines", number)
    else:
        lines[chance.randrange(len(lines))] = odd
        if way == 3:
            lines = [line + odd for line in lines]
    text = chance.choice(("\n", "\n", "\r\n", "\r", "\u2028")).join(lines)
    content = text.encode(chance.choice(("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16")))
    if chance.random() < 0.2:
        at = chance.randrange(len(content) + 1)
        content = content[:at] + chance.choice(ODD_BYTES)[:5000] + content[at:]
    return content, "lines"


def _table(number: int, chance: Random, odd: str, delimiter: str) -> bytes:
    rows = drawn("rows", number)
    if chance.random() < 0.7:
        rows = [
            ["id", "text", "label"],
            *(
                [str(n), line, "ab"[n % 2]]
                for n, line in enumerate(toy_lines()[: chance.choice((1, 3, 40))])
            ),
        ]
        row = chance.choice(rows)
        row[chance.randrange(3)] = odd
        if chance.random() < 0.2:
            row.append(odd)
    out = io.StringIO(newline="")
    try:
        csv.writer(
            out, delimiter=delimiter, quoting=chance.choice((0, 1)), escapechar="\\"
        ).writerows(rows)
    except csv.Error:
        return odd.encode()
    return out.getvalue().encode()
