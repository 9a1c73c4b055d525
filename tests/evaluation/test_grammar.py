"""Issues per 1,000 words, by a checker whose findings are known."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sda.evaluation.grammar import grammar_score, grammar_scores
from sda.evaluation.score import Convention, Score


class Finder:
    """Finds "bad" and "worse" in words; `read` records the texts that it was given."""

    name = "finder-1.0"
    kinds = ("worse", "bad")

    def __init__(self) -> None:
        self.read: list[str] = []

    def issues(self, texts: Sequence[str]) -> list[list[str]]:
        self.read += texts
        words = [text.rstrip(".").lower().split() for text in texts]
        return [[word for word in line if word in self.kinds] for line in words]


def values(scores: list[Score]) -> dict[str, float]:
    return {score.name: score.value for score in scores}


def test_by_hand() -> None:
    texts = ["a bad day", "worse and bad and bad", "a good day - or two", ""]
    scores = grammar_scores(texts, Finder())

    assert values(scores) == pytest.approx(
        {
            "grammar-issues": 1000 * 4 / 13,
            "grammar-issues-worse": 1000 * 1 / 13,
            "grammar-issues-bad": 1000 * 3 / 13,
        }
    )
    assert grammar_score(texts, Finder()) == scores[0]
    assert all(score.higher_is_better is False for score in scores)
    assert scores[0].signature.startswith(
        "hyps:4|words:13|checker:finder-1.0|kinds:worse+bad|per:1000-words"
        "|norm:detokenised+american|ci:bootstrap|tok:whitespace|case:kept|version:"
    )


def test_the_checker_reads_ordinary_text_and_each_sentence_once() -> None:
    finder = Finder()
    texts = ["he 's at the Centre , i think", "a dog", "a  dog .", "a dog"]
    grammar_score(texts, finder)

    assert finder.read == ["He's at the Center, I think.", "A dog."]


def test_equal_sentences_count_as_often_as_they_stand() -> None:
    assert grammar_score(["bad day", "bad day", "day"], Finder()).value == pytest.approx(400)


def test_case_follows_the_convention() -> None:
    finder = Finder()
    score = grammar_score(["THE DOG"], finder, Convention(lowercase=True))

    assert finder.read == ["The dog."]
    assert "case:lower" in score.signature


def test_the_interval_holds_the_value_and_narrows() -> None:
    few = grammar_score(["a bad day", "a day"] * 20, Finder())
    many = grammar_score(["a bad day", "a day"] * 2000, Finder())

    assert few.interval is not None and many.interval is not None
    assert few.value == pytest.approx(200)
    assert few.interval[0] < few.value < few.interval[1]
    # A hundred times the sentences, a tenth of the width.
    ratio = (few.interval[1] - few.interval[0]) / (many.interval[1] - many.interval[0])
    assert ratio == pytest.approx(10, rel=0.25)
    assert grammar_score(["a bad day"], Finder()).interval is None


@given(st.lists(st.sampled_from(["a bad day", "worse", "a day", "the end"]), min_size=1))
def test_kinds_add_up(texts: list[str]) -> None:
    total, *kinds = grammar_scores(texts, Finder())

    assert sum(score.value for score in kinds) == pytest.approx(total.value)


@pytest.mark.parametrize("texts", [[], [""], [" . "]])
def test_no_words_have_no_score(texts: list[str]) -> None:
    with pytest.raises(ValueError, match="at least one word"):
        grammar_score(texts, Finder())
