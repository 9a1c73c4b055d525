import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sda.training.schedule import (
    Phase,
    next_phase,
    paper_schedule,
    same_number,
    stage_one,
    with_likelihood,
)
from sda.training.stages import MleSettings
from sda.training.step_kinds import AUGMENTED, INTERLEAVED, TRAINING

G, D = Phase.GENERATOR, Phase.DISCRIMINATOR
T, A, L = TRAINING, AUGMENTED, INTERLEAVED


def test_rounds_come_last() -> None:
    assert stage_one(epochs=2, rounds=3) == [G, G, D, D, D]


def test_turns_begin_with_the_discriminator() -> None:
    assert stage_one(epochs=4, rounds=2, alternations=2) == [D, G, G, D, G, G]


def test_what_does_not_divide_is_dealt_out_evenly() -> None:
    assert stage_one(epochs=3, rounds=1, alternations=2) == [G, D, G, G]


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 12))
def test_turns_lose_and_add_nothing(epochs: int, rounds: int, alternations: int) -> None:
    phases = stage_one(epochs, rounds, alternations)

    assert (phases.count(G), phases.count(D)) == (epochs, rounds)


def test_small_schedule_by_hand() -> None:
    assert paper_schedule(5, first=3, every=2) == [
        [T, T, T, A],
        [T, T, T, A],
        [T, T, A],
        [T, T, A],
        [T, A],
    ]


def test_no_epochs_are_plain_mle() -> None:
    assert paper_schedule(0) == same_number(T, 0) == []


@pytest.mark.parametrize("epochs", [1, 7, 100])
def test_the_baseline_has_as_many_steps_all_on_training_data(epochs: int) -> None:
    ours, baseline = paper_schedule(epochs), same_number(T, epochs)

    assert [len(steps) for steps in baseline] == [len(steps) for steps in ours]
    assert {step for steps in baseline for step in steps} == {T}


def test_likelihood_comes_after_every_so_many_steps_of_all_epochs() -> None:
    assert with_likelihood([[T, A], [T, A], [A]], every=3) == [[T, A], [T, L, A], [A]]


@pytest.mark.parametrize(
    ("position", "stopped_early", "expected"),
    [(0, False, 0), (0, True, 2), (2, True, 2), (3, True, 4), (4, True, 4), (3, False, 3)],
)
def test_epochs_are_passed_over_once_stage_one_stopped(
    position: int, stopped_early: bool, expected: int
) -> None:
    assert next_phase([G, G, D, G], position, stopped_early) == expected


def test_turns_without_end_are_refused() -> None:
    """They are dealt out before training begins, which once took for ever."""
    for name in ("alternations", "epochs"):
        with pytest.raises(ValidationError, match="less than or equal to 1000000"):
            MleSettings.model_validate({name: 10**9})
