"""Who names no pretrained model does not wait for the packages that open one."""

import subprocess
import sys

HEAVY = ("transformers", "peft", "datasets", "tensorboard", "trackio", "wandb", "tokenizers")


def test_training_imports_no_package_of_pretrained_models() -> None:
    code = (
        "import sys, sda.api, sda.cli, sda.pretrained.causal, sda.pretrained.judge, sda.show.sinks;"
        "print(*sys.modules)"
    )
    command = [sys.executable, "-c", code]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()

    assert "sda.runs.train" in printed
    assert not [name for name in HEAVY if name in printed]
