"""First values of parameters, drawn from the run's own generator."""

import torch
from torch import nn


@torch.no_grad()
def normal_(model: nn.Module, std: float, rng: torch.Generator) -> None:
    """Every parameter is drawn from N(0, std), as in SeqGAN and LeakGAN."""
    for parameter in model.parameters():
        parameter.copy_(torch.randn(parameter.shape, generator=rng) * std)
