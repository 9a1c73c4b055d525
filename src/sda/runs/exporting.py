"""A run's pretrained model as a folder for others, with a card that says where it comes from."""

from __future__ import annotations

import os
from pathlib import Path

from sda.errors import UserError
from sda.files import write_text
from sda.pretrained.causal import PretrainedGenerator
from sda.pretrained.folders import is_adapter_folder, write_model
from sda.runs.run import Run
from sda.settings.method_name import method_name

SHOWN = (
    "bleu-3",
    "bleu-5",
    "lm-perplexity",
    "self-bleu-5",
    "distinct-2",
    "reverse-lm-perplexity",
    "mauve-ngram",
    "nll-test",
)


def export_run(run: Run, out: Path, merge: bool = False) -> None:
    """The folder holds what `save_pretrained` writes of the model that the run hands over."""
    generator = run.generator()
    if not isinstance(generator, PretrainedGenerator):
        raise UserError(
            f"{run.path}: its generator is no pretrained model, so there is no folder that"
            " transformers would open; `sda sample` writes with it"
        )
    write_model(generator.to("cpu"), out, merge)
    write_text(out / "README.md", _card(run, out, generator))


def _card(run: Run, out: Path, generator: PretrainedGenerator) -> str:
    """The model card: how to open it, what it was taught, how it scores, and all settings."""
    settings = run.settings
    base = os.path.relpath(generator.path, out)
    data = settings.data
    prompt = ""
    if data.has_prompts:
        given = "a prompt of its own" if data.prompt is None else f"the prompt {data.prompt!r}"
        prompt = f" Each follows on {given}."
    elif data.label is not None:
        prompt = " Each follows on the name of its label and a colon."
    verdict = run.verdict or "Nothing was compared with the start."
    lines = [
        "---",
        f"library_name: {'peft' if is_adapter_folder(out) else 'transformers'}",
        "pipeline_tag: text-generation",
        f"base_model: {base}",
        "tags: [sda-text]",
        "---",
        "",
        f"# {run.path.resolve().name}",
        "",
        f"`{Path(generator.path).name}`, taught by sda-text: {method_name(settings)} on"
        f" `{Path(settings.source).name}`, seed {settings.seed}.{prompt}",
        "",
        *_how_to_open(is_adapter_folder(out), base),
        "",
        "## Scores on test data",
        "",
        *_scores(run),
        "",
        verdict,
        "",
        "## Settings",
        "",
        "```toml",
        run.folder.config.read_text(encoding="utf-8").replace(f"{os.path.abspath('.')}/", ""),
        "```",
    ]
    return "\n".join(lines) + "\n"


def _how_to_open(is_adapter: bool, base: str) -> list[str]:
    if not is_adapter:
        code = ["model = AutoModelForCausalLM.from_pretrained(FOLDER)"]
    else:
        code = [
            "from peft import PeftModel",
            "",
            f"# The base is `{base}` as seen from this folder.",
            "base = AutoModelForCausalLM.from_pretrained(BASE)",
            "model = PeftModel.from_pretrained(base, FOLDER)",
        ]
    first = "from transformers import AutoModelForCausalLM, AutoTokenizer"
    last = "tokenizer = AutoTokenizer.from_pretrained(FOLDER)"
    return ["```text", first, *code, last, "```"]


def _scores(run: Run) -> list[str]:
    """A table of the rows of the run, or that there is none yet."""
    if not run.is_finished:
        return ["The run is not finished, and has no scores."]
    rows = run.scores()
    known = [{score.name: score.value for score in row.scores} for row in rows]
    names = [name for name in SHOWN if all(name in values for values in known[1:])]
    table = [f"| | {' | '.join(names)} |", f"|---|{'---:|' * len(names)}"]
    for row, values in zip(rows, known, strict=True):
        at = "" if row.temperature is None else f", temperature {row.temperature:g}"
        cells = [f"{values[name]:.3f}" if name in values else "-" for name in names]
        table.append(f"| {row.name}{at} | {' | '.join(cells)} |")
    return table
