"""Tables show names as they are, and fit the terminal."""

import io

import pytest
from rich import table as rich_table
from rich.console import Console

from sda.show.rich_tables import MOST_COLUMNS, as_rich, pieces, show, show_wide, wide_text
from sda.show.table import NAMES, Column, Figure, Group, Table, fact_table

SCORES = [f"score-{number}" for number in range(9)]
WIDE = Table.of_rows(
    "title",
    [NAMES, Column("seeds", digits=0), *map(Column, [*SCORES, "a name of many words"])],
    [["a model with a long name", 3, *(f"0.{n}00 ± 0.010" for n in range(9)), 1.0]],
    ["a note"],
    fixed=2,
)


def console(width: int = 200) -> Console:
    return Console(file=io.StringIO(), width=width)


def text_of(where: Console) -> str:
    assert isinstance(where.file, io.StringIO)
    return where.file.getvalue()


def shown(table: rich_table.Table) -> str:
    where = console()
    where.print(table)
    return text_of(where)


def words_of(table: rich_table.Table) -> set[str]:
    """The words of a table without its frame."""
    return {word for word in shown(table).split() if word.isprintable()}


def test_brackets_are_no_markup() -> None:
    names = ("[bold]a", "[/b]", "c[red]", "[d]")
    table = Table.of_rows(names[3], [Column(names[0]), Column(names[1])], [[names[2], 1.0]])

    assert all(name in shown(as_rich(table)) for name in names)


def test_facts_have_no_header() -> None:
    text = shown(as_rich(fact_table("[title]", [("[b]words", "1,000")])))

    assert "[title]" in text and "[b]words" in text
    # The title, a row and the frame around it.
    assert len(text.splitlines()) == 4


def test_only_flagged_figures_are_marked() -> None:
    flagged = Table.of_rows("t", [NAMES, Column("a")], [["b!", Figure(0.5, is_flagged=True)]])
    where = Console(file=io.StringIO(), width=80, force_terminal=True, color_system="standard")
    where.print(as_rich(flagged))
    lines = [line for line in text_of(where).splitlines() if "0.500!" in line]

    assert len(lines) == 1
    before, _, after = lines[0].partition("b!")
    assert "31m" not in before and "31m" in after


def test_groups_have_a_rule_between_them() -> None:
    grouped = Table("t", [NAMES, Column("a")], [Group("x", [["b", 1.0]]), Group("y", [["c", 2.0]])])

    assert shown(as_rich(grouped)).count("├") == 1


@pytest.mark.parametrize("width", [24, 30, 40, 60, 80, 100])
def test_pieces_fit_the_width_and_lose_nothing(width: int) -> None:
    tables = pieces(WIDE, width)

    columns = [[str(column.header) for column in table.columns] for table in tables]
    assert all(names[:2] == WIDE.header[:2] for names in columns)
    assert [name for names in columns for name in names[2:]] == WIDE.header[2:]
    assert all(len(names) <= 2 + MOST_COLUMNS for names in columns)
    assert [str(table.title) for table in tables] == ["title", *[""] * (len(tables) - 1)]
    for table in tables:
        assert max(map(len, shown(table).splitlines())) <= width
        assert {"a", "model", "with", "long", "name", "3"} <= words_of(table)


@pytest.mark.parametrize("width", [40, 80])
def test_no_figure_is_broken_where_there_is_room_for_one(width: int) -> None:
    text = "".join(map(shown, pieces(WIDE, width)))

    assert all(f"0.{n}00 ± 0.010" in text for n in range(9))


def test_a_table_that_fits_is_one_piece() -> None:
    table = Table.of_rows("t", [NAMES, Column("a"), Column("b")], [["x", 1.0, 2.0]])

    assert len(pieces(table, 80)) == 1


def test_a_table_breaks_into_pieces_rather_than_break_figures() -> None:
    names = [f"model-{number}" for number in range(6)]
    row = ["bleu-5", *(Figure(n / 8) for n in range(6))]
    table = Table.of_rows("t", [NAMES, *map(Column, names)], [row])
    whole, parts = console(80), console(40)
    show(table, whole)
    show(table, parts)

    assert text_of(whole).count("bleu-5") == 1
    assert text_of(parts).count("bleu-5") > 1
    for text in (text_of(whole), text_of(parts)):
        assert all(f"{n / 8:.3f}" in text for n in range(6))
    assert max(map(len, text_of(parts).splitlines())) <= 40


def test_sentences_stand_below() -> None:
    table = Table.of_rows("t", [NAMES], [["x"]], ["[a] note."], [("[x]", "an alarm.")])
    for print_table in (show, lambda table, where: show_wide([table], where)):
        where = console()
        print_table(table, where)

        assert text_of(where).splitlines()[-2:] == ["ALARM [x]: an alarm.", "[a] note."]


def test_text_for_a_file_has_a_usual_width() -> None:
    text = wide_text([WIDE, WIDE])

    assert text.count("a note") == 2
    assert max(map(len, text.splitlines())) <= 100
