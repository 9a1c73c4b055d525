"""What is measured while a run goes on, and that measuring disturbs nothing."""

import math

import pytest
import torch
from fakes import FixedGenerator

from sda.evaluation.truth import LstmTruth
from sda.scoring.comparison import WATCHED
from sda.scoring.monitor import Monitor
from sda.settings.schema import EvaluationSettings
from sda.text.corpus import Corpus

SETTINGS = EvaluationSettings(every=3, samples=200, self_bleu_samples=50)
GENERATOR = FixedGenerator([0.2, *([0.8 / 9] * 9)], eos=0, max_length=6)


def test_when_the_monitor_is_due(corpus: Corpus) -> None:
    monitor = Monitor(corpus, None, SETTINGS, seed=0)

    assert [epoch for epoch in range(1, 10) if monitor.is_due(epoch)] == [1, 3, 6, 9]


def test_the_monitor_gives_few_figures(corpus: Corpus) -> None:
    monitor = Monitor(corpus, None, SETTINGS, seed=0)
    figures = monitor.measure(GENERATOR, "mle", 1)

    assert list(figures) == ["bleu_3", "self_bleu_3", "distinct_2", "duplicate_share", "length"]
    # Words before the end, each missed with probability 0.2, at most six.
    assert figures["length"] == pytest.approx(sum(0.8**k for k in range(1, 7)), abs=0.6)


def test_more_figures_change_none_of_the_others(corpus: Corpus) -> None:
    few = Monitor(corpus, None, SETTINGS, seed=0).measure(GENERATOR, "imitation", 1)
    more = Monitor(corpus, None, SETTINGS, 0, WATCHED).measure(GENERATOR, "imitation", 1)

    assert {name: more[name] for name in few} == few
    assert more.keys() - few.keys() == {"copy_share", "self_bleu_5", "mauve_ngram"}


def test_the_monitor_compares_with_the_truth(corpus: Corpus) -> None:
    monitor = Monitor(corpus, LstmTruth(GENERATOR), SETTINGS, seed=0)
    figures = monitor.measure(GENERATOR, "mle", 1)

    assert figures["kl_model_oracle"] == 0.0
    entropy = -0.2 * math.log(0.2) - 0.8 * math.log(0.8 / 9)
    assert figures["nll_oracle"] == pytest.approx(entropy, abs=0.1)


def test_measuring_depends_on_the_epoch_and_disturbs_nothing(corpus: Corpus) -> None:
    monitor = Monitor(corpus, None, SETTINGS, seed=0)
    before = torch.get_rng_state()
    first = monitor.measure(GENERATOR, "mle", 1)

    assert monitor.measure(GENERATOR, "mle", 1) == first
    assert monitor.measure(GENERATOR, "mle", 2) != first
    assert monitor.measure(GENERATOR, "imitation", 1) != first
    assert Monitor(corpus, None, SETTINGS, seed=1).measure(GENERATOR, "mle", 1) != first
    assert torch.equal(torch.get_rng_state(), before)
