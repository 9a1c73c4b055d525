"""Command lines that nobody would type: options at odds with each other, values that are none."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

from .calling import Began, before_training, call
from .drawing_values import drawn
from .ground import Ground, copied, scratch
from .verdicts import Verdict, judged
from .worker import Kind

NUMBERS = ("0", "1", "2", "7", "-1", "0.5", "1.5", "nan", "inf", "-inf", "1e-300", "1e300", "", "x")
HUGE = ("99999999999999999999", str(2**63), "1e18", "-99999999999999999999")
WORDS = (
    *(
        "captions",
        "oracle",
        "bleu",
        "mle",
        "sda",
        "recommended",
        "paper",
        "rnn",
        "leakrnn",
        "smoke",
    ),
    *("text", "label", "a=b", "a=toy.txt", "=", "==", "x=", "1-5", "5-1", "1,2", "0.5,1", ",", "é"),
    *(
        "\udcff",
        "a" * 5000,
        "-",
        "--",
        "-x",
        "--json",
        "hf:nowhere",
        "oracle:nowhere.npz",
        "*",
        "%s",
    ),
    *("cpu", "cuda", "latex", "csv", "states", "auto", "bleu + rare_words", "2*bleu", "nope.py:f"),
    *("coco", "baselines", "reviews", "positive", "rival", "build", "contextual", "\n", "\t"),
    *("http://localhost", "javascript:alert(1)", "cat.0=1", "mle.epochs=1", "[", "{", "{}", "'"),
)
FILES = (
    *("toy.txt", "rows.csv", "rows.jsonl", "run", "study", "ledger", "transfer", "missing.txt"),
    *(
        ".",
        "..",
        "/dev/null",
        "/",
        "empty.txt",
        "metric.py:score",
        "new",
        "new/deep/er",
        "toy.txt/x",
    ),
)
# Without these a command works long, as it was told to.
SHORT: dict[str, tuple[str, ...]] = {
    "reproduce": ("--plan",),
    "curve": ("--samples", "5", "--repeats", "1", "--temperature", "1"),
    "evaluate": ("--quick",),
}
LEFT_OUT = {"demo", "transfer demo", "models"}
"""These train for minutes, or write half a gigabyte."""
SLOW = {"curve", "judge plan", "reproduce", "transfer evaluate", "transfer rival"}
"""A case of these takes as long as a hundred others, so they come up less often."""
BEGINNINGS: dict[str, tuple[str, ...]] = {
    "inspect": ("toy.txt",),
    "train": ("toy.txt", "--profile", "smoke", "--out", "new"),
    "resume": ("run",),
    "sample": ("run", "-n", "2"),
    "augment": ("rows.csv", "-o", "new.csv"),
    "export": ("run", "--out", "new"),
    "eda": ("toy.txt", "-o", "new.txt"),
    "evaluate": ("toy.txt", "--test", "toy.txt"),
    "report": ("run",),
    "curve": ("run", "-o", "new"),
    "compare": ("run", "run"),
    "reproduce": ("baselines", "--results", "ledger"),
    "table": ("baselines", "--results", "ledger"),
    "figure": ("baselines", "--results", "ledger", "-o", "f.svg"),
    "data": (),
    "transfer train": ("toy.txt", "toy.txt", "--out", "new"),
    "transfer apply": ("transfer", "--to", "positive", "toy.txt"),
    "transfer evaluate": ("toy.txt", "--sources", "toy.txt"),
    "transfer rival": ("markers", "toy.txt", "--sources", "toy.txt"),
    "judge plan": (),
    "judge new": ("new", "--model", "a=toy.txt", "--model", "b=toy.txt", "--items", "5"),
    "judge serve": ("study",),
    "judge invite": ("study",),
    "judge revoke": ("study", "--judge", "1"),
    "judge results": ("study",),
    "judge export": ("study", "-o", "new.csv"),
    "judge import": ("new", "rows.csv"),
    "judge purge": ("study",),
}


class CommandLines(Kind):
    name = "command-lines"
    about = "arguments of every command: missing, doubled, absurd, of the wrong kind"
    share = 8.0

    def __init__(self) -> None:
        self._options: dict[str, list[tuple[str, bool]]] = {}

    def prepare(self, ground: Ground) -> None:
        for kind in ("paper", "transfer"):
            ground.trained(kind)
        for _ in (ground.toy, ground.table, ground.metric, ground.study, ground.ledger):
            pass
        self._options = {name: _options_of(command) for name, command in self._commands.items()}

    def warm(self, ground: Ground) -> None:
        with scratch(ground) as folder:
            furnish(folder, ground)
            with before_training(), serving_nothing():
                for name, words in BEGINNINGS.items():
                    call(*name.split(), *words, *SHORT.get(name, ()))

    @cached_property
    def _commands(self) -> dict[str, Any]:
        import typer

        from sda.cli import app

        group: Any = app if hasattr(app, "list_commands") else typer.main.get_command(app)
        found = dict(_leaves(group, ""))
        assert found.keys() - LEFT_OUT == BEGINNINGS.keys(), found.keys() ^ BEGINNINGS.keys()
        return {name: command for name, command in found.items() if name not in LEFT_OUT}

    def run(self, ground: Ground, number: int, chance: Random, folder: Path) -> Verdict:
        names = list(self._options)
        name = chance.choices(names, [0.05 if name in SLOW else 1.0 for name in names])[0]
        words = list(BEGINNINGS[name])
        for _ in range(chance.choice((0, 1, 1, 2, 3, 6))):
            option, is_flag = chance.choice(self._options[name] or [("--nothing", True)])
            words.append(option)
            if not is_flag or chance.random() < 0.05:
                words.append(_value(option, number, chance))
        for _ in range(chance.choice((0, 0, 1))):
            at = chance.randrange(len(words) + 1)
            words[at : at + chance.choice((0, 1))] = chance.choice(
                ([], [_value("", number, chance)])
            )
        words = [*name.split(), *words, *SHORT.get(name, ())]
        furnish(folder, ground, words)
        stdin = chance.choice((b"", b"the cat sat\n", b"\xff\n", b"\0"))
        with before_training(), serving_nothing():
            told = call(*(word.replace("\0", "") for word in words), stdin=stdin)
        return judged(told, "sda " + " ".join(repr(word[:100]) for word in words))


def _leaves(group: Any, before: str) -> Iterator[tuple[str, Any]]:
    context = group.make_context("sda", [], resilient_parsing=True)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if hasattr(command, "list_commands"):
            yield from _leaves(command, f"{before}{name} ")
        else:
            yield before + name, command


def _options_of(command: Any) -> list[tuple[str, bool]]:
    """The names of options, each with whether it takes no value."""
    return [
        (name, bool(option.is_flag))
        for option in command.params
        if option.param_type_name == "option"
        for name in option.opts
    ]


def _value(option: str, number: int, chance: Random) -> str:
    way = chance.randrange(8)
    if way < 3:
        return chance.choice(NUMBERS)
    if way == 3:
        return chance.choice(HUGE) if option not in ("-n", "--samples") else chance.choice(NUMBERS)
    if way == 4:
        return chance.choice(WORDS)
    if way == 5:
        text: str = drawn("texts", number)
        return text
    return chance.choice(FILES)


def furnish(folder: Path, ground: Ground, words: Sequence[str] = ()) -> None:
    """Copies of all that may be named, or of what one of the words does name."""
    for name, target in (
        ("toy.txt", ground.toy),
        ("rows.csv", ground.table),
        ("metric.py", ground.metric),
        ("run", ground.trained("paper")),
        ("transfer", ground.trained("transfer")),
        ("ledger", ground.ledger),
        ("study", ground.study),
    ):
        if not words or any(name.partition(".")[0] in word for word in words):
            copied(target, folder / name)
    (folder / "rows.jsonl").write_text('{"text": "the cat sat", "label": "a"}\n')
    (folder / "empty.txt").write_bytes(b"")


@contextlib.contextmanager
def serving_nothing() -> Iterator[None]:
    """A server is made ready, and ends where it would wait for people."""
    import uvicorn

    def run(*_: object, **__: object) -> None:
        raise Began

    with mock.patch.object(uvicorn.Server, "run", run):
        yield
