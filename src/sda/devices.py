"""Where models are computed: the CPU, or a device that torch finds here."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor

from sda.errors import UserError

LOGIT_BYTES = 4 * 2**20
"""Of one step's logits on a CPU: what stays in its cache is twice as fast as 32 MiB."""
LARGE_VOCABULARY = 30_000
"""Words beyond those of any text here: what has more is a pretrained model, whose layers take the
time, and take less of it with more rows."""
LARGE_LOGIT_BYTES = 64 * 2**20
"""Of one step's logits of such a model on a CPU."""
DEVICE_LOGIT_BYTES = 256 * 2**20
"""The same on a device, which is fast with much at a time."""
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}
"""What products can be computed in, by the names that settings have for it."""


def find_device(name: str) -> torch.device:
    """The device of that name; `auto` is the first of cuda, mps and cpu that is here."""
    here = devices_here()
    found = here[0] if name == "auto" else name
    if found not in here:
        raise UserError(
            f"setting 'device': {name} is not available here (torch finds: {', '.join(here)})"
        )
    # Of several processes of one machine, which torchrun numbers, each has a GPU of its own.
    number = os.environ.get("LOCAL_RANK")
    return torch.device(found, int(number)) if found == "cuda" and number else torch.device(found)


def devices_here() -> list[str]:
    """The kinds of devices that torch finds, the fastest first."""
    found = []
    if torch.cuda.is_available():
        found.append("cuda")
    if torch.backends.mps.is_available():
        found.append("mps")
    return [*found, "cpu"]


def same_device_or_cpu(name: str) -> torch.device:
    """The device of that name, or the CPU where there is none: a run can be opened anywhere."""
    return find_device(name) if name == "auto" or name in devices_here() else torch.device("cpu")


def check_dtype(name: str, device: torch.device) -> None:
    """The device computes in the type of that name, or a sentence says that it does not."""
    if not _computes_in(DTYPES[name], device):
        raise UserError(
            f"setting 'dtype': {device.type} does not compute in {name} here; leave it at float32"
        )


def computed_in(dtype: torch.dtype, device: torch.device) -> AbstractContextManager[object]:
    """Inside, products are computed in the type from weights of 32 bits (decision 0224).

    On a device that does not have it they are computed in float32, as all else: a run that was
    trained elsewhere can be opened anywhere.
    """
    if dtype == torch.float32 or not _computes_in(dtype, device):
        return nullcontext()
    return torch.autocast(device.type, dtype)


def _computes_in(dtype: torch.dtype, device: torch.device) -> bool:
    if dtype == torch.float32:
        return True
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    return bool(torch.amp.is_autocast_available(device.type))


def rows_at_once(device: torch.device, words: int, copies: int = 1) -> int:
    """How many rows, each of so many copies with as many logits as words, are a good chunk."""
    here = LOGIT_BYTES if words <= LARGE_VOCABULARY else LARGE_LOGIT_BYTES
    budget = here if device.type == "cpu" else DEVICE_LOGIT_BYTES
    return max(1, budget // (4 * words * copies))


def random_state(device: torch.device) -> Tensor | None:
    """The state of the device's own random numbers, which dropout draws; None for a CPU."""
    if device.type == "cuda":
        return torch.cuda.get_rng_state(device)
    if device.type == "mps":
        return torch.mps.get_rng_state()
    return None


def set_random_state(device: torch.device, state: Tensor) -> None:
    """The device's random numbers go on from this state, which was taken on such a device."""
    if device.type == "cuda":
        torch.cuda.set_rng_state(state, device)
    elif device.type == "mps":
        torch.mps.set_rng_state(state)
