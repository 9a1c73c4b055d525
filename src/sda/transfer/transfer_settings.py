"""What a run of style transfer is told, one sentence under each value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import tomli_w
from pydantic import (
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    ValidationError,
)
from pydantic.fields import Field

from sda import LARGEST_SEED
from sda.settings.layers import Layers
from sda.settings.schema import MOST_THREADS, read_toml, wrong_setting
from sda.settings.vouched import Vouched
from sda.training.stages import Section
from sda.transfer.noise import NoiseSettings
from sda.transfer.word_slots import SLOTS

MOST_SENTENCES = 10**8
"""Of each style that a source without data is asked for."""


class StyledDataSettings(Section):
    """The sentences of each style, and how they are cut into words."""

    names: list[str] | None = None
    """What the styles are called; by default as their files are."""
    tokenizer: str = "whitespace"
    """What a word is: `whitespace`, `words` or `characters`."""
    lowercase: bool = False
    """Whether capital letters become small ones."""
    min_count: PositiveInt = 2
    """How often a word has to occur to be known; others can be copied all the same."""
    max_words: int = Field(default=40, ge=1, le=SLOTS)
    """Longer sentences are left out of training; where they are to be rewritten, in pieces."""
    size: int = Field(default=10_000, ge=1, le=MOST_SENTENCES)
    """Sentences of each style that `reviews` and `tense` draw."""
    limit: PositiveInt = 30_000
    """Most sentences of each style that the model learns from; judges learn from all."""
    valid: int = Field(default=500, ge=1, le=MOST_SENTENCES)
    """Sentences of each style that are set aside, a tenth at most: they choose how sentences are
    rewritten, and stand in the report."""


class RewriterSettings(Section):
    """The model."""

    kind: Literal["gru", "transformer"] = "gru"
    """A GRU that reads both ways and one that writes, or a Transformer of both."""
    writable: PositiveInt = 2000
    """The most frequent words, which can be written anywhere; others can be copied."""
    embedding: PositiveInt = 96
    """Numbers of a word's vector; of all vectors in a Transformer."""
    reading: PositiveInt = 96
    """Units that read the source, in each direction; a Transformer has none."""
    hidden: PositiveInt = 192
    """Units that write; in a Transformer those between the two layers of a network."""
    layers: PositiveInt = 2
    """Layers of a Transformer that read, and as many that write."""
    heads: PositiveInt = 4
    """Heads of each of them."""
    dropout: float = Field(default=0.0, ge=0, lt=1)
    """Share of the units that are left out in training."""


class DenoisingSettings(Section):
    """Stage I: restoring sentences of each style from what noise left of them."""

    epochs: NonNegativeInt = 3
    """Epochs of `walk` sentences."""
    walk: PositiveInt = 20_000
    """Sentences that an epoch sees, drawn at random."""
    batch_size: PositiveInt = 64
    """Sentences in one update."""
    rate: PositiveFloat = 2e-3
    """Adam's learning rate at first."""
    rate_factor: float = Field(default=0.85, gt=0, le=1)
    """What the rate is multiplied with after each epoch."""
    clip: PositiveFloat = 5.0
    """Norm at which gradients are cut, in both stages."""
    back_translation: float = Field(default=0.0, ge=0, le=1)
    """Share of the updates that restore a sentence from what the model itself made of it in another
    style, in place of noise."""


class TransferStageTwoSettings(Section):
    """Stage II: learning from what the model writes in other styles."""

    form: Literal["imitation", "adversarial", "off"] = "imitation"
    """Likelihood of the best rewriting of each source by the metric (`imitation`); the paper's form
    with a discriminator for each style and the policy gradient (`adversarial`); or nothing."""
    rounds: NonNegativeInt = 6
    """Rounds of writing and learning."""
    sources: PositiveInt = 2000
    """Sentences that are rewritten in each round."""
    candidates: PositiveInt = 6
    """Rewritings of each of them."""
    temperature: PositiveFloat = 0.7
    """What the logits of candidates are divided by."""
    raw: float = Field(default=0.33, ge=0, le=1)
    """Share of the candidates that are written with nothing masked, after the second round."""
    least_style: float = Field(default=0.5, ge=0, le=1)
    """A rewriting that is less likely than this of its style is not kept."""
    capacity: PositiveInt = 5000
    """Rewritings that each style's bin keeps, one for each source; the oldest leave."""
    learned: PositiveInt = 6000
    """Pairs that are learned in a round, drawn from the bins, in both directions."""
    masked: float = Field(default=0.5, ge=0, le=1)
    """Share of the pairs whose source has style words masked."""
    denoising: NonNegativeInt = 5
    """After so many updates comes one of Stage I, so that it is not forgotten; 0 is never."""
    rate: PositiveFloat = 1e-3
    """Adam's learning rate; that of the policy gradient is `policy_rate`."""
    policy_rate: PositiveFloat = 2e-4
    """Adam's learning rate in the adversarial form."""
    first_steps: PositiveInt = 6
    """Training-data steps in a round of the adversarial form at first, before one augmented
    step."""
    fewer_every: PositiveInt = 2
    """Rounds after which there is one training-data step fewer."""
    updates: PositiveInt = 8
    """Updates of the generator in each of these steps."""
    discriminator_updates: PositiveInt = 8
    """Updates of each style's discriminator in each of these steps."""
    discriminator_rate: PositiveFloat = 5e-4
    """Adam's learning rate for the discriminators."""
    rollouts: NonNegativeInt = 0
    """Completions of each beginning that a word is rewarded by; 0 gives every word its sentence's
    reward."""
    reconstruction: NonNegativeFloat = 1.0
    """Weight of restoring a source from itself and from its rewriting, in the adversarial form."""


class RewritingMetricSettings(Section):
    """What a good rewriting is: m(s | x, style)."""

    judges: list[str] = Field(default=["cnn", "language-model-ratio"], min_length=1)
    """Kinds of judges whose mean probability of the style is the first part."""
    style: float = 1.0
    """Weight of that part."""
    content: float = 2.0
    """Weight of BLEU-2 against the source."""
    fluency: float = 0.3
    """Weight of the mean log-probability of a word in an n-gram model of the style."""
    function: str | None = None
    """A function of one's own in place of the three, as FILE.py:FUNCTION: it is given the
    rewritings and, under the name `context`, a list whose entries have a `label`, the style, and a
    `source`; higher is better."""


class ApplySettings(Section):
    """How a trained model rewrites."""

    thresholds: list[float] = Field(default=[0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 2.5], min_length=1)
    """Words of other styles with log-odds above one of these are masked in what the model reads;
    with nothing masked is always tried too."""
    shares: list[Annotated[float, Field(gt=0, le=1)]] = Field(
        default=[1.0, 0.9, 0.8, 0.7], min_length=1
    )
    """Words above this share of the highest log-odds in their sentence are masked too, where one
    pass rewrites; 1 leaves it at the thresholds. Each is tried with each threshold."""
    temperature: PositiveFloat = 0.6
    """What logits are divided by where more candidates are asked for than there are such inputs."""


class TransferReportSettings(Section):
    """How a finished run is scored."""

    judges: list[str] = Field(default=["cnn", "language-model-ratio", "naive-bayes"], min_length=1)
    """Kinds of judges of style, which learn from other sentences than those of the metric."""


class TransferSettings(Section):
    """Everything that determines a run of style transfer."""

    sources: list[str]
    """A file for each style, or the name of a source without data."""
    seed: int = Field(default=0, ge=0, le=LARGEST_SEED)
    """What all random choices come from."""
    threads: int = Field(default=1, ge=1, le=MOST_THREADS)
    """Threads of torch; sums of floats depend on them."""
    data: StyledDataSettings = StyledDataSettings()
    model: RewriterSettings = RewriterSettings()
    noise: NoiseSettings = NoiseSettings()
    denoising: DenoisingSettings = DenoisingSettings()
    stage2: TransferStageTwoSettings = TransferStageTwoSettings()
    metric: RewritingMetricSettings = RewritingMetricSettings()
    apply: ApplySettings = ApplySettings()
    report: TransferReportSettings = TransferReportSettings()


def settle_transfer(
    sources: Sequence[str],
    values: Mapping[str, Any],
    config: Path | None = None,
    assignments: Sequence[str] = (),
) -> TransferSettings:
    """The settings: the file's, over them single values, over those what `--set` says."""
    layers = Layers([])
    if config is not None:
        layers.add(read_toml(config), str(config))
    layers.add(values, "command line")
    for assignment in assignments:
        layers.set(assignment)
    found = make_transfer_settings({**layers.table, "sources": list(sources)})
    if found.metric.function is None:
        return found
    own = found.metric.model_copy(update={"function": Vouched(found.metric.function)})
    return found.model_copy(update={"metric": own})


def make_transfer_settings(table: Mapping[str, Any]) -> TransferSettings:
    """Settings from plain tables; a wrong key or value raises one sentence that names it."""
    try:
        return TransferSettings.model_validate(table)
    except ValidationError as error:
        raise wrong_setting(error, lambda _: " of style transfer") from None


def transfer_toml(settings: TransferSettings) -> str:
    """All settings that have a value, as TOML."""
    head = "# The complete settings of this run of style transfer.\n"
    return head + tomli_w.dumps(settings.model_dump(exclude_none=True))
