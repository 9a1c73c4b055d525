import math

import pytest
import torch
from fakes import FixedGenerator, sentences_of

from sda.text.sentences import Sentences
from sda.training.diagnosis import diagnose
from sda.training.progress import Meter
from sda.training.state import TrainState

FAKE = sentences_of([1, 0], [1, 2, 1, 0])
REWARDS = torch.tensor([[0.5, 0.1, 0, 0], [0.6, 0.6, 0.6, 0.6]])


@pytest.fixture
def state(state: TrainState) -> TrainState:
    state.generator = FixedGenerator([0.5, 0.25, 0.25], eos=0)
    return state


def test_figures_by_hand(state: TrainState) -> None:
    meter = Meter()
    written = sentences_of([1, 0], [2, 0], [2, 0])
    diagnose(state, state.generator, written, 1, FAKE, REWARDS, meter)

    assert meter.means() == pytest.approx(
        {
            "reward": 3.0 / 6,
            "entropy": (3 + 7) * math.log(2) / 6,
            "length": (1 + 1 + 1 + 1 + 3) / 5,
            # Five sentences, of which three are distinct.
            "duplicates": 2 / 5,
            "accepted": 1 / 3,
        }
    )


def test_nothing_written_accepts_nothing(state: TrainState) -> None:
    meter = Meter()
    diagnose(state, state.generator, Sentences.empty(4), 0, FAKE, REWARDS, meter)

    assert "accepted" not in meter.means()
    assert meter.means()["duplicates"] == 0
