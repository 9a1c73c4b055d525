"""Files of tensors with a checksum in them, by which one that was damaged is told."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import safe_open
from safetensors.torch import save
from torch import Tensor

from sda.files import MARK, mark_of, naming, write_bytes

EARLIER = frozenset({"kind", "names", "values"})
"""All that files said before they had checksums; one that says more has lost its own."""


def keep_tensors(
    path: Path,
    tensors: Mapping[str, Tensor],
    name: str = "tensors",
    about: Mapping[str, Any] | None = None,
) -> None:
    """The file holds the tensors, and under the name what `about` says, ready for JSON."""
    whole = {key: value.contiguous() for key, value in tensors.items()}
    facts = dict(about or {})
    facts[MARK] = _mark(whole, facts)
    # Under one name alone: several would stand in the file in any order.
    write_bytes(path, save(whole, {name: json.dumps(facts)}))


def kept_tensors(path: Path, name: str = "tensors") -> tuple[dict[str, Tensor], dict[str, Any]]:
    """What `keep_tensors` wrote; a ValueError where it is something else by now.

    Files from before there were checksums have none.
    """
    with naming(path), safe_open(path, "pt") as file:
        facts = json.loads((file.metadata() or {}).get(name, "{}"))
        tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    mark = facts.pop(MARK, None)
    is_older = mark is None and facts.keys() <= EARLIER
    if not is_older and mark != _mark(tensors, facts):
        raise ValueError("it does not fit its checksum")
    return tensors, facts


def _mark(tensors: dict[str, Tensor], facts: dict[str, Any]) -> str:
    return mark_of({**facts, "tensors": hashlib.sha256(save(tensors)).hexdigest()})
