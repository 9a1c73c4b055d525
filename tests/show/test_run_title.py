"""A title says what was done to somebody who was not there."""

import pytest
from tiny import tiny_settings

from sda.show.run_title import run_facts, run_title


@pytest.mark.parametrize(
    ("source", "choices", "title"),
    [
        (
            "captions",
            {"metric": "bleu + rare_words"},
            "Self data augmentation on the embedded captions, with the metric bleu + rare words",
        ),
        ("some/reviews.txt", {"method": "mle"}, "Maximum likelihood on reviews.txt"),
        (
            "oracle",
            {"method": "random-buffer", "metric": "mine.py:kindness"},
            "random-buffer on text of an oracle, with the metric kindness",
        ),
    ],
)
def test_titles(source: str, choices: dict[str, str], title: str) -> None:
    settings, _ = tiny_settings(source, **choices)

    assert run_title(settings) == title


def test_facts() -> None:
    settings, _ = tiny_settings("captions", "seed=7")

    assert run_facts(settings) == "RnnGenerator, seed 7"
