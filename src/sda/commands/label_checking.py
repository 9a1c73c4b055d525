"""What `sda augment` does with --check and --report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sda.errors import UserError

if TYPE_CHECKING:
    from sda.labelled.augmented import Task
    from sda.labelled.label_check import CheckResult, Make


def check_rows(
    task: Task,
    folder: Path,
    report: Path | None,
    folds: int,
    has_curve: bool,
    sentence_model: Path | None,
    max_minutes: float | None,
    is_quiet: bool,
) -> None:
    """The check is printed, and on a page where one is wanted."""
    from sda.files import write_json, write_text
    from sda.labelled.augment_bars import AugmentBars
    from sda.labelled.check_page import check_page
    from sda.labelled.label_check import LabelCheck
    from sda.labelled.pace import check_seconds, duration
    from sda.show.terminal import Counter, Quiet

    kinds = _kinds(task, sentence_model)
    with Counter(lines=not is_quiet) as counter:
        reporter: Any = Quiet() if is_quiet else AugmentBars(counter)

        limit = None if max_minutes is None else 60 * max_minutes

        def planned(curve: bool) -> tuple[LabelCheck, float]:
            check = LabelCheck(task, folder / "check", reporter, folds, curve, limit)
            return check, check_seconds(task, len(check.parts), len(kinds))

        check, seconds = planned(has_curve)
        if limit is not None and has_curve and seconds > limit:
            counter.say("a learning curve does not fit into --max-minutes, and is left out")
            check, seconds = planned(False)
        if not is_quiet:
            counter.say(
                f"checking: {len(check.parts)} times SDA, its rivals and its controls; this takes"
                f" {duration(seconds)} on this machine as it is now, and goes on after an"
                " interruption"
            )
        found = check(kinds, counter.show)
    write_json(folder / "check.json", found.as_dict())
    if report is not None:
        write_text(report, check_page(found, task))
    _show(found, report)


def _kinds(task: Task, sentence_model: Path | None) -> dict[str, Make]:
    from sda.labelled.label_classifiers import (
        CnnClassifier,
        KeptVectors,
        TfidfClassifier,
        VectorClassifier,
    )
    from sda.text.tokens import tokenizer

    split = tokenizer(task.tokenizer).split
    kinds: dict[str, Make] = {
        "TF-IDF": lambda: TfidfClassifier(split),
        "TextCNN": lambda: CnnClassifier(split),
    }
    if sentence_model is not None:
        if not sentence_model.is_dir():
            raise UserError(f"--sentence-model: {sentence_model} is not a folder.")
        vectors = KeptVectors(sentence_model)
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
