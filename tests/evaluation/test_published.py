"""Our scores of published samples agree with the published table, also as a command.

The table is Texygen's, on its COCO set. The samples are not part of this project: the tests run
where the environment variable SDA_DATA names a folder with `coco_texygen/test.txt` and
`published_samples/texygen_coco_<model>.txt`.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny import Answer

from sda.evaluation.evaluator import Options
from sda.evaluation.texts import evaluate_files

FOLDER = os.environ.get("SDA_DATA")

NAMES = [f"{name}-{n}" for name in ("bleu", "self-bleu") for n in (2, 3, 4, 5)]

# One figure for each of the names.
PUBLISHED = {
    "seqgan": [0.745, 0.498, 0.294, 0.180, 0.950, 0.840, 0.670, 0.489],
    "maligan": [0.673, 0.432, 0.257, 0.159, 0.918, 0.781, 0.606, 0.437],
    "rankgan": [0.743, 0.467, 0.264, 0.156, 0.959, 0.882, 0.762, 0.618],
    "leakgan": [0.746, 0.528, 0.355, 0.230, 0.966, 0.913, 0.848, 0.780],
    "textgan": [0.593, 0.463, 0.277, 0.207, 0.942, 0.931, 0.804, 0.746],
    "mle": [0.731, 0.497, 0.305, 0.189, 0.916, 0.769, 0.583, 0.408],
}


pytestmark = pytest.mark.skipif(FOLDER is None, reason="SDA_DATA names no data folder")


@pytest.fixture
def files() -> list[Path]:
    samples = Path(FOLDER or "") / "published_samples"
    return [samples / f"texygen_coco_{model}.txt" for model in PUBLISHED]


@pytest.fixture
def references() -> Path:
    return Path(FOLDER or "") / "coco_texygen" / "test.txt"


def test_scores_agree_with_the_published_table(files: list[Path], references: Path) -> None:
    everything = Options(self_bleu_limit=None, ceiling=False, language_model=False, features=False)
    found = evaluate_files(files, references, options=everything)
    for evaluation, published in zip(found, PUBLISHED.values(), strict=True):
        values = [score.value for score in evaluation.scores[:8]]
        assert values == pytest.approx(published, rel=0, abs=0.001)
        assert evaluation.scored == 9984


def test_the_command_gives_the_published_table(
    command: Callable[..., Answer], files: list[Path], references: Path, tmp_path: Path
) -> None:
    path = tmp_path / "scores.json"
    options = ("--no-ceiling", "--quick", "--self-bleu", 0, "--json", path)
    assert command("evaluate", *files, "--test", references, *options).code == 0
    found = json.loads(path.read_text(encoding="utf-8"))
    for report, file, published in zip(found, files, PUBLISHED.values(), strict=True):
        values = {score["name"]: score["value"] for score in report["scores"]}
        assert [values[name] for name in NAMES] == pytest.approx(published, rel=0, abs=0.001)
        assert (report["file"], report["scored"]) == (str(file), 9984)
