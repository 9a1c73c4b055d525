"""Work that is cut into parts, which several processes do together.

The same parts give the same result bit for bit, whoever does them: every process draws the random
numbers of all parts, does its own parts, and gets the results of all of them in their order
(decision 0230). A run in one process has one part unless it is told otherwise, and all is as if
this module were not there.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise

import torch
from safetensors.torch import load, save
from torch import Tensor, distributed

from sda.errors import LeftAlone, UserError

PATIENCE = timedelta(hours=12)
"""How long a process waits for the others, which may be scoring or asking a slow metric."""
SEEDS = 2**62
TYPES = (torch.float32, torch.float64, torch.int64, torch.bool)
"""Of what is sent from device to device; the receiver is told the place of the type here."""
DIRECT = "@"  # before the name of what is sent so, in what goes through the CPU

Values = dict[str, Tensor]


@dataclass(frozen=True)
class Shares:
    """Into how many `parts` work is cut, and which process of how many this is."""

    parts: int = 1
    rank: int = 0
    ranks: int = 1

    @property
    def is_first(self) -> bool:
        """Whether this process writes files and speaks to the user."""
        return self.rank == 0

    def cuts(self, size: int) -> list[slice]:
        """The rows of each part, as even as can be; some are empty where there are few rows."""
        ends = [size * part // self.parts for part in range(self.parts + 1)]
        return [slice(*pair) for pair in pairwise(ends)]

    def own(self) -> range:
        """The parts that this process does."""
        return range(self.rank, self.parts, self.ranks)

    def each(
        self, size: int, work: Callable[[slice, int], Values], are_alike: bool = False
    ) -> list[Values]:
        """What `work` makes of the rows of each part, in their order, from all processes.

        Where parts `are_alike`, with the same names, types and shapes, none of that has to be sent,
        and one message does.
        """
        rows = self.cuts(size)
        found = {part: work(rows[part], part) for part in self.own()}
        return self._gathered_alike(found) if are_alike else self.gathered(found)

    def seeds(self, rng: torch.Generator) -> list[int]:
        """One for each part, the same ones in every process."""
        return torch.randint(SEEDS, (self.parts,), generator=rng).tolist()

    def gathered(self, found: Mapping[int, Values]) -> list[Values]:
        """The values of every part in their order, where this process has those of its own."""
        whole = dict(found)
        if self.ranks > 1:
            named = {f"{part}.{name}": v for part, vs in found.items() for name, v in vs.items()}
            whole = {part: {} for part in range(self.parts)}
            for values in _exchanged(named, self.ranks):
                for key, value in values.items():
                    part, _, name = key.partition(".")
                    whole[int(part)][name] = value
        return [whole[part] for part in range(self.parts)]

    def _gathered_alike(self, found: Mapping[int, Values]) -> list[Values]:
        """As `gathered`, where all parts have what the first of this process has."""
        if self.ranks == 1:
            return self.gathered(found)
        like = found[self.rank]
        told = [[TYPES.index(value.dtype), *value.shape] for value in like.values()]
        values = [found[part][name].detach() for part in self.own() for name in like]
        if not all(map(_goes_directly, values)):
            values = [value.cpu() for value in values]
        # A process with a part less sends fewer bytes, and is padded.
        size = sum(map(_bytes_of, told))
        own = [size * len(range(rank, self.parts, self.ranks)) for rank in range(self.ranks)]
        try:
            every = _gathered_bytes(_packed(values), own)
        except RuntimeError as error:
            raise _lost() from error
        parts = {
            rank + place * self.ranks: _unpacked(sent[place * size : (place + 1) * size], told)
            for rank, sent in enumerate(every)
            for place in range(len(sent) // size)
        }
        return [dict(zip(like, parts[part], strict=True)) for part in range(self.parts)]


ALONE = Shares()


def _exchanged(values: Values, ranks: int) -> list[Values]:
    """What every process has, by process.

    It goes as bytes of safetensors, since shapes may differ. What lies on a device from which it
    can go directly does so, and the bytes hold its type and shape only.
    """
    direct = {name: value.detach() for name, value in values.items() if _goes_directly(value)}
    own = {
        name: value.detach().cpu().contiguous()
        for name, value in values.items()
        if name not in direct
    }
    for name, value in direct.items():
        own[DIRECT + name] = torch.tensor([TYPES.index(value.dtype), *value.shape])
    content = torch.frombuffer(bytearray(save(own)), dtype=torch.uint8)
    try:
        sizes = [torch.zeros(1, dtype=torch.int64) for _ in range(ranks)]
        distributed.all_gather(sizes, torch.tensor([len(content)]))
        found = [
            load(bytes(some.numpy()))
            for some in _gathered_bytes(content, torch.cat(sizes).tolist())
        ]
        shapes = [
            {name: one[name].tolist() for name in sorted(one) if name.startswith(DIRECT)}
            for one in found
        ]
        # Also a process that has nothing to send takes part if another has.
        if any(shapes):
            sizes_there = [sum(map(_bytes_of, some.values())) for some in shapes]
            parts = [direct[name.removeprefix(DIRECT)] for name in sorted(shapes[_rank()])]
            there = _gathered_bytes(_packed(parts), sizes_there)
            for one, some, sent in zip(found, shapes, there, strict=True):
                for name, value in zip(some, _unpacked(sent, list(some.values())), strict=True):
                    del one[name]
                    one[name.removeprefix(DIRECT)] = value
    except RuntimeError as error:
        raise _lost() from error
    return found


def _gathered_bytes(content: Tensor, sizes: list[int]) -> list[Tensor]:
    """The bytes of every process, which has so many, where those of this one are."""
    padded = content
    if len(content) < max(sizes):
        padded = content.new_zeros(max(sizes))
        padded[: len(content)] = content
    every = [torch.empty_like(padded) for _ in sizes]
    distributed.all_gather(every, padded)
    return [some[:size] for some, size in zip(every, sizes, strict=True)]


def _goes_directly(value: Tensor) -> bool:
    """Whether the tensor can be sent from where it lies: from GPU to GPU, by nccl."""
    return value.device.type == "cuda" and "nccl" in distributed.get_backend_config()


def _bytes_of(told: list[int]) -> int:
    """What a tensor of that type and shape takes."""
    return int(TYPES[told[0]].itemsize * math.prod(told[1:]))


def _packed(values: list[Tensor]) -> Tensor:
    """The bytes of the tensors in a row, where these are; none on this process's own GPU."""
    if not values:
        return torch.zeros(0, dtype=torch.uint8, device="cuda")
    return torch.cat([value.reshape(-1).contiguous().view(torch.uint8) for value in values])


def _unpacked(content: Tensor, told: list[list[int]]) -> list[Tensor]:
    """The tensors of these types and shapes, which the bytes hold in a row."""
    pieces = content.split([_bytes_of(one) for one in told])  # type: ignore[no-untyped-call]
    # A copy begins where numbers of its type may begin.
    return [
        piece.clone().view(TYPES[kind]).reshape(shape)
        for piece, (kind, *shape) in zip(pieces, told, strict=True)
    ]


def wait_for_all() -> None:
    """Every process has come here; of no use where there is but one."""
    if distributed.is_initialized():
        try:
            # Not a barrier, which on GPUs would not notice that a process has ended.
            distributed.all_reduce(torch.zeros(1))
        except RuntimeError as error:
            raise _lost() from error


def _lost() -> LeftAlone:
    return LeftAlone(
        "another process of this run came to an end, so this one ends too; the same command with"
        " --resume goes on from the last checkpoint, with any number of processes"
    )


def started_together() -> tuple[int, int]:
    """The number of this process and how many there are, as `torchrun` says."""
    return int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))


def _rank() -> int:
    return started_together()[0]


def join_others(device: torch.device) -> None:
    """Meet the processes that `torchrun` started with this one, which computes on the device."""
    if not distributed.is_initialized():
        if device.type == "cuda":
            torch.cuda.set_device(device)
        distributed.init_process_group(backend_for(device), timeout=PATIENCE)


def backend_for(device: torch.device) -> str:
    """How processes speak with each other that compute on such a device.

    What lies on GPUs goes by nccl, where torch has it; all else by gloo, which notices when
    a process has ended.
    """
    has_direct = device.type == "cuda" and distributed.is_nccl_available()
    return "cpu:gloo,cuda:nccl" if has_direct else "gloo"


def shares_of(parts: int) -> Shares:
    """The share of this process in work that is cut into so many parts."""
    rank, ranks = started_together() if distributed.is_initialized() else (0, 1)
    if ranks > parts:
        raise UserError(
            f"setting 'parts': {ranks} processes cannot share work that is cut into {parts}:"
            f" give --set parts={ranks} to a new run, or start fewer processes"
        )
    return Shares(parts, rank, ranks)
