"""TRL's trainers as they come, on a folder of a model and a function, for `side_by_side.py`.

    python -m benchmarks.trl_trainers rloo START --calls 1024 --rate 3e-4 --seed 0 --out DIR

Writes the trained model to DIR, and prints its costs as JSON: CPU seconds of training alone, steps
and peak memory of the process.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time
from pathlib import Path
from typing import Any

from benchmarks.wanted import wanted

BATCH = 64  # completions of a step, each of which the metric is asked about
GENERATIONS = 8  # completions of one prompt that are compared with each other
LONGEST = 24  # tokens
BETA = 0.05  # weight of the KL divergence from the start


def reward(completions: list[str], **_: Any) -> list[float]:
    return wanted(completions)


def train(name: str, start: Path, calls: int, rate: float, seed: int, out: Path) -> dict[str, Any]:
    import torch
    import trl
    from datasets import Dataset
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.set_num_threads(1)
    settings, trainer = {
        "rloo": (trl.RLOOConfig, trl.RLOOTrainer),
        "grpo": (trl.GRPOConfig, trl.GRPOTrainer),
    }[name]
    tokenizer = AutoTokenizer.from_pretrained(start, padding_side="left")
    tokenizer.pad_token = tokenizer.eos_token
    steps = calls // BATCH
    arguments = settings(
        output_dir=str(out / "trl"),
        per_device_train_batch_size=BATCH,
        num_generations=GENERATIONS,
        max_completion_length=LONGEST,
        max_steps=steps,
        learning_rate=rate,
        lr_scheduler_type="constant",
        beta=BETA,
        temperature=1.0,
        seed=seed,
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        report_to="none",
        save_strategy="no",
        logging_strategy="no",
        disable_tqdm=True,
    )
    prompts = Dataset.from_dict({"prompt": [tokenizer.bos_token] * (BATCH * max(1, steps))})
    model = AutoModelForCausalLM.from_pretrained(start)
    learner = trainer(
        model=model,
        reward_funcs=reward,
        args=arguments,
        train_dataset=prompts,
        processing_class=tokenizer,
    )
    begun = time.process_time()
    learner.train()
    cpu = time.process_time() - begun
    model.save_pretrained(out)
    AutoTokenizer.from_pretrained(start).save_pretrained(out)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"cpu_seconds": cpu, "steps": steps, "megabytes": peak}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("name", choices=("rloo", "grpo"))
    parser.add_argument("start", type=Path)
    parser.add_argument("--calls", type=int, required=True)
    parser.add_argument("--rate", type=float, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    os.environ["HF_HUB_OFFLINE"] = "1"
    found = train(given.name, given.start, given.calls, given.rate, given.seed, given.out)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
