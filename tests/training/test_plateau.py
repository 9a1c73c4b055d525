import pytest
import torch
from fakes import FixedGenerator

from sda.text.corpus import Corpus
from sda.training.plateau import check_validation, follow_plateau
from sda.training.progress import Diverged, Meter
from sda.training.stages import MleSettings
from sda.training.state import TrainState
from sda.training.steps import mean_nll


def follow(state: TrainState, losses: list[float], settings: MleSettings) -> list[float]:
    """The learning rate after each epoch of these validation losses."""
    rates = []
    for loss in losses:
        state.mle_epoch += 1
        follow_plateau(state, loss, settings, is_last=False)
        rates.append(state.mle_optimizer.param_groups[0]["lr"])
    return rates


def test_the_rate_falls_after_so_many_epochs_without_a_better_loss(state: TrainState) -> None:
    settings = MleSettings(patience=2, rate_factor=0.5, rate_drops=9)
    rates = follow(state, [3.0, 2.0, 2.1, 2.0, 2.2, 1.9, 2.0, 2.0], settings)

    assert rates == pytest.approx([0.01] * 3 + [0.005] * 4 + [0.0025])
    assert (state.best_nll, state.best_epoch, state.rate_drops) == (1.9, 6, 2)


def test_the_stage_ends_when_the_rate_may_fall_no_more(state: TrainState) -> None:
    settings = MleSettings(patience=1, rate_factor=0.5, rate_drops=2)
    follow(state, [1.0, 1.1, 1.2], settings)
    assert not state.stopped_early
    follow(state, [1.3], settings)
    assert state.stopped_early


def test_without_patience_the_rate_never_falls(state: TrainState) -> None:
    rates = follow(state, [1.0] * 30, MleSettings(patience=0))

    assert rates == [0.01] * 30
    assert not state.stopped_early


def change(state: TrainState) -> None:
    with torch.no_grad():
        for value in state.generator.parameters():
            value.add_(1)


@pytest.mark.parametrize("keep_best", [False, True])
def test_the_best_generator_goes_on_if_settings_say_so(state: TrainState, keep_best: bool) -> None:
    settings = MleSettings(keep_best=keep_best)
    state.mle_epoch = 1
    follow_plateau(state, 1.0, settings, is_last=False)
    best = {name: value.clone() for name, value in state.generator.state_dict().items()}
    change(state)
    last = {name: value.clone() for name, value in state.generator.state_dict().items()}
    follow_plateau(state, 2.0, settings, is_last=True)

    expected = best if keep_best else last
    for name, value in state.generator.state_dict().items():
        assert torch.equal(value, expected[name])
    assert state.best == {}


def test_the_best_generator_returns_when_the_stage_stops_early(state: TrainState) -> None:
    settings = MleSettings(keep_best=True, patience=1, rate_drops=0)
    follow_plateau(state, 1.0, settings, is_last=False)
    best = state.generator.state_dict()["bias"].clone()
    change(state)
    follow_plateau(state, 2.0, settings, is_last=False)

    assert state.stopped_early
    assert torch.equal(state.generator.state_dict()["bias"], best)


def test_validation_loss_is_measured(state: TrainState, corpus: Corpus) -> None:
    meter = Meter()
    value = check_validation(state, corpus.valid, meter)

    assert value == meter.means()["nll_valid"] == mean_nll(state.generator, corpus.valid)


@pytest.mark.parametrize(("factor", "hopeless"), [(1.9, False), (2.1, True)])
def test_twice_the_best_loss_is_hopeless(
    state: TrainState, corpus: Corpus, factor: float, hopeless: bool
) -> None:
    state.best_nll = mean_nll(state.generator, corpus.valid) / factor
    if hopeless:
        with pytest.raises(Diverged, match="over twice its best"):
            check_validation(state, corpus.valid, Meter())
    else:
        check_validation(state, corpus.valid, Meter())


def test_a_loss_that_is_no_number_is_hopeless(state: TrainState, corpus: Corpus) -> None:
    state.generator = FixedGenerator([float("nan")] * 10, eos=0)
    with pytest.raises(Diverged, match="nan"):
        check_validation(state, corpus.valid, Meter())
