import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from fakes import sentences_of

from sda.errors import UserError
from sda.reference.function import Function, load_function
from sda.text.about import About
from sda.text.context import Context
from sda.text.sentences import Sentences
from sda.text.vocabulary import WordVocabulary

# "the cat", "a dog" and "sat" in the ten-word vocabulary.
THREE = sentences_of([1, 3, 0], [2, 4, 0], [5, 0])

HERE = (
    Path(__file__).relative_to(Path.cwd())
    if Path(__file__).is_relative_to(Path.cwd())
    else Path(__file__)
)


def line_of(function: Callable[..., Any]) -> int:
    return function.__code__.co_firstlineno


def complaint(function: Callable[..., Any], vocabulary: WordVocabulary) -> str:
    with pytest.raises(UserError) as caught:
        Function(vocabulary, function)(THREE)
    message = str(caught.value)
    assert message.startswith(f"metric {function.__qualname__}: ")
    assert "\n" not in message
    return message.partition(": ")[2]


def test_the_function_is_given_a_list_of_texts(vocabulary: WordVocabulary) -> None:
    given: list[Any] = []

    def score(texts: list[str]) -> list[int]:
        given.append(texts)
        return [len(text) for text in texts]

    metric = Function(vocabulary, score)
    assert metric(THREE).tolist() == [7, 5, 3]
    assert given == [["the cat", "a dog", "sat"]]
    assert metric.name == "score"


def test_completions_and_prompts_are_given_by_keyword(vocabulary: WordVocabulary) -> None:
    given: list[Any] = []

    def score(prompts: list[str], completions: list[str], **others: object) -> list[float]:
        given.append((prompts, completions, others))
        return [0.5] * len(completions)

    assert Function(vocabulary, score)(THREE).tolist() == [0.5, 0.5, 0.5]
    assert given == [(["", "", ""], ["the cat", "a dog", "sat"], {})]


def test_prompts_are_not_forced_on_a_function(vocabulary: WordVocabulary) -> None:
    metric = Function(vocabulary, lambda completions: [len(text) for text in completions])

    assert metric(THREE).tolist() == [7, 5, 3]


@pytest.mark.parametrize(
    "returned",
    [
        (1, 2.5, -3),
        np.array([1, 2.5, -3]),
        torch.tensor([1, 2.5, -3]),
        [np.float32(1), torch.tensor(2.5), -3],
        iter([1, 2.5, -3]),
    ],
)
def test_anything_that_lists_numbers_will_do(vocabulary: WordVocabulary, returned: Any) -> None:
    metric = Function(vocabulary, lambda texts: returned)

    assert metric(THREE).tolist() == [1, 2.5, -3]


def test_minus_infinity_keeps_a_sentence_out(vocabulary: WordVocabulary) -> None:
    metric = Function(vocabulary, lambda texts: [0, float("-inf"), 1])

    assert metric(THREE).tolist() == [0, float("-inf"), 1]


def test_no_sentence_is_no_call(vocabulary: WordVocabulary) -> None:
    def score(texts: list[str]) -> list[float]:
        raise AssertionError("called without texts")

    assert Function(vocabulary, score)(Sentences.empty(3)).shape == (0,)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None, "good", [1], torch.ones(2)])
def test_a_value_that_is_no_finite_number(vocabulary: WordVocabulary, value: Any) -> None:
    def score(texts: list[str]) -> list[Any]:
        return [value if text == "a dog" else 1.0 for text in texts]

    message = complaint(score, vocabulary)
    assert message.startswith(f"returned {value!r}") and "'a dog'" in message


def test_too_few_values(vocabulary: WordVocabulary) -> None:
    def drops_dogs(texts: list[str]) -> list[float]:
        return [1.0 for text in texts if "dog" not in text]

    assert complaint(drops_dogs, vocabulary) == (
        f"returned 0 values for the sentence 'a dog' ({HERE}, line {line_of(drops_dogs)})"
    )


def test_too_many_values_that_no_single_sentence_explains(vocabulary: WordVocabulary) -> None:
    def score(texts: list[str]) -> list[float]:
        return [1.0] * len(texts) ** 2

    assert complaint(score, vocabulary) == (
        "returned 9 values for 3 sentences, the first of them 'the cat'"
        f" ({HERE}, line {line_of(score)})"
    )


def test_one_number_for_all(vocabulary: WordVocabulary) -> None:
    def score(texts: list[str]) -> float:
        return 1.0

    assert complaint(score, vocabulary).startswith("returned float instead of a list of floats")


def test_an_exception_is_laid_at_the_door_of_its_sentence(vocabulary: WordVocabulary) -> None:
    def score(texts: list[str]) -> list[float]:
        return [{"the cat": 1.0, "sat": 2.0}[text] for text in texts]

    assert complaint(score, vocabulary) == (
        f"raised KeyError: 'a dog' for the sentence 'a dog' ({HERE}, line {line_of(score) + 1})"
    )


def test_an_exception_of_a_lazy_function(vocabulary: WordVocabulary) -> None:
    def score(texts: list[str]) -> Iterator[float]:
        for text in texts:
            yield 1 / (len(text) - 3)

    message = complaint(score, vocabulary)
    assert message.startswith("raised ZeroDivisionError") and "'sat'" in message


def test_a_function_is_loaded_from_a_file(tmp_path: Path, vocabulary: WordVocabulary) -> None:
    path = tmp_path / "shortness.py"
    path.write_text("def score(texts):\n    return [-len(text) for text in texts]\n")
    metric = Function(vocabulary, f"{path}:score")

    assert metric(THREE).tolist() == [-7, -5, -3]
    assert metric.name == "score"


def test_a_file_may_define_dataclasses_and_be_called_like_a_module_of_python(
    tmp_path: Path, vocabulary: WordVocabulary
) -> None:
    path = tmp_path / "random.py"
    path.write_text(
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n"
        "@dataclass\n"
        "class Score:\n"
        "    value: float\n"
        "def score(texts):\n"
        "    return [Score(2.0).value] * len(texts)\n"
    )
    pythons_own = sys.modules["random"]

    assert Function(vocabulary, f"{path}:score")(THREE).tolist() == [2, 2, 2]
    assert sys.modules["random"] is pythons_own


def test_a_function_is_loaded_from_a_module() -> None:
    assert load_function("numpy:sqrt")(4) == 2


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("score", "file.py:function or package.module:function"),
        (":score", "file.py:function or package.module:function"),
        ("absent.py:score", "absent.py: no such file"),
        ("no_such_module:score", "No module named 'no_such_module'"),
        ("numpy:no_such_function", "numpy has no function named 'no_such_function'"),
        ("numpy:pi", "numpy has no function named 'pi'"),
        ("math:sqrt", "math comes with Python and holds no part of a run"),
    ],
)
def test_what_cannot_be_loaded_is_named(where: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        load_function(where)

    assert message in str(caught.value)


def test_a_file_that_cannot_be_run_is_named(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("def score(texts:\n")
    with pytest.raises(UserError, match=r"broken\.py:score: SyntaxError"):
        load_function(f"{path}:score")


def test_a_function_that_asks_gets_what_each_text_is_about(vocabulary: WordVocabulary) -> None:
    sentences = vocabulary.encode(["the cat", "a dog", "the dog"])
    source = vocabulary.encode(["cat", "dog", "a a"])
    labels = torch.tensor([1, 0, 1])
    seen: list[list[tuple[str | None, str | None]]] = []

    def score(texts: list[str], context: list[About]) -> list[float]:
        seen.append([tuple(about) for about in context])
        return [float(len(texts))] * len(texts)

    metric = Function(vocabulary, score, label_names=("bad", "good"))
    metric(sentences)
    metric(sentences.about(Context(labels)))
    metric(sentences.about(Context(labels, source)))

    assert seen[0] == [(None, None)] * 3
    assert seen[1] == [("good", None), ("bad", None), ("good", None)]
    assert seen[2] == [("good", "cat"), ("bad", "dog"), ("good", "a a")]


def test_completions_may_ask_for_the_context_too(vocabulary: WordVocabulary) -> None:
    def score(completions: list[str], context: list[About], **_: object) -> list[float]:
        return [float(about.label == "good") for about in context]

    metric = Function(vocabulary, score, label_names=("bad", "good"))
    scores = metric(vocabulary.encode(["a dog", "the cat"]).about(Context(torch.tensor([1, 0]))))

    assert scores.tolist() == [1.0, 0.0]
