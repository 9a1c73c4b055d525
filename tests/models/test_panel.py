"""Several discriminators that judge together."""

import pytest
import torch
from fakes import seeded, sentences_of
from hypothesis import given
from hypothesis import strategies as st

from sda.models.generator import Frame
from sda.models.panel import Panel, mean_logit
from sda.models.rnn import RnnGenerator
from sda.models.word_judge import WordJudge
from sda.rewards import judge

SENTENCES = sentences_of([1, 2, 3], [4], [2, 2])


def members(number: int) -> list[WordJudge]:
    reader = RnnGenerator(Frame(6, 0, 5), seeded(0), embedding=4, hidden=4, init_std=0.5)
    return [WordJudge(reader, SENTENCES, seeded(1 + n), 5, init_std=0.5) for n in range(number)]


def test_d_is_the_mean_of_the_members() -> None:
    three = members(3)
    apart = torch.stack([judge(one, SENTENCES) for one in three])

    assert apart.std(0).min() > 0
    torch.testing.assert_close(judge(Panel(three), SENTENCES), apart.mean(0))


def test_one_member_is_itself() -> None:
    (one,) = members(1)
    alone = judge(one, SENTENCES)

    torch.testing.assert_close(judge(Panel([one]), SENTENCES), alone)


@given(st.lists(st.floats(-60, 60), min_size=1, max_size=6))
def test_a_mean_of_logits_is_that_of_their_probabilities(logits: list[float]) -> None:
    found = mean_logit(torch.tensor(logits, dtype=torch.float64)[:, None])
    mean = torch.tensor(logits, dtype=torch.float64).sigmoid().mean()

    assert found.sigmoid().item() == pytest.approx(mean.item(), rel=1e-9)
    assert min(logits) - 1e-9 <= found.item() <= max(logits) + 1e-9


def test_what_no_member_is_taught_is_kept_once() -> None:
    three = members(3)
    panel = Panel(three)

    readers = [name for name in panel.kept() if ".reader." in name]
    assert readers and all(name.startswith("members.0.") for name in readers)
    assert sum(name.endswith("network.0.weight") for name in panel.kept()) == 3
    assert three[1].reader is three[0].reader
