"""Work that is cut into parts, which several processes do together.

The same parts give the same result bit for bit, whoever does them: every process draws the random
numbers of all parts, does its own parts, and gets the results of all of them in their order
(decision 0230). A run in one process has one part unless it is told otherwise, and all is as if
this module were not there.
"""

from __future__ import annotations

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

    def each(self, size: int, work: Callable[[slice, int], Values]) -> list[Values]:
        """What `work` makes of the rows of each part, in their order, from all processes."""
        rows = self.cuts(size)
        return self.gathered({part: work(rows[part], part) for part in self.own()})

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


ALONE = Shares()


def _exchanged(values: Values, ranks: int) -> list[Values]:
    """What every process has, by process; as bytes of safetensors, since shapes may differ."""
    own = {name: value.detach().cpu().contiguous() for name, value in values.items()}
    content = torch.frombuffer(bytearray(save(own)), dtype=torch.uint8)
    try:
        sizes = [torch.zeros(1, dtype=torch.int64) for _ in range(ranks)]
        distributed.all_gather(sizes, torch.tensor([len(content)]))
        longest = int(torch.cat(sizes).max())
        padded = torch.zeros(longest, dtype=torch.uint8)
        padded[: len(content)] = content
        all_bytes = [torch.zeros(longest, dtype=torch.uint8) for _ in range(ranks)]
        distributed.all_gather(all_bytes, padded)
    except RuntimeError as error:
        raise _lost() from error
    pairs = zip(all_bytes, sizes, strict=True)
    return [load(bytes(some[: int(size)].numpy())) for some, size in pairs]


def wait_for_all() -> None:
    """Every process has come here; of no use where there is but one."""
    if distributed.is_initialized():
        try:
            distributed.barrier()
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


def join_others() -> None:
    """Meet the processes that `torchrun` started with this one; nothing where there are none."""
    if started_together()[1] > 1 and not distributed.is_initialized():
        distributed.init_process_group("gloo", timeout=PATIENCE)


def shares_of(parts: int) -> Shares:
    """The share of this process in work that is cut into so many parts."""
    rank, ranks = started_together() if distributed.is_initialized() else (0, 1)
    if ranks > parts:
        raise UserError(
            f"setting 'parts': {ranks} processes cannot share work that is cut into {parts}:"
            f" give --set parts={ranks} to a new run, or start fewer processes"
        )
    return Shares(parts, rank, ranks)
