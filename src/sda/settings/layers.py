"""Settings from many places, laid over each other; the later wins.

The order: package defaults, generator recipe, profile, preset, method, discriminator and metric
named on the command line, the user's file, single values. A profile has a file for text and one
for the oracle. A settings file may hold values for one case only under `[for.NAME]`, where NAME is
a generator recipe, the kind of source or a profile; a case may hold cases in turn. A generator
recipe may name another as its `base`, whose values and cases hold for it unless it has its own,
and the `method` that it is meant for.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from sda.errors import UserError, brief
from sda.settings.schema import (
    DEEPEST,
    Settings,
    Table,
    is_too_deep,
    leaves,
    make_settings,
    read_toml,
)
from sda.settings.vouched import COMPONENTS, vouched
from sda.training.stages import JudgeSettings

PRETRAINED_JUDGE = "sda.pretrained.judge:PretrainedJudge"
SOURCES = ("text", "captions", "oracle", "oracle-long")
QUICKEST = "smoke"  # a profile that shows that all works, and no more
AUTO = "auto"  # among discriminators: all candidates of a judge
HF = "hf"  # a pretrained model, named with its folder
LONG = 20  # words; a longer `oracle` has larger models, as in the paper's second synthetic set


@dataclass
class Layers:
    """The table so far, and for each dotted key the layer that set it."""

    tags: Sequence[str]
    table: Table = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)

    def add(self, layer: Mapping[str, Any], origin: str) -> None:
        """Lay the values over those there are, then those for the cases that hold."""
        cases = layer.get("for", {})
        _check_cases(cases, origin)
        plain = {key: value for key, value in layer.items() if key != "for"}
        self._merge(self.table, plain, "", origin)
        for tag in self.tags:
            if tag in cases:
                self.add(cases[tag], f"{origin}, for {tag}")

    def _merge(self, below: Table, above: Mapping[str, Any], prefix: str, origin: str) -> None:
        for key, value in above.items():
            name = f"{prefix}{key}"
            if isinstance(value, Mapping) and isinstance(below.get(key, {}), dict):
                # Arguments of one component mean nothing to another.
                if "use" in value or key not in below:
                    below[key] = {}
                    self._forget(f"{name}.")
                self._merge(below[key], value, f"{name}.", origin)
            else:
                below[key] = value
                self.origins[name] = origin

    def _forget(self, prefix: str) -> None:
        for name in [name for name in self.origins if name.startswith(prefix)]:
            del self.origins[name]

    def set(self, assignment: str) -> None:
        """Apply one `key=value` of the command line; the value is TOML, or else plain text."""
        key, equals, text = assignment.partition("=")
        key = key.strip()
        if not equals or not key:
            raise UserError(f"--set {assignment!r}: write it as key=value")
        *path, last = key.split(".")
        value = _value(text.strip())
        if len(path) > DEEPEST or is_too_deep(value):
            raise UserError(f"--set {brief(key)}: nested too deeply (at most {DEEPEST})")
        place: Any = self.table
        for part in path:
            place = _enter(place, part, key)
        if isinstance(place, list):
            place = _enter(place, last, key)
            raise UserError(f"--set {key}: name one value of the part, such as {key}.weight")
        if last == "use" and place.get("use") != value:
            place.clear()
            self._forget(key.removesuffix("use"))
        if value is None and path and path[0] in COMPONENTS:
            # TOML has no such value, and a run must be repeatable from its settings file.
            place.pop(last, None)
            return
        place[last] = value
        self.origins["metric" if path[:1] == ["metric"] else key] = "--set"


def _check_cases(cases: Any, origin: str) -> None:
    known = [*SOURCES, *names_of("generators"), HF, *names_of("profiles")]
    if not isinstance(cases, Mapping):
        raise UserError(f"{origin}: 'for' is not a section, as in [for.{known[0]}]")
    for name, values in cases.items():
        if name not in known:
            raise UserError(
                f"{origin}: unknown case 'for.{name}' (known: {', '.join(known)}; two at once are"
                " a case within a case, as in [for.oracle.for.rnn])"
            )
        if not isinstance(values, Mapping):
            raise UserError(f"{origin}: 'for.{name}' is not a section")
        # Also where the case does not hold: a mistake should not wait for the day that it does.
        _check_cases(values.get("for", {}), f"{origin}, for {name}")


def _enter(place: Any, part: str, key: str) -> Any:
    if isinstance(place, list):
        if part.isdigit() and int(part) < len(place):
            return place[int(part)]
        parts = ", ".join(map(str, range(len(place)))) or "none"
        raise UserError(f"--set {key}: there is no part {part!r} (known: {parts})")
    inner = place.setdefault(part, {})
    if not isinstance(inner, dict | list):
        raise UserError(f"--set {key}: '{part}' is a value, not a section")
    return inner


def _value(text: str) -> Any:
    if text.lower() == "none":
        return None
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return text


@cache  # A folder of the package: every layer of every run asks for its names.
def names_of(kind: str) -> tuple[str, ...]:
    """The names of one kind of settings: generators, methods, profiles and so on."""
    entries = (resources.files("sda.configs") / kind).iterdir()
    found = (
        entry.name.removesuffix(".toml")
        for entry in entries
        if entry.name.endswith(".toml") or entry.is_dir()
    )
    return tuple(sorted(found))


def named(kind: str, name: str, part: str | None = None) -> Table:
    """The settings of that kind and name; an unknown name raises one that lists them.

    A profile has two parts, `text` and `oracle`.
    """
    if name not in names_of(kind):
        hint = f"; it is a generator: --generator {name}" if name in names_of("generators") else ""
        raise UserError(f"unknown {kind[:-1]} {name!r} (known: {', '.join(names_of(kind))}){hint}")
    folder = resources.files("sda.configs") / kind
    file = folder / f"{name}.toml" if part is None else folder / name / f"{part}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def model_folder(name: str) -> str | None:
    """The folder of a pretrained model that is named as `hf:PATH`; None for other names."""
    kind, colon, path = name.partition(":")
    if kind != HF:
        return None
    if not colon or not path:
        raise UserError(f"{name!r}: name the folder of the pretrained model, as {HF}:PATH")
    return path


def discriminator_section(name: str) -> Table:
    """The section `discriminator` of settings that the name stands for."""
    path = model_folder(name)
    if path is not None:
        return {"use": PRETRAINED_JUDGE, "path": path}
    section: Table = named("discriminators", name)["discriminator"]
    return section


def metric_parts(text: str) -> list[Table]:
    """The parts of a metric such as `bleu`, `bleu + 0.5*rare_words` or `my_metrics.py:score`."""
    parts = []
    for piece in text.split("+"):
        weight, star, name = piece.rpartition("*")
        name = name.strip()
        part: Table
        if ":" in name:
            part = {"use": "sda.reference.function:Function", "function": name}
        else:
            part = dict(named("metrics", name)["metric"][0])
        if star:
            try:
                part["weight"] = float(weight)
            except ValueError:
                raise UserError(f"--metric {text!r}: {weight!r} is not a number") from None
        parts.append(part)
    return parts


def source_kind(source: str) -> str:
    """`oracle`, `captions` or `text`."""
    return (
        "oracle" if source.split(":")[0] == "oracle" else source if source == "captions" else "text"
    )


def default_preset(source: str, method: str) -> str:
    """What a user's own file is best trained with; embedded sources are there to compare."""
    return "recommended" if method == "sda" and source_kind(source) == "text" else "paper"


def refuse_idle(source: str, values: Mapping[str, Any]) -> None:
    """An option that the source has no use for is a mistake, not a wish to be passed over."""
    kind = source_kind(source)
    for section, needed in (("data", "text"), ("embedded", "oracle")):
        if values[section] and kind != needed:
            name = "a text file of your own" if needed == "text" else f"the source {needed!r}"
            key = next(iter(values[section]))
            raise UserError(
                f"setting '{section}.{key}' has a meaning only for {name}, not for {source!r};"
                " leave it out"
            )


@dataclass(frozen=True)
class Choices:
    """What a user asked for, before it becomes settings."""

    source: str
    method: str | None = None
    """By default that of the user's file, or that the generator recipe is meant for, or `sda`; but
    `mle` for a text file without a metric."""
    generator: str = "rnn"
    preset: str | None = None
    """By default `recommended` for SDA on a text file, and `paper` for all else."""
    profile: str = "small"
    discriminator: str | None = None
    metric: str | None = None
    config: Path | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    """Values of options that have a name of their own, such as the seed."""
    assignments: Sequence[str] = ()
    are_users: bool = True
    """Whether all this is the user's own word, also where it names code outside the package; what a
    file in a folder says is not."""

    def settle(self) -> tuple[Settings, dict[str, str]]:
        """The settings of the run, and where each value came from."""
        user = read_toml(self.config) if self.config else {}
        folder = model_folder(self.generator)
        if folder is not None and source_kind(self.source) != "text":
            raise UserError(
                f"--generator {self.generator}: a pretrained model learns from text, so give a text"
                f" file of your own, not {self.source!r}"
            )
        kind, generator = ("generators", self.generator) if folder is None else ("pretrained", HF)
        recipe = named(kind, generator)
        base, meant_for = recipe.pop("base", None), recipe.pop("method", "sda")
        method = self.method or str(user.get("method", self._default_method(user, meant_for)))
        recipes = [generator] if base is None else [base, generator]
        layers = Layers(self._tags(user, recipes))
        layers.add(named("defaults", "defaults"), "default")
        if base is not None:
            layers.add(named("generators", base), f"generator {base}")
        layers.add(recipe, f"generator {generator}")
        if folder is not None:
            named_model = {"generator": {"path": folder}, "data": {"model": folder}}
            layers.add(named_model, f"--generator {self.generator}")
        preset = self.preset or default_preset(self.source, method)
        part = "oracle" if source_kind(self.source) == "oracle" else "text"
        layers.add(named("profiles", self.profile, part), f"profile {self.profile}")
        layers.add(named("presets", preset), f"preset {preset}")
        if self._is_plain and self.profile != QUICKEST:
            layers.add({"hand_over": {"check": True}}, "default")
        layers.add(named("methods", method), f"method {method}")
        if self.discriminator is not None:
            name = self.discriminator
            self._add_discriminator(layers, name)
        if self.metric is not None:
            layers.add({"metric": metric_parts(self.metric)}, f"--metric {self.metric}")
        layers.add(user, f"config {self.config}")
        layers.add({"source": self.source, "method": method}, "command line")
        layers.add(self.values, "command line")
        for assignment in self.assignments:
            layers.set(assignment)
        for key, value in (("source", self.source), ("method", method)):
            # Layers were chosen by these two, so a later change would only change their names.
            if layers.table[key] != value:
                raise UserError(
                    f"setting '{key}' is {layers.table[key]!r} in a settings file or by --set, but"
                    f" the run was asked for with {value!r}; say it in one place"
                )
        found = make_settings(layers.table)
        return vouched(found) if self.are_users else found, layers.origins

    @property
    def _is_plain(self) -> bool:
        """Whether an embedded text comes without method and preset: then nobody counts on what the
        last state is, and the better of start and result is handed over (decision 0147)."""
        is_embedded = source_kind(self.source) != "text"
        return is_embedded and self.method is None and self.preset is None

    @staticmethod
    def _add_discriminator(layers: Layers, name: str) -> None:
        """The discriminator of that name; where a judge is fitted it is the one candidate, and
        `auto` names all of them. A pretrained one joins them all."""
        origin = f"--discriminator {name}"
        phase = layers.table.get("discriminator_phase", {})
        if phase.get("negatives") == "rejected":
            if model_folder(name) is not None:
                known = layers.table.get("judge", {}).get("candidates", JudgeSettings().candidates)
                layers.add({"judge": {"candidates": [*known, name]}}, origin)
            elif name != AUTO:
                named("discriminators", name)
                layers.add({"judge": {"candidates": [name]}}, origin)
        elif name == AUTO:
            raise UserError(
                f"{origin}: a choice among discriminators needs a metric's answers to choose by;"
                " it is for the preset recommended"
            )
        else:
            layers.add({"discriminator": discriminator_section(name)}, origin)

    def _default_method(self, user: Table, meant_for: str) -> str:
        """What the generator is meant for; but where a user's text comes without a metric there is
        nothing to learn beyond it, and maximum likelihood is all (decision 0153)."""
        wants_more = self.metric or self.preset or "metric" in user or "metric" in self.values
        if meant_for == "sda" and source_kind(self.source) == "text" and not wants_more:
            return "mle"
        return meant_for

    def _tags(self, user: Table, recipes: Sequence[str]) -> list[str]:
        """The cases that hold, the more special after the more general."""
        kind = source_kind(self.source)
        tags = [*recipes, kind, self.profile]
        lengths = [dict(leaves(layer)).get("embedded.length") for layer in (user, self.values)]
        lengths += [
            _value(text.partition("=")[2].strip())
            for text in self.assignments
            if text.partition("=")[0].strip() == "embedded.length"
        ]
        given = [length for length in lengths if isinstance(length, int)]
        if kind == "oracle" and given and given[-1] > LONG:
            tags.append("oracle-long")
        return tags
