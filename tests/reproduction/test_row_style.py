"""Rows of one experiment look different, and a method has one colour in all of them."""

import pytest

from sda.reproduction.definitions import RowDefinition, experiment, experiment_names
from sda.reproduction.looks import look_of
from sda.reproduction.row_style import row_styles

OTHER = "#7F7F7F"


@pytest.mark.parametrize("name", experiment_names())
def test_no_two_rows_look_the_same(name: str) -> None:
    rows = experiment(name).rows
    styles = row_styles(rows)

    assert len({(style.colour, style.marker) for style in styles.values()}) == len(rows)
    for row in rows:
        assert styles[row.name].colour == look_of(row.method).colour != OTHER


def test_rows_of_a_method_without_a_family_are_grey() -> None:
    rows = [RowDefinition(name=name, title=name, method=name) for name in ("mine", "sda", "yours")]
    styles = row_styles(rows)

    assert [styles[row.name].colour for row in rows] == [OTHER, "#D55E00", OTHER]
    assert styles["mine"].marker != styles["yours"].marker
    assert [styles[row.name].is_main for row in rows] == [False, True, False]
