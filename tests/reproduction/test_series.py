"""What the figures show, checked by hand: means, bands over seeds, epochs across stages, gains."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproduction.records import as_record, jobs_of, record, record_of, write_ledger
from sda.reproduction import series
from sda.reproduction.definitions import Portion, experiment
from sda.reproduction.ledger import Ledger, RunRecord
from sda.reproduction.quantity import Quantity
from sda.reproduction.rows import read_rows

X, Y = (Quantity.model_validate(name) for name in ("self-bleu-5", "bleu-5"))
ERROR = Quantity.model_validate({"score": "bleu-5", "from_one": True})


def both(x: float, y: float) -> dict[str, float]:
    return {"self-bleu-5": x, "bleu-5": y}


def run(**contents: Any) -> RunRecord:
    return as_record(record(**contents))


def curves(x: list[list[float]], y: list[list[float]]) -> series.Curves:
    """series.Curves whose temperatures fall from 1 in steps of a tenth."""
    temperatures = tuple(1 - 0.1 * place for place in range(len(x[0])))
    return series.Curves(temperatures, np.array(x), np.array(y))


def test_points_are_means_over_samplings() -> None:
    first = run(points={1.0: [both(0.1, 0.2), both(0.3, 0.4)], 0.5: [both(0.6, 0.8)] * 2})
    second = run(seed=1, points={0.5: [both(0.7, 0.9)] * 2, 1.0: [both(0.4, 0.5)] * 2})
    found = series.temperature_curves([first, second], X, Y)

    assert found is not None
    assert found.temperatures == (1.0, 0.5)
    assert found.x == pytest.approx(np.array([[0.2, 0.6], [0.4, 0.7]]))
    assert found.y == pytest.approx(np.array([[0.3, 0.8], [0.5, 0.9]]))


def test_temperatures_that_a_run_lacks_are_left_out() -> None:
    first = run(points={1.0: [both(0.1, 0.2)], 0.8: [both(0.2, 0.3)], 0.5: [both(0.6, 0.8)]})
    second = run(seed=1, points={1.0: [both(0.1, 0.2)], 0.5: [both(0.6, 0.8), {}]})
    found = series.temperature_curves([first, second], X, Y)

    assert found is not None
    assert found.temperatures == (1.0,)
    assert series.temperature_curves([first], X, Quantity.model_validate("nll-test")) is None
    assert series.temperature_curves([], X, Y) is None


def test_a_band_is_the_least_and_greatest_at_equal_x() -> None:
    band = curves([[0.0, 1.0], [0.5, 1.5]], [[0.0, 1.0], [0.0, 1.0]]).band()

    assert band is not None
    assert (band.places[0], band.places[-1]) == (0.5, 1.0)
    assert (band.low[0], band.low[-1]) == (0.0, 0.5)
    assert (band.high[0], band.high[-1]) == (0.5, 1.0)
    assert band.mean[0] == 0.25


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([[0.0, 1.0]], [[0.0, 1.0]]),
        ([[0.0, 1.0], [2.0, 3.0]], [[0.0, 1.0], [0.0, 1.0]]),
        ([[0.0, 1.0, 0.5], [0.0, 1.0, 0.5]], [[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]]),
    ],
    ids=["single run", "no common range", "x turns back"],
)
def test_no_band_where_it_would_say_nothing(x: list[list[float]], y: list[list[float]]) -> None:
    assert curves(x, y).band() is None


@given(st.lists(st.floats(-1, 1), min_size=8, max_size=8))
def test_the_band_is_the_same_whichever_way_temperatures_are_listed(y: list[float]) -> None:
    one = curves([[0.1, 0.2, 0.3, 0.4], [0.15, 0.2, 0.3, 0.5]], [y[:4], y[4:]])
    other = series.Curves(one.temperatures[::-1], one.x[:, ::-1], one.y[:, ::-1])
    bands = [some.band() for some in (one, other)]

    assert bands[0] is not None
    assert bands[1] is not None
    assert bands[0].low == pytest.approx(bands[1].low)
    assert bands[0].high == pytest.approx(bands[1].high)
    assert (bands[0].low <= bands[0].high).all()


def test_the_range_near_temperature_one_has_a_margin() -> None:
    one = series.Curves((1.0, 0.9, 0.4), np.array([[0.2, 0.4, 0.9]]), np.array([[0.1, 0.5, 0.9]]))

    assert series.near_one([one]) == (
        pytest.approx((0.15, 0.45)),
        pytest.approx((0.0, 0.6)),
    )
    assert series.near_one([]) is None
    assert series.near_one([series.Curves((1.0,), np.array([[0.2]]), np.array([[0.1]]))]) is None


def test_final_points_are_those_of_runs_that_have_both_scores() -> None:
    runs = [run(scores=both(0.3, 0.25)), run(seed=1, scores={"bleu-5": 0.5})]

    assert series.final_points(runs, X, ERROR).tolist() == [[0.3, 0.75]]
    assert series.final_values(runs, Y).tolist() == [0.25, 0.5]
    assert series.final_values(runs, Quantity.model_validate("grammar-issues")).shape == (0,)


def test_real_text_is_the_mean_over_runs() -> None:
    runs = [
        run(real=both(0.2, 0.4), real_points=both(0.1, 0.3)),
        run(seed=1, real=both(0.4, 0.6), real_points={}),
    ]

    assert series.real_point(runs, X, Y, is_on_curve=False) == pytest.approx((0.3, 0.5))
    assert series.real_point(runs, X, Y, is_on_curve=True) == (0.1, 0.3)
    assert series.real_point([], X, Y, is_on_curve=True) is None


def line(stage: str, epoch: int, **figures: float) -> dict[str, Any]:
    return {"stage": stage, "epoch": epoch, **figures}


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """Two seeds of a start of three epochs, and two epochs of SDA from each."""
    records = []
    for seed, shift in ((0, 0.0), (1, 0.5)):
        first = [
            line("mle", 1, nll_valid=9 + shift, nll_oracle=11 + shift),
            line("mle", 2, nll_valid=8 + shift),
            line("discriminator", 1, d_accuracy_real=0.5),
            line("mle", 3, nll_valid=7 + shift, nll_oracle=10 + shift),
        ]
        second = [line("imitation", epoch, nll_oracle=9 + shift - epoch) for epoch in (1, 2)]
        records += [
            record("mle", seed, progress=first),
            record("sda", seed, start=f"mle-{seed}", progress=second[: 2 - seed]),
        ]
    return write_ledger(tmp_path, records)


def found(ledger: Ledger, *keys: str) -> list[RunRecord]:
    records = [ledger.find(key) for key in keys]
    return [some for some in records if some is not None]


def test_epochs_are_counted_from_the_end_of_stage_one(ledger: Ledger) -> None:
    start = series.epoch_spread(found(ledger, "mle-0", "mle-1"), ledger, "nll_oracle")
    whole = series.epoch_spread(found(ledger, "sda-0"), ledger, "nll_oracle")

    assert start.places.tolist() == [-2, 0]
    assert start.mean.tolist() == [11.25, 10.25]
    assert (start.low.tolist(), start.high.tolist()) == ([11, 10], [11.5, 10.5])
    assert whole.places.tolist() == [-2, 0, 1, 2]
    assert whole.mean.tolist() == [11, 10, 8, 7]
    assert whole.after(0).places.tolist() == [0, 1, 2]


def test_epochs_that_a_run_lacks_are_left_out(ledger: Ledger) -> None:
    both_seeds = series.epoch_spread(found(ledger, "sda-0", "sda-1"), ledger, "nll_oracle")

    assert both_seeds.places.tolist() == [-2, 0, 1]
    assert both_seeds.mean.tolist() == [11.25, 10.25, 8.25]
    assert not len(series.epoch_spread(found(ledger, "sda-0"), ledger, "bleu_3").places)


def test_without_the_record_of_its_start_a_run_has_stage_two_alone(tmp_path: Path) -> None:
    lines = [line("imitation", 1, nll_valid=6.0)]
    ledger = write_ledger(tmp_path, [record("sda", start="gone", progress=lines)])
    spread = series.epoch_spread(found(ledger, "sda-0"), ledger, "nll_valid")

    assert (spread.places.tolist(), spread.mean.tolist()) == ([1], [6.0])


def test_gains_are_paired_by_seed(tmp_path: Path) -> None:
    values = {
        ("mle-5", 0): 0.5,
        ("sda-5", 0): 0.75,
        ("mle-5", 1): 0.25,
        ("sda-5", 1): 0.375,
        ("sda-5", 2): 0.9,
        ("mle-100", 0): 0.5,
        ("sda-100", 0): 0.25,
        ("sda-50", 0): 0.9,
    }
    jobs = jobs_of("size")
    ledger = write_ledger(
        tmp_path,
        [record_of(jobs[name], scores={"bleu-2": value}) for name, value in values.items()],
    )
    rows = read_rows(experiment("size"), ledger, Portion("small"), "rnn")
    spread = series.gain_spread(rows, "sda", "bleu-2")

    assert spread.places.tolist() == [5, 100]
    assert spread.mean.tolist() == [0.1875, -0.25]
    assert (spread.low.tolist(), spread.high.tolist()) == ([0.125, -0.25], [0.25, -0.25])
    assert not len(series.gain_spread(rows, "best-of-n", "bleu-2").places)


def test_gains_of_the_paper(tmp_path: Path) -> None:
    rows = read_rows(experiment("size"), Ledger(tmp_path), Portion("small"), "rnn")
    spread = series.paper_gains(rows, "sda", "bleu-2", "leakrnn")

    assert spread.places.tolist() == [5, 10, 50, 100]
    assert spread.mean == pytest.approx(np.array([0.0338, 0.0195, 0.0157, 0.0146]))
    assert not len(series.paper_gains(rows, "sda", "bleu-2", "rnn").places)
