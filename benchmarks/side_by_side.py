"""Side by side with TRL: the same start, the same metric, the same number of metric calls.

    python -m benchmarks.side_by_side --out RUNS [--seeds 3] [--calls 256 512 1024]

A small Llama learns captions by maximum likelihood. From there TRL's RLOO and GRPO, and this
package's `metric-reward` and `recommended`, learn to write of animals; every system has its own
process and one thread. Each end of each budget is measured alike, no judge choosing: how many of
1,000 sentences the metric likes, distinct-2, self-BLEU-5, the loss on validation sentences, CPU
seconds of training and peak memory. Text that is colder scores higher and varies less, so the
metric is also given at the start's distinct-2, between two temperatures. What `recommended` hands
over has its judge choosing the better half of what is written, which TRL has nothing like: that
stands in rows of its own. What is done is not done again; one line of JSON each in
RUNS/points.jsonl, and the table in the end. Needs the extras `bench` and `hf`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np

from benchmarks.wanted import wanted

SENTENCES = 5000
SAMPLES = 1000
TEMPERATURES = (0.7, 0.8, 0.9, 1.0, 1.15, 1.3, 1.5)
BATCH = 64
TRL = ("rloo", "grpo")
SYSTEMS = (
    ("rloo", 3e-4),
    ("rloo", 1e-3),
    ("grpo", 3e-4),
    ("grpo", 1e-3),
    ("metric-reward", 1e-3),
    ("recommended", 1e-3),
)
JUDGED = "recommended"
SHARE = 0.5  # what its judge keeps by default of what is written
KL = 0.05
# One batch of likelihood after each step, in place of four, and no limits on what the result may
# lose: TRL has neither.
FORM = {"batch_size": BATCH, "kl": KL, "epochs": 8, "fewer_every": 8, "mle_batches": 1}
FREE = {"hand_over": {"check": False}, "guard": {"rules": []}}
MODEL = {
    "hidden_size": 128,
    "intermediate_size": 256,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
}


def captions() -> list[str]:
    from sda.settings.layers import Choices
    from sda.source import load_source

    loaded = load_source(Choices("captions", values={"embedded": {"train": SENTENCES}}).settle()[0])
    return loaded.vocabulary.decode(loaded.corpus.train)


def make_start(out: Path) -> Path:
    """The folder of the small Llama after maximum likelihood."""
    import sda
    from sda.runs.exporting import export_run

    folder = out / "start"
    if (folder / "README.md").is_file():
        return folder
    random = random_model(out / "random")
    run = sda.train(
        captions(),
        out / "mle",
        method="mle",
        generator=f"hf:{random}",
        settings={"mle": {"epochs": 8, "rate": 2e-3, "batch_size": 64}},
        quiet=True,
        resume=True,
    )
    export_run(run, folder)
    return folder


def random_model(folder: Path) -> Path:
    """The folder of a small Llama that has learned nothing, and knows the words of the captions."""
    import tokenizers
    import torch
    import transformers

    words = sorted({word for text in captions() for word in text.split()})
    names = ["<bos>", "<eos>", *words]
    made = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({name: i for i, name in enumerate(names)}, unk_token="<eos>")
    )
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    symbols = {"vocab_size": len(names), "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 1}
    torch.manual_seed(0)
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**MODEL, **symbols))
    model.save_pretrained(folder)
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<bos>", eos_token="<eos>"
    ).save_pretrained(folder)
    return folder


def learn(
    preset: str, start: Path, calls: int, rate: float, seed: int, out: Path
) -> dict[str, Any]:
    """A run of this package; what it cost in Stage II."""
    import sda

    run = sda.train(
        captions(),
        out,
        metric=wanted,
        preset=preset,
        generator=f"hf:{start}",
        seed=seed,
        settings={
            **FREE,
            "mle": {"epochs": 0},
            "calls": {"limit": calls},
            "stage2": {**FORM, "rate": rate},
        },
        quiet=True,
        resume=True,
    )
    lines = [line for line in run.progress() if line["stage"] not in ("mle", "discriminator")]
    return {
        "cpu_seconds": sum(line["cpu_seconds"] for line in lines),
        "steps": lines[-1]["updates"] if lines else 0,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def learn_apart(
    name: str, start: Path, calls: int, rate: float, seed: int, out: Path
) -> dict[str, Any]:
    """The same in a process of its own, TRL or not."""
    if name in TRL:
        command = ["benchmarks.trl_trainers", name, str(start)]
    else:
        command = ["benchmarks.side_by_side", "--one", name, "--start", str(start)]
    command += ["--calls", str(calls), "--rate", str(rate), "--seed", str(seed), "--out", str(out)]
    quiet = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", *command], capture_output=True, text=True, env=quiet
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def opened(folder: Path, out: Path) -> Any:
    """A folder as a run that has learned nothing more."""
    import sda

    return sda.train(
        captions(),
        out,
        method="mle",
        generator=f"hf:{folder}",
        settings={"mle": {"epochs": 0}},
        quiet=True,
        resume=True,
    )


def measure(run: Any, stage: str, share: float = 1) -> dict[str, Any]:
    """What a run's model writes at each temperature, or the share of it that its judge keeps."""
    import sda

    curve = []
    for temperature in TEMPERATURES:
        texts = run.sample(SAMPLES, temperature=temperature, seed=1, stage=stage, keep=share)
        pairs = [pair for text in texts for pair in pairwise(text.split())]
        curve.append((len(set(pairs)) / max(1, len(pairs)), mean(wanted(texts))))
        if temperature == 1.0:
            plain = texts
    figures = {score.name: score.value for score in sda.evaluate(plain, captions()).scores}
    return {"curve": curve, "self-bleu-5": figures["self-bleu-5"]}


def at_distinct(curve: Sequence[Sequence[float]], wanted_distinct: float) -> float:
    """The metric where the curve has that distinct-2; its end beyond."""
    ordered = sorted(map(tuple, curve))
    return float(np.interp(wanted_distinct, [d for d, _ in ordered], [m for _, m in ordered]))


def loss_of(run: Any, stage: str) -> float:
    """Nats a token on validation sentences."""
    import torch

    from sda.source import load_source

    sentences = load_source(run.settings).corpus.valid
    with torch.no_grad():
        total = run.generator(stage).loss(sentences) * len(sentences)
    return float(total / sentences.lengths.sum())


def points(out: Path, seeds: int, budgets: Sequence[int]) -> list[dict[str, Any]]:
    """All that is known, after all that was not has been done."""
    import sda

    start = make_start(out)
    file = out / "points.jsonl"
    known = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    found = [json.loads(line) for line in known]
    done = {(one["system"], one["calls"], one["seed"]) for one in found}

    def keep(system: str, calls: int, seed: int, costs: dict[str, Any], **what: Any) -> None:
        found.append({"system": system, "calls": calls, "seed": seed, **costs, **what})
        with file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(found[-1]) + "\n")

    if ("start", 0, 0) not in done:
        run = opened(start, out / "opened")
        keep("start", 0, 0, {}, **measure(run, "mle"), nll=loss_of(run, "mle"))
    for seed in range(seeds):
        for calls in budgets:
            for name, rate in SYSTEMS:
                system = f"{name}, rate {rate:g}"
                if (system, calls, seed) in done:
                    continue
                room = out / f"{name}-{rate:g}-{calls}-{seed}"
                costs = learn_apart(name, start, calls, rate, seed, room)
                if name in TRL:
                    run, stage = opened(room, room / "opened"), "mle"
                else:
                    run, stage = sda.Run(room, metric=wanted), "last"
                what = {**measure(run, stage), "nll": loss_of(run, stage)}
                keep(system, calls, seed, costs, **what)
                if name == JUDGED:
                    chosen = {**measure(run, stage, SHARE), "nll": what["nll"]}
                    keep(f"{system}, its judge choosing half", calls, seed, costs, **chosen)
    return found


def table(found: Sequence[dict[str, Any]]) -> str:
    """Markdown: means and standard deviations over seeds."""
    start = next(one for one in found if one["system"] == "start")
    base = dict(zip(TEMPERATURES, start["curve"], strict=True))[1.0]
    groups: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    for one in found:
        groups[one["system"], one["calls"]].append(one)
    head = ["system", "metric calls", "metric", "distinct-2", "self-BLEU-5", "metric at the"]
    head[-1] += f" start's distinct-2 ({base[0]:.3f})"
    head += ["nats a token", "CPU s", "CPU s a step", "MB"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for (system, calls), some in groups.items():
        at = [dict(zip(TEMPERATURES, one["curve"], strict=True))[1.0] for one in some]
        cells = [
            system,
            f"{calls:,}",
            _spread([point[1] for point in at]),
            _spread([point[0] for point in at]),
            _spread([one["self-bleu-5"] for one in some]),
            _spread([at_distinct(one["curve"], base[0]) for one in some]),
            _spread([one["nll"] for one in some]),
        ]
        if "cpu_seconds" in some[0]:
            seconds = mean(one["cpu_seconds"] for one in some)
            steps = mean(one["steps"] for one in some)
            cells += [f"{seconds:.0f}", f"{seconds / max(1, steps):.2f}"]
            cells += [f"{mean(one['megabytes'] for one in some):.0f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _spread(values: Sequence[float]) -> str:
    return f"{mean(values):.3f}" + (f" ± {stdev(values):.3f}" if len(values) > 1 else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--calls", type=int, nargs="+", default=[256, 512, 1024])
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--start", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--rate", type=float, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        how = (given.one, given.start, given.calls[0], given.rate, given.seed, given.out)
        print(json.dumps(learn(*how)))
    else:
        print(table(points(given.out, given.seeds, given.calls)))


if __name__ == "__main__":
    main()
