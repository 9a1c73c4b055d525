"""Scores of several sets of sentences side by side, in every form that a reader may want."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.markup import escape
from rich.table import Table

from sda.evaluation.evaluator import Evaluation
from sda.evaluation.score import Score

# A score belongs to the first group that has a beginning of its name.
GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("quality", ("bleu-", "lm-", "lstm-", "order-", "grammar", "grammatical", "nll-")),
    ("diversity", ("self-bleu-", "distinct-", "ngram-entropy-", "duplicate-", "seq-rep-")),
    ("quality and diversity", ("reverse-", "frechet", "mauve")),
    ("novelty", ("copy-", "copied-", "novelty-", "train-bleu-")),
    ("words and lengths", ("",)),
)
MAIN = (
    "bleu-2",
    "bleu-3",
    "bleu-5",
    "lm-perplexity",
    "order-gain",
    "grammar-issues",
    "grammatical-share",
    "self-bleu-3",
    "self-bleu-5",
    "distinct-2",
    "duplicate-share",
    "seq-rep-3",
    "reverse-bleu-5",
    "reverse-lm-perplexity",
    "frechet",
    "mauve",
    "copy-share",
    "novelty-4",
    "train-bleu-5",
    "rare-sentence-share",
    "types",
    "length",
)
# Numbers of words, which a table shows without decimals.
COUNTS = ("types", "rare-types", "copied-span-max", "length-q05", "length-q50", "length-q95")
REAL = "real text"
FLAG = "!"  # stands behind a figure that an alarm is about


@dataclass(frozen=True)
class Group:
    """Rows of one kind: the name of the score, then a figure for each column."""

    title: str
    rows: list[list[str]]


@dataclass(frozen=True)
class Comparison:
    """Header and groups of rows; the first column of figures is real text where there is any."""

    header: list[str]
    groups: list[Group]
    alarms: list[tuple[str, str]]
    notes: list[str]


def compare(
    names: Sequence[str], evaluations: Sequence[Evaluation], only: Sequence[str] | None = MAIN
) -> Comparison:
    """The scores of all sets, one row a score; `only` some of them, or with None all."""
    ceiling = evaluations[0].ceiling
    columns = [*([(ceiling, frozenset())] if ceiling else []), *map(_flagged, evaluations)]
    tables = [({score.name: score for score in scores}, flags) for scores, flags in columns]
    order = dict.fromkeys(score.name for scores, _ in columns for score in scores)
    groups: dict[str, list[list[str]]] = {title: [] for title, _ in GROUPS}
    for name in order:
        if only is None or name in only:
            cells = [_cell(table.get(name), name in flags) for table, flags in tables]
            groups[_group(name)].append([name, *cells])
    return Comparison(
        ["", *([REAL] if ceiling else []), *names],
        [Group(title, rows) for title, rows in groups.items() if rows],
        [
            (name, alarm.message)
            for name, evaluation in zip(names, evaluations, strict=True)
            for alarm in evaluation.alarms
        ],
        list(dict.fromkeys(note for evaluation in evaluations for note in evaluation.notes)),
    )


def short_names(files: Sequence[Path]) -> list[str]:
    """The name of each file without its ending and without the beginning that all share.

    Where two names are the same, the paths.
    """
    names = [file.name.partition(".")[0] for file in files]
    if len(set(names)) < len(names):
        return [str(file) for file in files]
    return without_common_words(names)


def without_common_words(names: Sequence[str]) -> list[str]:
    """The names without the words at the beginning that all share; a name alone stays."""
    if len(names) < 2:
        return list(names)
    # Only whole words go, so that `mle` and `maligan` keep their m.
    cuts = [mark.end() for mark in re.finditer("[-_ ]", names[0])]
    cut = max((c for c in cuts if len({name[:c] for name in names}) == 1), default=0)
    return [name[cut:] or name for name in names]


def _flagged(evaluation: Evaluation) -> tuple[Sequence[Score], frozenset[str]]:
    flags = frozenset(name for alarm in evaluation.alarms for name in alarm.scores)
    return evaluation.scores, flags


def _group(name: str) -> str:
    return next(title for title, starts in GROUPS if name.startswith(starts))


def _cell(score: Score | None, is_flagged: bool) -> str:
    if score is None:
        return "-"
    digits = 3 if abs(score.value) < 10 else 1 if abs(score.value) < 1000 else 0
    if score.name in COUNTS:
        digits = 0
    return f"{score.value:.{digits}f}{FLAG if is_flagged else ''}"


def as_rich(comparison: Comparison, title: str) -> Table:
    """For the terminal; names of files may hold brackets, which are no markup."""
    table = Table(title=escape(title), title_justify="left")
    for number, name in enumerate(comparison.header):
        if number:
            table.add_column(escape(name), justify="right", overflow="fold")
        else:
            table.add_column(escape(name), no_wrap=True)
    for group in comparison.groups:
        table.add_section()
        for row in group.rows:
            cells = [f"[bold red]{cell}[/]" if cell.endswith(FLAG) else cell for cell in row[1:]]
            table.add_row(escape(row[0]), *cells)
    return table


def as_markdown(comparison: Comparison) -> str:
    """A table with the groups as bold rows, then alarms and notes as lists."""
    rows = []
    for group in comparison.groups:
        rows += [[f"**{group.title}**", *[""] * (len(comparison.header) - 1)], *group.rows]
    lines = [markdown_table(comparison.header, rows).rstrip()]
    lines += ["", *(f"- {name}: {message}." for name, message in comparison.alarms)]
    lines += ["", *(f"- {note}." for note in comparison.notes)]
    return "\n".join(lines).rstrip() + "\n"


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows under a header, all but the first column to the right."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "".join(f"{_markdown_row(row)}\n" for row in (header, rule, *rows))


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def as_latex(comparison: Comparison) -> str:
    """A `tabular` with a rule between groups."""
    return latex_table(comparison.header, *(group.rows for group in comparison.groups))


def latex_table(header: Sequence[str], *groups: Sequence[Sequence[str]]) -> str:
    """A `tabular` of groups of rows under a header; it needs the package booktabs."""
    columns = "r" * (len(header) - 1)
    lines = [f"\\begin{{tabular}}{{l{columns}}}", "\\toprule", _latex_row(header)]
    for rows in groups:
        lines.append("\\midrule")
        lines += [_latex_row(row) for row in rows]
    lines += ["\\bottomrule", "\\end{tabular}"]
    return "\n".join(lines) + "\n"


_LATEX = {
    **{c: f"\\{c}" for c in "&%$#_{}"},
    "±": "$\\pm$",
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
}


def _latex_row(cells: Sequence[str]) -> str:
    escaped = ("".join(_LATEX.get(c, c) for c in cell) for cell in cells)
    return f"{' & '.join(escaped)} \\\\"
