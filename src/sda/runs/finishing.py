"""The end of a run: what is handed over, its samples and scores, the buffer and the page."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sda.baselines.selection import Kept
from sda.files import write_json, write_marked, write_text
from sda.models.generator import Generator
from sda.models.guided import Guided
from sda.randomness import seeded
from sda.reference.asking import AskedMetric
from sda.runs.costs import run_costs
from sda.runs.examples import Examiner
from sda.runs.folder import STAGE_ONE, STOPPED_IN, RunFolder
from sda.runs.guard import Breach
from sda.runs.hand_over import (
    HAS_HANDED_OVER,
    LAST,
    MLE,
    HandedOver,
    hand_over,
    taken_back,
)
from sda.runs.keeping import decide, find_offers
from sda.runs.parts import Selector
from sda.runs.run import Run
from sda.runs.start import start_rows
from sda.scoring.final import score_rows
from sda.scoring.row_scorer import RowScorer, Selection, real_row
from sda.settings.schema import Settings
from sda.source import Loaded
from sda.text.about import in_words
from sda.text.sentences import Sentences
from sda.training.state import TrainState


@dataclass(frozen=True)
class Finish:
    """What the end of a run is made of.

    `checked` sentences may be put to the metric, to see whether a judge taught well. `breach` ended
    Stage II before its time, and a callback ended the stage `stopped_in`, where there are such.
    `has_page` is false of a run that nobody looks at.
    """

    settings: Settings
    folder: RunFolder
    loaded: Loaded
    state: TrainState
    metric: AskedMetric
    selection: Selection | None
    checked: int
    breach: Breach | None
    stopped_in: str | None
    has_page: bool

    def write(self, start: Generator) -> None:
        """Write all files; the mark that all is done comes last."""
        folder, settings, state = self.folder, self.settings, self.state
        lines = folder.read_progress()
        state.archive.epoch = state.sda_epoch
        has_imitated = any(line["stage"] == "imitation" for line in lines)
        last = state.generator if has_imitated else None
        handed = self._hand_over(start, lines) if settings.hand_over.check else None
        hands_start = handed is not None and handed.stage == MLE
        selection = self.selection
        if handed is not None and handed.is_judged:
            assert state.judge is not None
            last = start if hands_start else last
            if handed.keep < 1:
                selection = Kept(state.judge.model, handed.keep)
            if handed.guide and last is not None:
                last = Guided(last, state.judge.model, handed.guide)
        is_plain = hands_start and selection is None and not isinstance(last, Guided)
        rows, samples = score_rows(
            settings,
            RowScorer(self.loaded, settings),
            start,
            last,
            selection,
            start_rows(settings),
            is_plain,
        )
        if handed is not None:
            write_marked(folder.handed_over, handed.as_dict())
        self._write_samples(samples, STAGE_ONE if hands_start else folder.checkpoints.latest())
        self._write_buffer()
        examiner = Examiner(self.loaded, state.judge, state.archive)
        is_start = is_plain or (selection is None and last is None)
        examples = examiner.sides(settings.seed, start, None if is_start else samples)
        write_json(folder.examples, examples)
        real = real_row(rows)
        write_json(folder.scores, {"rows": [row.as_dict(real) for row in rows]})
        if self.has_page:
            # Only here: it imports what draws.
            from sda.runs.report import write_report

            write_report([Run(folder.path)], folder.report)
        facts: dict[str, Any] = {} if self.stopped_in is None else {STOPPED_IN: self.stopped_in}
        costs = {**run_costs(lines), "calls": state.archive.paid}
        if handed is not None:
            facts |= {HAS_HANDED_OVER: True}
        if handed is not None and handed.keep < 1:
            costs["written_for_one_kept"] = round(1 / handed.keep, 3)
        epochs = state.phase + state.sda_epoch
        write_json(folder.finished, {"epochs": epochs, **facts, **costs})

    def _write_samples(self, samples: Sentences, checkpoint: str | None) -> None:
        texts = self.loaded.vocabulary.decode(samples)
        write_text(self.folder.samples, "".join(f"{text}\n" for text in texts))
        facts = {
            "count": len(texts),
            "seed": self.settings.seed,
            "temperature": 1.0,
            "checkpoint": checkpoint,
        }
        write_json(self.folder.samples_info, facts)

    def _write_buffer(self) -> None:
        buffer, vocabulary = self.state.buffer, self.loaded.vocabulary
        if not len(buffer):
            return
        kept = buffer.entries.sentences
        abouts = [a.as_dict() for a in in_words(kept, self.loaded.corpus.labels, vocabulary)]
        records = buffer.records(vocabulary.decode(kept), abouts)
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        write_text(self.folder.buffer, text)

    def _hand_over(self, start: Generator, lines: list[dict[str, Any]]) -> HandedOver | None:
        """What is handed over; None where nothing came after the start."""
        settings, state, breach = self.settings, self.state, self.breach
        before = [line for line in lines if line["stage"] != "imitation"]
        has_imitated = len(before) < len(lines)
        updates = state.updates - (before[-1]["updates"] if before else 0)
        if state.judge is not None:
            learned = {LAST: state.generator} if state.sda_epoch and updates else {}
            offers = find_offers(settings, self.loaded, {**learned, MLE: start}, state.judge)
            return decide(
                settings, offers, state.judge, self.metric, state.archive, self.checked, updates
            )
        if self.selection is None and not has_imitated:
            return None
        if self.selection is None and breach is not None and breach.back_to == 0:
            return taken_back(breach.seen)
        what = "Stage II" if state.sda_epoch else "The selection"
        if breach is not None and breach.back_to:
            what = f"Stage II, taken back to epoch {breach.back_to},"
        # Its own random numbers: the samples of the run are what they are without a comparison.
        selector = Selector(settings, self.loaded.corpus, self.metric, state.discriminator)
        selection = selector.selection(seeded(settings.seed, "hand over", "selection"))
        samples, left = settings.hand_over.samples, self.metric.left
        return hand_over(
            settings,
            self.loaded,
            start,
            state.generator,
            selection,
            self.metric,
            samples if left is None else min(samples, left // 2),
            what,
            f"{updates:,} updates",
        )
