"""Sentence transformers are loaded from a folder, and what is missing is said."""

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

from sda.errors import UserError
from sda.evaluation.sentence_features import model_folder, sentence_features


def test_a_path_that_is_no_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"missing is neither a folder"):
        sentence_features(["a dog"], tmp_path / "missing")


def test_a_package_that_carries_a_model_is_as_good_as_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "a_packed_encoder" / "model"
    folder.mkdir(parents=True)
    # Its code is not run.
    (folder.parent / "__init__.py").write_text("raise SystemExit\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(UserError, match="nor an installed package"):
        model_folder(Path("a-packed-encoder"))
    (folder / "modules.json").write_text("[]", encoding="utf-8")
    assert model_folder(Path("a-packed-encoder")) == folder
    assert "a_packed_encoder" not in sys.modules


def test_the_extra_is_named_where_the_package_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(UserError, match=r"pip install 'sda-text\[sentence\]'"):
        sentence_features(["a dog"], tmp_path)


class Lengths:
    """Stands for the package's class: a text becomes its number of words and of characters."""

    def __init__(self, path: str, **options: object) -> None:
        if not list(Path(path).glob("*.safetensors")):
            raise OSError("no file named model.safetensors")
        # Nothing is downloaded, and nothing is read by pickle.
        assert options["local_files_only"] is True
        assert options["model_kwargs"] == {"use_safetensors": True}

    def encode(self, texts: list[str], **_: object) -> NDArray[np.float32]:
        return np.array([[len(text.split()), len(text)] for text in texts], np.float32)


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a model that `Lengths` reads."""
    # The package stands on it.
    pytest.importorskip("transformers", reason="the extra hf is not installed")
    package = ModuleType("sentence_transformers")
    package.SentenceTransformer = Lengths  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", package)
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    return tmp_path


def test_each_text_has_the_vector_of_the_model(model: Path) -> None:
    made = sentence_features(["a dog runs", "a cat", "a dog runs"], model)

    assert made.values.tolist() == [[3, 10], [2, 5], [3, 10]]
    assert made.values.dtype == np.float64


def test_the_source_tells_one_model_from_another(model: Path) -> None:
    first, again = (sentence_features(["a dog"], model).source for _ in range(2))
    (model / "model.safetensors").write_bytes(b"others")

    assert first == again and first.startswith("sentence.")
    assert sentence_features(["a dog"], model).source != first


def test_a_folder_without_a_model_is_named(model: Path) -> None:
    (model / "model.safetensors").unlink()
    with pytest.raises(UserError, match=f"{model} holds no sentence transformer"):
        sentence_features(["a dog"], model)
