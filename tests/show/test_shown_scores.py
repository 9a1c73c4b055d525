"""Tables show scores as the catalogue has them."""

import pytest

from sda.evaluation.catalogue import GROUP_ABOUTS, KINDS
from sda.show.shown_scores import main_scores, score_column, score_figure, score_groups


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("bleu-5", {0.25: "0.250"}),
        ("lm-perplexity", {9.5: "9.500", 95.25: "95.2", 1234.5: "1234"}),
        # Nats keep their decimals.
        ("nll-oracle", {12.147: "12.147"}),
        ("length", {9.25: "9.2"}),
        ("types", {7.0: "7", 2.5: "2.500"}),
        ("updates", {100.25: "100"}),
        ("cpu-minutes", {1234.56: "1234.6"}),
        ("politeness", {0.5: "0.500"}),
        # As files from before call it.
        ("mauve", {0.5: "0.500"}),
    ],
)
def test_decimals(name: str, texts: dict[float, str]) -> None:
    assert {value: score_figure(name, value).text() for value in texts} == texts


def test_a_column_says_what_the_score_is_and_which_way_is_better() -> None:
    column = score_column("self-bleu-5")

    assert (column.title, column.higher_is_better) == ("self-bleu-5", False)
    assert column.about.startswith("self-BLEU-5: ")
    for name in ("politeness", "updates", "above the curve"):
        assert (score_column(name).title, score_column(name).about) == (name, "")


def test_main_scores_in_the_order_of_tables() -> None:
    found = main_scores(["length", "novelty-6", "politeness", "bleu-5", "mauve"])

    assert found == ["bleu-5", "length", "mauve", "politeness"]


def test_groups_say_what_they_are_about() -> None:
    groups = score_groups([["bleu-5", 1.0], ["length", 2.0], ["bleu-4", 3.0], ["politeness", 4.0]])

    assert [group.title for group in groups] == ["quality", "words and lengths", "other"]
    assert [list(row) for row in groups[0].rows] == [["bleu-5", 1.0], ["bleu-4", 3.0]]
    assert groups[2].about == "Scores of your own."
    assert {kind.group for kind in KINDS} < GROUP_ABOUTS.keys()
