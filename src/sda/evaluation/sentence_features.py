"""Vectors of whole texts by a sentence transformer, which sees meaning as n-grams cannot.

The only file that imports `sentence_transformers`, an extra. Nothing is ever downloaded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sda.errors import UserError
from sda.evaluation.features import Vectors


def sentence_features(texts: Sequence[str], model_path: Path) -> Vectors:
    """(B, F) by the model that was saved in the folder `model_path`."""
    if not model_path.is_dir():
        raise UserError(f"{model_path} is not a folder with a sentence transformer.")
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise UserError(
            "Sentence features need the package sentence-transformers:"
            " pip install 'sda-text[sentence]'."
        ) from error
    try:
        # Weights in any other format would be read by pickle.
        model = SentenceTransformer(
            str(model_path),
            device="cpu",
            local_files_only=True,
            model_kwargs={"use_safetensors": True},
        )
    except (OSError, ValueError) as error:
        raise UserError(f"{model_path} holds no sentence transformer ({error}).") from error
    values = model.encode(list(texts), convert_to_numpy=True, show_progress_bar=False)
    return Vectors(np.asarray(values, np.float64), f"sentence.{_fingerprint(model_path)}")


def _fingerprint(folder: Path) -> str:
    """What tells the weights in the folder from any others."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.safetensors")):
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:12]
