"""Settings with values that are none: by --set, in settings files, and in metrics."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

from tiny import TINY, sets

from .calling import before_training, call
from .damage import TOML_VALUES
from .drawing_values import drawn
from .ground import QUIET, REWRITER, Ground, scratch
from .verdicts import Verdict, judged
from .worker import Kind

VALUES = (
    *TOML_VALUES,
    *("", "none", "1e400", "0.5", "1", "2", "-0.0", "1e-320", "'", '"', "[1", "'a\\nb'", "{a=1}"),
    *("a=b=c", "true", "off", "metric", "batch_mean", "sda.models.leak:LeakGenerator", "os:system"),
    *("sda.errors:UserError", "[['a']]", "9223372036854775808", "0x10", "1_0", "inf", "1e9", "3"),
)
METRICS = (
    *(
        "bleu",
        "likelihood",
        "rare_words",
        "repetition",
        "grammatical",
        "chance",
        "place",
        "0.5*bleu",
    ),
    *(
        "bleu +",
        "+",
        "*",
        "bleu**2",
        "nan*bleu",
        "1e999*bleu",
        "bleu + bleu",
        "-1*bleu",
        "exit",
        "0*bleu",
    ),
    *("metric.py:score", "metric.py:nope", "metric.py:", ":score", "metric.py", "__import__('os')"),
    *(
        "quit",
        "bleu + metric.py:score",
        "os.system",
        "bleu\0",
        "(bleu)",
        "bleu;bleu",
        " ",
        "sys.exit(3)",
    ),
)
BODIES = (
    "return [1.0] * len(texts)",
    "raise SystemExit(3)",
    "import sys; sys.exit(1)",
    "return [float('inf')] * len(texts)",
    "return [10**400] * len(texts)",
    "return iter([1.0])",
    "raise RecursionError",
    "raise MemoryError",
    "return [None] * len(texts)",
    "return 'x' * len(texts)",
    "return [t for t in texts]",
    "texts.clear(); return []",
    "return [complex(1)] * len(texts)",
    "assert False",
    "return {t: 1 for t in texts}",
    "yield 1",
    "raise StopIteration",
    "raise UnicodeDecodeError('utf-8', b'', 0, 1, 'x')",
    "class E(BaseException): pass\n    raise E('own')",
)


class SettingsValues(Kind):
    name = "settings"
    about = "settings by --set and TOML, and metrics, of train, augment and transfer"
    share = 10.0

    def __init__(self) -> None:
        self._keys: dict[str, list[str]] = {}

    def prepare(self, ground: Ground) -> None:
        from sda.labelled.augment_settings import AugmentSettings
        from sda.settings.schema import leaves
        from sda.transfer.transfer_settings import TransferSettings

        tables = {
            "train": _of_a_run(ground.trained("paper")),
            "transfer train": TransferSettings(sources=["a", "b"]).model_dump(),
            "augment": AugmentSettings().model_dump(),
        }
        self._keys = {
            name: [key for key, _ in leaves(table)] + list(table) for name, table in tables.items()
        }

    def warm(self, ground: Ground) -> None:
        with scratch(ground), before_training():
            for command in self._keys:
                call(*_beginning(command, ground))

    def run(self, ground: Ground, number: int, chance: Random, folder: Path) -> Verdict:
        command = chance.choices(list(self._keys), (6, 2, 1))[0]
        words = _beginning(command, ground)
        pairs = [self.pair(command, number, chance) for _ in range(chance.choice((1, 1, 2, 4)))]
        by_file = command != "augment" and chance.random() < 0.4
        if by_file:
            file = folder / "more.toml"
            file.write_text(
                toml_of(pairs, number, chance), encoding="utf-8", errors="surrogatepass"
            )
            words += ["--config", str(file)]
        else:
            words += sets([f"{key}={value}".replace("\0", "") for key, value in pairs])
        if command == "train" and chance.random() < 0.3:
            words += _metric(folder, chance)
        if command == "train" and chance.random() < 0.2:
            words += ["--preset", chance.choice(("recommended", "metric-reward", "vocabulary"))]
        with before_training():
            told = call(*words)
        how = "by file" if by_file else "by --set"
        own = [word[:200] for word in words[len(_beginning(command, ground)) :]]
        return judged(told, f"{command} {how}: {str(pairs)[:300]} {' '.join(own)}")

    def pair(self, command: str, number: int, chance: Random) -> tuple[str, str]:
        """A key of that command's settings, or nearly one, and a value that may be none."""
        key = chance.choice(self._keys[command])
        way = chance.randrange(12)
        if way == 0:
            key = chance.choice(
                ("", ".", "a", key + ".x", key.upper(), f" {key}", "a" * 3000 + ".b")
            )
        elif way == 1:
            key = ".".join([key] * chance.choice((2, 500)))
        value = drawn("texts", number) if way == 2 else chance.choice(VALUES)
        return key, value


def _of_a_run(run: Path) -> dict[str, object]:
    import tomllib

    return tomllib.loads((run / "config.toml").read_text(encoding="utf-8"))


def _beginning(command: str, ground: Ground) -> list[str]:
    if command == "train":
        # Small throughout, so that what is accepted is made in no time.
        return ["train", str(ground.toy), *QUIET, "--out", "run", *sets(TINY)]
    if command == "augment":
        return ["augment", str(ground.table), "-o", "x.csv", "--quiet", "--per-class", "2"]
    return ["transfer", "train", "reviews", "--out", "run", "--quiet", *sets(REWRITER)]


def _metric(folder: Path, chance: Random) -> list[str]:
    body = chance.choice(BODIES)
    (folder / "metric.py").write_text(f"def score(texts):\n    {body}\n")
    return ["--metric", chance.choice(METRICS)]


def toml_of(pairs: Sequence[tuple[str, str]], number: int, chance: Random) -> str:
    """The pairs as a settings file, which may hold more that is none."""
    lines = [f"{key} = {value}" for key, value in pairs]
    way = chance.randrange(8)
    if way == 0:
        lines.insert(chance.randrange(len(lines) + 1), drawn("texts", number))
    elif way == 1:
        depth = chance.choice((50, 500, 5000))
        lines.append(
            chance.choice(
                (
                    "[" + ".".join("a" * depth) + "]",
                    "a = " + "[" * depth + "]" * depth,
                    "a = " + "{a = " * depth + "1" + "}" * depth,
                    ".".join("a" * depth) + " = 1",
                    "\n".join(f"[{'a.' * n}b]" for n in range(min(depth, 200))),
                )
            )
        )
    return "\n".join(lines) + "\n"
