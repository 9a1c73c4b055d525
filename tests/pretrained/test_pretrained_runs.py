"""Runs with pretrained models, from the command to a folder that others open."""

import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny import Answer, Interrupting, outcome, write_toy
from tiny_models import byte_model

from sda.errors import UserError
from sda.runs.exporting import export_run
from sda.runs.run import Run
from sda.runs.train import train_run
from sda.settings.layers import Choices
from sda.show.terminal import Quiet, Reporter
from sda.training.stages import JudgeSettings

pytestmark = pytest.mark.slow

FEW = (
    "mle.epochs=2",
    "mle.rate=0.02",
    "stage2.epochs=1",
    "stage2.batch_size=4",
    "stage2.mle_batches=1",
    "judge.members=1",
    "judge.updates=20",
    "discriminator_phase.first_sentences=16",
    "discriminator_phase.sentences=16",
    "buffer.candidates=8",
    "buffer.first_fill=16",
    "evaluation.samples=20",
    "evaluation.final_samples=30",
    "evaluation.self_bleu_samples=30",
    "hand_over.samples=20",
)


def train(
    source: Path,
    out: Path,
    more: Sequence[str] = (),
    reporter: Reporter | None = None,
    resume: bool = False,
    **choices: Any,
) -> Run:
    choices = {"generator": f"hf:{byte_model('llama')}", "profile": "smoke", **choices}
    settings, origins = Choices(str(source), assignments=(*FEW, *more), **choices).settle()
    return train_run(settings, origins, out, reporter or Quiet(), resume)


def likes_cats(prompts: list[str], completions: list[str]) -> list[float]:
    """A reward function as TRL takes it."""
    assert set(prompts) == {"Say:"}
    return [float("cat" in text) + 0.01 * len(text.split()) for text in completions]


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_toy(tmp_path_factory.mktemp("text") / "toy.txt")


@pytest.fixture(scope="module")
def adapted(text: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Taught by an adapter, to write after a prompt what a metric likes; read it only."""
    table = tmp_path_factory.mktemp("table") / "toy.jsonl"
    lines = text.read_text(encoding="utf-8").splitlines()
    table.write_text("".join(json.dumps({"line": line}) + "\n" for line in lines))
    return train(
        table,
        tmp_path_factory.mktemp("runs") / "adapted",
        ("generator.lora=2", "stage2.kl=0.1"),
        metric=f"{Path(__file__)}:likes_cats",
        discriminator=f"hf:{byte_model('gpt2')}",
        values={"data": {"field": "line", "prompt": "Say:"}},
    )


def test_a_metric_teaches_a_model_with_a_prompt(adapted: Run) -> None:
    counters = json.loads((adapted.path / "checkpoints" / "stage1" / "state.json").read_text())[
        "counters"
    ]
    archive = (adapted.path / "archive.jsonl").read_text().splitlines()

    assert adapted.is_finished and counters["updates"] > 0
    assert {json.loads(line)["source"] for line in archive} == {"Say:"}
    assert adapted.settings.judge.candidates[:-1] == JudgeSettings().candidates
    assert adapted.settings.judge.candidates[-1].startswith("hf:")


def test_only_what_is_learned_is_saved(adapted: Run) -> None:
    for name in ("stage1", adapted.folder.checkpoints.latest()):
        tensors = adapted.folder.checkpoints.load(str(name)).tensors
        own = [key for key in tensors if key.startswith(("generator.", "start.", "best."))]
        assert own and all("lora_" in key for key in own)
        assert not any("embed_tokens" in key or "base_layer" in key for key in tensors)


def test_a_run_writes_after_its_prompt_or_another(adapted: Run) -> None:
    first, again = adapted.sample(3), adapted.sample(3, prompt="Say:")

    assert first == again and len(adapted.sample(2, prompt="the cat")) == 2


def test_a_moved_run_finds_its_models_beside_it(adapted: Run, tmp_path: Path) -> None:
    expected = adapted.sample(2, stage="mle", keep=1)
    shutil.copytree(adapted.path, tmp_path / "moved" / "run")
    shutil.copytree(byte_model("llama"), tmp_path / "moved" / "model")
    shutil.copytree(byte_model("gpt2"), tmp_path / "moved" / "judge")
    config = tmp_path / "moved" / "run" / "config.toml"
    content = config.read_text()
    for old, new in (("llama", "model"), ("gpt2", "judge")):
        content = content.replace(str(byte_model(old)), f"/gone/{new}")  # type: ignore[arg-type]
    config.write_text(content)

    assert Run(tmp_path / "moved" / "run").sample(2, stage="mle", keep=1) == expected


def test_a_folder_opens_with_transformers_alone(
    adapted: Run, tmp_path: Path, command: Callable[..., Answer]
) -> None:
    import peft
    import transformers

    applied, merged = tmp_path / "adapter", tmp_path / "merged"
    export_run(adapted, applied)
    assert command("export", adapted.path, "--out", merged, "--merge").code == 0
    base = transformers.AutoModelForCausalLM.from_pretrained(byte_model("llama"))
    with_adapter = peft.PeftModel.from_pretrained(base, applied)
    alone = transformers.AutoModelForCausalLM.from_pretrained(merged)
    tokenizer = transformers.AutoTokenizer.from_pretrained(merged)
    inputs = tokenizer("Say: the cat sat", return_tensors="pt").input_ids
    with torch.no_grad():
        one, other = with_adapter(inputs).logits, alone(inputs).logits
    torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)

    settings = json.loads((merged / "generation_config.json").read_text())
    assert (settings["bos_token_id"], settings["eos_token_id"]) == (0, 1)
    place = json.loads((applied / "adapter_config.json").read_text())["base_model_name_or_path"]
    assert not os.path.isabs(place)
    assert os.path.samefile(applied / place, byte_model("llama"))
    card = (merged / "README.md").read_text()
    assert "| mle, temperature 1 |" in card and "'Say:'" in card and "lora = 2" in card
    answer = command("export", adapted.path, "--out", merged)
    assert answer.code == 2 and "not empty" in answer.err


def test_a_run_that_is_taken_up_again_ends_the_same(text: Path, tmp_path: Path) -> None:
    """All weights learn, those of embedding and output layer are one; dropout is on."""
    model = byte_model("gpt2", attn_pdrop=0.1, resid_pdrop=0.1, embd_pdrop=0.1)
    judge = f"hf:{byte_model('llama')}"
    choices: dict[str, Any] = {
        "generator": f"hf:{model}",
        "discriminator": judge,
        "preset": "paper",
        "metric": "bleu",
    }
    more = ("stage2.kl=0.1", "stage2.rollouts=1", "stage2.rollout_every=4", "mle.epochs=1")
    train(text, tmp_path / "whole", more, **choices)
    with pytest.raises(KeyboardInterrupt):
        train(text, tmp_path / "parts", more, Interrupting(epochs=2), **choices)
    train(text, tmp_path / "parts", more, resume=True, **choices)

    whole, parts = outcome(tmp_path / "whole"), outcome(tmp_path / "parts")
    for side in (whole, parts):
        side["files"].pop("report.html")
    assert whole == parts
    # A start may be named with another path to the same model.
    link = tmp_path / "link"
    link.symlink_to(model)
    other = {**choices, "generator": f"hf:{link}", "values": {"start": str(tmp_path / "whole")}}
    assert train(text, tmp_path / "begun", more, **other).is_finished
    # All weights were taught, so that there is nothing to merge.
    with pytest.raises(UserError, match="nothing to merge"):
        export_run(Run(tmp_path / "whole"), tmp_path / "out", merge=True)


@pytest.mark.usefixtures("pretended")
def test_nothing_is_left_behind_on_a_device(text: Path, tmp_path: Path) -> None:
    few = (
        "data.limit=30",
        "mle.epochs=1",
        "evaluation.samples=4",
        "evaluation.final_samples=4",
        "evaluation.self_bleu_samples=4",
        "stage2.batch_size=2",
        "stage2.first_steps=1",
        "buffer.candidates=2",
        "buffer.first_fill=4",
        "discriminator_phase.sentences=4",
    )
    run = train(
        text,
        tmp_path / "run",
        (*few, "generator.lora=1", "discriminator_phase.first_sentences=4", "stage2.kl=0.1"),
        preset="paper",
        metric="bleu",
        discriminator=f"hf:{byte_model('llama')}",
    )

    assert run.is_finished


def test_what_cannot_be_is_refused(text: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="hf:PATH"):
        train(text, tmp_path / "run", generator="hf")
    with pytest.raises(UserError, match=r"tokenizer.json: no such file"):
        train(text, tmp_path / "run", generator=f"hf:{tmp_path / 'nowhere'}")
    with pytest.raises(UserError, match=r"unknown setting 'generator.lora'"):
        train(text, tmp_path / "run", ("generator.lora=2",), generator="rnn")
    with pytest.raises(UserError, match="prompt is for pretrained models"):
        train(text, tmp_path / "run", ("data.prompt=x",), generator="rnn")
    with pytest.raises(UserError, match="reads no prompts"):
        model = f"data.model={byte_model('llama')}"
        train(text, tmp_path / "run", (model, "data.prompt=x"), generator="rnn")
    with pytest.raises(UserError, match="learns from text"):
        train(Path("captions"), tmp_path / "run")
    with pytest.raises(UserError, match="its own subwords"):
        train(text, tmp_path / "run", ("data.subwords=300",))
    assert not (tmp_path / "run").exists()
