"""A run of style transfer: from files of styles to a model that rewrites, and on after a stop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import torch

from sda.doors import Count, Finite, Shape, check
from sda.errors import UserError
from sda.files import remove_stale_parts, write_json, write_text
from sda.runs.checkpoint import STATE_FILE, Checkpoint, fitting
from sda.runs.costs import Watch, run_costs
from sda.runs.keeper import find_state
from sda.settings.vouched import as_said
from sda.show.terminal import Reporter
from sda.training.progress import Diverged, Progress, check_finite
from sda.training.state import prefixed
from sda.transfer.adversarial import compete
from sda.transfer.denoising import denoise
from sda.transfer.imitation import SecondStage, imitate
from sda.transfer.noise import Masks
from sda.transfer.rewriting import RewritingModel
from sda.transfer.rewriting_metric import RewritingMetric, own_function
from sda.transfer.rewriting_scores import RewritingMonitor
from sda.transfer.style_judges import JUDGES, check_judges, halves
from sda.transfer.style_words import StyleWords
from sda.transfer.transfer_folder import FINAL, TransferFolder
from sda.transfer.transfer_page import transfer_page
from sda.transfer.transfer_run import TransferRun
from sda.transfer.transfer_settings import TransferSettings, transfer_toml
from sda.transfer.transfer_state import build_transfer_state
from sda.transfer.transfer_texts import load_transfer_texts


def train_transfer_run(
    settings: TransferSettings, out: Path, reporter: Reporter, resume: bool = False
) -> TransferRun:
    """Train in the folder `out` until the end, and write scores, examples and report there.

    With `resume` a run that is there goes on from its last checkpoint; one that is finished is left
    alone. Whatever happens, the folder holds the last complete state.
    """
    folder = TransferFolder(out)
    settings = _with_absolute_paths(settings)
    with folder.run.locked():
        remove_stale_parts(folder.judges)
        if folder.run.holds_run:
            if not resume:
                raise UserError(
                    f"{out} already holds a run: {folder.how_to_go_on}, or choose another folder"
                )
            folder.check_same(settings)
            if folder.run.is_finished:
                reporter.say(f"{out}: this run is finished")
                # A kill may have come before the last of it.
                folder.run.checkpoints.drop_others("0", ())
                return _trained(out, settings)
        torch.set_num_threads(settings.threads)
        check_judges(settings)
        training = _TransferTraining(settings, folder, reporter)
        # Only now: a mistake in the files must not leave a folder that looks like a run.
        if not folder.run.holds_run:
            folder.run.begin(transfer_toml(settings))
        training.run()
    return _trained(out, settings)


def _trained(out: Path, settings: TransferSettings) -> TransferRun:
    """The run that was trained there by these settings, with leave to load what they name."""
    run = TransferRun(out)
    run._settings = settings
    return run


def resume_transfer_run(
    out: Path, reporter: Reporter, trust: bool = False, metric: str | None = None
) -> TransferRun:
    """Go on with the run in the folder, as it was told when it began.

    `trust` and `metric` are what the user allows to be loaded, as for `TransferRun`.
    """
    settings = TransferFolder(out).settings(trust, metric)
    return train_transfer_run(settings, out, reporter, resume=True)


class TransferCounters(Shape):
    """Where training stands, in `state.json`."""

    epoch: Count
    round: Count
    updates: Count
    written: Count
    rates: dict[str, Finite]


@dataclass(eq=False)
class _TransferTraining:
    """The one life of a run in this process."""

    settings: TransferSettings
    folder: TransferFolder
    reporter: Reporter

    def __post_init__(self) -> None:
        settings = self.settings
        self.texts = load_transfer_texts(settings)
        self.for_metric, self.for_scores = halves(self.texts.train)
        slots, styles = self.texts.slots, len(self.texts.names)
        self.state = build_transfer_state(settings, slots, styles)
        learned = self.texts.learned
        parts = [learned.sentences[learned.styles == number] for number in range(styles)]
        words = StyleWords.of(parts, len(slots), slots.known)
        masks = Masks(words, self.state.generator.mask)
        self.model = RewritingModel(self.state.generator, slots, masks)
        # A function that cannot be loaded is told now, not after Stage I.
        own_function(settings.metric, slots)
        self.monitor = RewritingMonitor(self.texts, settings, self.for_scores)

    def run(self) -> None:
        folder, settings = self.folder, self.settings
        folder.keep_texts(self.texts)
        folder.keep_words(self.model.masks.words)
        self._go_back()
        rounds = settings.stage2.rounds if settings.stage2.form != "off" else 0
        total, done = settings.denoising.epochs + rounds, self.state.epoch + self.state.round
        names = " and ".join(self.texts.names)
        self.reporter.start(
            f"style transfer, {names}, seed {settings.seed}", self.texts.summary(), total, done
        )
        watch = Watch()
        try:
            for progress in self._train():
                line = self._line(progress) | watch.lap()
                self._save(folder.run.append_progress(line))
                self.reporter.epoch(line)
        except Diverged as trouble:
            raise UserError(
                f"training stopped: {trouble}; the last good state is in"
                f" {folder.run.checkpoints.folder}"
            ) from None
        finally:
            self.reporter.stop()
        self._finish(watch)

    def _train(self) -> Iterator[Progress]:
        settings, state, tick = self.settings, self.state, self.reporter.tick
        first = denoise(
            state,
            self.model,
            self.texts.learned.sentences,
            settings.noise,
            settings.denoising,
            tick,
        )
        return chain(first, self._stage_two())

    def _stage_two(self) -> Iterator[Progress]:
        """Only when its turn comes: the judges of the metric take their time."""
        settings = self.settings
        if settings.stage2.form == "off" or not settings.stage2.rounds:
            return
        form = imitate if settings.stage2.form == "imitation" else compete
        learned, metric = self.texts.learned, self._metric()
        stage = SecondStage(self.state, self.model, learned, metric, settings)
        yield from form(stage, self.reporter.tick)

    def _metric(self) -> RewritingMetric:
        """The metric: as it was kept, or else learned now and kept."""
        folder, settings, slots = self.folder, self.settings, self.texts.slots
        if not folder.has_metric:
            metric = RewritingMetric.fit(self.for_metric, settings.metric, slots, settings.seed)
            folder.keep_metric(metric)
        return folder.load_metric(settings, slots)

    def _line(self, progress: Progress) -> dict[str, Any]:
        for name, value in progress.values.items():
            check_finite(name, value)
        return {
            "stage": progress.stage,
            "epoch": progress.epoch,
            **progress.values,
            **self.monitor.measure(self.model),
            "updates": self.state.updates,
            "written": self.state.written,
        }

    def _go_back(self) -> None:
        """Be in the newest state that was saved, and forget the lines after it."""
        run = self.folder.run
        found = find_state(run)
        if found is None:
            run.cut_progress(0)
            return
        name, values, remarks = found
        for remark in remarks:
            self.reporter.warn(remark)
        place = run.checkpoints.folder / name
        counters = check(TransferCounters, values.get("counters"), f"{place / STATE_FILE}")
        with fitting(place):
            self.state.load(run.checkpoints.load(name).tensors, counters)
        run.cut_progress(int(values["progress_bytes"]))

    def _save(self, progress_bytes: int) -> None:
        state = self.state
        values = {"counters": state.counters(), "progress_bytes": progress_bytes}
        self.folder.run.checkpoints.save_numbered(
            state.epoch + state.round, Checkpoint(state.tensors(), values)
        )

    def _finish(self, watch: Watch) -> None:
        """The way of rewriting that the metric prefers, scores, examples and the report."""
        folder, run = self.folder, self.folder.run
        metric = self._metric()
        weights = prefixed("generator", self.state.generator.state_dict())
        # After the judges of the metric, which it belongs with.
        run.checkpoints.save(FINAL, Checkpoint(weights, {}))
        kinds, seed = self.settings.report.judges, self.settings.seed
        judges = [JUDGES[kind].fit(self.for_scores, seed) for kind in kinds]
        found = self.monitor.final(self.model, metric, judges)
        write_json(folder.rewritings, found)
        write_text(run.report, transfer_page(self.settings, found, run.read_progress()))
        costs = run_costs([*run.read_progress(), watch.lap()])
        write_json(run.finished, costs)
        run.checkpoints.drop_others("0", ())


def _with_absolute_paths(settings: TransferSettings) -> TransferSettings:
    """Files that are found wherever the run is looked at from; a source without data keeps its
    name."""
    sources, function = settings.sources, settings.metric.function
    if len(sources) > 1:
        sources = [str(Path(file).absolute()) for file in sources]
    place, colon, name = (function or "").rpartition(":")
    if place.endswith(".py"):
        function = as_said(function or "", f"{Path(place).absolute()}{colon}{name}")
    metric = settings.metric.model_copy(update={"function": function})
    return settings.model_copy(update={"sources": sources, "metric": metric})
