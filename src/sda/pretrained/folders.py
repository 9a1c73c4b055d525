"""A generator's model as the folder that people expect: what `from_pretrained` opens."""

from __future__ import annotations

import os
from pathlib import Path

from sda.errors import UserError
from sda.files import read_json, write_json
from sda.pretrained.causal import PretrainedGenerator
from sda.pretrained.library import ADAPTER, load_tokenizer, quietly


def write_model(generator: PretrainedGenerator, out: Path, merge: bool) -> None:
    """The folder holds the model, or its adapter alone, with tokeniser and generation settings.

    With `merge` an adapter is added to the weights, and the folder needs no other. The generator is
    of no use afterwards.
    """
    if out.exists() and any(out.iterdir()):
        raise UserError(f"{out}: not empty; choose another folder")
    network, causal = generator.network, generator.causal
    is_adapter = network is not causal
    if merge and not is_adapter:
        raise UserError(
            "there is nothing to merge: this run taught all weights of the model, which are in the"
            " folder without --merge"
        )
    settings = causal.generation_config
    settings.bos_token_id, settings.eos_token_id = generator.bos, generator.eos
    settings.do_sample, settings.max_new_tokens = True, generator.max_length
    with quietly():
        if merge:
            network.merge_and_unload().save_pretrained(out)
        else:
            network.save_pretrained(out)
            settings.save_pretrained(out)
        load_tokenizer(generator.path).save_pretrained(out)
    # The package puts a page of its own there, which tells nothing.
    (out / "README.md").unlink(missing_ok=True)
    if is_adapter and not merge:
        config = read_json(out / ADAPTER)
        base = os.path.relpath(generator.path, out)
        write_json(out / ADAPTER, {**config, "base_model_name_or_path": base})


def is_adapter_folder(folder: Path) -> bool:
    """Whether the folder holds an adapter alone."""
    return (folder / ADAPTER).is_file()
