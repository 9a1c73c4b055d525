"""Work in parts: every row once, the same whoever does it, and the gradient of the whole."""

from collections.abc import Callable
from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tiny import tiny_settings

from sda.errors import UserError
from sda.ranks import Shares, Values, shares_of
from sda.runs.assemble import build_state
from sda.sampling import sample
from sda.source import load_source
from sda.text.corpus import Corpus
from sda.training.gradients import add_gradients, part_of
from sda.training.parted import reward_in_parts, write_in_parts
from sda.training.progress import Meter
from sda.training.state import TrainState
from sda.training.steps import mean_nll, nll, update_discriminator


class Gathering(Shares):
    """Processes one after the other in this one: each leaves what it did for the next."""

    def gathered(self, found: dict[int, Values]) -> list[Values]:  # type: ignore[override]
        DONE.update(found)
        return [DONE.get(part, {}) for part in range(self.parts)]


DONE: dict[int, Values] = {}


@pytest.fixture
def made(toy_file: object) -> tuple[TrainState, Corpus]:
    settings, _ = tiny_settings(str(toy_file), "generator.dropout=0")
    corpus = load_source(settings).corpus
    state, _ = build_state(settings, corpus, torch.Generator().manual_seed(3))
    return state, corpus


@given(st.integers(0, 200), st.integers(1, 9), st.integers(1, 9))
def test_every_row_has_one_part_and_every_part_one_process(
    size: int, parts: int, ranks: int
) -> None:
    cuts = Shares(parts).cuts(size)
    assert [row for cut in cuts for row in range(size)[cut]] == list(range(size))
    sizes = [cut.stop - cut.start for cut in cuts]
    assert max(sizes) - min(sizes) <= 1
    owned = [part for rank in range(ranks) for part in Shares(parts, rank, ranks).own()]
    assert sorted(owned) == list(range(parts))


def test_the_gradient_of_the_parts_is_that_of_the_whole(made: tuple[TrainState, Corpus]) -> None:
    state, corpus = made
    batch = corpus.train[:7]
    loss = part_of(batch, partial(nll, state.generator))
    found: dict[int, list[torch.Tensor]] = {}
    values = {}
    for parts in (1, 2, 3, 9):
        state.shares = Shares(parts)
        values[parts], _ = add_gradients(state, state.mle_optimizer, len(batch), loss, "loss")
        found[parts] = [p.grad.clone() for p in state.generator.parameters() if p.grad is not None]
    for parts in (2, 3, 9):
        assert values[parts] == pytest.approx(values[1], rel=1e-5)
        for some, whole in zip(found[parts], found[1], strict=True):
            assert torch.allclose(some, whole, rtol=1e-4, atol=1e-6)


def test_the_discriminators_step_in_parts(made: tuple[TrainState, Corpus]) -> None:
    state, corpus = made
    before = {name: value.clone() for name, value in state.discriminator.state_dict().items()}
    ends, meters = [], []
    for parts in (1, 3):
        state.discriminator.load_state_dict(before)
        state.discriminator.eval()
        state.shares = Shares(parts)
        meters.append(Meter())
        optimizer = torch.optim.SGD(state.discriminator.parameters(), 0.1)
        state.discriminator_optimizer = optimizer
        update_discriminator(state, corpus.train[:8], corpus.train[8:16], "real", meters[-1])
        weights = state.discriminator.parameters()
        ends.append(torch.cat([value.detach().flatten() for value in weights]))

    assert torch.allclose(ends[0], ends[1], atol=1e-6)
    one, several = (meter.means() for meter in meters)
    assert one.keys() == several.keys()
    assert all(one[name] == pytest.approx(several[name], rel=1e-5) for name in one)


@pytest.mark.parametrize("what", ["sentences", "rewards"])
def test_several_processes_write_what_one_writes(
    made: tuple[TrainState, Corpus], what: str
) -> None:
    state, _ = made
    fixed = sample(state.generator, 11, torch.Generator().manual_seed(0))

    def made_by(shares: Shares) -> torch.Tensor:
        rng = torch.Generator().manual_seed(5)
        if what == "sentences":
            return write_in_parts(state.generator, 11, rng, None, shares).tokens
        reward = lambda some, own: (some.mask * torch.rand(1, generator=own), 2)  # noqa: E731
        return reward_in_parts(fixed, rng, shares, reward)[0]

    DONE.clear()
    for rank in (1, 0):
        last = made_by(Gathering(3, rank, 2)) if rank == 0 else _tried(made_by, rank)
    assert torch.equal(last, made_by(Shares(3)))


def _tried(made_by: Callable[[Shares], torch.Tensor], rank: int) -> torch.Tensor:
    """What a process does whose results the first one needs; alone it cannot join them."""
    with pytest.raises(KeyError):
        made_by(Gathering(3, rank, 2))
    return torch.zeros(0)


def test_the_validation_loss_is_the_same_in_any_number_of_parts(
    made: tuple[TrainState, Corpus], monkeypatch: pytest.MonkeyPatch
) -> None:
    state, corpus = made
    monkeypatch.setattr("sda.training.steps.CHUNK", 5)
    alone = mean_nll(state.generator, corpus.train)
    for parts in (2, 7, 100):
        assert mean_nll(state.generator, corpus.train, Shares(parts)) == alone


def test_one_process_has_all_parts() -> None:
    assert shares_of(4) == Shares(4, 0, 1) and shares_of(4).is_first


def test_more_processes_than_parts_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "3")
    monkeypatch.setattr("sda.ranks.distributed.is_initialized", lambda: True)
    with pytest.raises(UserError, match="3 processes cannot share work that is cut into 2"):
        shares_of(2)
