"""Tables as Markdown and as LaTeX."""

from __future__ import annotations

import re
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
# What Markdown would hand to a browser as a tag.
_TAG = re.compile(r"<(?=[A-Za-z/!?])")


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
    parts = [[f"**{_plain(table.title)}**"], lines]
    parts += [[f"- {_plain(name)}: {_plain(text)}" for name, text in table.alarms]]
    parts += [[f"- {_plain(note)}" for note in table.notes]]
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
    # A backslash first: one before a bar would take the place of the one that keeps it in its cell.
    escaped = (_plain(cell).replace("\\", "\\\\").replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"


def _plain(text: str) -> str:
    """The text in Markdown, in one line and with nothing that is a tag of HTML."""
    return _TAG.sub("&lt;", _one_line(text))


def _latex_row(cells: Sequence[str]) -> str:
    row = " & ".join("".join(_LATEX.get(c, c) for c in _one_line(cell)) for cell in cells)
    # After the end of the row before, these would be an option of it.
    return f"{'{}' if row.startswith(('[', '*')) else ''}{row} \\\\"


def _comment(text: str) -> str:
    return f"% {_one_line(text)}"


def _one_line(text: str) -> str:
    """The text without line breaks: names of files may hold anything."""
    return " ".join(text.splitlines())
