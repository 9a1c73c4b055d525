"""What the two stages are told, one sentence under each value."""

from __future__ import annotations

from typing import Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
)
from pydantic.fields import Field

from sda.rewards import Baseline, Rescale


class Section(BaseModel):
    """A group of settings: fixed once made, and closed to names it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


MOST_TURNS = 10**6
"""Each is looked at before training begins."""


class MleSettings(Section):
    """Stage I, the generator's part."""

    epochs: int = Field(default=100, ge=0, le=MOST_TURNS)
    """Epochs of maximum likelihood; the paper has 100."""
    batch_size: PositiveInt = 64
    """Sentences in one update; the paper is silent, SeqGAN and LeakGAN have 64."""
    rate: PositiveFloat = 0.001
    """Adam's learning rate."""
    clip: PositiveFloat = 5.0
    """Norm at which gradients are cut, as in SeqGAN and LeakGAN."""
    patience: NonNegativeInt = 0
    """Epochs without a better validation loss before the rate falls; 0 never lowers it."""
    rate_factor: float = Field(default=0.4, gt=0, lt=1)
    """What the rate is multiplied with then."""
    rate_drops: NonNegativeInt = 2
    """How often the rate may fall; the next time the stage ends."""
    keep_best: bool = False
    """Whether the generator of the best validation epoch goes on, or that of the last one."""
    alternations: int = Field(default=0, ge=0, le=MOST_TURNS)
    """Turns over which discriminator rounds and epochs are dealt out; 0 puts the rounds last."""


class DiscriminatorSettings(Section):
    """How the discriminator is trained in both stages."""

    rate: PositiveFloat = 1e-4
    """Adam's learning rate, SeqGAN's."""
    batch_size: PositiveInt = 128
    """Sentences in one update, half of them real: 64 of each as in SeqGAN."""
    first_rounds: int = Field(default=10, ge=0, le=MOST_TURNS)
    """Rounds in Stage I, each with fresh fakes (decision 0036)."""
    first_passes: NonNegativeInt = 3
    """Walks over the sentences of one such round."""
    first_sentences: PositiveInt = 10_000
    """Real sentences, and as many fakes, in one such round."""
    negatives: Literal["written", "rejected"] = "written"
    """What is not real to it: what the generator writes now (Eq. 6); or all that the metric ever
    rejected. Then a judge is fitted after Stage I (`judge`), which rewards in its place; the buffer
    keeps the best of what the metric was asked for it."""
    rounds: NonNegativeInt = 5
    """Rounds in each step of Stage II (decision 0010); 0 where no reward asks for them."""
    passes: PositiveInt = 3
    """Walks over the sentences of one round in Stage II."""
    sentences: PositiveInt = 10_000
    """Real sentences, and as many fakes, in one round of Stage II; no more than the buffer has."""
    unseen: float = Field(default=0.0, ge=0, lt=1)
    """Share of the training sentences that the generator does not learn by likelihood, and that
    are all the discriminator knows of real text; 0 shows all of them to both."""


class JudgeSettings(Section):
    """The discriminator that is fitted on the metric's verdicts, accepted against rejected."""

    candidates: list[str] = Field(
        default=["states", "states-sum", "rnn", "surface", "surface-sum"], min_length=1
    )
    """Names of discriminators that are fitted; the best on unseen answers judges."""
    asked: PositiveInt = 2000
    """Sentences that the metric is asked for it; with a limit of calls, what the limit leaves."""
    checked: PositiveInt = 200
    """Sentences that the metric is asked in the end, to see whether what was learned is better; at
    most a tenth of the limit."""
    rounds: PositiveInt = 1
    """How often it is asked and the judge fitted anew, evenly over Stage II; first at its start."""
    keep: float = Field(default=0.5, gt=0, le=1)
    """The least share of what is written that is kept, by its verdict; more is kept where less
    would break a limit of `hand_over`."""
    shares: PositiveInt = 4
    """Even steps from `keep` up to all, which are tried one after the other in the end: with more
    of them what is kept is nearer to the limit."""
    holds_against: Literal["start", "choice"] = "start"
    """What Stage II must be shown to be better than, by the metric's answers, where the judge likes
    it best: what the start writes, or also what the judge would choose of that."""
    guide: float = Field(default=0.0, ge=0, le=1000)
    """How strongly the judge may weigh each word as it is written, in place of choosing among
    finished sentences, where it has verdicts on words; a half, a quarter or an eighth of it where
    more would break a limit of `hand_over`. 0: it chooses."""
    accept: float = Field(default=0.5, gt=0, lt=1)
    """The share of scored sentences nearest to which the cut between accepted and rejected lies; a
    metric that says yes or no has its own."""
    members: PositiveInt = 1
    """How many of the best kind are fitted; D is the mean of theirs."""
    unseen: float = Field(default=0.1, gt=0, lt=1)
    """Share of the scored sentences that a fit does not learn from: it ends the fit, and compares
    kinds. Each member has another part of them."""
    updates: PositiveInt = 1500
    """Updates of one fit at most."""
    check_every: PositiveInt = 50
    """Updates between two looks at the unseen part."""
    patience: PositiveInt = 6
    """Looks without a lower loss after which a fit ends."""
    batch_size: PositiveInt = 64
    """Sentences in one update."""
    rate: PositiveFloat = 1e-3
    """AdamW's learning rate."""
    decay: NonNegativeFloat = 1e-3
    """AdamW's weight decay."""


class BufferSettings(Section):
    """The buffer and what is written for it."""

    capacity: PositiveInt | None = None
    """Sentences kept (the paper's k), of each label where sentences have labels; by default `share`
    of the training sentences, in equal parts for the labels."""
    source: Literal["generator", "training"] = "generator"
    """Who writes for the buffer; with `training` the best training sentences stand in it, and
    nothing is written."""
    share: float = Field(default=0.1, gt=0, le=1)
    """Share of the training sentences that gives the capacity, at most 5,000 (decision 0011)."""
    candidates: NonNegativeInt = 1000
    """Sentences written for the buffer in each step (the paper's W)."""
    first_fill: NonNegativeInt = 10_000
    """Sentences written for it before the first step."""
    near_duplicates: float | None = Field(default=None, gt=0, le=1)
    """Leave out a sentence whose bigrams overlap this much (Jaccard) with a better one's."""
    length_quota: bool = False
    """Keep the lengths in the buffer distributed as in the training data."""
    reject_copies: bool = False
    """Keep sentences out that are training sentences word for word (decision 0013)."""
    max_age: NonNegativeInt | None = None
    """Epochs after which a sentence leaves (decision 0008)."""


class StageTwoSettings(Section):
    """Stage II, the generator's part."""

    epochs: int = Field(default=100, ge=0, le=MOST_TURNS)
    """Epochs of self data augmentation; the paper has 100."""
    first_steps: int = Field(default=6, ge=1, le=MOST_TURNS)
    """Training-data steps an epoch at first: "we run six imitating training data steps"."""
    fewer_every: PositiveInt = 10
    """Epochs after which there is one training-data step fewer: "after every ten epochs"."""
    steps: str = "alternating"
    """Training-data and augmented steps in turn; steps of one kind alone, as many: `training`,
    which is the RL baseline and needs no buffer, `augmented`, batches of maximum likelihood on
    training sentences (`likelihood`), on the buffer (`buffer`), or half on each (`blended`); an
    epoch of it on both (`mixed`); or `none`, no Stage II at all, which is plain MLE (decisions
    0114, 0121)."""
    batch_size: PositiveInt = 64
    """Sentences in the one policy-gradient update of a step."""
    rate: PositiveFloat = 1e-4
    """Adam's learning rate."""
    clip: PositiveFloat = 5.0
    """Norm at which gradients are cut."""
    rollouts: NonNegativeInt = 16
    """Completions of each beginning (the paper's N); 0 gives every token its sentence's reward."""
    rollout_every: PositiveInt = 1
    """Complete only every so many tokens; the tokens between share the reward."""
    reward: Literal["prob", "gail", "words", "constant", "metric"] = "prob"
    """D itself, as in Eq. 2; `gail`, -log(1 - D); `words`, for each word D of the beginning that
    ends with it, without completions; 1 for everything; or the score of the reference metric. The
    last two do not look at D, which is not trained then."""
    kl: NonNegativeFloat = 0.0
    """What a token loses for each nat by which it has become likelier than at the start of Stage
    II: the weight of a KL divergence; 0 as in the paper."""
    rescale: Rescale = "none"
    """What rewards become first: themselves, or with `rank` LeakGAN's sigmoid of their rank."""
    mle_every: NonNegativeInt = 0
    """Steps after which some batches of maximum likelihood come in; 0 never (decision 0037)."""
    mle_batches: PositiveInt = 60
    """How many batches these are: LeakGAN's twentieth of its 80,000 captions."""
    mixed_share: float = Field(default=0.05, gt=0, le=1)
    """The part of the buffer that an epoch of `mixed` steps adds: "5 %"."""
    mixed_top: bool = False
    """Whether that part are the best of the buffer, or any of it."""
    baseline: Baseline = "none"
    """What is subtracted from rewards: nothing as in Eq. 7, `batch_mean` or `normalised`."""
    entropy: NonNegativeFloat = 0.0
    """Weight of the policy's entropy beside the reward; Algorithm 1 has none (decision 0006)."""
    two_policy: bool = False
    """Whether augmented steps teach a policy of their own, as in the theory (decision 0006)."""
    lambda_w: NonNegativeFloat = 0.0
    """Weight of the Wasserstein distance of the two policies (decision 0007)."""
    hand_over: bool = True
    """Whether each of the two policies starts from the other when its turn comes."""


class TrainingSettings(Section):
    """Both stages."""

    mle: MleSettings = MleSettings()
    discriminator_phase: DiscriminatorSettings = DiscriminatorSettings()
    judge: JudgeSettings = JudgeSettings()
    buffer: BufferSettings = BufferSettings()
    stage2: StageTwoSettings = StageTwoSettings()
