import pytest

from sda.training.progress import Diverged, Meter, check_finite


def test_each_figure_is_averaged_over_its_own_count() -> None:
    meter = Meter()
    meter.add(a=1.0, b=10.0)
    meter.add(a=3.0)

    assert meter.means() == {"a": 2.0, "b": 10.0}
    assert Meter().means() == {}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_is_not_finite_is_named(value: float) -> None:
    with pytest.raises(Diverged, match=f"the loss became {value}"):
        check_finite("the loss", value)
    check_finite("the loss", -1e30)
