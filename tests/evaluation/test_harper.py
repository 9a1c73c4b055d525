"""Harper counts what is wrong in grammar, and nothing else."""

import sys
from importlib.metadata import version

import pytest

from sda.errors import UserError
from sda.evaluation.grammar import grammar_scores
from sda.text.harper import HarperChecker


@pytest.fixture(scope="module")
def checker() -> HarperChecker:
    pytest.importorskip("harper")
    return HarperChecker()


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("The man is riding a bike.", []),
        ("He walks a old dog.", ["article"]),
        ("He walks the the dog.", ["repetition"]),
        ("They was there.", ["pronoun"]),
        ("They could might win.", ["agreement"]),
        ("I walk a old dog and an cat.", ["article", "article"]),
        ("", []),
    ],
)
def test_by_hand(checker: HarperChecker, text: str, kinds: list[str]) -> None:
    assert checker.issues([text]) == [kinds]


@pytest.mark.parametrize(
    "text",
    [
        "He saw a blonde giraff in front of the tv.",
        "He went to london , paris and rome",
        "We bought apples, pears and plums at a very good price.",
        '"It was good," he said. "And then they were looking forward to do it.',
    ],
)
def test_spelling_capitals_punctuation_and_style_do_not_count(
    checker: HarperChecker, text: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert checker.issues([text]) == [[]]
    assert capfd.readouterr().out == ""


def test_texts_keep_their_order(checker: HarperChecker) -> None:
    texts = ["A dog.", "A old dog.", "The the dog.", "A dog."]

    assert checker.issues(texts) == [[], ["article"], ["repetition"], []]


def test_the_signature_names_the_version_and_the_kinds(checker: HarperChecker) -> None:
    scores = grammar_scores(["a old dog", "a dog"], checker)

    assert f"checker:harper-py-{version('harper-py')}|" in scores[0].signature
    assert "kinds:agreement+pronoun+article+repetition|" in scores[0].signature
    assert scores[0].value == pytest.approx(1000 / 5)


@pytest.mark.parametrize("module", [None, sys])
def test_without_the_package_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, module: object
) -> None:
    # Nothing by that name, and another package by that name.
    monkeypatch.setitem(sys.modules, "harper", module)

    with pytest.raises(UserError, match=r"pip install 'sda-text\[grammar\]'"):
        HarperChecker()
