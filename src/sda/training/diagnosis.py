"""Figures that tell a healthy Stage II from a dying one."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from sda.models.generator import Generator, without_dropout
from sda.text.ngrams import number_sentences
from sda.text.sentences import Sentences
from sda.training.progress import Meter
from sda.training.reward import distance_from_start
from sda.training.state import TrainState


@torch.no_grad()
def diagnose(
    state: TrainState,
    generator: Generator,
    written: Sentences,
    accepted: int,
    fake: Sentences,
    rewards: Tensor,
    meter: Meter,
) -> None:
    """Add what one step of the generator shows: rewards, entropy, lengths, duplicates, turnover."""
    with without_dropout(generator):
        log_probs = generator.log_probs(fake)
    tokens = int(fake.lengths.sum())
    meter.add(
        reward=(rewards.sum() / tokens).item(),
        entropy=-(log_probs.cpu().double().sum() / tokens).item(),
    )
    seen = state.buffer.words(Sentences.join([written, fake]))
    distinct = len(np.unique(number_sentences(seen)))
    meter.add(duplicates=1 - distinct / len(seen), length=float(seen.lengths.mean()))
    if state.start:
        meter.add(kl_start=(distance_from_start(state, fake).cpu().double().sum() / tokens).item())
    if len(written):
        meter.add(accepted=accepted / len(written))
