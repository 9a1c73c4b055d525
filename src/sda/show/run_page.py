"""A run told on one page that can be shown: one file, nothing from outside.

What was bought comes first, with quality and diversity as a drawing; then sentences to read, the
scores with what each is about, and what is wrong with the result. Training curves come last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sda.evaluation.alarms import Alarm
from sda.evaluation.catalogue import current_name
from sda.scoring.planes import planes_of
from sda.show.curve_page import statements
from sda.show.evaluation_table import alarm_text
from sda.show.page import render
from sda.show.plane_figure import draw_plane
from sda.show.run_points import metric_points, plain_verdict, table_points
from sda.show.run_view import Row, RunView, row_name
from sda.show.shown_scores import main_scores, score_figure, score_groups
from sda.show.table import NAMES, Cell, Column, Table
from sda.show.training_plots import draw_curves

TITLE = "Scores on test data"
NOTE = (
    "Higher BLEU with higher self-BLEU may only be a sharper model: compare with the row at the"
    " lower temperature, which had no further training, and with real text."
)
SHOWN_SAMPLES = 20
_SENTENCE = Column("sentence", align="left")
_NO_ALARMS: Mapping[str, Alarm] = {}


def run_page(runs: Sequence[RunView]) -> str:
    """The page of one run, or of several on one text beside one another."""
    examples = _examples(runs)
    return render(
        "run.html",
        _title(runs),
        scores=score_table(runs),
        signatures=_signature_table(runs),
        drawings=_drawings(runs),
        examples=examples,
        is_judged=any(
            found.get("by") == "judge" for column in examples for found in column["sentences"]
        ),
        curves=draw_curves({run.name: run.progress for run in runs}),
        runs=[
            {
                "name": run.name,
                "title": run.title,
                "facts": run.facts,
                "verdict": run.verdict or plain_verdict(run),
                "statements": None if run.curve is None else statements(run.curve),
                "samples": None if run.samples is None else _sample_table(run.samples),
                "buffer": None if run.buffer is None else _buffer_table(run.buffer),
                "settings": run.settings,
            }
            for run in runs
        ],
    )


def _title(runs: Sequence[RunView]) -> str:
    if len(runs) == 1:
        return runs[0].title
    return f"{len(runs)} runs side by side: {', '.join(run.name for run in runs)}"


def _drawings(runs: Sequence[RunView]) -> list[str]:
    """What the run's metric saw, then the planes that models are held against one another on.

    Without curves it is the first of them: points alone do not say who is better.
    """
    seen = []
    curve = runs[0].curve if len(runs) == 1 else None
    if len(runs) == 1 and runs[0].comparison is not None:
        found = metric_points(runs[0].comparison)
        seen = [] if found is None else [draw_plane(*found, title="by the metric of the run")]
    points = table_points(runs) if curve is None else curve
    planes = planes_of(points)[: 1 if curve is None else None]
    return seen + [draw_plane(plane, points) for plane in planes]


def _examples(runs: Sequence[RunView]) -> list[dict[str, Any]]:
    """Sentences to read side by side; runs may share real text and start, which are there once."""
    columns: dict[tuple[str, ...], dict[str, Any]] = {}
    for side, name in (("real", "Real text"), ("start", "Start"), ("result", "Result")):
        for run in runs:
            sentences = run.examples.get(side, [])
            texts = (side, *(found["text"] for found in sentences))
            if side == "result":
                title = name if run.last is None else f"{name} ({run.last['name']})"
                title = title if len(runs) == 1 else f"{name} of {run.name}"
                texts = (run.name, *texts)
            elif side == "start" and run.hands_start:
                title = _named(run, f"{name}, which is used", runs)
            else:
                title = name if len(columns) < 2 else _named(run, name, runs)
            is_scored = any("by" in found for found in sentences)
            if sentences and (is_scored or texts not in columns):
                first = columns.get(texts, {"title": title})
                columns[texts] = {**first, "sentences": sentences}
    return list(columns.values())


def _named(run: RunView, title: str, runs: Sequence[RunView]) -> str:
    """The title of something of one of the runs."""
    return title if len(runs) == 1 or title == run.name else f"{run.name}: {title}"


def score_table(
    runs: Sequence[RunView], names: Sequence[str] | None = None, title: str = TITLE
) -> Table:
    """The scores on test data, and every sign that a result is not what its best says.

    By default the main scores; scores that nobody has are left out. Alarms are about what a run
    hands over: its start and the colder start are there to compare with.
    """
    rows = _named_rows(runs)
    values = [
        {current_name(score["name"]): score["value"] for score in row["scores"]} for _, row in rows
    ]
    flags = [_flags(row, runs) for _, row in rows]
    if names is None:
        names = main_scores(name for found in values for name in found)
    body: list[list[Cell]] = [
        [
            name,
            *(
                score_figure(name, found[name], is_flagged=name in flagged)
                if name in found
                else None
                for found, flagged in zip(values, flags, strict=True)
            ),
        ]
        for name in names
        if any(name in found for found in values)
    ]
    alarms = [alarm for run in runs for alarm in _alarms(run, runs)]
    columns = [NAMES, *(Column(name) for name, _ in rows)]
    return Table(title, columns, score_groups(body), [NOTE], alarms)


def _flags(row: Row, runs: Sequence[RunView]) -> set[str]:
    """The scores of the row that an alarm is about."""
    if not any(row is run.result for run in runs):
        return set()
    return {name for alarm in _raised(row).values() for name in alarm.scores}


def _alarms(run: RunView, runs: Sequence[RunView]) -> list[tuple[str, str]]:
    """Each alarm of the result, with what its start does too, and what to do."""
    result, start = run.result, run.start
    if result is None:
        return []
    before = _NO_ALARMS if start is None or start is result else _raised(start)
    name = _named(run, row_name(result), runs)
    return [
        (name, alarm_text(alarm, _beside(before.get(key))))
        for key, alarm in _raised(result).items()
    ]


def _beside(alarm: Alarm | None) -> str:
    return "" if alarm is None else f"The start does this too: {alarm.message.partition(':')[0]}."


def _raised(row: Row) -> dict[str, Alarm]:
    return {alarm["name"]: Alarm.from_dict(alarm) for alarm in row.get("alarms", ())}


def _named_rows(runs: Sequence[RunView]) -> list[tuple[str, Row]]:
    """The rows of all tables, each with a name that tells it from the others.

    Rows that runs share, of real text or of one start, are there once.
    """
    found: dict[str, Row] = {}
    for run in runs:
        for row in run.rows:
            name = row_name(row)
            if row is run.last or name in found:
                if row is not run.last and row["scores"] == found[name]["scores"]:
                    continue
                name = _named(run, name, runs)
            found[name] = row
    return list(found.items())


def _signature_table(runs: Sequence[RunView]) -> Table:
    """All scores of all rows."""
    titles = ("score", "value", "95 % interval", "signature")
    body = [
        [
            name,
            score["name"],
            f"{score['value']:.6g}",
            "{:.6g} to {:.6g}".format(*score["interval"]) if score.get("interval") else "",
            score["signature"],
        ]
        for name, row in _named_rows(runs)
        for score in row["scores"]
    ]
    return Table.of_rows("All scores", [Column("row", align="left"), *map(Column, titles)], body)


def _sample_table(samples: Sequence[str]) -> Table:
    rows = [[line] for line in samples[:SHOWN_SAMPLES]]
    title = f"The first {len(rows)} of the {len(samples):,} samples"
    return Table.of_rows(title, [_SENTENCE], rows)


def _buffer_table(records: Sequence[Mapping[str, Any]]) -> Table:
    title = f"Best of the {len(records):,} sentences in the buffer"
    # What sentences are about, where they are about anything.
    abouts = [name for name in ("label", "source") if records and name in records[0]]
    columns = [
        _SENTENCE,
        *(Column(name, "left") for name in abouts),
        Column("score", "left", digits=4),
        Column("epoch", "left", digits=0),
    ]
    names = ("text", *abouts, "score", "epoch")
    rows = [[record.get(name) for name in names] for record in records[:SHOWN_SAMPLES]]
    return Table.of_rows(title, columns, rows)
