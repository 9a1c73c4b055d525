"""What a run is called is what it does."""

import pytest
from tiny import tiny_settings

from sda.settings.layers import Choices, names_of
from sda.settings.method_name import method_name
from sda.training.stages import StageTwoSettings
from sda.training.step_kinds import KINDS


@pytest.mark.parametrize("method", names_of("methods"))
def test_a_method_keeps_its_name(method: str) -> None:
    assert method_name(tiny_settings("captions", method=method)[0]) == method


def test_the_metric_as_reward_is_no_self_data_augmentation() -> None:
    """Neither discriminator nor buffer, and for a time its runs said `sda` all the same."""
    settings, _ = Choices("my.txt", preset="metric-reward").settle()

    assert settings.method == "sda" and settings.stage2.steps == "training"
    assert method_name(settings) == "metric-reward+mle"


def test_a_judge_of_the_buffer_is_self_data_augmentation() -> None:
    for preset in ("paper", "recommended"):
        assert method_name(Choices("my.txt", preset=preset).settle()[0]) == "sda"


@pytest.mark.parametrize(
    ("more", "name"),
    [
        (("stage2.steps=training",), "rl"),
        (("stage2.steps=training", "stage2.reward=gail"), "rl"),
        (("stage2.steps=training", "stage2.reward=words"), "rl"),
        (("stage2.steps=training", "stage2.reward=metric"), "metric-reward"),
        (("stage2.steps=training", "stage2.reward=constant"), "constant"),
        (("stage2.steps=buffer", "stage2.mle_every=2"), "raft+mle"),
        (("stage2.mle_every=2",), "sda"),
        (("stage2.steps='none'", "stage2.mle_every=2"), "mle"),
    ],
)
def test_single_values_may_make_another_method(more: tuple[str, ...], name: str) -> None:
    assert method_name(tiny_settings("captions", *more)[0]) == name


def test_all_steps_and_rewards_have_a_name() -> None:
    fields = StageTwoSettings.model_fields
    for steps in ("alternating", "none", *KINDS):
        for reward in fields["reward"].annotation.__args__:  # type: ignore[union-attr]
            more = (f"stage2.steps='{steps}'", f"stage2.reward={reward}")
            assert method_name(tiny_settings("captions", *more)[0])
