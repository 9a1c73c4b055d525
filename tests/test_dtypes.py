"""Mixed precision: near what float32 gives, the same again after an interruption, or refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from fakes import seeded, sentences_of
from tiny import (
    BRIEF,
    Answer,
    Interrupting,
    contents,
    outcome,
    train_tiny,
    write_toy,
)
from tiny_models import word_model

from sda import devices
from sda.devices import check_dtype, computed_in
from sda.errors import UserError
from sda.models.generator import Frame, Generator
from sda.models.transformer import TransformerGenerator
from sda.pretrained.causal import PretrainedGenerator
from sda.pretrained.frozen import FrozenEncoder
from sda.sampling import sample
from sda.text.model_tokens import ModelVocabulary
from sda.text.tokens import tokenizer

WORDS, LONGEST = 6, 5
SENTENCES = sentences_of([1, 2, 3, 0], [5, 0], [4, 4, 1, 2, 0])
CPU = torch.device("cpu")


def transformer(dtype: torch.dtype) -> Generator:
    frame = Frame(WORDS, 0, LONGEST)
    return TransformerGenerator(frame, seeded(1), 8, heads=2, init_std=0.5, dtype=dtype)


def pretrained(dtype: torch.dtype, lora: int = 0) -> Generator:
    folder = word_model("llama", WORDS, True)
    tokens = ModelVocabulary.read(folder, tokenizer("whitespace"), has_prompts=False)
    frame = Frame(len(tokens), tokens.eos, LONGEST)
    return PretrainedGenerator(frame, seeded(1), tokens, str(folder), lora, dtype)


def adapted(dtype: torch.dtype) -> Generator:
    return pretrained(dtype, lora=2)


@pytest.mark.parametrize("make", [transformer, pretrained, adapted])
def test_bfloat16_is_near_float32_and_learns_in_it(make: Any) -> None:
    exact, rounded = make(torch.float32), make(torch.bfloat16)
    expected, found = exact.log_probs(SENTENCES), rounded.log_probs(SENTENCES)

    assert found.dtype == torch.float32
    assert not torch.equal(found, expected)
    torch.testing.assert_close(found, expected, atol=0.1, rtol=0)
    # Word by word as in one pass, up to the rounding of another order of sums.
    inputs, state = rounded.inputs(SENTENCES), rounded.start(len(SENTENCES))
    logits, state = rounded.step(state, inputs[:, 0])
    assert logits.dtype == torch.float32
    own = logits.log_softmax(1).gather(1, SENTENCES.tokens[:, :1])
    torch.testing.assert_close(own, found[:, :1], atol=0.1, rtol=0)
    # Weights and their gradients keep all their bits.
    slopes = []
    for model in (exact, rounded):
        model.loss(SENTENCES).backward()
        learned = [value for value in model.parameters() if value.requires_grad]
        slopes.append(torch.cat([value.grad.flatten() for value in learned]))
        assert {value.dtype for value in learned} == {torch.float32} == {slopes[-1].dtype}
    assert torch.cosine_similarity(*slopes, dim=0) > 0.99
    assert sample(rounded, 20, seeded(2)).tokens.shape == (20, LONGEST)


def test_a_frozen_model_reads_in_it() -> None:
    folder = str(word_model("llama", WORDS, has_bos=True))
    texts = ["w1 w2 w3", "w5"]
    exact, rounded = (
        FrozenEncoder(folder, dtype=dtype).vectors(texts, CPU)
        for dtype in (torch.float32, torch.bfloat16)
    )

    assert rounded.dtype == torch.float32 and not torch.equal(exact, rounded)
    assert (torch.cosine_similarity(exact, rounded) > 0.999).all()


USE = "generator.use=sda.models.transformer:TransformerGenerator"
# Most CPUs take ten times as long for it.
FEW = (
    USE,
    "generator.width=8",
    "generator.heads=2",
    "data.limit=40",
    "stage2.epochs=2",
    "stage2.batch_size=4",
    *BRIEF,
)
LOWER = (*FEW, "dtype=bfloat16")


@pytest.mark.slow
def test_a_run_in_bfloat16_that_is_taken_up_again_ends_the_same(
    toy_file: Path, tmp_path: Path
) -> None:
    whole = train_tiny(toy_file, tmp_path / "whole", LOWER)
    with pytest.raises(KeyboardInterrupt):
        train_tiny(toy_file, tmp_path / "parts", LOWER, Interrupting(epochs=2))
    train_tiny(toy_file, tmp_path / "parts", LOWER, resume=True)
    plain = train_tiny(toy_file, tmp_path / "plain", FEW)

    found, again = outcome(tmp_path / "whole"), outcome(tmp_path / "parts")
    for side in (found, again):
        side["files"].pop("report.html")
    assert found == again
    losses = [run.progress()[0]["nll_valid"] for run in (whole, plain)]
    assert losses[0] != losses[1]
    assert losses[0] == pytest.approx(losses[1], abs=0.05)
    with pytest.raises(UserError, match="has dtype = 'bfloat16', not 'float32'"):
        train_tiny(toy_file, tmp_path / "whole", FEW, resume=True)


def test_float32_enters_nothing() -> None:
    with computed_in(torch.float32, CPU):
        assert not torch.is_autocast_enabled("cpu")
    with computed_in(torch.bfloat16, CPU):
        assert torch.is_autocast_enabled("cpu")


def test_a_device_without_it_is_refused_and_opens_in_float32(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: False)
    check_dtype("float32", torch.device("cuda"))
    with pytest.raises(UserError, match="'dtype': cuda does not compute in bfloat16 here"):
        check_dtype("bfloat16", torch.device("cuda"))
    with computed_in(torch.bfloat16, torch.device("cuda")):
        assert not torch.is_autocast_enabled("cuda")
    monkeypatch.setattr(devices, "_computes_in", lambda dtype, device: False)
    with pytest.raises(UserError, match="'dtype': cpu"):
        train_tiny(write_toy(tmp_path / "toy.txt"), tmp_path / "run", LOWER)


def test_small_models_are_refused(command: Callable[..., Answer], tmp_path: Path) -> None:
    answer: Answer = command(
        *("train", write_toy(tmp_path / "toy.txt"), "--profile", "smoke"),
        *("--dtype", "bfloat16", "--out", tmp_path / "run"),
    )

    assert answer.code == 2
    assert "'dtype'" in answer.err and "hf:PATH" in answer.err
    assert contents(tmp_path).keys() == {"toy.txt"}
