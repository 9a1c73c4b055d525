"""One table as Markdown and as LaTeX, with names as they are."""

import re

from sda.show.markup import as_latex, as_markdown
from sda.show.table import Column, Figure, Group, Table

COLUMNS = [Column("", "left"), Column("a|b"), Column("c_1", "left")]
TABLE = Table(
    "5 % & more",
    COLUMNS,
    [
        Group("quality", [["bleu-2", Figure(0.5, deviation=0.25), "x~^"]]),
        Group("others", [["length", None, "{#$}"]]),
    ],
    ["few sentences."],
    [("c", "too [b]many[/b] & <more>.")],
)


def test_markdown() -> None:
    assert as_markdown(TABLE).splitlines() == [
        "**5 % & more**",
        "",
        "|  | a\\|b | c_1 |",
        "| --- | ---: | --- |",
        "| **quality** |  |  |",
        "| bleu-2 | 0.500 ± 0.250 | x~^ |",
        "| **others** |  |  |",
        "| length | - | {#$} |",
        "",
        "- c: too [b]many[/b] & &lt;more>.",
        "",
        "- few sentences.",
    ]


LATEX = r"""
% 5 % & more
\begin{tabular}{lrl}
\toprule
 & a|b & c\_1 \\
\midrule
bleu-2 & 0.500 $\pm$ 0.250 & x\textasciitilde{}\textasciicircum{} \\
\midrule
length & - & \{\#\$\} \\
\bottomrule
\end{tabular}
% c: too [b]many[/b] & <more>.
% few sentences.
"""


def test_latex() -> None:
    assert as_latex(TABLE).splitlines() == LATEX.strip("\n").splitlines()


def test_a_title_of_several_lines_stays_a_comment() -> None:
    lines = as_latex(Table.of_rows("one\ntwo", COLUMNS, [])).splitlines()

    assert lines[:2] == ["% one two", "\\begin{tabular}{lrl}"]
    assert "\\midrule" in lines


def test_a_table_without_sentences_ends_with_its_rows() -> None:
    assert as_markdown(Table.of_rows("t", COLUMNS, [["a", 1.0, "b"]])).endswith(
        "| a | 1.000 | b |\n"
    )


HOSTILE = (
    "a\\|b",
    "one\ntwo",
    "\u2028",
    "<script>alert(1)</script>",
    "[1cm]",
    "*",
    "a & b \\\\ c",
    "\\input{/etc/passwd}",
    "% no comment",
    "<!-- -->",
)


def test_hostile_cells_leave_a_table_whole() -> None:
    table = Table.of_rows("t", COLUMNS[:2], [[text, text] for text in HOSTILE], [HOSTILE[1]])

    rows = [line for line in as_markdown(table).splitlines() if line.startswith("| ")][2:]
    assert len(rows) == len(HOSTILE)
    for row in rows:
        # As a reader of Markdown does: an escaped character is no bar.
        assert re.sub(r"\\.", "", row).count("|") == 3
        assert not re.search(r"<[A-Za-z/!?]", row)
    assert as_markdown(table).endswith("- one two\n")
    latex = as_latex(table).splitlines()
    first, last = latex.index("\\midrule") + 1, latex.index("\\bottomrule")
    assert last - first == len(HOSTILE)
    for row in latex[first:last]:
        assert not row.startswith(("[", "*"))
        assert row.endswith("\\\\") and re.sub(r"\\.", "", row).count("&") == 1
        assert "%" not in row.replace("\\%", "") and "\\input" not in row
