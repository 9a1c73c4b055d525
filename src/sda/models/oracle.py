"""The fixed random LSTM of the synthetic experiments: it writes the data and is never trained."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sda.errors import UserError
from sda.models.generator import Frame
from sda.models.rnn import RnnGenerator

GATES = ("i", "f", "c", "og")  # input, forget, candidate, output: the order of torch's LSTM


def random_oracle(
    vocabulary_size: int, length: int, size: int, rng: torch.Generator
) -> RnnGenerator:
    """An LSTM whose every parameter is drawn from N(0, 1) (decision 0023)."""
    oracle = RnnGenerator(
        Frame(vocabulary_size, None, length), rng, embedding=size, hidden=size, init_std=1.0
    )
    return _fixed(oracle)


def load_oracle(path: Path, length: int) -> RnnGenerator:
    """The LSTM whose parameters an .npz file holds under SeqGAN's names.

    Row vectors: gate = sigmoid(x W + h U + b) for i, f and og, tanh for c; logits = h Wo + bo.
    Token 0 is an ordinary word and also what the network reads first.
    """
    arrays = _read(path)
    words, embedding = arrays["embedding"].shape
    hidden = arrays["Wo"].shape[0]
    shapes = {"Wo": (hidden, words), "bo": (words,)}
    for gate in GATES:
        shapes |= {f"W{gate}": (embedding, hidden), f"U{gate}": (hidden, hidden)}
        shapes[f"b{gate}"] = (hidden,)
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise UserError(f"{path}: array '{name}' has shape {arrays[name].shape}, not {shape}")
    rng = torch.Generator().manual_seed(0)
    oracle = RnnGenerator(Frame(words, None, length), rng, embedding=embedding, hidden=hidden)
    start = np.zeros((1, embedding), np.float32)  # the unused row of the extra start symbol
    values = {
        "embedding.weight": np.concatenate((arrays["embedding"], start)),
        "recurrent.0.weight_ih_l0": np.concatenate([arrays[f"W{g}"].T for g in GATES]),
        "recurrent.0.weight_hh_l0": np.concatenate([arrays[f"U{g}"].T for g in GATES]),
        "recurrent.0.bias_ih_l0": np.concatenate([arrays[f"b{g}"] for g in GATES]),
        "recurrent.0.bias_hh_l0": np.zeros(4 * hidden, np.float32),
        "output": arrays["Wo"].T,
        "bias": arrays["bo"],
    }
    oracle.load_state_dict({k: torch.from_numpy(v.copy()) for k, v in values.items()})
    oracle.bos = 0
    return _fixed(oracle)


def _fixed(oracle: RnnGenerator) -> RnnGenerator:
    oracle.requires_grad_(False)
    return oracle.eval()


def _read(path: Path) -> dict[str, NDArray[np.float32]]:
    """All arrays of the file as float32; pickled objects are refused."""
    names = ["embedding", "Wo", "bo", *(f"{kind}{gate}" for gate in GATES for kind in "WUb")]
    try:
        with np.load(path, allow_pickle=False) as file:
            missing = [name for name in names if name not in file.files]
            if missing:
                raise UserError(f"{path}: no array named '{missing[0]}' (needed: {names})")
            found = {name: file[name] for name in names}
            arrays = {name: _real(path, name, array) for name, array in found.items()}
    except UserError:
        raise
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except Exception as error:
        raise UserError(f"{path}: not a readable .npz file of plain arrays ({error})") from None
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise UserError(f"{path}: array '{name}' holds values that are not finite")
    for name in ("embedding", "Wo"):
        if arrays[name].ndim != 2:
            raise UserError(f"{path}: array '{name}' is not a matrix")
    return arrays


def _real(path: Path, name: str, array: NDArray[Any]) -> NDArray[np.float32]:
    if array.dtype.kind not in "biuf":
        raise UserError(f"{path}: array '{name}' holds {array.dtype} instead of real numbers")
    return array.astype(np.float32)
