"""What `sda augment` does with --check and --report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sda.labelled.augmented import Task
    from sda.labelled.label_check import CheckResult, Make


def check_rows(
    task: Task,
    folder: Path,
    report: Path | None,
    folds: int,
    has_curve: bool,
    max_minutes: float | None,
    is_quiet: bool,
) -> None:
    """The check is printed, and on a page where one is wanted."""
    from sda.files import write_json, write_text
    from sda.labelled.augment_bars import AugmentBars
    from sda.labelled.check_page import check_page
    from sda.labelled.label_check import MOST_CHECKED, LabelCheck
    from sda.labelled.pace import QUICK_KIND, check_seconds, duration
    from sda.show.terminal import Counter, Quiet

    kinds = _kinds(task)
    all_rows = len(task.rows)
    task = replace(task, rows=task.rows.some(MOST_CHECKED, task.settings.seed))
    with Counter(lines=not is_quiet) as counter:
        reporter: Any = Quiet() if is_quiet else AugmentBars(counter)
        if len(task.rows) < all_rows:
            counter.say(f"checking on {len(task.rows):,} of {all_rows:,} rows, drawn by the seed")
        limit = None if max_minutes is None else 60 * max_minutes

        def planned() -> tuple[LabelCheck, float, float]:
            check = LabelCheck(task, folder / "check", reporter, folds, has_curve, limit)
            return check, *check_seconds(task, len(check.parts), kinds)

        check, making, teaching = planned()
        if limit is not None and has_curve and making + teaching > limit:
            counter.say("a learning curve does not fit into --max-minutes, and is left out")
            has_curve = False
            check, making, teaching = planned()
        # Generators can end early, and classifiers cannot.
        if limit is not None and len(kinds) > 1 and teaching > limit / 2:
            counter.say(
                f"only {QUICK_KIND} fits into --max-minutes; other classifiers are left out"
            )
            kinds = {QUICK_KIND: kinds[QUICK_KIND]}
            check, making, teaching = planned()
        if limit is not None:
            making = min(making, max(0.0, limit - teaching))
        if not is_quiet:
            counter.say(
                f"checking: {len(check.parts)} times SDA, its rivals and its controls; this takes"
                f" {duration(making + teaching)} on this machine as it is now, and goes on after an"
                " interruption"
            )
        found = check(kinds, counter.show)
    write_json(folder / "check.json", found.as_dict())
    if report is not None:
        write_text(report, check_page(found, task))
    _show(found, report)


def _kinds(task: Task) -> dict[str, Make]:
    from sda.labelled.label_classifiers import (
        CnnClassifier,
        TfidfClassifier,
        VectorClassifier,
        sentence_vectors,
    )
    from sda.labelled.pace import QUICK_KIND
    from sda.text.tokens import tokenizer

    split = tokenizer(task.tokenizer).split
    kinds: dict[str, Make] = {
        QUICK_KIND: lambda: TfidfClassifier(split),
        "TextCNN": lambda: CnnClassifier(split),
    }
    if task.settings.encoder is not None:
        vectors = sentence_vectors(Path(task.settings.encoder))
        kinds["sentence vectors"] = lambda: VectorClassifier("sentences", vectors)
    return kinds


def _show(found: CheckResult, report: Path | None) -> None:
    from rich.console import Console

    from sda.labelled.check_page import way_table
    from sda.show.rich_tables import show

    console = Console()
    for kind in found.kinds:
        show(way_table(found, kind), console)
    if report is not None:
        print(f"{report}: the same as a page with pictures")
    print(f"{found.best_kind}: {found.recommendation(found.best_kind).sentence}")
