"""The metric is asked each sentence once, in batches, by several threads, within its limit."""

import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from sda.archive import Archive, Question
from sda.errors import UserError
from sda.reference import asking
from sda.reference.asking import AskedMetric, AskingRule
from sda.reference.filters import Length
from sda.reference.function import Function
from sda.reference.metric import ReferenceMetric, WeightedSum
from sda.text.about import in_words
from sda.text.context import Context
from sda.text.sentences import Sentences
from sda.text.tokens import WhitespaceTokenizer
from sda.text.vocabulary import WordVocabulary

LABELS = ("calm", "loud")
TEXTS = ("the cat", "a dog", "sat", "the big dog", "ran home", "a", "the", "cat sat here")


class Counted(ReferenceMetric):
    """The number of tokens; `asked` records how many sentences each call had."""

    name = "counted"

    def __init__(self, depends_on_generator: bool = False) -> None:
        self.depends_on_generator = depends_on_generator
        self.asked: list[int] = []

    def __call__(self, sentences: Sentences) -> Tensor:
        self.asked.append(len(sentences))
        return sentences.lengths.double()


def ask(
    vocabulary: WordVocabulary,
    *parts: ReferenceMetric,
    archive: Archive | None = None,
    rule: AskingRule | None = None,
) -> AskedMetric:
    metric = WeightedSum([(1.0, part) for part in parts])
    archive = archive or Archive(parts=metric.names, repeats=metric.depends_on_generator)

    def questions(sentences: Sentences) -> list[Question]:
        abouts = in_words(sentences, LABELS, vocabulary)
        return list(map(Question, vocabulary.decode(sentences), abouts))

    return AskedMetric(metric, archive, questions, rule)


@given(st.lists(st.lists(st.sampled_from(TEXTS), max_size=9), max_size=5), st.integers(0, 4))
def test_no_text_is_asked_twice(calls: Sequence[Sequence[str]], batch: int) -> None:
    words = ("the", "a", "cat", "dog", "sat", "ran", "home", "here", "big")
    vocabulary = WordVocabulary(words, has_unknown=False, tokenizer=WhitespaceTokenizer())
    part = Counted()
    metric = ask(vocabulary, part, rule=AskingRule(batch=batch))
    for texts in calls:
        found = metric(vocabulary.encode(texts))
        assert found.total.tolist() == [len(text.split()) + 1 for text in texts]
        assert found.parts.tolist() == [[value] for value in found.total.tolist()]

    different = len({text for texts in calls for text in texts})
    assert sum(part.asked) == metric.calls == different


def test_what_a_sentence_is_about_is_part_of_the_question(vocabulary: WordVocabulary) -> None:
    part = Counted()
    metric = ask(vocabulary, part)
    sentences = vocabulary.encode(["a dog", "a dog", "a dog"])
    metric(sentences.about(Context(torch.tensor([0, 1, 0]))))

    assert metric.calls == 2


@pytest.mark.parametrize(("batch", "asked"), [(3, [3, 3, 2]), (8, [8]), (100, [8]), (1, [1] * 8)])
def test_batches_of_a_set_size(batch: int, asked: list[int], vocabulary: WordVocabulary) -> None:
    part = Counted()
    ask(vocabulary, part, rule=AskingRule(batch=batch))(vocabulary.encode(TEXTS))

    assert part.asked == asked


def test_a_slow_metric_is_asked_one_by_one(
    vocabulary: WordVocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = Counted()
    metric = ask(vocabulary, part)
    monkeypatch.setattr(asking, "SLOW", 0.0)
    metric(vocabulary.encode(TEXTS[:5]))
    monkeypatch.setattr(asking, "SLOW", 60.0)
    metric(vocabulary.encode(TEXTS))

    assert part.asked == [2, 1, 1, 1, 1, 2]


def test_metrics_of_the_package_get_all_at_once(vocabulary: WordVocabulary) -> None:
    part = Counted()
    type(part).__module__, kept = "sda.reference.counted", type(part).__module__
    try:
        ask(vocabulary, part, rule=AskingRule(batch=2))(vocabulary.encode(TEXTS))
    finally:
        type(part).__module__ = kept

    assert part.asked == [8]


def test_minus_infinity_and_parts_are_kept(vocabulary: WordVocabulary, tmp_path: Path) -> None:
    path = tmp_path / "archive.jsonl"
    names = ("counted", "length")
    filters = Length(vocabulary, least=2)
    for expected in ([3, 5], []):
        part = Counted()
        archive = Archive(path, names)
        metric = ask(vocabulary, part, filters, archive=archive, rule=AskingRule(batch=5))
        found = metric(vocabulary.encode(TEXTS))
        never = float("-inf")
        assert found.total.tolist() == [3, 3, never, 4, 3, never, never, 4]
        assert found.parts[:, 0].tolist() == [3, 3, 2, 4, 3, 2, 2, 4]
        assert sorted(part.asked) == expected


def test_threads_ask_at_once_and_answers_keep_their_order(vocabulary: WordVocabulary) -> None:
    together = threading.Barrier(4, timeout=20)

    def later_is_quicker(texts: list[str]) -> list[float]:
        together.wait()
        time.sleep(0.02 * (len(TEXTS) - TEXTS.index(texts[0])))
        return [float(TEXTS.index(text)) for text in texts]

    rule = AskingRule(batch=1, workers=4)
    metric = ask(vocabulary, Function(vocabulary, later_is_quicker), rule=rule)

    assert metric(vocabulary.encode(TEXTS)).total.tolist() == list(range(8))
    assert metric.calls == 8


def test_a_failure_in_a_thread_loses_no_answer_of_the_others(vocabulary: WordVocabulary) -> None:
    together = threading.Barrier(2, timeout=20)

    def fails_at_dogs(texts: list[str]) -> list[float]:
        together.wait()
        if texts == ["a dog"]:
            raise ValueError("no dogs")
        time.sleep(0.1)
        return [1.0]

    rule = AskingRule(batch=1, workers=2, limit=100)
    metric = ask(vocabulary, Function(vocabulary, fails_at_dogs), rule=rule)
    with pytest.raises(UserError, match="raised ValueError: no dogs for the sentence 'a dog'"):
        metric(vocabulary.encode(TEXTS))

    assert metric.archive.paid == 1
    assert metric.archive.unknown([Question("the cat"), Question("a dog")]) == [1]


class Flaky(Counted):
    """Raises so often before it answers."""

    def __init__(self, failures: int) -> None:
        super().__init__()
        self.failures = failures

    def __call__(self, sentences: Sentences) -> Tensor:
        values = super().__call__(sentences)
        if self.failures:
            self.failures -= 1
            raise ConnectionError("no line")
        return values


def test_a_batch_that_raises_is_asked_again(
    vocabulary: WordVocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(asking.time, "sleep", waits.append)
    part = Flaky(3)
    metric = ask(vocabulary, part, rule=AskingRule(batch=8, tries=4, wait=0.5))

    assert metric(vocabulary.encode(TEXTS)).total.sum() == 23
    assert part.asked == [8] * 4
    assert waits == [0.5, 1.0, 2.0]
    assert metric.calls == 8


def test_the_last_try_ends_it(vocabulary: WordVocabulary, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking.time, "sleep", lambda seconds: None)
    part = Flaky(3)
    metric = ask(vocabulary, part, rule=AskingRule(batch=8, tries=3))

    with pytest.raises(
        UserError, match=r"metric counted: raised ConnectionError: no line \(.*test"
    ):
        metric(vocabulary.encode(TEXTS))
    assert part.asked == [8] * 3
    assert metric.archive.paid == 0


def test_a_wrong_answer_is_not_asked_again(vocabulary: WordVocabulary) -> None:
    asked: list[list[str]] = []

    def nothing(texts: list[str]) -> list[float]:
        asked.append(texts)
        return [float("nan")] * len(texts)

    metric = ask(vocabulary, Function(vocabulary, nothing), rule=AskingRule(batch=8, tries=3))
    with pytest.raises(UserError, match="returned nan for the sentence 'the cat'"):
        metric(vocabulary.encode(TEXTS))
    assert len(asked) == 1


def test_within_a_limit_nobody_asks_again_who_was_at_fault(vocabulary: WordVocabulary) -> None:
    asked: list[int] = []

    def fails(texts: list[str]) -> list[float]:
        asked.append(len(texts))
        return [1 / (text != "sat") for text in texts]

    function = Function(vocabulary, fails)
    with pytest.raises(UserError, match="for 8 sentences, the first of them 'the cat'"):
        ask(vocabulary, function, rule=AskingRule(8, batch=8))(vocabulary.encode(TEXTS))
    assert asked == [8]
    with pytest.raises(UserError, match="for the sentence 'sat'"):
        ask(vocabulary, function, rule=AskingRule(batch=8))(vocabulary.encode(TEXTS))


def test_the_limit_is_never_exceeded(vocabulary: WordVocabulary) -> None:
    part = Counted()
    metric = ask(vocabulary, part, rule=AskingRule(limit=5))
    metric(vocabulary.encode(TEXTS[:4]))
    assert metric.left == 1
    with pytest.raises(UserError, match="may be asked 5 sentences, 4 were asked, and 4 more"):
        metric(vocabulary.encode(TEXTS))
    metric(vocabulary.encode(TEXTS[:5]))

    assert metric.left == 0
    assert sum(part.asked) == 5
    assert metric(vocabulary.encode(TEXTS[:5])).total.tolist() == [3, 3, 2, 4, 3]


def test_a_metric_that_depends_on_the_generator_is_always_asked(
    vocabulary: WordVocabulary,
) -> None:
    part = Counted(depends_on_generator=True)
    metric = ask(vocabulary, part, rule=AskingRule(batch=9))
    for _ in range(2):
        metric(vocabulary.encode(["a dog", "a dog", "sat"]))

    assert part.asked == [3, 3]
    assert metric.calls == 6


def test_no_metric_is_never_asked(vocabulary: WordVocabulary) -> None:
    metric = ask(vocabulary, rule=AskingRule(limit=1))

    assert metric(vocabulary.encode(TEXTS)).total.tolist() == [0] * 8
    assert metric.calls == 0


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (torch.tensor([1.0, float("nan")]), "returned nan"),
        (torch.tensor([1.0, float("inf")]), "returned inf"),
        (torch.zeros(3), r"returned a tensor \(3,\) for 2 sentences"),
        ([1.0, 2.0], "returned list instead of a tensor"),
    ],
)
def test_a_class_that_answers_wrongly(
    values: Tensor, words: str, vocabulary: WordVocabulary
) -> None:
    class Wrong(ReferenceMetric):
        name = "wrong"

        def __call__(self, sentences: Sentences) -> Tensor:
            return values

    line = Wrong.__call__.__code__.co_firstlineno
    with pytest.raises(UserError, match=rf"metric wrong: {words} \(.*test_asking.py, line {line}"):
        ask(vocabulary, Wrong())(vocabulary.encode(TEXTS[:2]))


def test_progress_is_told_batch_by_batch(vocabulary: WordVocabulary) -> None:
    told: list[tuple[int, int]] = []
    metric = ask(vocabulary, Counted(), rule=AskingRule(batch=3))
    metric._told = lambda done, total: told.append((done, total))
    metric(vocabulary.encode(TEXTS))

    assert told == [(0, 8), (3, 8), (6, 8), (8, 8)]
