"""A judge that sees how common words are and what is repeated."""

import math
from collections.abc import Callable

import pytest
import torch
from fakes import seeded, sentences_of

from sda.models.surface_judge import SurfaceJudge, SurfaceReader
from sda.models.word_judge import Pooling
from sda.settings.layers import discriminator_section
from sda.text.sentences import Sentences
from sda.training.fitting import auc, fit
from sda.training.stages import JudgeSettings

WORDS = 50
QUICK = JudgeSettings(updates=400, check_every=20, patience=5)
FEW = JudgeSettings(updates=40, check_every=20, patience=5)
Wanted = Callable[[Sentences], torch.Tensor]


def figures(*words: int) -> list[list[float]]:
    found: list[list[float]] = SurfaceReader(10).word_states(sentences_of(list(words))).tolist()
    return found


def test_a_sentence_by_hand() -> None:
    """1 2 3 1 2 3: the second 1 repeats a word, the second 2 a pair, the second 3 three words."""
    found = figures(1, 2, 3, 1, 2, 3)

    assert [row[2:5] for row in found] == [[0, 0, 0]] * 3 + [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert [row[5] for row in found] == [0, 1, 2, 3, 4, 5]
    for word, row in zip((1, 2, 3, 1, 2, 3), found, strict=True):
        assert math.isclose(row[0], math.log1p(word), rel_tol=1e-6)
        assert math.isclose(row[1], word / 10, rel_tol=1e-6)
        assert math.isclose(row[6], math.log1p(6), rel_tol=1e-6)


def test_overlapping_pairs_count() -> None:
    assert [row[2:5] for row in figures(4, 4, 4)] == [[0, 0, 0], [1, 0, 0], [1, 1, 0]]


def drawn(seed: int) -> Sentences:
    """Sentences of eight words, few of them rare."""
    rng = seeded(seed)
    common = torch.randint(1, 40, (800, 8), generator=rng)
    rare = torch.randint(40, WORDS, (800, 8), generator=rng)
    tokens = torch.where(torch.rand(800, 8, generator=rng) < 0.04, rare, common)
    return Sentences(tokens, torch.full((800,), 8))


def has_a_rare_word(sentences: Sentences) -> torch.Tensor:
    return (sentences.tokens >= 40).any(1)


def repeats_a_word(sentences: Sentences) -> torch.Tensor:
    ordered = sentences.tokens.sort(1).values
    return (ordered[:, 1:] == ordered[:, :-1]).any(1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wanted", "pooling"),
    [(has_a_rare_word, "any"), (has_a_rare_word, "sum"), (repeats_a_word, "sum")],
)
def test_it_learns_what_is_rare_and_what_is_repeated(wanted: Wanted, pooling: Pooling) -> None:
    written, fresh = drawn(1), drawn(2)
    judge = SurfaceJudge(WORDS, seeded(3), pooling=pooling)
    torch.manual_seed(0)
    fit(judge, written, wanted(written), QUICK, 4)
    with torch.no_grad():
        logits = judge.eval().real_logit(fresh)

    assert auc(logits, wanted(fresh)) > 0.97


def test_one_good_word_is_enough() -> None:
    """Opposites of verdicts are multiplied: 1 - (1 - 0.9)(1 - 0.2) = 0.92."""
    judge = SurfaceJudge(WORDS, seeded(3), pooling="any")
    verdicts = torch.tensor([0.9, 0.2]).logit()

    logit = judge._pool(verdicts, torch.tensor([[True, True]]))
    torch.testing.assert_close(logit.sigmoid(), torch.tensor([0.92]))


def test_it_leaves_the_random_numbers_of_others_alone() -> None:
    """What judges it competes with draw does not depend on whether it takes part."""
    torch.manual_seed(0)
    before = torch.get_rng_state()
    for name in ("surface", "surface-sum"):
        section = dict(discriminator_section(name))
        del section["use"]
        judge = SurfaceJudge(WORDS, seeded(3), **section)
        fit(judge, drawn(1), has_a_rare_word(drawn(1)), FEW, 4)

    assert torch.equal(torch.get_rng_state(), before)
