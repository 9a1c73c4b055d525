"""How calls of the metric are planned: the plan is never more than the limit."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny import tiny_settings

from sda.errors import UserError
from sda.runs.budget import Budget, CallCosts, cut, make_budget
from sda.runs.plan import plan
from sda.text.corpus import Corpus
from sda.text.tokens import WhitespaceTokenizer
from sda.text.vocabulary import WordVocabulary
from sda.training.step_kinds import AUGMENTED, INTERLEAVED, TRAINING

WORDS = WordVocabulary(("a", "cat"), has_unknown=False, tokenizer=WhitespaceTokenizer())
CORPUS = Corpus(WORDS, WORDS.encode(["a cat"] * 10), WORDS.encode(["a"]), max_length=4)


def budget_of(corpus: Corpus, *more: str, rescored: int = 0, **choices: Any) -> Budget:
    """Of the tiny run: two epochs of three steps, 16 candidates each, after a first fill of 32."""
    settings, _ = tiny_settings("captions", "stage2.fewer_every=9", *more, **choices)
    _, schedule, training = plan(settings)
    return make_budget(settings, training, schedule, corpus, rescored)


def test_all_calls_of_a_run_without_a_limit(corpus: Corpus) -> None:
    budget = budget_of(corpus)

    assert budget.trial == 16
    assert budget.costs == CallCosts(32, 0, ((16, 16, 16), (16, 16, 16)))
    assert budget.total == 16 + 32 + 6 * 16
    assert budget.sentence == (
        "the metric will be asked at most 144 times: 16 to try it, 32 to fill the buffer,"
        " 96 in 6 steps of Stage II"
    )


@pytest.mark.parametrize(
    ("more", "total"),
    [
        (("stage2.reward=metric",), 16 + 32 + 6 * (16 + 8)),
        (("stage2.reward=metric", "stage2.steps=training"), 16 + 6 * 8),
        (("stage2.reward=metric", "stage2.steps=training", "stage2.mle_every=1"), 16 + 6 * 8),
        (("stage2.steps=likelihood",), 0),
        (("stage2.steps=mixed",), 16 + 32 + 2 * 16),
        (("buffer.source=training",), 16 + 10),
        (('stage2.steps="none"',), 0),
        (("stage2.epochs=0",), 0),
    ],
    ids=lambda more: " ".join(more) if isinstance(more, tuple) else None,
)
def test_what_other_forms_ask(more: tuple[str, ...], total: int, corpus: Corpus) -> None:
    assert budget_of(corpus, *more).total == total


def test_a_buffer_that_is_scored_anew(corpus: Corpus) -> None:
    budget = budget_of(corpus, rescored=7)

    assert budget.total == 16 + 32 + 7 + 6 * 16
    assert "7 to score the buffer anew" in budget.sentence


def test_a_selection_by_the_metric(corpus: Corpus) -> None:
    assert budget_of(corpus, method="best-of-n").sentence == (
        "the metric will be asked at most 136 times: 16 to try it, 120 to select among samples"
    )
    assert budget_of(corpus, method="d-rejection").sentence == ""
    with pytest.raises(UserError, match=r"100 calls .* too few: 10 are for .* needs 120 at least"):
        budget_of(corpus, "calls.limit=100", method="best-of-n")


def test_a_run_without_a_metric_asks_nothing(corpus: Corpus) -> None:
    budget = budget_of(corpus, "metric=[]", "calls.limit=1")

    assert (budget.total, budget.sentence) == (0, "")
    assert [len(steps) for steps in budget.schedule] == [3, 3]


def test_a_limit_cuts_an_epoch_in_the_middle(corpus: Corpus) -> None:
    budget = budget_of(corpus, "calls.limit=120")

    assert budget.trial == 12
    assert budget.schedule == [[TRAINING, TRAINING, AUGMENTED], [TRAINING]]
    assert budget.total == 12 + 32 + 4 * 16 <= 120
    assert budget.sentence == (
        "the metric may be asked 120 times: 12 to try it, 32 to fill the buffer, 64 in 4 steps of"
        " Stage II, of the 6 that the settings have"
    )


def test_a_limit_below_the_first_fill_makes_it_smaller(corpus: Corpus) -> None:
    budget = budget_of(corpus, "calls.limit=44")

    assert budget.trial == 4
    assert (budget.training.buffer.first_fill, budget.training.buffer.candidates) == (20, 6)
    assert [len(steps) for steps in budget.schedule] == [3]
    assert budget.total == 4 + 20 + 3 * 6 <= 44
    assert budget.sentence.endswith(
        "; buffer.first_fill is 20 in place of 32, and buffer.candidates 6 in place of 16"
    )


def test_a_limit_without_room_for_one_step(corpus: Corpus) -> None:
    more = ("stage2.reward=metric", "stage2.steps=training")

    assert budget_of(corpus, *more, "calls.limit=9").total == 8
    with pytest.raises(UserError) as caught:
        budget_of(corpus, *more, "calls.limit=7")
    assert str(caught.value) == (
        "setting 'calls.limit': 7 calls of the metric are too few: 0 are for trying it, and the"
        " rest of the run needs 8 at least"
    )


def test_the_smallest_of_all_runs(corpus: Corpus) -> None:
    assert budget_of(corpus, "calls.limit=2").total == 2
    with pytest.raises(UserError, match="needs 2 at least"):
        budget_of(corpus, "calls.limit=1")


@given(
    limit=st.integers(1, 400),
    reward=st.sampled_from(["prob", "metric"]),
    mle_every=st.integers(0, 2),
    fill=st.integers(0, 80),
    candidates=st.integers(1, 40),
    rescored=st.integers(0, 20),
)
def test_a_plan_never_exceeds_its_limit(
    limit: int, reward: str, mle_every: int, fill: int, candidates: int, rescored: int
) -> None:
    more = (
        f"calls.limit={limit}",
        f"stage2.reward={reward}",
        f"stage2.mle_every={mle_every}",
        f"buffer.first_fill={fill}",
        f"buffer.candidates={candidates}",
    )
    try:
        budget = budget_of(CORPUS, *more, rescored=rescored)
    except UserError:
        # A sentence for the buffer at first, and one in a step.
        least = min(1, fill) + 1 + (8 if reward == "metric" else 0)
        assert limit - min(16, limit // 10) < least
        return
    assert 0 < budget.total <= limit
    assert budget.costs.in_steps > 0
    assert 10 * budget.trial <= limit
    assert [len(prices) for prices in budget.costs.steps] == [len(s) for s in budget.schedule]


def test_steps_that_ask_nothing_do_not_make_an_epoch() -> None:
    schedule = [[TRAINING, INTERLEAVED], [INTERLEAVED, TRAINING]]
    costs = CallCosts(3, 0, ((5, 0), (0, 5)))

    assert cut(schedule, costs, 12) == ([[TRAINING, INTERLEAVED]], CallCosts(3, 0, ((5, 0),)))
    assert cut(schedule, costs, 13)[0] == schedule
    assert cut(schedule, costs, 7) == ([], CallCosts(0, 0, ()))
