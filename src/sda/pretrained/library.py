"""The packages that open pretrained models: the only file that imports them, and only when asked.

Nothing is ever fetched: a model is a folder that is there. Weights are read from safetensors only,
and code that comes with a model is never run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from sda.errors import UserError

MISSING = "Pretrained models need the packages transformers and peft: pip install 'sda-text[hf]'."
# Without a word on it, some of the packages ask on the terminal whether to run a model's code.
CLOSED: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
SAFE: dict[str, Any] = {**CLOSED, "use_safetensors": True, "dtype": torch.float32}
ADAPTER = "adapter_config.json"


def transformers_library() -> Any:
    """The package `transformers`, which looks for nothing outside."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    try:
        import transformers
    except ImportError as error:
        raise UserError(MISSING) from error
    return transformers


def peft_library() -> Any:
    """The package `peft`."""
    transformers_library()
    try:
        import peft
    except ImportError as error:
        raise UserError(MISSING) from error
    return peft


def load_causal(path: str) -> Any:
    """The causal language model in the folder."""
    return _load(path, "AutoModelForCausalLM")


def load_encoder(path: str, layers: int | None) -> Any:
    """The model in the folder without its output layer, with its first layers alone if so asked."""
    more = {} if layers is None else {"num_hidden_layers": layers}
    return _load(path, "AutoModel", **more)


def load_config(path: str) -> Any:
    """What the folder says of its model."""
    _check_folder(path)
    library = transformers_library()
    with explained(path):
        return library.AutoConfig.from_pretrained(path, **CLOSED)


def load_tokenizer(path: str) -> Any:
    """The tokeniser in the folder, to be saved beside a model."""
    _check_folder(path)
    with explained(path):
        return transformers_library().AutoTokenizer.from_pretrained(path, **CLOSED)


def _load(path: str, kind: str, **more: Any) -> Any:
    _check_folder(path)
    library = transformers_library()
    # First values that a package draws must not move the random numbers of a run.
    with quietly(), explained(path), torch.random.fork_rng(devices=()):
        return getattr(library, kind).from_pretrained(path, **SAFE, **more)


@contextmanager
def explained(path: str) -> Iterator[None]:
    """What the packages raise inside is told in one sentence that names the folder."""
    try:
        yield
    except UserError:
        raise
    # The packages raise whatever comes; a user knows the folder.
    except Exception as error:
        reason = str(error).strip().splitlines()
        raise UserError(
            f"{path}: not a model that can be opened ({type(error).__name__}:"
            f" {reason[0] if reason else 'no reason given'})"
        ) from None


@contextmanager
def quietly() -> Iterator[None]:
    """The packages say nothing inside but what is wrong, and draw no bars."""
    logging = transformers_library().utils.logging
    before = logging.get_verbosity()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(before)
        logging.enable_progress_bar()


def _check_folder(path: str) -> None:
    if (Path(path) / ADAPTER).is_file():
        # It would lead the packages to another folder, and to weights of any format.
        raise UserError(
            f"{path}: an adapter, not a model; `sda export --merge` makes a model of it"
        )
    if not (Path(path) / "config.json").is_file():
        raise UserError(
            f"{path}: no model there (config.json is missing); give the folder that save_pretrained"
            " wrote, or make one by `sda models smollm2 --out DIR`"
        )
