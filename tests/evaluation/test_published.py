"""Scores of files are those that published tables print, also as a command.

Tables such as Texygen's are means of NLTK's BLEU with method 1 over all samples, against all test
sentences, and for self-BLEU against all other samples. NLTK scores a table here as it did there.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from tiny import Answer, toy_lines

from sda.evaluation.evaluator import Options
from sda.evaluation.texts import evaluate_files

ORDERS = (2, 3, 4, 5)
NAMES = [f"{name}-{n}" for name in ("bleu", "self-bleu") for n in ORDERS]
METHOD1 = SmoothingFunction().method1

REFERENCES = [line.split() for line in toy_lines()[::2]]


def model(noise: float, seed: int) -> list[list[str]]:
    """Sentences of a model that writes some words anywhere, and ends early at times."""
    rng = np.random.default_rng(seed)
    words = sorted({word for line in REFERENCES for word in line})
    return [
        [str(rng.choice(words)) if rng.random() < noise else word for word in line.split()][
            : rng.integers(3, 8)
        ]
        for line in toy_lines()[1::4]
    ]


MODELS = {"good": model(0.1, 1), "poor": model(0.6, 2)}


def mean_bleu(pairs: Sequence[tuple[list[list[str]], list[str]]]) -> list[float]:
    """The mean over pairs of references and sample, for each order."""
    weights = [(1 / n,) * n for n in ORDERS]
    rows = [
        sentence_bleu(references, sample, weights, smoothing_function=METHOD1)
        for references, sample in pairs
    ]
    return [float(value) for value in np.mean(rows, axis=0)]


def published(samples: list[list[str]]) -> list[float]:
    """One figure for each of the names."""
    others = [[other for other in samples if other is not sample] for sample in samples]
    return [
        *mean_bleu([(REFERENCES, sample) for sample in samples]),
        *mean_bleu(list(zip(others, samples, strict=True))),
    ]


def write(path: Path, sentences: list[list[str]]) -> Path:
    path.write_text("".join(" ".join(words) + "\n" for words in sentences), encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    return [write(tmp_path / f"{name}.txt", samples) for name, samples in MODELS.items()]


@pytest.fixture
def references(tmp_path: Path) -> Path:
    return write(tmp_path / "test.txt", REFERENCES)


def test_the_models_differ() -> None:
    good, poor = (published(samples) for samples in MODELS.values())

    assert all(a > b + 0.05 for a, b in zip(good[:4], poor[:4], strict=True))


def test_scores_are_those_of_a_published_table(files: list[Path], references: Path) -> None:
    everything = Options(self_bleu_limit=None, ceiling=False, language_model=False, features=False)
    found = evaluate_files(files, references, options=everything)
    for evaluation, samples in zip(found, MODELS.values(), strict=True):
        assert [score.name for score in evaluation.scores[:8]] == NAMES
        values = [score.value for score in evaluation.scores[:8]]
        assert values == pytest.approx(published(samples), rel=1e-9)
        assert evaluation.scored == len(samples)


def test_the_command_gives_the_table(
    command: Callable[..., Answer], files: list[Path], references: Path, tmp_path: Path
) -> None:
    path = tmp_path / "scores.json"
    options = ("--no-ceiling", "--quick", "--self-bleu", 0, "--json", path)
    assert command("evaluate", *files, "--test", references, *options).code == 0
    found = json.loads(path.read_text(encoding="utf-8"))
    for report, file, samples in zip(found, files, MODELS.values(), strict=True):
        values = {score["name"]: score["value"] for score in report["scores"]}
        assert [values[name] for name in NAMES] == pytest.approx(published(samples), rel=1e-9)
        assert (report["file"], report["scored"]) == (str(file), len(samples))
