"""What a run did, in words for somebody who was not there."""

from __future__ import annotations

import re
from pathlib import Path

from sda.settings.method_name import method_name
from sda.settings.schema import Settings, Table

METHODS = {
    "sda": "Self data augmentation",
    "mle": "Maximum likelihood",
    "mle-longer": "More maximum likelihood",
    "rl": "Policy gradient",
    "raft": "Training on the best sentences (RAFT)",
    "best-of-n": "The best of several sentences",
    "metric-reward": "The metric as the reward",
    "metric-reward+mle": "The metric as the reward",
}
SOURCES = {"captions": "the embedded captions", "oracle": "text of an oracle"}


def run_title(settings: Settings) -> str:
    """What was done, on which text and by which metric."""
    method = method_name(settings)
    names = " + ".join(map(_metric_name, settings.metric))
    by = f", with the metric {names}" if names and method != "mle" else ""
    return f"{METHODS.get(method, method)} on {source_title(settings.source)}{by}"


def run_facts(settings: Settings) -> str:
    """What tells the run from others of its title."""
    generator = _last_name(str(settings.generator.get("use", "")))
    return f"{generator or 'generator'}, seed {settings.seed}"


def source_title(source: str) -> str:
    """The text by the name of its file, or what the embedded one is."""
    return SOURCES.get(source.partition(":")[0]) or Path(source).name


def _metric_name(part: Table) -> str:
    # The function of a user has a name; of a class its own is told in words.
    name = _last_name(str(part.get("function") or part["use"]))
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower() if "function" not in part else name


def _last_name(path: str) -> str:
    return path.rpartition(":")[2].rpartition(".")[2]
