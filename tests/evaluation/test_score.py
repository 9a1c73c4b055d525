"""A score says what it measured."""

import json

import numpy as np
import pytest

from sda import __version__
from sda.evaluation.score import Convention, Score, standard_error


def test_a_signature_lists_facts_then_the_convention() -> None:
    signature = Convention().sign(refs=10000, hyps=9984, smooth="method1")
    assert signature == (
        f"refs:10000|hyps:9984|smooth:method1|tok:whitespace|case:kept|version:{__version__}"
    )


def test_a_convention_shows_in_the_signature() -> None:
    signature = Convention("words", lowercase=True).sign(hyps=3)
    assert signature == f"hyps:3|tok:words|case:lower|version:{__version__}"


def test_a_score_survives_json() -> None:
    score = Score("bleu-2", 0.5, True, "refs:1", 0.25)
    assert Score(**json.loads(json.dumps(score.as_dict()))) == score


def test_standard_error_is_that_of_the_mean() -> None:
    # The sample variance of 1, 2, 3 is 1.
    assert standard_error(np.array([1.0, 2.0, 3.0])) == pytest.approx(1 / np.sqrt(3))
    assert standard_error(np.array([1.0])) is None
