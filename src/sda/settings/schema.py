"""The settings of a run: typed, checked, and written down with where each value came from."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import tomli_w
from pydantic import (
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    ValidationError,
    model_validator,
)

from sda import LARGEST_SEED
from sda.errors import UserError, brief
from sda.sampling import LEAST_TEMPERATURE
from sda.text.preparation import Preparation
from sda.training.stages import Section, TrainingSettings

Table = dict[str, Any]
DEEPEST = 20
"""Tables within tables of a settings file; the deepest setting there is has four."""
LARGEST_TOML = 2**24
MOST_THREADS = 1024


class EmbeddedSettings(Section):
    """How much is drawn from a source that is not a file."""

    train: PositiveInt = 10_000
    """Training sentences, the paper's number for synthetic data."""
    valid: PositiveInt = 1000
    """Validation sentences."""
    test: PositiveInt = 10_000
    """Test sentences, the paper's number for synthetic data."""
    length: PositiveInt = 20
    """Words of each sentence of `oracle`; the paper has 20 and 40."""
    vocabulary: PositiveInt = 5000
    """Words that a seeded `oracle` knows, the paper's number."""
    oracle_size: PositiveInt = 32
    """Embedding and hidden size of a seeded `oracle`: 32 at length 20, 64 at 40 (decision 0023)."""
    oracle_seed: int = Field(default=0, ge=0, le=LARGEST_SEED)
    """What a seeded `oracle` is drawn from, so that runs of different seeds share one oracle."""


class EvaluationSettings(Section):
    """What is measured while training runs and at its end."""

    every: PositiveInt = 10
    """Epochs between two evaluations on validation data; the first and the last always have one."""
    samples: PositiveInt = 2000
    """Sentences written for one evaluation."""
    final_samples: PositiveInt = 10_000
    """Sentences written for the evaluation on test data at the end (decision 0026)."""
    self_bleu_samples: int = Field(default=2000, ge=2)
    """Sentences on which self-BLEU is measured; it grows with their number."""
    features: bool = True
    """Whether the final table has the Fréchet distance and mauve-ngram, on features of n-grams."""
    cold_temperature: float = Field(default=0.8, ge=LEAST_TEMPERATURE, allow_inf_nan=False)
    """A second temperature at which the start of Stage II is scored: sharper without training."""


class CallSettings(Section):
    """How the metric is asked, and how often."""

    limit: PositiveInt | None = None
    """The most sentences that it may be asked in the whole run; Stage II is cut to fit. By default
    there is no limit."""
    batch: NonNegativeInt = 0
    """Sentences that a metric of your own is handed at once; 0 is 256, or 1 while it takes more
    than 10 ms a sentence, so that an interruption loses one call at most."""
    workers: PositiveInt = 1
    """Threads that ask a metric of your own at a time; with more than one it has to bear that."""
    tries: PositiveInt = 3
    """How often a batch is asked that raises an exception, before the run ends with it."""
    wait: NonNegativeFloat = 1.0
    """Seconds before the second try, and twice as many before each further one."""


class GuardRule(Section):
    """One rule over a figure that epochs of Stage II log; it has either `rise` or `above`."""

    figure: str
    """The name of the figure in progress.jsonl, such as `nll_valid` or `duplicate_share`."""
    rise: PositiveFloat | None = None
    """The figure may exceed its value at the start of Stage II by this share of it."""
    above: float | None = None
    """The figure may not be above this value."""
    action: Literal["stop", "roll_back"] = "stop"
    """Whether Stage II ends with the epoch that breaks the rule, or with the best one."""
    best: str = "nll_valid"
    """The figure by which the best epoch is found, the end of Stage I among them."""
    best_is: Literal["lowest", "highest"] = "lowest"
    """Which value of that figure is the best."""

    @model_validator(mode="after")
    def _has_one_limit(self) -> GuardRule:
        if (self.rise is None) == (self.above is None):
            raise ValueError("a rule has either 'rise' or 'above'")
        return self


class GuardSettings(Section):
    """What ends Stage II before its time."""

    rules: list[GuardRule] = Field(default_factory=list)
    """Rules over the figures of each epoch; the first that is broken decides."""


class HandOverSettings(Section):
    """Whether Stage II is held against its start, and what it may cost at most (decision 0147)."""

    check: bool = False
    """Whether the better of start and result is handed over, by validation data; without it the
    last state is, whatever became of it."""
    duplicates: NonNegativeFloat = 0.02
    """By how much the share of samples that repeat another one may exceed the start's."""
    copies: NonNegativeFloat = 0.01
    """By how much the share of samples that equal a training sentence may exceed the start's."""
    self_bleu: NonNegativeFloat = 0.04
    """By how much self-BLEU-5 may exceed the start's."""
    mauve: NonNegativeFloat = 0.03
    """By how much mauve-ngram may be below the start's."""
    reverse: NonNegativeFloat = 0.05
    """The share by which the loss of a language model of the samples on real text may rise."""
    samples: int = Field(default=1000, ge=2)
    """Sentences that start and result each write to be compared at the end."""
    quality: NonNegativeFloat = 1.64
    """Standard errors by which the metric must have risen, or else nothing was bought."""


class Settings(TrainingSettings):
    """Everything that determines a run."""

    source: str
    """A text file, `captions`, `oracle` or `oracle:FILE.npz`."""
    method: str = "sda"
    """The row of the table: a name of a file in `configs/methods`."""
    seed: int = Field(default=0, ge=0, le=LARGEST_SEED)
    """All random numbers of the run come from it."""
    device: Literal["auto", "cpu", "cuda", "mps"] = "auto"
    """Where models are computed; `auto` is a GPU where torch finds one, or else the CPU. Results
    are the same bit for bit only on one kind of device."""
    dtype: Literal["float32", "bfloat16"] = "float32"
    """What the layers of pretrained models and of `transformer` are computed in; weights are kept
    and learned in float32, and words are chosen in it."""
    threads: int = Field(default=1, ge=1, le=MOST_THREADS)
    """Threads of torch; results are the same bit for bit only at an equal number."""
    parts: PositiveInt = 1
    """Pieces that each batch is cut into, which several processes can share (torchrun); results
    are the same bit for bit at an equal number, whoever computes them."""
    start: str | None = None
    """The folder of a run with whose Stage I this one begins, in place of a Stage I of its own."""
    checkpoint_every: PositiveInt = 1
    """Epochs between two checkpoints."""
    data: Preparation = Preparation()
    """How a file is cut and split."""
    embedded: EmbeddedSettings = EmbeddedSettings()
    """How much an embedded source writes."""
    generator: Table = Field(default_factory=dict)
    """The generator: `use` names the class, the rest are its arguments."""
    discriminator: Table = Field(default_factory=dict)
    """The discriminator, likewise."""
    metric: list[Table] = Field(default_factory=list)
    """Parts of the reference metric: `use`, `weight` (1 unless given) and arguments of each."""
    calls: CallSettings = CallSettings()
    """How the metric is asked, and how often."""
    augmentation: Table = Field(default_factory=dict)
    """What enlarges the training sentences before training: `use` and arguments; empty is none."""
    objective: Table = Field(default_factory=dict)
    """What maximum likelihood is replaced by in Stage I: `use` and arguments; empty is none."""
    selection: Table = Field(default_factory=dict)
    """Which written sentences of a finished run are kept: `use` and arguments; empty is all."""
    loop: Table = Field(default_factory=dict)
    """What walks both stages in place of Algorithm 1: `use` and arguments; empty is Algorithm 1."""
    guard: GuardSettings = GuardSettings()
    hand_over: HandOverSettings = HandOverSettings()
    evaluation: EvaluationSettings = EvaluationSettings()


def is_too_deep(value: Any, depth: int = 0) -> bool:
    """Whether tables and lists are nested so that no program could walk through."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    nested = (item for item in inner if isinstance(item, dict | list))
    return depth > DEEPEST or any(is_too_deep(item, depth + 1) for item in nested)


def make_settings(table: Mapping[str, Any]) -> Settings:
    """Settings from plain tables; a wrong key or value raises one sentence that names it."""
    try:
        return Settings.model_validate(table)
    except ValidationError as error:
        raise wrong_setting(error, _near) from None


def wrong_setting(
    error: ValidationError, unknown: Callable[[tuple[int | str, ...]], str]
) -> UserError:
    """One sentence on the first thing that is wrong; `unknown` ends that on an unknown key."""
    problem = error.errors()[0]
    key = ".".join(str(part) for part in problem["loc"])
    if problem["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        return UserError(f"unknown setting '{key}'{unknown(problem['loc'])}")
    message = str(problem["msg"])
    told = f"{message[0].lower()}{message[1:]}, not {brief(problem['input'])}"
    return UserError(f"setting '{key}': {told}")


def _near(location: tuple[int | str, ...]) -> str:
    """The names that the section of an unknown key knows."""
    kind: Any = Settings
    for part in location[:-1]:
        kind = kind.model_fields[part].annotation if hasattr(kind, "model_fields") else kind
    names = getattr(kind, "model_fields", None) or getattr(kind, "__dataclass_fields__", {})
    return f" (known here: {', '.join(names)})" if names else ""


def leaves(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every value with its dotted key; a list is one value."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def write_toml(settings: Settings, origins: Mapping[str, str]) -> str:
    """All settings as TOML, each with a comment that says where its value came from."""
    table = settings.model_dump()
    lines = ["# The complete settings of this run; a comment says where each value came from."]
    sections = {key: value for key, value in table.items() if isinstance(value, dict)}
    plain = {key: value for key, value in table.items() if key not in sections and key != "metric"}
    lines += _toml_lines(plain, "", origins)
    for name, section in sections.items():
        lines += ["", f"[{name}]", *_toml_lines(section, f"{name}.", origins)]
    for part in settings.metric:
        lines += ["", f"[[metric]]{_comment(origins, 'metric')}"]
        lines += _toml_lines(part, None, {})
    return "\n".join(lines) + "\n"


def _toml_lines(section: Table, prefix: str | None, origins: Mapping[str, str]) -> list[str]:
    lines = []
    for key, value in section.items():
        if value is None:
            lines.append(f"# {key} is not set")
            continue
        text = f"{_toml_key(key)} = {_toml_value(value)}"
        origin = "" if prefix is None else _comment(origins, prefix + key)
        lines.append(text + origin)
    return lines


def _comment(origins: Mapping[str, str], key: str) -> str:
    # An origin may quote what a user typed, over several lines even.
    return f"  # {' '.join(origins.get(key, 'default').split())}"


def _toml_key(key: str) -> str:
    return tomli_w.dumps({key: 0}).strip().removesuffix(" = 0")


def _toml_value(value: Any) -> str:
    """One value on one line."""
    if isinstance(value, list):
        return f"[{', '.join(_toml_value(item) for item in value)}]"
    if isinstance(value, dict):
        given = {key: item for key, item in value.items() if item is not None}
        items = (f"{_toml_key(key)} = {_toml_value(item)}" for key, item in given.items())
        return f"{{{', '.join(items)}}}"
    return tomli_w.dumps({"x": value}).strip().removeprefix("x = ")


def read_toml(path: Path) -> Table:
    """The tables of a TOML file; a missing or broken file raises one sentence."""
    too_deep = UserError(f"{path}: tables are nested too deeply (at most {DEEPEST})")
    try:
        if path.stat().st_size > LARGEST_TOML:
            raise UserError(f"{path}: more than {LARGEST_TOML:,} bytes, which settings never have")
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        if is_too_deep(table):
            raise too_deep
        return table
    except RecursionError:
        raise too_deep from None
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: not UTF-8 text") from None
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    except ValueError as error:  # also a number of more digits than Python reads
        raise UserError(f"{path}: not valid TOML: {error}") from None
