"""What the validation loss decides: when the rate falls, when Stage I ends, when all is lost."""

from __future__ import annotations

import torch

from sda.text.sentences import Sentences
from sda.training.progress import Diverged, Meter
from sda.training.stages import MleSettings
from sda.training.state import TrainState
from sda.training.steps import mean_nll

HOPELESS = 2.0  # times the best validation loss


def check_validation(state: TrainState, valid: Sentences, meter: Meter) -> float:
    """Measure the validation loss; raise `Diverged` when it is over twice its best."""
    value = mean_nll(state.generator, valid, state.shares)
    meter.add(nll_valid=value)
    if not value <= HOPELESS * state.best_nll:
        raise Diverged(
            f"the validation loss is {value:.3f} a token, over twice its best, {state.best_nll:.3f}"
        )
    return value


def follow_plateau(
    state: TrainState, nll_valid: float, settings: MleSettings, is_last: bool
) -> None:
    """Remember the best epoch, lower the rate on a plateau, and end the stage after the last drop.

    When the stage ends the best generator takes the place of the last, if settings say so.
    """
    if nll_valid < state.best_nll:
        state.best_nll, state.best_epoch, state.epochs_since_best = nll_valid, state.mle_epoch, 0
        if settings.keep_best:
            weights = state.generator.state_dict()
            state.best = {name: value.clone() for name, value in weights.items()}
    else:
        state.epochs_since_best += 1
    if settings.patience and state.epochs_since_best >= settings.patience:
        state.epochs_since_best = 0
        state.rate_drops += 1
        state.stopped_early = state.rate_drops > settings.rate_drops
        _lower_rate(state.mle_optimizer, settings.rate_factor)
    if (is_last or state.stopped_early) and state.best:
        state.generator.load_state_dict(state.best)
        state.best = {}


def _lower_rate(optimizer: torch.optim.Optimizer, factor: float) -> None:
    for group in optimizer.param_groups:
        group["lr"] *= factor
