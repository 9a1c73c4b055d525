"""Everything that training of style transfer changes, so that it can be saved and continued."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from sda.errors import UserError
from sda.models.copying import CopyingGenerator
from sda.models.generator import Frame
from sda.models.rewriter import Rewriter
from sda.models.transformer_rewriter import TransformerRewriter
from sda.randomness import seeded
from sda.training.state import load_optimizer, optimizer_tensors, prefixed, under
from sda.transfer.bins import Bins
from sda.transfer.rewriting import LONGER
from sda.transfer.style_discriminators import StyleDiscriminators
from sda.transfer.transfer_settings import RewriterSettings, TransferSettings
from sda.transfer.word_slots import WordSlots


@dataclass
class TransferState:
    """The generator, its optimiser in each stage, the discriminators where the form has some, the
    bins, the random numbers, and where training stands."""

    generator: CopyingGenerator
    discriminators: StyleDiscriminators | None
    optimizers: dict[str, torch.optim.Optimizer]
    bins: Bins
    rng: torch.Generator
    epoch: int = 0
    """Epochs of Stage I that are done."""
    round: int = 0
    """Rounds of Stage II that are done."""
    updates: int = 0
    """Of the generator, so far."""
    written: int = 0
    """Rewritings that the generator wrote for Stage II so far."""

    def tensors(self) -> dict[str, Tensor]:
        found = {
            "rng": self.rng.get_state(),
            # Dropout draws from torch's own generator.
            "global_rng": torch.get_rng_state(),
            **prefixed("generator", self.generator.state_dict()),
            **prefixed("bins", self.bins.tensors()),
        }
        if self.discriminators is not None:
            found |= prefixed("discriminators", self.discriminators.state_dict())
        for name, optimizer in self.optimizers.items():
            found |= prefixed(f"{name}_optimizer", optimizer_tensors(optimizer))
        return found

    def counters(self) -> dict[str, Any]:
        rates = {name: found.param_groups[0]["lr"] for name, found in self.optimizers.items()}
        return {**{name: getattr(self, name) for name in _COUNTERS}, "rates": rates}

    def load(self, tensors: Mapping[str, Tensor], counters: Mapping[str, Any]) -> None:
        """Be what `tensors` and `counters` of another state said."""
        self.generator.load_state_dict(under("generator", tensors))
        if self.discriminators is not None:
            self.discriminators.load_state_dict(under("discriminators", tensors))
        self.bins.load(under("bins", tensors))
        for name, optimizer in self.optimizers.items():
            moments = under(f"{name}_optimizer", tensors)
            load_optimizer(optimizer, moments, counters["rates"][name])
        for name in _COUNTERS:
            setattr(self, name, counters[name])
        self.rng.set_state(tensors["rng"])
        torch.set_rng_state(tensors["global_rng"])

    def update(self, stage: str, loss: Tensor, clip: float) -> float:
        """One step of the generator down the gradient of the loss; returns the loss."""
        optimizer = self.optimizers[stage]
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.generator.parameters(), clip)
        optimizer.step()
        self.updates += 1
        return loss.item()


_COUNTERS = ("epoch", "round", "updates", "written")


def build_transfer_state(
    settings: TransferSettings, slots: WordSlots, styles: int
) -> TransferState:
    """The state before the first update; the same seed gives the same one."""
    torch.manual_seed(settings.seed)
    rng = torch.Generator().manual_seed(settings.seed)
    generator = build_rewriter(settings.model, slots, settings.data.max_words, styles, rng)
    stage2 = settings.stage2
    is_adversarial = stage2.form == "adversarial"
    rate = stage2.policy_rate if is_adversarial else stage2.rate
    optimizers: dict[str, torch.optim.Optimizer] = {
        "denoising": _adam(generator, settings.denoising.rate),
        "stage2": _adam(generator, rate),
    }
    discriminators = None
    if is_adversarial:
        # With numbers of their own, so that Stage I is the same in all forms.
        own = seeded(settings.seed, "discriminators")
        discriminators = StyleDiscriminators(len(slots), styles, own)
        optimizers["discriminators"] = _adam(discriminators, stage2.discriminator_rate)
    return TransferState(generator, discriminators, optimizers, Bins(stage2.capacity, styles), rng)


def _adam(model: nn.Module, rate: float) -> torch.optim.Optimizer:
    return torch.optim.Adam(model.parameters(), rate, fused=True)


def build_rewriter(
    model: RewriterSettings, slots: WordSlots, longest: int, styles: int, rng: torch.Generator
) -> CopyingGenerator:
    """The generator that the settings describe."""
    try:
        return _rewriter(model, slots, longest, styles, rng)
    # Of torch, where a size is beyond all numbers.
    except (RuntimeError, TypeError, OverflowError) as error:
        raise UserError(f"setting 'model': {(str(error).splitlines() or [''])[0]}") from None


def _rewriter(
    model: RewriterSettings, slots: WordSlots, longest: int, styles: int, rng: torch.Generator
) -> CopyingGenerator:
    # The end counts too, and a rewriting may be longer than its source.
    frame = Frame(len(slots), slots.eos, longest + 1 + LONGER)
    writable = min(model.writable + 1, slots.known)
    if model.kind == "transformer":
        if model.embedding % (2 * model.heads):
            raise UserError(
                f"setting 'model.embedding': a Transformer needs a multiple of 2 * heads ="
                f" {2 * model.heads}, not {model.embedding}"
            )
        return TransformerRewriter(
            frame,
            rng,
            styles,
            writable,
            model.embedding,
            model.layers,
            model.heads,
            model.hidden,
            model.dropout,
        )
    return Rewriter(
        frame,
        rng,
        styles,
        writable,
        model.embedding,
        model.reading,
        model.hidden,
        model.dropout,
    )
