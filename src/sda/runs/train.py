"""A run trained: from settings to scores, and on after an interruption."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch

from sda.devices import check_dtype, find_device
from sda.errors import UserError
from sda.models.generator import Generator
from sda.randomness import seeded
from sda.ranks import shares_of
from sda.runs.assemble import ask_through_archive, build_state
from sda.runs.budget import make_budget
from sda.runs.collapse import CollapseAlarm
from sda.runs.costs import Watch
from sda.runs.finishing import Finish
from sda.runs.folder import OWN_TEXT, STOPPED_IN, RunFolder
from sda.runs.guard import START, Breach, Guard
from sda.runs.hand_over import MLE
from sda.runs.handed import check_given
from sda.runs.keeper import REMARKS, Keeper, keep_what_is_needed
from sda.runs.own_text import readable
from sda.runs.parts import augment, build_objective, build_selection, hold_out
from sda.runs.paths import with_absolute_paths
from sda.runs.plan import choose_loop, choose_policies, first_writer, plan
from sda.runs.run import Run, trained_run
from sda.runs.start import check_start, check_start_text, take_start
from sda.runs.together import place_to_train, with_parts
from sda.runs.trial import try_metric
from sda.scoring.comparison import WATCHED
from sda.scoring.monitor import Monitor
from sda.settings.method_name import method_name
from sda.settings.schema import Settings, write_toml
from sda.settings.vouched import with_components
from sda.show.terminal import Quiet, Reporter
from sda.source import Loaded, load_source
from sda.training.progress import Diverged, Progress
from sda.training.reward import make_reward
from sda.training.schedule import Phase
from sda.training.walk import expecting

Callback = Callable[[dict[str, Any]], object]
"""Called with the line of each finished epoch; what it returns ends training if it is true."""


def train_run(
    settings: Settings,
    origins: dict[str, str],
    out: Path,
    reporter: Reporter,
    resume: bool = False,
    lines: Sequence[str] | None = None,
    callbacks: Sequence[Callback] = (),
    has_page: bool = True,
) -> Run:
    """Train in the folder `out` until the end, and write samples, scores and report there.

    With `resume` a run that is there goes on from its last checkpoint; one that is finished is left
    alone. Whatever happens, the folder holds the last complete state. `lines` are the text where
    the source is the run's own. Processes that were started together share the work. A run that
    nobody looks at needs no page, and takes seconds less without (`has_page`).
    """
    settings = with_parts(settings, RunFolder(out))
    with place_to_train(out, settings.device) as place:
        if place == out:
            _train_in(settings, origins, out, reporter, resume, lines, callbacks, has_page)
        else:
            copy = RunFolder(place)
            own = (
                with_components(copy.settings(), settings)
                if copy.holds_run and resume
                else settings
            )
            _train_in(own, origins, place, Quiet(), resume, lines, (), has_page)
    return trained_run(out, settings)


def _train_in(
    settings: Settings,
    origins: dict[str, str],
    out: Path,
    reporter: Reporter,
    resume: bool,
    lines: Sequence[str] | None,
    callbacks: Sequence[Callback],
    has_page: bool,
) -> None:
    folder = RunFolder(out)
    with folder.locked():
        if folder.holds_run:
            if not resume:
                raise UserError(
                    f"{out} already holds a run: {folder.how_to_go_on}, or choose another folder"
                )
            check_given(folder.settings(), settings, out)
            folder.check_same(settings)
            if folder.is_finished:
                reporter.say(f"{out}: this run is finished")
                # A kill may have come before the last of it; a folder that is damaged stays so.
                with suppress(UserError):
                    keep_what_is_needed(folder)
                return
        # Before anything is computed: an oracle's sentences are part of what must not vary.
        torch.set_num_threads(settings.threads)
        with readable(folder, settings, lines) as read_from:
            if not folder.holds_run:
                check_start(read_from)
            loaded = load_source(read_from)
            training = _Training(settings, folder, loaded, reporter, callbacks)
            # Only now: a mistake in the settings must not leave a folder that looks like a run.
            is_new = not folder.holds_run
            if is_new:
                check_start_text(settings, loaded)
                kept = with_absolute_paths(settings)
                if lines is not None:
                    kept = kept.model_copy(update={"source": OWN_TEXT})
                folder.begin(write_toml(kept, origins))
            try:
                training.try_metric()
            except UserError:
                if is_new:
                    folder.forget()
                raise
        training.run(has_page)


@dataclass(eq=False)
class _Training:
    """The one life of a run in this process."""

    settings: Settings
    folder: RunFolder
    loaded: Loaded
    reporter: Reporter
    callbacks: Sequence[Callback]

    def __post_init__(self) -> None:
        settings, loaded, folder = self.settings, self.loaded, self.folder
        self.alarm = CollapseAlarm()
        truth, evaluation = loaded.held_out.truth, settings.evaluation
        self.monitor = Monitor(loaded.corpus, truth, evaluation, settings.seed)
        more = WATCHED if settings.hand_over.check else ()
        self.stage_two_monitor = Monitor(loaded.corpus, truth, evaluation, settings.seed, more)
        torch.manual_seed(settings.seed)
        rng = torch.Generator().manual_seed(settings.seed)
        device = find_device(settings.device)
        check_dtype(settings.dtype, device)
        self.state, metric = build_state(settings, loaded.corpus, rng, device)
        self.state.shares = shares_of(settings.parts)
        self.metric = ask_through_archive(
            self.state,
            metric,
            settings,
            loaded.corpus,
            folder.archive,
            partial(self.reporter.part, "metric calls"),
        )
        if self.state.judge is not None:
            self.state.judge.told = partial(self.reporter.part, "judges")
        self.phases, schedule, training = plan(settings)
        self.corpus = augment(settings, hold_out(settings, loaded.corpus)).to(device)
        buffer = self.state.buffer
        rescored = buffer.capacity * buffer.bins if metric.depends_on_generator else 0
        self.budget = make_budget(settings, training, schedule, self.corpus, rescored)
        self.schedule, self.training = self.budget.schedule, self.budget.training
        self.objective = build_objective(settings, loaded.corpus, rng)
        self.selection = build_selection(
            settings,
            self.metric,
            self.state.discriminator,
            loaded.vocabulary,
            seeded(settings.seed, "selection"),
        )
        self.guard = Guard(settings.guard, settings.mle.keep_best, settings.hand_over)
        self.breach: Breach | None = None
        self.ended = False
        self.stopped_in: str | None = None
        self.keeper = Keeper(
            self.state,
            folder,
            self.guard,
            len(self.phases),
            len(self.schedule),
            settings.checkpoint_every,
        )

    def try_metric(self) -> None:
        """The metric has been tried, unless the run is past that."""
        if self.folder.checkpoints.latest() is not None:
            return
        reads_buffer = any(step.reads_buffer for steps in self.schedule for step in steps)
        if reads_buffer and not self.settings.metric:
            self.reporter.warn("there is no metric, so chance alone decides what the buffer keeps")
        warnings = try_metric(
            self.metric,
            len(self.settings.metric),
            self.loaded.corpus,
            self.budget.trial,
            self.settings.seed,
            self.state.rng,
        )
        for warning in warnings:
            self.reporter.warn(warning)

    def run(self, has_page: bool) -> None:
        folder, state = self.folder, self.state
        folder.keep_text(self.loaded)
        is_begun = folder.checkpoints.latest() is not None
        done = self._go_back()
        settings = self.settings
        title = f"{method_name(settings)} on {settings.source}, seed {settings.seed}"
        epochs = len(self.phases) + len(self.schedule)
        if not self.phases and not state.sda_epoch:
            self.keeper.save(0)
        self.reporter.start(title, self.loaded.summary, epochs, done)
        if self.budget.sentence:
            self.reporter.say(self.budget.sentence)
        if is_begun and done:
            calls = state.archive.calls
            paid = f", {calls:,} metric calls already made" if calls else ""
            self.reporter.say(f"going on after epoch {done} of {epochs}{paid}")
        for sentence in self.loaded.advice if not done else ():
            self.reporter.say(f"advice: {sentence}")
        watch = Watch()
        try:
            for progress in () if self.ended else self._train():
                line = self._figures(progress)
                for warning in self.alarm.look(line):
                    self.reporter.warn(warning)
                self.breach = self._guarded(line)
                line |= watch.lap()
                size = folder.append_progress(line)
                self.keeper.save(size, self.breach)
                self.reporter.epoch(line)
                if self.breach is not None:
                    self.reporter.warn(self.breach.message)
                    break
                if self._is_enough(line):
                    self.stopped_in = line["stage"]
                    self.keeper.save_end(size, line["stage"])
                    break
        except Diverged as trouble:
            raise UserError(
                f"training stopped: {trouble}; the last good state is in"
                f" {folder.checkpoints.folder}"
            ) from None
        finally:
            self.reporter.stop()
        if state.shares.is_first:
            self._finish(has_page)

    def _is_enough(self, line: dict[str, Any]) -> bool:
        """Whether a callback ends training with this epoch; every callback is told of it."""
        answers = [callback(dict(line)) for callback in self.callbacks]
        if not any(answers):
            return False
        self.reporter.say(f"a callback ended training: {line['stage']}, epoch {line['epoch']}")
        return True

    def _train(self) -> Iterator[Progress]:
        loop = choose_loop(self.settings)(
            state=self.state,
            corpus=self.corpus,
            metric=self.metric,
            phases=self.phases,
            schedule=self.schedule,
            settings=self.training,
            objective=self.objective,
            tick=self.reporter.tick,
            reward=make_reward(self.state, self.metric, self.training.stage2),
            fill=first_writer(self.training, self.corpus),
            policies=choose_policies(self.state, self.corpus, self.schedule, self.training.stage2),
        )
        return expecting(loop, self.state, self.corpus, len(self.phases))

    def _figures(self, progress: Progress) -> dict[str, Any]:
        """All that the line of an epoch tells but the time that it took."""
        line = {"stage": progress.stage, "epoch": progress.epoch, **progress.values}
        if progress.stage != "discriminator" and (
            self.monitor.is_due(progress.epoch) or self._is_last_of_stage()
        ):
            line |= self._measured(line)
        state = self.state
        return line | {
            "updates": state.updates,
            "written": state.written,
            "calls": state.archive.calls,
        }

    def _measured(self, line: dict[str, Any]) -> dict[str, Any]:
        """The figures of the monitor; beside the first of Stage II those of the start."""
        stage, epoch = line["stage"], line["epoch"]
        monitor = self.stage_two_monitor if stage == "imitation" else self.monitor
        figures: dict[str, Any] = monitor.measure(self.state.generator, stage, epoch)
        if self.settings.hand_over.check and (stage, epoch) == ("imitation", 1):
            # A model that is made may draw from the random numbers that dropout draws from.
            with torch.random.fork_rng(devices=[]):
                start = self._start()
            figures[START] = monitor.measure(start, START, 0)
        return figures

    def _start(self) -> Generator:
        """The generator that Stage I ended with."""
        return trained_run(self.folder.path, self.settings).generator(MLE)

    def _guarded(self, line: dict[str, Any]) -> Breach | None:
        """The rule that the line breaks, noted in the line."""
        if line["stage"] == "imitation" and line["epoch"] == 1:
            for name in self.guard.unknown(line):
                self.reporter.warn(f"guard: Stage II has no figure {name!r}")
        breach = self.guard.look(line)
        if breach is not None and self.settings.hand_over.check and not _is_measured(line):
            # The last epoch is measured too: it may have to be taken back.
            line |= self._measured(line)
            breach = self.guard.look(line)
        if breach is not None:
            line["guard"] = breach.message
        return breach

    def _go_back(self) -> int:
        """Take up the newest state, if there is one; returns the epochs that are done."""
        self.folder.clear_results()
        if self.settings.start is not None and self.folder.checkpoints.latest() is None:
            self.keeper.save(take_start(self.state, self.settings, self.folder))
        found, now = self.keeper.go_back(), self.state.device.type
        for remark in (*found.get(REMARKS, ()), *self.state.archive.remarks):
            self.reporter.warn(remark)
        before = found.get("device")
        if before not in (None, now):
            self.reporter.warn(
                f"this run was trained on {before} so far and goes on on {now}: it will not end bit"
                " for bit as on one of them alone"
            )
        for line in self.folder.read_progress():
            self.alarm.look(line)
            self.breach = self.guard.look(line)
            self.ended = "guard" in line
        self.stopped_in = found.get(STOPPED_IN)
        self.ended = self.ended or self.stopped_in is not None
        return self.state.phase + self.state.sda_epoch

    def _is_last_of_stage(self) -> bool:
        """Whether this was the last epoch of maximum likelihood, or the last of all."""
        state = self.state
        if state.sda_epoch:
            return state.sda_epoch == len(self.schedule)
        return state.stopped_early or Phase.GENERATOR not in self.phases[state.phase :]

    def _finish(self, has_page: bool) -> None:
        """Samples, scores and buffer, and with `has_page` the report."""
        Finish(
            self.settings,
            self.folder,
            self.loaded,
            self.state,
            self.metric,
            self.selection,
            self.budget.checked,
            self.breach,
            self.stopped_in,
            has_page,
        ).write(self._start())
        keep_what_is_needed(self.folder)


def _is_measured(line: dict[str, Any]) -> bool:
    return "duplicate_share" in line
