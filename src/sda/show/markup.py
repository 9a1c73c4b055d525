"""Tables as Markdown and as LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sda.files import write_text
from sda.show.table import Table

_LATEX = {
    **{c: f"\\{c}" for c in "&%$#_{}"},
    "±": "$\\pm$",
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
}


def write_markup(tables: Sequence[Table], markdown: Path | None, latex: Path | None) -> None:
    """The tables in the files that are named."""
    for path, text in ((markdown, as_markdown), (latex, as_latex)):
        if path is not None:
            write_text(path, "\n".join(map(text, tables)))


def as_markdown(table: Table) -> str:
    """The title, the table with groups under bold rows, then alarms and notes as lists."""
    rules = ["---" if column.align == "left" else "---:" for column in table.columns]
    lines = [_markdown_row(table.header), _markdown_row(rules)]
    for group in table.groups:
        if group.title:
            lines.append(_markdown_row([f"**{group.title}**", *[""] * (len(table.columns) - 1)]))
        lines += map(_markdown_row, table.texts(group))
    parts = [[f"**{table.title}**"], lines]
    parts += [[f"- {name}: {text}" for name, text in table.alarms]]
    parts += [[f"- {note}" for note in table.notes]]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def as_latex(table: Table) -> str:
    """A `tabular` for the package booktabs; title, alarms and notes are comments around it."""
    columns = "".join(column.align[0] for column in table.columns)
    lines = [_comment(table.title), f"\\begin{{tabular}}{{{columns}}}", "\\toprule"]
    lines.append(_latex_row(table.header))
    # A table without rows is still a header above a rule.
    for rows in [table.texts(group) for group in table.groups] or [[]]:
        lines += ["\\midrule", *map(_latex_row, rows)]
    lines += ["\\bottomrule", "\\end{tabular}"]
    lines += [_comment(f"{name}: {text}") for name, text in table.alarms]
    lines += map(_comment, table.notes)
    return "\n".join(lines) + "\n"


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _latex_row(cells: Sequence[str]) -> str:
    escaped = ("".join(_LATEX.get(c, c) for c in cell) for cell in cells)
    return f"{' & '.join(escaped)} \\\\"


def _comment(text: str) -> str:
    # A line of its own would be no comment: names of files may hold anything.
    return f"% {' '.join(text.splitlines())}"
