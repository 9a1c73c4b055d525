"""`sda transfer evaluate`: from files to tables, and what it refuses."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny import Answer

from sda.transfer import style_cnn
from sda.transfer.judge_folder import evaluation_judges
from sda.transfer.sources import styled_source, true_pairs
from sda.transfer.styled import read_styled

Command = Callable[..., Answer]


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(style_cnn, "LEAST_UPDATES", 20)
    monkeypatch.setattr(style_cnn, "MAPS", 8)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Sources s, their rewritings in good and bad, references r0 and r1, and training sentences."""
    negative, positive = true_pairs("reviews", 20, seed=1)
    _, other = true_pairs("reviews", 20, seed=2)
    train = styled_source("reviews", 100, seed=0)
    for name, texts in (
        ("s", (negative, positive)),
        ("good", (positive, negative)),
        ("bad", (other, other)),
        ("r0", (positive, negative)),
        ("r1", (positive, negative)),
        ("t", train.texts),
    ):
        for style, lines in zip(("neg", "pos"), texts, strict=True):
            (tmp_path / f"{name}.{style}").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def both(folder: Path, name: str) -> list[str]:
    return [str(folder / f"{name}.{style}") for style in ("neg", "pos")]


def test_published_outputs_are_scored_in_one_command(command: Command, folder: Path) -> None:
    written = {kind: folder / f"scores.{kind}" for kind in ("json", "html", "markdown", "latex")}
    answer = command(
        *("transfer", "evaluate", *both(folder, "good"), *both(folder, "bad")),
        *("--sources", *both(folder, "s"), "--train", *both(folder, "t")),
        *("--references", *both(folder, "r0"), *both(folder, "r1")),
        *("--judges", str(folder / "judges")),
        *(word for kind, path in written.items() for word in (f"--{kind}", str(path))),
    )

    assert answer.code == 0, answer.err
    for words in (
        "copy of the source",
        "random sentence",
        "human 1",
        "good",
        "Higher than good by",
    ):
        assert words in answer.out
    found = json.loads(written["json"].read_text(encoding="utf-8"))
    assert [each["name"] for each in found["systems"]][-2:] == ["good", "bad"]
    scores = {score["name"]: score for score in found["systems"][-2]["scores"]}
    assert scores["reference-bleu-2"]["value"] == pytest.approx(100)
    assert scores["style-naive-bayes"]["interval"][1] <= 100
    assert {"style-cnn", "style-language-model-ratio", "perplexity"} <= scores.keys()
    assert "naive-bayes" in written["html"].read_text(encoding="utf-8")
    assert "**2 sentences" not in written["markdown"].read_text(encoding="utf-8")
    assert "toprule" in written["latex"].read_text(encoding="utf-8")


def test_judges_are_kept_for_the_same_sentences_only(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = read_styled([folder / "t.neg", folder / "t.pos"])
    texts = ["the soup was great .", "never again"]
    first = [judge.probabilities(texts) for judge in evaluation_judges(train, 0, folder / "j")]
    fitted: list[int] = []
    fit = style_cnn.StyleCnn.fit
    monkeypatch.setattr(
        style_cnn.StyleCnn, "fit", lambda texts, seed: fitted.append(seed) or fit(texts, seed)
    )

    again = [judge.probabilities(texts) for judge in evaluation_judges(train, 0, folder / "j")]
    assert not fitted
    assert all(one.equal(other) for one, other in zip(first, again, strict=True))

    evaluation_judges(train, 1, folder / "j")
    assert fitted == [1]


@pytest.mark.parametrize(
    ("outputs", "options", "words"),
    [
        (("good",), ("--sources", "s.neg", "none.pos"), "none.pos does not exist"),
        (("good",), ("--sources", "s.neg", "s.neg"), "s.neg is given twice"),
        (("good",), ("--sources", "s.neg", "t.pos"), "good.pos has 20 lines where t.pos has 100"),
        (("good",), ("--sources", "s.neg", "s.pos", "--targets", "up", "down"), "no style 'up'"),
        (("good",), ("--sources", "s.neg", "s.pos", "--against", "best"), "no system 'best'"),
        (("good",), ("--sources", "s.neg", "s.pos", "--json", "s.neg"), "s.neg is a file that is"),
    ],
)
def test_mistakes_are_told_in_a_sentence(
    command: Command,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    outputs: tuple[str, ...],
    options: tuple[str, ...],
    words: str,
) -> None:
    monkeypatch.chdir(folder)
    files = [f"{name}.{style}" for name in outputs for style in ("neg", "pos")]

    answer = command("transfer", "evaluate", *files, *options)

    assert answer.code == 2
    assert words in answer.err and answer.err.count("\n") == 1
