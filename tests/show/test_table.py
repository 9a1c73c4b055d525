"""A table is data: numbers stay numbers until a reader wants to see them."""

import json

import pytest

from sda.show.table import Column, Figure, Group, Table, fact_table, usual_digits


@pytest.mark.parametrize(
    ("figure", "text"),
    [
        (Figure(0.12345), "0.123"),
        (Figure(12.25), "12.2"),
        (Figure(1234.5), "1234"),
        (Figure(12.25, digits=3), "12.250"),
        (Figure(0.5, deviation=0.0625), "0.500 ± 0.062"),
        (Figure(100.0, digits=0, deviation=0.4), "100 ± 0"),
        (Figure(0.5, is_signed=True), "+0.500"),
        (Figure(-0.5, interval=(-1.0, 0.25), is_signed=True), "-0.500 (-1.000 to +0.250)"),
        # No sign where there is nothing left to have one.
        (Figure(-0.0001, is_signed=True), "0.000"),
        (Figure(-0.0001), "0.000"),
        (Figure(0.5, is_flagged=True), "0.500!"),
        (Figure(0.02, is_signed=True, remark=", 1 of 2 inside"), "+0.020, 1 of 2 inside"),
    ],
)
def test_figures_as_people_read_them(figure: Figure, text: str) -> None:
    assert figure.text() == text


@pytest.mark.parametrize(
    ("value", "digits"),
    [(0.0, 3), (9.99, 3), (-9.99, 3), (10.0, 1), (-999.0, 1), (1000.0, 0)],
)
def test_larger_numbers_have_fewer_decimals(value: float, digits: int) -> None:
    assert usual_digits(value) == digits
    assert usual_digits(value, small=0) == 0


def test_a_column_has_the_decimals_that_a_figure_leaves_open() -> None:
    column = Column("score", digits=4)

    assert [column.text(cell) for cell in (0.5, Figure(0.5), Figure(0.5, 1), "text", None)] == [
        "0.5000",
        "0.5000",
        "0.5",
        "text",
        "-",
    ]
    assert Column("seeds", digits=0).text(3) == "3"


TABLE = Table(
    "a title",
    [Column("", "left"), Column("bleu-2", higher_is_better=True)],
    [Group("one", [["a", Figure(0.5, deviation=0.25)]]), Group("two", [["b", None]])],
    ["a note"],
    [("a", "an alarm")],
)


def test_rows_of_all_groups() -> None:
    assert TABLE.header == ["", "bleu-2"]
    assert TABLE.body == [["a", "0.500 ± 0.250"], ["b", "-"]]
    assert TABLE.texts(TABLE.groups[1]) == [["b", "-"]]
    assert fact_table("t", [("words", "1,000")]).body == [["words", "1,000"]]


def test_json_has_the_numbers() -> None:
    assert json.loads(json.dumps(TABLE.as_dict())) == {
        "title": "a title",
        "columns": [
            {"title": "", "higher_is_better": None},
            {"title": "bleu-2", "higher_is_better": True},
        ],
        "groups": [
            {"title": "one", "rows": [["a", {"value": 0.5, "deviation": 0.25}]]},
            {"title": "two", "rows": [["b", None]]},
        ],
        "notes": ["a note"],
        "alarms": [{"of": "a", "alarm": "an alarm"}],
    }


def test_a_row_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="longer"):
        _ = Table.of_rows("t", [Column("a")], [["x", "y"]]).body
