"""Vectors of texts: the same bits in whatever company, each computed once."""

from functools import cache

import pytest
import torch
from fakes import seeded
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tiny_models import word_model

from sda.models.panel import Panel
from sda.pretrained.frozen import ROWS, FrozenEncoder
from sda.pretrained.judge import PretrainedJudge
from sda.text.model_tokens import ModelVocabulary
from sda.text.tokens import tokenizer

CPU = torch.device("cpu")
WORDS = 9
TEXTS = st.lists(st.sampled_from([f"w{i}" for i in range(1, WORDS)]), max_size=9).map(" ".join)


def fresh() -> FrozenEncoder:
    return FrozenEncoder(str(word_model("llama", WORDS, has_bos=True)))


@cache
def known() -> FrozenEncoder:
    return fresh()


@limits(max_examples=25)
@given(st.lists(TEXTS, min_size=1, max_size=2 * ROWS))
def test_a_text_has_the_same_bits_alone_and_in_company(texts: list[str]) -> None:
    encoder = known()
    encoder._known.clear()
    together = encoder.vectors(texts, CPU)
    encoder._known.clear()
    alone = encoder.vectors(texts[-1:], CPU)

    assert together.shape == (len(texts), encoder.size)
    assert torch.equal(together[-1:], alone)


def test_mean_and_last_state_of_a_middle_layer() -> None:
    encoder = fresh()
    vector = encoder.vectors(["w3 w1"], CPU)[0]
    found = encoder._weights(
        input_ids=torch.tensor([[WORDS, 3, 1]]), output_hidden_states=True
    ).hidden_states

    assert len(found) == 3  # the embeddings, and two layers
    mean, last = found[1][0, 1:].mean(0), found[1][0, 2]
    torch.testing.assert_close(vector, torch.cat((mean, last)), atol=1e-5, rtol=1e-5)


def test_a_text_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = fresh()
    read: list[str] = []
    original = FrozenEncoder._read

    def watched(self: FrozenEncoder, texts: list[str], device: torch.device) -> object:
        read.extend(texts)
        return original(self, texts, device)

    monkeypatch.setattr(FrozenEncoder, "_read", watched)
    monkeypatch.setattr("sda.pretrained.frozen.KEPT", 2)
    encoder.vectors(["w1", "w2", "w1"], CPU)
    encoder.vectors(["w2"], CPU)
    assert read == ["w1", "w2"]
    # The text that was not asked for longest is forgotten.
    encoder.vectors(["w3"], CPU)
    encoder.vectors(["w2", "w1"], CPU)
    assert read == ["w1", "w2", "w3", "w1"]


def test_layers_that_are_not_there() -> None:
    with pytest.raises(ValueError, match="layer must be from 1 to 2, not 3"):
        FrozenEncoder(str(word_model("llama", WORDS, has_bos=True)), layer=3)


def test_a_judge_keeps_no_weights_of_what_it_reads_with() -> None:
    folder = word_model("llama", WORDS, has_bos=True)
    vocabulary = ModelVocabulary.read(folder, tokenizer("whitespace"), has_prompts=False)
    judge = PretrainedJudge(vocabulary, seeded(1), str(folder), hidden=3)
    sentences = vocabulary.encode(["w1 w2", "w3", "w4 w5 w6"])
    judge.expect(sentences, sentences[:1])

    assert judge.state_dict().keys() == Panel([judge]).members[0].state_dict().keys()
    assert not any("layers" in name for name in Panel([judge]).kept())
    assert bool(judge.is_scaled)
    # What is expected later does not move the scale.
    mean = judge.mean.clone()
    judge.expect(sentences[:1], sentences[:2])
    assert torch.equal(judge.mean, mean)
