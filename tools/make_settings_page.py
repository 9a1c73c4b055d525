"""Write the tables of `docs/settings.md`: every key, its default, its meaning, and its place in
the paper.

    python tools/make_settings_page.py

Keys and meanings come from the classes of the settings, defaults from them and from the settings
files, arguments of components from their classes. Only where the paper has a value is said here.
The text between the tables is written by hand and stays.
"""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from make_api_page import described_fields

from sda.settings.layers import Choices, named, names_of
from sda.settings.schema import GuardRule, Settings

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "settings.md"
BLOCK = re.compile(r"(<!-- begin (keys|parts) ([\w ]+) -->\n).*?(<!-- end -->)", re.DOTALL)
TOP = "top level"
RULES = "guard rules"
PARTS = ("generators", "discriminators", "metrics")
# What the run knows, and no settings file says.
KNOWN = {"frame", "vocabulary_size", "vocabulary", "train", "generator", "discriminator"}
KNOWN |= {"metric", "example", "rng", "labels"}
# Sections and equations as they are printed; a key that is missing here the paper is silent about.
PAPER = {
    "data.max_length": "COCO below 32 words, EMNLP 50",
    "data.min_count": "EMNLP without discarding any",
    "data.share": "Table 7: 5, 10, 50 and 100 %",
    "embedded.train": "Table 9: 10,000",
    "embedded.test": "Table 9: 10,000",
    "embedded.length": "Table 9: 20 and 40",
    "embedded.vocabulary": "Table 9: 5,000",
    "generator": "Section Experimental settings: RNN and LeakRNN",
    "discriminator": "Eq. 6; an RNN with the base RNN",
    "metric": "definition of m; Eq. 16 for synthetic data, BLEU-3 for text, Eq. 17 for control",
    "augmentation": "the baseline +EDA",
    "objective": "Eq. 5; the baseline +UN",
    "evaluation.every": "NLL_oracle every 5 epochs, BLEU every 10",
    "evaluation.final_samples": "100,000 for NLL_oracle",
    "mle.epochs": "Algorithm 1, lines 3 to 6, Eq. 5: 100",
    "discriminator_phase.first_rounds": "Algorithm 1, line 5, Eq. 6",
    "discriminator_phase.negatives": "Eq. 6",
    "discriminator_phase.rounds": "Algorithm 1, lines 12 and 15, Eq. 6",
    "buffer.capacity": 'k, "depending on the size of the training set"',
    "buffer.candidates": "Algorithm 1, line 9: W",
    "buffer.first_fill": "Section Synthetic-data experiments",
    "stage2.epochs": "Section Real data experiments: 100",
    "stage2.first_steps": "Section The whole process: 6",
    "stage2.fewer_every": "Section The whole process: 10",
    "stage2.steps": "Algorithm 1, lines 10 to 16",
    "stage2.rollouts": "Eq. 1: N",
    "stage2.reward": "Eq. 2; `gail`: Eq. 29",
    "stage2.mixed_share": "Section The necessity of imitation learning: 5 %",
    "stage2.baseline": "Eq. 7 has none",
    "stage2.entropy": "Eqs. 8 to 11",
    "stage2.two_policy": "Eqs. 12 to 14",
    "stage2.lambda_w": "Eq. 28, theorem 1",
}


def main() -> None:
    PAGE.write_text(settings_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def settings_page(page: str) -> str:
    """The page with its tables made anew."""
    return BLOCK.sub(lambda found: f"{found[1]}\n{_block(found[2], found[3])}\n{found[4]}", page)


def _block(kind: str, name: str) -> str:
    return "".join(f"{line}\n" for line in (_keys(name) if kind == "keys" else _parts(name)))


def sections() -> dict[str, type]:
    """The classes of all sections by name; the top level and the rules of the guard among them."""
    found: dict[str, type] = {TOP: Settings, RULES: GuardRule}
    for name, field in Settings.model_fields.items():
        if _is_section(field.annotation):
            found[name] = typing.cast(type, field.annotation)
    return found


def _is_section(kind: Any) -> bool:
    return inspect.isclass(kind) and (hasattr(kind, "model_fields") or is_dataclass(kind))


def _keys(section: str) -> Iterator[str]:
    """A table of the keys of a section."""
    yield "| key | default | meaning | in the paper |"
    yield "|---|---|---|---|"
    kind = sections()[section]
    prefix = {TOP: "", RULES: "guard.rules."}.get(section, f"{section}.")
    for name, default in _defaults(kind).items():
        if section == TOP and name in sections():
            continue
        key = prefix + name
        meaning = _described(kind)[name]
        is_part = f"{key}s" in PARTS
        values = _part_names(key) if is_part else [_value(default), *_elsewhere(key, default)]
        choices = _choices(kind, name)
        cells = [f"`{key}`", "; ".join(values), _linked(meaning + choices), PAPER.get(key, "")]
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


@cache
def _described(kind: type) -> dict[str, str]:
    """The fields of a class and of those that it builds on, with what is said of each."""
    ours = [base for base in reversed(kind.__mro__) if base.__module__.startswith("sda.")]
    return {name: text for base in ours for name, text in described_fields(base)}


def _defaults(kind: Any) -> dict[str, Any]:
    if is_dataclass(kind):
        return {field.name: field.default for field in fields(kind)}
    return {
        name: field.get_default(call_default_factory=True) if not field.is_required() else ...
        for name, field in kind.model_fields.items()
    }


def _elsewhere(key: str, default: Any) -> Iterator[str]:
    """What a text file gets in its place, from whom: the last of them is the preset for such."""
    last = default
    for preset, label in (("paper", "small"), ("recommended", "recommended")):
        settings, origins = _settled(preset)
        value: Any = settings
        for part in key.split("."):
            value = getattr(value, part, default)
        if value != last:
            last = value
            of_text = "text" if origins.get(key, "").startswith("default") else label
            yield f"{of_text}: {_value(value)}"


@cache
def _settled(preset: str) -> tuple[Settings, dict[str, str]]:
    """The settings of a text file with that preset, in the profile `small`."""
    return Choices("my.txt", "sda", preset=preset).settle()


def _value(value: Any) -> str:
    if value is ...:
        return "must be given"
    if value is None or value in ({}, []):
        return "none"
    if isinstance(value, bool):
        return "`true`" if value else "`false`"
    return f"`{value!r}`".replace("'", '"')


def _choices(kind: Any, name: str) -> str:
    """The words that a key may have, where they are few and the sentence does not name them all."""
    hint = typing.get_type_hints(kind)[name]
    if typing.get_origin(hint) is typing.Annotated:
        hint = typing.get_args(hint)[0]
    parts = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    words = [
        word
        for part in parts
        if typing.get_origin(part) is typing.Literal
        for word in typing.get_args(part)
    ]
    return f" One of {', '.join(f'`{word}`' for word in words)}." if words else ""


def _linked(text: str) -> str:
    """The text with a link for each decision that it names."""

    def link(found: re.Match[str]) -> str:
        (page,) = (ROOT / "docs" / "decisions").glob(f"{found[2]}-*.md")
        return f"{found[1]}[{found[2]}](decisions/{page.name})"

    return re.sub(r"((?:decisions? |, ))(\d{4})\b", link, text)


def _parts(kind: str) -> Iterator[str]:
    """A table of the components that have a short name, with their arguments."""
    yield "| name | what | arguments and their defaults |"
    yield "|---|---|---|"
    for name in names_of(kind):
        given = _recipe(kind, name)
        module, _, title = given["use"].partition(":")
        made = getattr(import_module(module), title)
        arguments = {
            argument: given.get(argument, parameter.default)
            for argument, parameter in inspect.signature(made).parameters.items()
            if argument not in KNOWN
        }
        what = (inspect.getdoc(made) or "").split("\n\n")[0].replace("\n", " ")
        shown = ", ".join(f"`{key}` = {_value(_listed(value))}" for key, value in arguments.items())
        yield f"| `{name}` | {_linked(what)} | {shown} |"


def _part_names(section: str) -> list[str]:
    """The short name of what a text file gets: the recipe that differs least from it."""
    given, kind = _first(getattr(_settled("paper")[0], section)), f"{section}s"

    def distance(name: str) -> tuple[bool, int]:
        recipe = _recipe(kind, name)
        differing = [key for key, value in recipe.items() if given.get(key) != value]
        return recipe["use"] != given["use"], len(differing)

    return [f"`{min(names_of(kind), key=distance)}`"]


def _recipe(kind: str, name: str) -> dict[str, Any]:
    """The section that a short name stands for, laid over that of its base."""
    section, recipe = kind.removesuffix("s"), named(kind, name)
    base = named(kind, recipe["base"]) if "base" in recipe else {}
    return {**base.get(section, {}), **_first(recipe.get(section, {}))}


def _first(part: Any) -> Any:
    """The component itself: a metric is a list of one."""
    return part[0] if isinstance(part, list) else part


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


if __name__ == "__main__":
    main()
