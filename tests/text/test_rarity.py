import pytest

from sda.text.rarity import rare_threshold


@pytest.mark.parametrize(
    ("sentences", "threshold"),
    [(278_686, 50), (139_343, 25), (120_000, 22), (9_490, 3), (1, 3), (1_000_000, 179)],
)
def test_the_threshold_scales_with_the_data(sentences: int, threshold: int) -> None:
    assert rare_threshold(sentences) == threshold
