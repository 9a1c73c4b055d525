from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from fakes import oracle_arrays, seeded, sentences_of, write_arrays
from numpy.typing import NDArray

from sda.errors import UserError
from sda.models.oracle import load_oracle, random_oracle
from sda.sampling import sample

Arrays = dict[str, NDArray[np.float32]]


@pytest.fixture
def arrays(rng: torch.Generator) -> Arrays:
    return oracle_arrays(words=4, embedding=3, hidden=5, rng=rng)


def sigmoid(x: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(1 / (1 + np.exp(-x)))


def log_probs_by_hand(arrays: Arrays, words: list[int]) -> list[float]:
    """The formulas of an LSTM with row vectors, word by word, starting from word 0."""
    h = c = np.zeros(5)
    found = []
    for read, written in zip([0, *words], words, strict=False):
        x = arrays["embedding"][read]
        i, f, candidate, o = (
            x @ arrays[f"W{gate}"] + h @ arrays[f"U{gate}"] + arrays[f"b{gate}"]
            for gate in ("i", "f", "c", "og")
        )
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(candidate)
        h = sigmoid(o) * np.tanh(c)
        logits = h @ arrays["Wo"] + arrays["bo"]
        found.append(float(logits[written] - np.log(np.exp(logits).sum())))
    return found


def test_a_stored_oracle_is_the_lstm_of_its_file(arrays: Arrays, tmp_path: Path) -> None:
    write_arrays(tmp_path / "oracle.npz", arrays)
    oracle = load_oracle(tmp_path / "oracle.npz", length=4)
    words = [2, 0, 3, 1]

    found = oracle.log_probs(sentences_of(words))[0].tolist()
    assert found == pytest.approx(log_probs_by_hand(arrays, words), abs=1e-5)
    assert oracle.bos == 0 and oracle.eos is None and oracle.max_length == 4


def test_nll_of_its_own_sentences_is_the_entropy() -> None:
    oracle = random_oracle(4, length=3, size=6, rng=seeded(1))
    everything = sentences_of(*np.ndindex(4, 4, 4))
    log_p = oracle.log_probs(everything).double().sum(1)
    entropy = -(log_p.exp() * log_p).sum()
    spread = ((log_p.exp() * log_p.square()).sum() - entropy**2).sqrt()

    n = 20_000
    nll = -oracle.log_probs(sample(oracle, n, seeded(2))).double().sum(1).mean()
    assert abs(float(nll - entropy)) < 5 * float(spread) / n**0.5


def test_oracles_are_never_trained() -> None:
    oracle = random_oracle(4, length=3, size=6, rng=seeded(1))

    assert not any(value.requires_grad for value in oracle.parameters())
    assert not oracle.training


def test_parameters_have_standard_deviation_one() -> None:
    oracle = random_oracle(50, length=3, size=32, rng=seeded(1))
    values = torch.cat([value.flatten() for value in oracle.parameters()])

    assert float(values.std()) == pytest.approx(1, abs=0.03)
    assert float(values.mean()) == pytest.approx(0, abs=0.03)


def refusal(path: Path) -> str:
    with pytest.raises(UserError) as caught:
        load_oracle(path, length=4)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_a_missing_array_is_named(arrays: Arrays, tmp_path: Path) -> None:
    del arrays["Uog"]
    write_arrays(tmp_path / "oracle.npz", arrays)

    assert "no array named 'Uog'" in refusal(tmp_path / "oracle.npz")


def test_a_wrong_shape_is_named(arrays: Arrays, tmp_path: Path) -> None:
    write_arrays(tmp_path / "oracle.npz", arrays | {"bf": np.zeros(6, np.float32)})

    assert "'bf' has shape (6,), not (5,)" in refusal(tmp_path / "oracle.npz")


def test_a_vector_in_place_of_a_matrix_is_named(arrays: Arrays, tmp_path: Path) -> None:
    write_arrays(tmp_path / "oracle.npz", arrays | {"Wo": np.zeros(6, np.float32)})

    assert "'Wo' is not a matrix" in refusal(tmp_path / "oracle.npz")


def test_values_that_are_not_finite_are_refused(arrays: Arrays, tmp_path: Path) -> None:
    write_arrays(tmp_path / "oracle.npz", arrays | {"bo": np.full(4, np.nan, np.float32)})

    assert "'bo' holds values that are not finite" in refusal(tmp_path / "oracle.npz")


def test_files_that_hold_no_plain_arrays_are_refused(arrays: Arrays, tmp_path: Path) -> None:
    (tmp_path / "text.npz").write_text("not an archive")
    objects = {name: array.astype(object) for name, array in arrays.items()}
    np.savez(tmp_path / "objects.npz", allow_pickle=True, **objects)

    assert "no such file" in refusal(tmp_path / "absent.npz")
    assert "not a readable .npz file" in refusal(tmp_path / "text.npz")
    assert "not a readable .npz file" in refusal(tmp_path / "objects.npz")


@pytest.mark.parametrize("kind", ["complex64", "<U3", "datetime64[s]"])
def test_arrays_of_other_things_than_real_numbers_are_refused(
    kind: str, arrays: Arrays, tmp_path: Path
) -> None:
    changed = arrays | {"bo": np.zeros(4).astype("int64").astype(kind)}
    write_arrays(tmp_path / "oracle.npz", changed)

    assert f"'bo' holds {np.dtype(kind)} instead of real" in refusal(tmp_path / "oracle.npz")
