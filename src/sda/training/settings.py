"""What the two stages are told, one sentence under each value."""

from __future__ import annotations

from dataclasses import dataclass, field

from sda.rewards import Baseline, RewardKind


@dataclass(frozen=True)
class MleSettings:
    """Stage I, the generator's part."""

    epochs: int = 100
    """Epochs of maximum likelihood; the paper has 100."""
    batch_size: int = 64
    """Sentences in one update; the paper is silent, SeqGAN and LeakGAN have 64."""
    rate: float = 0.001
    """Adam's learning rate."""
    clip: float = 5.0
    """Norm at which gradients are cut, as in SeqGAN and LeakGAN."""
    patience: int = 0
    """Epochs without a better validation loss before the rate falls; 0 never lowers it."""
    rate_factor: float = 0.4
    """What the rate is multiplied with then."""
    rate_drops: int = 2
    """How often the rate may fall; the next time the stage ends."""
    keep_best: bool = False
    """Whether the generator of the best validation epoch goes on, or that of the last one."""
    alternations: int = 0
    """Turns over which discriminator rounds and epochs are dealt out; 0 puts the rounds last."""


@dataclass(frozen=True)
class DiscriminatorSettings:
    """How the discriminator is trained in both stages."""

    rate: float = 1e-4
    """Adam's learning rate, SeqGAN's."""
    batch_size: int = 128
    """Sentences in one update, half of them real: 64 of each as in SeqGAN."""
    first_rounds: int = 10
    """Rounds in Stage I, each with fresh fakes (decision 0036)."""
    first_passes: int = 3
    """Walks over the sentences of one such round."""
    first_sentences: int = 10_000
    """Real sentences, and as many fakes, in one such round."""
    rounds: int = 5
    """Rounds in each step of Stage II (decision 0010)."""
    passes: int = 3
    """Walks over the sentences of one round in Stage II."""
    sentences: int = 10_000
    """Real sentences, and as many fakes, in one round of Stage II; no more than the buffer has."""


@dataclass(frozen=True)
class BufferSettings:
    """The buffer and what is written for it."""

    capacity: int | None = None
    """Sentences kept (the paper's k); by default `share` of the training sentences."""
    share: float = 0.1
    """Share of the training sentences that gives the capacity, at most 5,000 (decision 0011)."""
    candidates: int = 1000
    """Sentences written for the buffer in each step (the paper's W)."""
    first_fill: int = 10_000
    """Sentences written for it before the first step."""
    near_duplicates: float | None = None
    """Leave out a sentence whose bigrams overlap this much (Jaccard) with a better one's."""
    length_quota: bool = False
    """Keep the lengths in the buffer distributed as in the training data."""
    reject_copies: bool = False
    """Keep sentences out that are training sentences word for word (decision 0013)."""
    max_age: int | None = None
    """Epochs after which a sentence leaves (decision 0008)."""


@dataclass(frozen=True)
class StageTwoSettings:
    """Stage II, the generator's part."""

    epochs: int = 100
    """Epochs of self data augmentation; the paper has 100."""
    first_steps: int = 6
    """Training-data steps an epoch at first: "we run six imitating training data steps"."""
    fewer_every: int = 10
    """Epochs after which there is one training-data step fewer: "after every ten epochs"."""
    augmented: bool = True
    """Whether augmented steps are taken; without them it is the RL baseline."""
    batch_size: int = 64
    """Sentences in the one policy-gradient update of a step."""
    rate: float = 1e-4
    """Adam's learning rate."""
    clip: float = 5.0
    """Norm at which gradients are cut."""
    rollouts: int = 16
    """Completions of each beginning (the paper's N); 0 gives every token its sentence's reward."""
    rollout_every: int = 1
    """Complete only every so many tokens; the tokens between share the reward."""
    reward: RewardKind = "prob"
    """D itself, as in Eq. 2, or `gail`, -log(1 - D)."""
    baseline: Baseline = "none"
    """What is subtracted from rewards: nothing as in Eq. 7, `batch_mean` or `normalised`."""


@dataclass(frozen=True)
class TrainingSettings:
    """Both stages."""

    mle: MleSettings = field(default_factory=MleSettings)
    discriminator: DiscriminatorSettings = field(default_factory=DiscriminatorSettings)
    buffer: BufferSettings = field(default_factory=BufferSettings)
    stage2: StageTwoSettings = field(default_factory=StageTwoSettings)
