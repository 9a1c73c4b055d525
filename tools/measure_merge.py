"""How far a model with its adapter merged is from the adapter applied, and how near it could be.

    python tools/measure_merge.py MODEL [--rank 8] [--spread 0.02]

MODEL is the folder of a causal language model. Its adapter gets random weights. All
log-probabilities after six tokens are compared: merged by peft in 32 bits, merged in 64 bits and
rounded once, and both ways computed in 64 bits. One line of JSON; each figure is the largest
difference.
"""

from __future__ import annotations

import argparse
import copy
import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from sda.models.generator import Frame
from sda.pretrained.causal import PretrainedGenerator
from sda.text.model_tokens import ModelVocabulary
from sda.text.tokens import tokenizer

TOKENS = 6


def with_adapter(path: Path, rank: int, spread: float) -> Any:
    """The model with an adapter that changes something."""
    vocabulary = ModelVocabulary.read(path, tokenizer("whitespace"), has_prompts=False)
    rng = torch.Generator().manual_seed(0)
    frame = Frame(len(vocabulary), vocabulary.eos, TOKENS)
    network = PretrainedGenerator(frame, rng, vocabulary, str(path), rank).eval().network
    for name, value in network.named_parameters():
        if "lora_B" in name:
            value.normal_(0, spread, generator=rng)
    return network


def merged_in_64_bits(network: Any) -> Any:
    """A copy whose weights are sums of 64 bits, rounded once, and whose adapter does nothing."""
    made = copy.deepcopy(network)
    for layer in made.modules():
        if hasattr(layer, "get_delta_weight"):
            lower, upper = layer.lora_A["default"].weight, layer.lora_B["default"].weight
            change = upper.double() @ lower.double() * layer.scaling["default"]
            layer.base_layer.weight.copy_(layer.base_layer.weight.double() + change)
            upper.zero_()
    return made


def log_probs(network: Any, tokens: Tensor) -> Tensor:
    found: Tensor = network(tokens).logits[0].log_softmax(-1).double()
    return found


@torch.no_grad()
def measure(path: Path, rank: int, spread: float) -> dict[str, float]:
    network = with_adapter(path, rank, spread)
    size = network.get_base_model().config.vocab_size
    tokens = torch.randint(size, (1, TOKENS), generator=torch.Generator().manual_seed(1))
    applied = log_probs(network, tokens)
    exact = log_probs(copy.deepcopy(network).double(), tokens)
    rounded = merged_in_64_bits(network)
    once = log_probs(rounded, tokens)
    once_exact = log_probs(rounded.double(), tokens)
    merged = log_probs(network.merge_and_unload(), tokens)
    pairs = {
        "merged in 32 bits, applied": (merged, applied),
        "merged in 64 bits and rounded once, applied": (once, applied),
        "applied, applied in 64 bits": (applied, exact),
        "merged in 64 bits and rounded once, computed in 64 bits, applied in 64 bits": (
            once_exact,
            exact,
        ),
    }
    return {name: float((one - other).abs().max()) for name, (one, other) in pairs.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument("--spread", type=float, default=0.02)
    given = parser.parse_args()
    torch.set_num_threads(1)
    print(json.dumps(measure(given.model, given.rank, given.spread)))


if __name__ == "__main__":
    main()
