"""What processes send each other from device to device, without any: a device that is not there,
threads in place of processes, and a stand-in for what carries tensors."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from pretend import DEVICE, Elsewhere, PretendDevice
from torch import Tensor

from sda import ranks
from sda.ranks import Shares, Values, backend_for, join_others

RANKS = 2


class Carrier:
    """Gathers tensors of threads; what each of them sent is known by thread and in order."""

    def __init__(self) -> None:
        self.sent: list[list[Tensor]] = [[] for _ in range(RANKS)]
        self._rank = threading.local()
        self._meet = threading.Barrier(RANKS)

    def rank(self) -> int:
        return int(self._rank.number)

    def all_gather(self, every: list[Tensor], own: Tensor) -> None:
        self.sent[self.rank()].append(own)
        self._meet.wait(timeout=60)
        for into, by_rank in zip(every, self.sent, strict=True):
            into.copy_(by_rank[len(self.sent[self.rank()]) - 1])
        self._meet.wait(timeout=60)

    def each(self, work: Callable[[int], Any]) -> list[Any]:
        def run(rank: int) -> Any:
            self._rank.number = rank
            with PretendDevice():
                return work(rank)

        with ThreadPoolExecutor(RANKS) as pool:
            return list(pool.map(run, range(RANKS)))


@pytest.fixture
def carrier(monkeypatch: pytest.MonkeyPatch) -> Carrier:
    made = Carrier()
    monkeypatch.setattr("sda.ranks.distributed.all_gather", made.all_gather)
    monkeypatch.setattr(ranks, "_rank", made.rank)
    return made


PARTS: list[Values] = [
    {"0": torch.randn(3, 2), "loss": torch.tensor(0.5, dtype=torch.float64)},
    {"0": torch.randn(3, 2), "tokens": torch.tensor([[4, 5, 6]]), "mask": torch.tensor([True])},
    {},
]


def exchanged(carrier: Carrier, there: tuple[str, ...]) -> list[list[Values]]:
    """What each of two processes has of three parts, of which these names lie on the device."""

    def work(rank: int) -> list[Values]:
        shares = Shares(len(PARTS), rank, RANKS)
        return shares.gathered(
            {
                part: {n: v.to(DEVICE) if n in there else v for n, v in PARTS[part].items()}
                for part in shares.own()
            }
        )

    return carrier.each(work)


@pytest.mark.parametrize("there", [(), ("0",), ("0", "tokens"), ("0", "loss", "tokens", "mask")])
def test_what_lies_on_a_device_stays_there_on_its_way(
    there: tuple[str, ...], carrier: Carrier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranks, "_goes_directly", lambda value: isinstance(value, Elsewhere))
    for found in exchanged(carrier, there):
        assert [part.keys() for part in found] == [part.keys() for part in PARTS]
        for part, expected in zip(found, PARTS, strict=True):
            for name, value in part.items():
                assert isinstance(value, Elsewhere) == (name in there)
                assert value.dtype == expected[name].dtype
                assert torch.equal(value.cpu() if name in there else value, expected[name])
    for sent in carrier.sent:
        # Sizes and what is on the CPU; then, where there is any, what is not.
        assert [isinstance(one, Elsewhere) for one in sent] == [False, False, True][
            : 2 + bool(there)
        ]


ALIKE: list[Values] = [
    {
        "loss": torch.tensor(0.25 * part, dtype=torch.float64),
        "0": torch.randn(3, 2),
        "has": torch.tensor([True, part == 1]),
    }
    for part in range(3)
]


@pytest.mark.parametrize("is_direct", [False, True])
def test_parts_that_are_alike_go_in_one_message(
    is_direct: bool, carrier: Carrier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        ranks, "_goes_directly", lambda value: is_direct and isinstance(value, Elsewhere)
    )

    def work(rank: int) -> list[Values]:
        shares = Shares(len(ALIKE), rank, RANKS)
        return shares.each(
            len(ALIKE),
            lambda _, part: {name: value.to(DEVICE) for name, value in ALIKE[part].items()},
            are_alike=True,
        )

    for found in carrier.each(work):
        assert len(found) == len(ALIKE)
        for part, expected in zip(found, ALIKE, strict=True):
            assert part.keys() == expected.keys()
            for name, value in part.items():
                assert isinstance(value, Elsewhere) == is_direct
                assert (value.dtype, value.shape) == (expected[name].dtype, expected[name].shape)
                assert torch.equal(value.cpu(), expected[name])
    assert [len(sent) for sent in carrier.sent] == [1, 1]


def test_without_nccl_all_goes_through_the_cpu(
    carrier: Carrier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sda.ranks.distributed.get_backend_config", lambda: "gloo")
    for found in exchanged(carrier, ("0", "tokens")):
        for part, expected in zip(found, PARTS, strict=True):
            assert all(torch.equal(part[name], expected[name]) for name in expected)
    assert not any(isinstance(one, Elsewhere) for sent in carrier.sent for one in sent)


def test_gpus_speak_by_nccl_and_all_else_by_gloo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sda.ranks.distributed.is_nccl_available", lambda: True)
    assert backend_for(torch.device("cuda", 1)) == "cpu:gloo,cuda:nccl"
    assert backend_for(torch.device("cpu")) == backend_for(torch.device("mps")) == "gloo"
    monkeypatch.setattr("sda.ranks.distributed.is_nccl_available", lambda: False)
    assert backend_for(torch.device("cuda")) == "gloo"


def test_a_process_takes_its_own_gpu_before_it_meets_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[Any] = []
    monkeypatch.setattr("sda.ranks.distributed.is_nccl_available", lambda: True)
    monkeypatch.setattr("torch.cuda.set_device", done.append)
    monkeypatch.setattr(
        "sda.ranks.distributed.init_process_group", lambda backend, timeout: done.append(backend)
    )
    join_others(torch.device("cuda", 1))
    join_others(torch.device("cpu"))

    assert done == [torch.device("cuda", 1), "cpu:gloo,cuda:nccl", "gloo"]
