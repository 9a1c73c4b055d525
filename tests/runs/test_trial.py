"""A metric is tried before anything is trained, and what is wrong with it is told at once."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from fakes import lists_of, seeded
from tiny import train_tiny

from sda.archive import TRIAL, Archive, Question
from sda.errors import UserError
from sda.reference.asking import AskedMetric, AskingRule
from sda.reference.filters import Contains
from sda.reference.function import Function
from sda.reference.metric import ReferenceMetric, WeightedSum
from sda.runs.trial import trial_sentences, try_metric
from sda.show.terminal import Quiet
from sda.text.corpus import Corpus
from sda.text.sentences import Sentences


def asked(corpus: Corpus, *parts: ReferenceMetric, **rule: Any) -> AskedMetric:
    metric = WeightedSum([(1.0, part) for part in parts])

    def questions(sentences: Sentences) -> list[Question]:
        return [Question(text) for text in corpus.vocabulary.decode(sentences)]

    return AskedMetric(metric, Archive(parts=metric.names), questions, AskingRule(**rule))


def tried(corpus: Corpus, metric: AskedMetric, count: int = 16) -> list[str]:
    return try_metric(metric, len(metric.parts), corpus, count, 0, seeded(1))


def test_half_of_the_sentences_are_made_worse(corpus: Corpus) -> None:
    sentences = trial_sentences(corpus, 9, seed=3)
    lists, train = lists_of(sentences), lists_of(corpus.train)

    assert len(lists) == 9
    assert all(line in train for line in lists[:5])
    for number, (good, worse) in enumerate(zip(lists, lists[5:], strict=False)):
        words, changed = good[:-1], worse[:-1]
        assert worse[-1] == 0
        twice = (words + words)[: corpus.max_length - 1]
        assert changed == twice if number % 2 else sorted(changed) == sorted(words)
    assert lists_of(trial_sentences(corpus, 9, seed=3)) == lists
    assert lists_of(trial_sentences(corpus, 9, seed=4)) != lists


def test_a_good_metric_gives_no_warning(corpus: Corpus) -> None:
    metric = asked(corpus, Function(corpus.vocabulary, lambda texts: list(map(len, texts))))

    assert tried(corpus, metric) == []
    assert 8 < metric.calls <= 16
    assert metric.archive.epoch == TRIAL
    assert tried(corpus, asked(corpus), 0) == []


def test_a_constant_metric_is_warned_of_with_its_place(corpus: Corpus) -> None:
    def same(texts: list[str]) -> list[float]:
        return [0.5] * len(texts)

    (warning,) = tried(corpus, asked(corpus, Function(corpus.vocabulary, same)))
    line = same.__code__.co_firstlineno
    assert warning.startswith("metric same: scored all 16 sentences that it was tried on 0.5")
    assert warning.endswith(f"test_trial.py, line {line})")


def test_a_constant_part_of_the_users_is_warned_of(corpus: Corpus) -> None:
    lengths = Function(corpus.vocabulary, lambda texts: list(map(len, texts)))
    same = Function(corpus.vocabulary, lambda texts: [1.0] * len(texts))
    filters = Contains(corpus.vocabulary)

    assert len(tried(corpus, asked(corpus, lengths, same))) == 1
    assert tried(corpus, asked(corpus, lengths, filters)) == []
    assert len(tried(corpus, asked(corpus, filters))) == 1


@pytest.mark.parametrize("limit", [None, 100])
def test_a_metric_that_raises_is_not_asked_again(limit: int | None, corpus: Corpus) -> None:
    calls: list[int] = []

    def fails(texts: list[str]) -> list[float]:
        calls.append(len(texts))
        raise ValueError("no model")

    metric = asked(corpus, Function(corpus.vocabulary, fails), limit=limit, tries=3, wait=60.0)
    line = fails.__code__.co_firstlineno + 2
    with pytest.raises(UserError, match=rf"raised ValueError: no model .*, line {line}\)"):
        tried(corpus, metric)
    assert sum(calls) == 2 if limit else 3
    assert metric.tries == 3


def test_random_numbers_stay_where_they_were(corpus: Corpus) -> None:
    rng = seeded(1)

    def draws(texts: list[str]) -> list[float]:
        torch.rand(3)
        return torch.rand(len(texts), generator=rng).tolist()

    metric = asked(corpus, Function(corpus.vocabulary, draws))
    torch.manual_seed(5)
    before, own = torch.get_rng_state(), rng.get_state()
    try_metric(metric, 1, corpus, 16, 0, rng)

    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(rng.get_state(), own)


class Listening(Quiet):
    def __init__(self) -> None:
        self.said: list[str] = []
        self.warned: list[str] = []

    def say(self, text: str) -> None:
        self.said.append(text)

    def warn(self, text: str) -> None:
        self.warned.append(text)


def test_a_run_counts_the_trial_and_says_its_plan(toy_file: Path, tmp_path: Path) -> None:
    more = ("calls.limit=100", "stage2.epochs=1", "mle.epochs=1")
    listening = Listening()
    run = train_tiny(toy_file, tmp_path / "run", more, listening)

    assert listening.said[0] == (
        "the metric may be asked 100 times: 10 to try it, 32 to fill the buffer, 48 in 3 steps of"
        " Stage II"
    )
    lines = [json.loads(line) for line in run.folder.archive.read_text().splitlines()]
    epochs = [line["epoch"] for line in lines]
    assert epochs == sorted(epochs) and set(epochs) == {TRIAL, 0, 1}
    assert epochs.count(TRIAL) <= 10
    # Sentences that came twice were asked once.
    assert len({line["text"] for line in lines}) == len(lines) <= 90
    progress = run.progress()
    assert progress[0]["calls"] == epochs.count(TRIAL)
    assert progress[-1]["calls"] == run.costs()["calls"] == len(lines)
    assert json.loads(run.folder.finished.read_text())["calls"] == len(lines)
    kept = [json.loads(line) for line in run.folder.buffer.read_text().splitlines()]
    assert kept
    answers = {line["text"]: (line["score"], line["epoch"]) for line in lines}
    assert all(answers[line["text"]] == (line["score"], line["epoch"]) for line in kept)


def test_a_run_without_a_metric_is_warned_of(toy_file: Path, tmp_path: Path) -> None:
    more = ("metric=[]", "stage2.epochs=1", "mle.epochs=1")
    listening = Listening()
    run = train_tiny(toy_file, tmp_path / "run", more, listening)

    assert "there is no metric, so chance alone decides what the buffer keeps" in listening.warned
    assert not run.folder.archive.exists()


def test_a_selection_is_counted(toy_file: Path, tmp_path: Path) -> None:
    run = train_tiny(toy_file, tmp_path / "run", ("mle.epochs=1",), method="best-of-n")
    lines = run.folder.archive.read_text().splitlines()

    assert run.progress()[-1]["calls"] == 16
    assert 16 < run.costs()["calls"] == len(lines) <= 136


def test_the_metric_is_tried_before_anything_is_trained(
    toy_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing_is_trained(*_: object) -> None:
        raise AssertionError("training began")

    monkeypatch.setattr("sda.runs.train._Training.run", nothing_is_trained)
    (tmp_path / "mine.py").write_text("def score(texts):\n    return [1.0]\n")
    with pytest.raises(UserError, match=r"returned 1 value for 2 sentences.*mine\.py, line 1\)"):
        train_tiny(toy_file, tmp_path / "run", metric=f"{tmp_path}/mine.py:score")
    assert not (tmp_path / "run").exists()
