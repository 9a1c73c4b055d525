"""Sentences to read: kept with the run, and found again for a run that kept none."""

import json
import shutil
from pathlib import Path

import pytest
from tiny import train_tiny

from sda.archive import Question
from sda.errors import UserError
from sda.runs.examples import SHOWN, Examiner, examples_of
from sda.runs.run import Run
from sda.source import load_source


@pytest.fixture
def copy(toy_run: Run, tmp_path: Path) -> Run:
    shutil.copytree(toy_run.path, tmp_path / "copy")
    return Run(tmp_path / "copy")


def test_a_run_keeps_some_of_each_side(toy_run: Run) -> None:
    found = examples_of(toy_run)
    corpus, vocabulary = (loaded := load_source(toy_run.settings)).corpus, loaded.vocabulary

    assert {side: len(sentences) for side, sentences in found.items()} == {
        "real": SHOWN,
        "start": SHOWN,
        "result": SHOWN,
    }
    texts = [sentence["text"] for sentence in found["result"]]
    assert texts == toy_run.folder.samples.read_text().splitlines()[:SHOWN]
    assert {s["text"] for s in found["real"]} <= set(vocabulary.decode(corpus.valid))
    assert {s["nearest"] for s in found["start"]} <= set(vocabulary.decode(corpus.train))


def test_a_run_that_kept_none_has_the_same_sentences(copy: Run, toy_run: Run) -> None:
    kept = examples_of(toy_run)
    copy.folder.examples.unlink()
    found = examples_of(copy)

    for side, sentences in kept.items():
        # What the metric said is known to the run alone.
        bare = [{k: v for k, v in s.items() if k not in ("score", "by")} for s in sentences]
        assert found[side] == bare


def test_a_run_whose_text_has_gone_shows_what_it_wrote(toy_run: Run, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    shutil.copy(toy_run.settings.source, text)
    run = train_tiny(text, tmp_path / "run", ["mle.epochs=1", "stage2.epochs=0"])
    assert "result" not in examples_of(run)
    text.unlink()

    # The page needs no text as long as the examples are there.
    assert list(examples_of(run)) == ["real", "start"]
    run.folder.examples.unlink()
    texts = run.folder.samples.read_text().splitlines()[:SHOWN]
    assert examples_of(run) == {"result": [{"text": line} for line in texts]}
    run.folder.samples.unlink()
    assert examples_of(run) == {}


def test_copies_and_answers_of_the_metric_are_told(toy_run: Run) -> None:
    loaded = load_source(toy_run.settings)
    lines = loaded.vocabulary.decode(loaded.corpus.train[:2])

    class Known:
        def known(self, question: Question) -> float | None:
            return {lines[0]: 0.5, lines[1]: float("-inf")}.get(question.text)

    start = toy_run.generator("mle")
    examiner = Examiner(loaded, archive=Known())  # type: ignore[arg-type]
    found = examiner.sides(0, start, loaded.corpus.train[:3])["result"]

    assert [s["similarity"] for s in found] == [1, 1, 1]
    assert [s["nearest"] for s in found[:2]] == lines
    assert [(s.get("score"), s.get("by")) for s in found] == [
        (0.5, "metric"),
        (None, "metric"),
        (None, None),
    ]


def test_a_damaged_file_is_named(copy: Run) -> None:
    for content in ("[]", '{"real": 3}', '{"real": [{"score": 1}]}'):
        copy.folder.examples.write_text(content)
        with pytest.raises(UserError, match=r"examples\.json: "):
            examples_of(copy)
    copy.folder.examples.write_text(json.dumps({"real": [{"text": "a cat"}]}))
    assert examples_of(copy) == {"real": [{"text": "a cat"}]}
