"""Sentence transformers are loaded from a folder, and what is missing is said."""

import sys
from pathlib import Path

import numpy as np
import pytest

from sda.errors import UserError
from sda.evaluation.sentence_features import sentence_features


def test_a_path_that_is_no_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"missing is not a folder"):
        sentence_features(["a dog"], tmp_path / "missing")


def test_the_extra_is_named_where_the_package_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(UserError, match=r"pip install 'sda\[sentence\]'"):
        sentence_features(["a dog"], tmp_path)


@pytest.mark.slow
def test_a_saved_model_gives_a_vector_for_each_text(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    transformers = pytest.importorskip("transformers")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "dog", "cat", "runs"]
    (tmp_path / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
    )
    folder = tmp_path / "bert"
    transformers.BertModel(config).save_pretrained(folder)
    transformers.BertTokenizerFast(str(tmp_path / "vocab.txt")).save_pretrained(folder)

    made = sentence_features(["a dog runs", "a cat", "a dog runs"], folder)

    assert made.values.shape == (3, 8)
    assert made.values.dtype == np.float64
    assert made.values[0] == pytest.approx(made.values[2], abs=1e-6)
    assert not np.allclose(made.values[0], made.values[1])
    assert made.source.startswith("sentence.")


@pytest.mark.slow
def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    with pytest.raises(UserError, match="holds no sentence transformer"):
        sentence_features(["a dog"], tmp_path)
