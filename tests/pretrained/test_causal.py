"""A pretrained model as the generator: what its folder says, and what it must not write."""

import copy
from functools import cache
from pathlib import Path

import pytest
import torch
from fakes import seeded, sentences_of
from pretend import DEVICE, Elsewhere, PretendDevice
from tiny_models import Kind, word_model, word_tokenizer, write_model

from sda.errors import UserError
from sda.models.generator import Frame, Generator, without_dropout
from sda.models.given import given_weights
from sda.models.panel import Panel
from sda.models.word_judge import WordJudge
from sda.pretrained import causal
from sda.pretrained.causal import PretrainedGenerator
from sda.pretrained.library import load_causal
from sda.runs.checkpoint import Checkpoint, Checkpoints
from sda.sampling import sample
from sda.text.context import Context
from sda.text.model_tokens import ModelVocabulary
from sda.text.sentences import Sentences
from sda.text.tokens import tokenizer

WORDS, LONGEST = 6, 5
SENTENCES = sentences_of([1, 2, 3, 0], [5, 0], [4, 4, 1, 2, 0])


@cache
def vocabulary(kind: Kind, has_bos: bool) -> ModelVocabulary:
    folder = word_model(kind, WORDS, has_bos)
    return ModelVocabulary.read(folder, tokenizer("whitespace"), has_prompts=False)


def make(kind: Kind = "llama", has_bos: bool = True, lora: int = 0) -> PretrainedGenerator:
    tokens = vocabulary(kind, has_bos)
    frame = Frame(len(tokens), tokens.eos, LONGEST)
    folder = word_model(kind, WORDS, has_bos)
    made = PretrainedGenerator(frame, seeded(1), tokens, str(folder), lora)
    made.eval()
    return made


def prompted(*prompts: list[int]) -> Context:
    return Context(source=sentences_of(*prompts))


@pytest.mark.parametrize("kind", ["llama", "gpt2"])
def test_loss_is_the_model_s_own(kind: Kind) -> None:
    """Without a start symbol of its own nothing is forbidden, and nothing is changed."""
    generator = make(kind, has_bos=False)
    model = load_causal(str(word_model(kind, WORDS, False)))
    total = 0.0
    for i in range(len(SENTENCES)):
        row = SENTENCES[i : i + 1].trimmed().tokens
        inputs = torch.cat((torch.full((1, 1), generator.bos), row), 1)
        labels = inputs.clone()
        total += model(input_ids=inputs, labels=labels).loss.item() * row.shape[1]

    assert generator.loss(SENTENCES).item() == pytest.approx(total / len(SENTENCES), abs=1e-4)


def test_a_start_symbol_is_read_and_never_written() -> None:
    generator = make()
    written = sample(generator, 400, seeded(3))
    logits, _ = generator.step(generator.start(2), torch.full((2,), generator.bos))

    assert generator.bos == WORDS == len(vocabulary("llama", True)) - 1
    assert generator.bos not in written.tokens
    assert logits[:, generator.bos].tolist() == [-torch.inf] * 2
    assert bool(logits[:, :WORDS].isfinite().all())


@pytest.mark.parametrize("kind", ["llama", "gpt2"])
def test_prompts_of_unlike_length_are_read_as_alone(kind: Kind) -> None:
    generator = make(kind)
    about = SENTENCES.about(prompted([2, 3, 1], [4], [2, 3, 1]))
    whole = generator.log_probs(about)
    by_step = Generator.log_probs(generator, about)
    alone = [generator.log_probs(about[i : i + 1]) for i in range(3)]
    plain = generator.log_probs(SENTENCES)

    torch.testing.assert_close(whole, by_step, atol=1e-5, rtol=1e-5)
    for i, own in enumerate(alone):
        torch.testing.assert_close(whole[i : i + 1, : own.shape[1]], own, atol=1e-5, rtol=1e-5)
    assert not torch.allclose(whole, plain, atol=1e-3)


def test_a_prompt_is_part_of_the_text_before_a_sentence() -> None:
    """The same tokens, as a prompt or as the beginning of a longer sentence."""
    generator = make()
    after = generator.log_probs(sentences_of([3, 0]).about(prompted([1, 2])))
    whole = generator.log_probs(sentences_of([1, 2, 3, 0]))

    torch.testing.assert_close(after, whole[:, 2:], atol=1e-5, rtol=1e-5)


def test_each_prompt_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = make()
    read: list[tuple[int, ...]] = []
    original = PretrainedGenerator._read

    def watched(self: PretrainedGenerator, tokens: torch.Tensor, *rest: object) -> object:
        read.append(tuple(tokens.shape))
        return original(self, tokens, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(PretrainedGenerator, "_read", watched)
    generator.start(4, prompted([1, 2], [3, 4], [1, 2], [1, 2]))

    assert read == [(2, 2)]


def test_rows_are_read_some_at_a_time_where_nothing_is_learned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    generator = make()
    expected = generator.log_probs(SENTENCES)
    monkeypatch.setattr(causal, "READ_AT_ONCE", 10)
    with torch.no_grad():
        found = generator.log_probs(SENTENCES)

    torch.testing.assert_close(found, expected)


def test_a_new_adapter_changes_nothing_and_alone_is_learned() -> None:
    generator, plain = make(lora=2), make()
    learned = generator.state_dict()

    torch.testing.assert_close(generator.log_probs(SENTENCES), plain.log_probs(SENTENCES))
    assert learned and all("lora_" in name for name in learned)
    assert {name for name, value in generator.named_parameters() if value.requires_grad} == set(
        learned
    )
    assert not any("lm_head" in name for name in learned)


def test_shared_weights_are_saved_once(tmp_path: Path) -> None:
    generator = make("gpt2")
    Checkpoints(tmp_path).save("one", Checkpoint(generator.state_dict(), {}))
    saved = Checkpoints(tmp_path).load("one").tensors
    generator.load_state_dict(saved)

    assert saved.keys() == dict(generator.named_parameters()).keys()
    assert sum("wte" in name or "lm_head" in name for name in saved) == 1
    with pytest.raises(RuntimeError, match="on one side only"):
        generator.load_state_dict({})


def test_copies_share_what_never_changes() -> None:
    generator = make(lora=2)
    twin = copy.deepcopy(generator)
    pairs = zip(generator.named_parameters(), twin.named_parameters(), strict=True)
    shared = {name for (name, one), (_, other) in pairs if one is other}

    assert shared == dict(generator.named_parameters()).keys() - generator.state_dict().keys()


def test_a_judge_on_its_states_saves_no_given_weights() -> None:
    generator = make(lora=2)
    judge = WordJudge(generator, SENTENCES, seeded(1), hidden=3)
    kept = Panel([judge]).kept()

    assert given_weights(generator)
    assert any("reader" in name and "lora_A" in name for name in kept)
    assert not any("embed_tokens" in name or "base_layer" in name for name in kept)


def test_attention_drops_nothing_without_dropout() -> None:
    tokens = vocabulary("gpt2", False)
    folder = word_model("gpt2", WORDS, False, attn_pdrop=0.5)
    frame = Frame(len(tokens), tokens.eos, LONGEST)
    generator = PretrainedGenerator(frame, seeded(1), tokens, str(folder))
    first, second = generator.loss(SENTENCES), generator.loss(SENTENCES)
    with without_dropout(generator):
        third, fourth = generator.loss(SENTENCES), generator.loss(SENTENCES)

    assert first.item() != second.item()
    assert third.item() == fourth.item()
    assert all(layer.training for layer in generator.modules())


def test_a_device_writes_what_the_cpu_writes() -> None:
    about = prompted([1, 2], [3], [4, 4])
    expected = sample(make(lora=2), 3, seeded(2), context=about).tokens
    with PretendDevice():
        written = sample(make(lora=2).to(DEVICE), 3, seeded(2), context=about).tokens
        assert isinstance(written, Elsewhere)
        assert torch.equal(written.cpu(), expected)


def test_folders_that_cannot_be_opened(tmp_path: Path) -> None:
    tokens = vocabulary("llama", True)
    frame = Frame(len(tokens), tokens.eos, LONGEST)
    with pytest.raises(UserError, match=r"config.json is missing"):
        PretrainedGenerator(frame, seeded(1), tokens, str(tmp_path))
    with pytest.raises(UserError, match=r"tokenizer.json: no such file"):
        ModelVocabulary.read(tmp_path, tokenizer("whitespace"), has_prompts=False)
    # Weights in another form than safetensors are code that could be run.
    folder = write_model(tmp_path / "model", "llama", word_tokenizer(WORDS, True))
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(UserError, match="not a model that can be opened"):
        PretrainedGenerator(frame, seeded(1), tokens, str(folder))


def test_a_model_needs_its_own_tokens(vocabulary: object) -> None:
    folder = word_model("llama", WORDS, True)
    with pytest.raises(UserError, match=r"set data.model to its folder"):
        PretrainedGenerator(Frame(10, 0, 5), seeded(1), vocabulary, str(folder))  # type: ignore[arg-type]


def test_sentences_without_words_have_no_log_probability() -> None:
    generator = make()

    assert generator.log_probs(Sentences.empty()).shape == (0, 0)
