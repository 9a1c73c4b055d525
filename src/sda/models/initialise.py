"""First values of parameters, drawn from the run's own generator."""

import torch
from torch import nn


@torch.no_grad()
def normal_(model: nn.Module, std: float, rng: torch.Generator) -> None:
    """Every parameter is drawn from N(0, std), as in SeqGAN and LeakGAN."""
    for parameter in model.parameters():
        parameter.copy_(torch.randn(parameter.shape, generator=rng) * std)


@torch.no_grad()
def normal_weights_(model: nn.Module, std: float, rng: torch.Generator) -> None:
    """Matrices are drawn from N(0, std) and biases are zero; the scales of norms stay at one."""
    for name, parameter in model.named_parameters():
        if parameter.dim() > 1:
            parameter.copy_(torch.randn(parameter.shape, generator=rng) * std)
        elif name.endswith("bias"):
            parameter.zero_()
