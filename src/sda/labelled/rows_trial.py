"""New rows as they are handed over: only where the rows themselves show that they help."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sda.labelled.arms import BASE, as_they_are
from sda.labelled.augmented import Augmenter, Deadline, Task
from sda.labelled.augmented_rows import Augmented
from sda.labelled.helping import OURS, Gain, gain
from sda.labelled.label_check import FEWEST_CHECKED, MOST_CHECKED, LabelCheck
from sda.labelled.label_classifiers import TfidfClassifier
from sda.show.terminal import Quiet, Reporter
from sda.text.tokens import tokenizer

FOLDS = 3
FEWEST_TRIED = 100
"""Rows; with fewer, rules are believed."""
SHOWN = 0.9
"""How sure a gain must be."""
KIND = "TF-IDF"
ANYWAY = "--per-class N writes them all the same"


def is_tried(task: Task) -> bool:
    """Whether new rows have to show that they help: where nobody says how many are wanted. Rules
    know more than a few rows can show."""
    settings = task.settings
    is_asked = settings.per_class is not None or settings.balance or settings.least is not None
    is_known = task.rules is not None and len(task.rows) < FEWEST_TRIED
    return not is_asked and not is_known


def handed_over(
    task: Task,
    folder: Path,
    reporter: Reporter | None = None,
    seconds: float | None = None,
) -> Augmented:
    """The new rows; none if folds of the rows do not show that such rows help a classifier.

    Training ends early so that all takes about so many `seconds`.
    """
    reporter = reporter or Quiet()
    has_trial = is_tried(task)
    share = None if seconds is None else seconds / (1 + FOLDS * has_trial)
    deadline = Deadline(share)
    augmenter = Augmenter(task, folder, reporter, deadline)
    if not has_trial or not augmenter.has_hope():
        return augmenter.rows()
    rare, fewest = min(task.rows.counts().items(), key=lambda one: one[1])
    if fewest < FEWEST_CHECKED:
        why = f"no new rows: label {rare!r} has {fewest} rows, too few to see whether they help"
        return augmenter.none(*augmenter.declined(), f"{why}; {ANYWAY}")
    found = trial_gain(task, folder, reporter, share)
    if found.low <= 0:
        return augmenter.none(*augmenter.declined(), _why(found))
    deadline.renew()
    return augmenter.rows()


def trial_gain(task: Task, folder: Path, reporter: Reporter, seconds: float | None = None) -> Gain:
    """What new rows give a classifier of words on rows that nothing has seen, fold by fold; each
    fold ends after about so many `seconds`. More than 5,000 rows are drawn from."""
    task = replace(task, rows=task.rows.some(MOST_CHECKED, task.settings.seed))
    split = tokenizer(task.tokenizer).split
    check = LabelCheck(
        *(task, folder / "trial", reporter, FOLDS),
        has_curve=False,
        # A check keeps three quarters of its time for controls and classifiers.
        seconds=None if seconds is None else 4 * FOLDS * seconds,
        has_controls=False,
        rivals={BASE: as_they_are},
    )
    ways = check({KIND: lambda: TfidfClassifier(split)}).outcomes[None][KIND]
    # Both ends of the interval have a tenth beyond them.
    return gain(ways[OURS], ways[BASE], task.settings.seed, 2 * SHOWN - 1)


def _why(found: Gain) -> str:
    return (
        f"no new rows: on {FOLDS} folds of your rows such rows give a classifier {found}, which is"
        f" no sure gain; --check compares them with what else there is, and {ANYWAY}"
    )
