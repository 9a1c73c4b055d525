import math

import pytest
import torch
from fakes import FixedGenerator, seeded, sentences_of

from sda.models import generator as module
from sda.models.generator import Frame
from sda.models.rnn import RnnGenerator
from sda.reference.likelihood import Likelihood


def test_sum_where_all_sentences_have_one_length() -> None:
    metric = Likelihood(FixedGenerator([0.5, 0.25, 0.25], max_length=3))

    found = metric(sentences_of([0, 0, 0], [0, 1, 2]))
    assert found.tolist() == pytest.approx([3 * math.log(0.5), 5 * math.log(0.5)])


def test_mean_per_token_where_lengths_vary() -> None:
    metric = Likelihood(FixedGenerator([0.5, 0.25, 0.25], eos=0, max_length=9))

    found = metric(sentences_of([0], [1, 0], [1, 2, 1]))
    assert found.tolist() == pytest.approx([-math.log(2) * bits for bits in (1, 1.5, 2)])


def test_scores_follow_the_generator() -> None:
    generator = FixedGenerator([0.5, 0.5], max_length=1)
    metric = Likelihood(generator)
    before = metric(sentences_of([0]))
    with torch.no_grad():
        generator.logits[0] += 1

    assert metric.depends_on_generator
    assert metric(sentences_of([0])) > before


def test_parts_make_the_same_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    metric = Likelihood(RnnGenerator(Frame(4, 0, 5), seeded(0), init_std=1.0))
    sentences = sentences_of([1, 2, 0], [3, 0], [1, 1, 1, 1, 1], [2, 0], [3, 3, 0])
    whole = metric(sentences)
    monkeypatch.setattr(module, "CHUNK", 2)

    torch.testing.assert_close(metric(sentences), whole)


def test_scores_are_without_dropout() -> None:
    metric = Likelihood(RnnGenerator(Frame(4, 0, 5), seeded(0), dropout=0.5))
    sentences = sentences_of([1, 2, 0], [3, 0])

    assert torch.equal(metric(sentences), metric(sentences))
