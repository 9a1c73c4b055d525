"""A device that is not there: tensors that say they are on it, hold their values on the CPU, and
refuse to be mixed with tensors of the CPU, as those of a GPU do.

All that is computed inside `PretendDevice` goes through `__torch_dispatch__`. Operations with
a tensor of the device give tensors of the device; a CPU tensor of one dimension or more beside one
of the device raises. What it cannot show: kernels, fused optimisers, memory and speed of a real
device.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

DEVICE = torch.device("meta")
INDEXING = ("index.Tensor", "index_put", "index_put_")
"""A tensor of a GPU may be indexed by those of the CPU, but not the other way round."""


class Elsewhere(torch.Tensor):
    """A tensor that says it is on the device."""

    held: torch.Tensor

    @staticmethod
    def __new__(cls, held: torch.Tensor) -> Elsewhere:
        made = torch.Tensor._make_wrapper_subclass(
            cls,
            held.size(),
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device=DEVICE,
            requires_grad=held.requires_grad,
        )
        made.held = held
        return made

    @classmethod
    def __torch_dispatch__(
        cls, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return carry_out(function, args, kwargs or {})

    def __repr__(self) -> str:  # type: ignore[override]
        return f"Elsewhere({self.held})"

    @property
    def is_meta(self) -> bool:  # type: ignore[override]
        """Unlike tensors of `meta`, it has values, which a model can be loaded into."""
        return False

    def tolist(self) -> Any:
        return self.held.tolist()


class PretendDevice(TorchDispatchMode):
    """Inside, `meta` is a device like any other."""

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return carry_out(function, args, kwargs or {})


def carry_out(function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """The operation on what the tensors hold; its results are on the device where they belong."""
    given = [part for part in tree_flatten((args, kwargs))[0] if isinstance(part, torch.Tensor)]
    elsewhere = [part for part in given if isinstance(part, Elsewhere)]
    name = str(function).removeprefix("aten.")
    target = kwargs.get("device")
    is_copy = name.startswith(("_to_copy", "copy_"))
    plain = [part for part in given if not is_there(part) and part.dim()]
    is_indexed = name.startswith(INDEXING) and isinstance(args[0], Elsewhere)
    if elsewhere and plain and not is_copy and not is_indexed:
        shapes = [tuple(part.shape) for part in plain]
        raise RuntimeError(f"{name} mixes tensors of the device with {shapes} of the CPU")
    if target is not None:
        goes = torch.device(target) == DEVICE
        kwargs = {**kwargs, "device": torch.device("cpu")}
    else:
        goes = bool(elsewhere)
    if name.startswith("copy_"):
        args[0].held.copy_(held(args[1])) if isinstance(args[0], Elsewhere) else args[0].copy_(
            held(args[1])
        )
        return args[0]
    result = function(*tree_map(held, args), **tree_map(held, kwargs))
    if not goes:
        return result
    if function._schema.is_mutable and name.split(".")[0].endswith("_") and elsewhere:
        return args[0]
    return tree_map(lifted, result)


def is_there(part: torch.Tensor) -> bool:
    """Whether the tensor is on the device; torch itself makes one there from an empty list, which
    has no values to hold."""
    return isinstance(part, Elsewhere) or (part.device == DEVICE and not part.numel())


def held(part: Any) -> Any:
    if isinstance(part, torch.Tensor) and part.device == DEVICE and not isinstance(part, Elsewhere):
        return torch.empty(part.shape, dtype=part.dtype)
    return part.held if isinstance(part, Elsewhere) else part


def lifted(part: Any) -> Any:
    return Elsewhere(part) if isinstance(part, torch.Tensor) else part
