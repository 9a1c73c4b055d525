"""Folders of random pretrained models, as transformers writes them: a few hundred kB at most."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Literal

import pytest
import torch
from tiny import toy_lines

os.environ["HF_HUB_OFFLINE"] = "1"

Kind = Literal["llama", "gpt2"]
# Two heads of queries share one of keys and values; the embeddings of GPT-2 are its output layer.
LLAMA = {
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 128,
    "initializer_range": 0.3,
}
GPT2 = {"n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 128, "initializer_range": 0.3}


def write_model(folder: Path, kind: Kind, tokenizer: Any, seed: int = 0, **more: Any) -> Path:
    """A random model with that tokeniser of the package tokenizers."""
    library = pytest.importorskip("transformers", reason="the extra hf is not installed")
    size = tokenizer.get_vocab_size(with_added_tokens=True)
    eos, bos = tokenizer.token_to_id("<eos>"), tokenizer.token_to_id("<bos>")
    symbols = {"vocab_size": size, "eos_token_id": eos, "bos_token_id": eos if bos is None else bos}
    if kind == "llama":
        config = library.LlamaConfig(**{**LLAMA, **symbols, "pad_token_id": eos, **more})
    else:
        config = library.GPT2Config(**{**GPT2, **symbols, **more})
    with torch.random.fork_rng(devices=()):
        torch.manual_seed(seed)
        model = library.AutoModelForCausalLM.from_config(config)
    model.save_pretrained(folder)
    names = {"eos_token": "<eos>", **({} if bos is None else {"bos_token": "<bos>"})}
    fast = library.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names)
    fast.save_pretrained(folder)
    return folder


def word_tokenizer(words: int, has_bos: bool) -> Any:
    """Ids 0 to `words` - 1, of which the first is the end; then the start symbol, if any."""
    tokenizers = pytest.importorskip("tokenizers", reason="the extra hf is not installed")
    names = ["<eos>", *(f"w{number}" for number in range(1, words)), *(["<bos>"] * has_bos)]
    made = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({name: i for i, name in enumerate(names)}, unk_token="<eos>")
    )
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    return made


def byte_tokenizer(texts: list[str], has_bos: bool = True, size: int = 300) -> Any:
    """Byte-level pieces that were learned from the texts, as GPT-2 and SmolLM2 have them."""
    tokenizers = pytest.importorskip("tokenizers", reason="the extra hf is not installed")
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=[*(["<bos>"] * has_bos), "<eos>"],
        initial_alphabet=sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    made.train_from_iterator(texts, trainer)
    return made


@cache
def word_model(kind: Kind, words: int, has_bos: bool, **more: Any) -> Path:
    """One folder a process for each kind."""
    folder = Path(mkdtemp(prefix="sda-model-"))
    return write_model(folder, kind, word_tokenizer(words, has_bos), **more)


@cache
def byte_model(kind: Kind, **more: Any) -> Path:
    """The same with pieces of bytes, which can write any text."""
    folder = Path(mkdtemp(prefix="sda-model-"))
    return write_model(folder, kind, byte_tokenizer(toy_lines()), **more)
