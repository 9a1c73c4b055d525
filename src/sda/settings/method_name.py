"""What a run is called: in the rows of its table, its folder, its title and its curve."""

from __future__ import annotations

from sda.settings.schema import Settings

# A method says what Stage II does, all but `sda`: its file is empty and leaves that to the preset.
LEFT_TO_PRESET = "sda"
# What is not here is called as its steps are.
OTHER_STEPS = {"likelihood": "mle-longer", "buffer": "raft", "none": "mle"}
TRAINING_STEPS = {
    "prob": "rl",
    "gail": "rl",
    "words": "rl",
    "constant": "constant",
    "metric": "metric-reward",
}


def method_name(settings: Settings) -> str:
    """The method that was run, also where the preset or a single value made another of `sda`.

    Only steps that learn from the training text and from the buffer in turn are self data
    augmentation, also where a judge of the buffer rewards. The preset `metric-reward` has neither
    discriminator nor buffer: its runs are `metric-reward+mle`, the metric as the reward with
    maximum likelihood between two such steps.
    """
    two = settings.stage2
    is_judged = settings.discriminator_phase.negatives == "rejected"
    if settings.method != LEFT_TO_PRESET or two.steps == "alternating" or is_judged:
        return settings.method
    other = OTHER_STEPS.get(two.steps, two.steps)
    name = TRAINING_STEPS[two.reward] if two.steps == "training" else other
    return f"{name}+mle" if two.mle_every and two.steps != "none" else name
