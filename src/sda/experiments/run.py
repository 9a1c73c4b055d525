"""One run from settings to scores: train, go on after an interruption, sample, score."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

from sda.algorithm import self_data_augmentation
from sda.errors import UserError
from sda.experiments.alarms import CollapseAlarm
from sda.experiments.build import build_models, build_state, plan
from sda.experiments.checkpoint import Checkpoint
from sda.experiments.config import Settings, write_toml
from sda.experiments.files import read_json, write_json, write_text
from sda.experiments.folder import STAGE_ONE, RunFolder
from sda.experiments.reporter import Reporter
from sda.experiments.scoring import FinalScorer, Monitor, Row, seeded
from sda.experiments.source import Loaded, load_source
from sda.models.generator import Generator
from sda.sampling import Decoding, sample
from sda.training.progress import Diverged
from sda.training.schedule import Phase
from sda.training.state import TrainState

Function = Callable[..., Any]


class Run:
    """A run folder as an object: what it was told, what it learned, what it wrote."""

    def __init__(self, path: Path | str) -> None:
        self.folder = RunFolder(Path(path))
        self.settings = self.folder.settings()

    def __repr__(self) -> str:
        return f"Run({str(self.folder.path)!r})"

    @property
    def path(self) -> Path:
        return self.folder.path

    @property
    def is_finished(self) -> bool:
        return self.folder.is_finished

    def progress(self) -> list[dict[str, Any]]:
        """The figures of every epoch so far."""
        return self.folder.read_progress()

    def scores(self) -> list[dict[str, Any]]:
        """The rows of the table on test data, each with its scores."""
        rows: list[dict[str, Any]] = read_json(self.folder.scores)["rows"]
        return rows

    def generator(self, stage: str = "last") -> Generator:
        """The generator of the newest checkpoint, or with `mle` the one that Stage I ended with."""
        name = STAGE_ONE if stage == "mle" else self.folder.checkpoints.latest()
        if name is None or not self.folder.checkpoints.has(name):
            raise UserError(f"{self.path}: there is no checkpoint of this run yet")
        checkpoint = self.folder.checkpoints.load(name)
        vocabulary, max_length = self.folder.load_vocabulary()
        models = build_models(self.settings, vocabulary, max_length, torch.Generator())
        for model, part in zip(models, ("generator", "discriminator"), strict=True):
            load_weights(model, part, checkpoint, self.path)
        return models[0]

    def sample(
        self,
        n: int,
        temperature: float = 1.0,
        seed: int = 0,
        top_k: int | None = None,
        top_p: float | None = None,
        max_length: int | None = None,
        stage: str = "last",
    ) -> list[str]:
        """n sentences of the run's generator as text; the same seed gives the same ones.

        The unknown word, where the vocabulary has one, is never written.
        """
        vocabulary, _ = self.folder.load_vocabulary()
        decoding = make_decoding(temperature, top_k, top_p, vocabulary.unk)
        torch.set_num_threads(self.settings.threads)
        written = sample(self.generator(stage), n, seeded(seed, "sample"), decoding, max_length)
        return vocabulary.decode(written)


def make_decoding(
    temperature: float, top_k: int | None, top_p: float | None, never: int | None
) -> Decoding:
    """A way of choosing words; a value out of range raises one sentence."""
    try:
        return Decoding(temperature, top_k, top_p, never)
    except ValueError as error:
        raise UserError(str(error)) from None


def load_weights(model: nn.Module, part: str, checkpoint: Checkpoint, where: Path) -> None:
    """The model has the weights that the checkpoint holds for that part."""
    start = f"{part}."
    weights = {k[len(start) :]: v for k, v in checkpoint.tensors.items() if k.startswith(start)}
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        reason = str(error).splitlines()[-1].strip()
        raise UserError(f"{where}: the checkpoint does not fit the settings ({reason})") from None


def train_run(
    settings: Settings,
    origins: dict[str, str],
    out: Path,
    reporter: Reporter,
    resume: bool = False,
    function: Function | None = None,
) -> Run:
    """Train in the folder `out` until the end, and write samples, scores and report there.

    With `resume` a run that is there goes on from its last checkpoint; one that is finished is left
    alone. Whatever happens, the folder holds the last complete state.
    """
    folder = RunFolder(out)
    with folder.locked():
        if folder.holds_run:
            if not resume:
                raise UserError(
                    f"{out} already holds a run: give --resume to go on with it, or another --out"
                )
            folder.check_same(settings)
            if folder.is_finished:
                reporter.say(f"{out}: this run is finished")
                return Run(out)
        # Before anything is computed: an oracle's sentences are part of what must not vary.
        torch.set_num_threads(settings.threads)
        training = _Training(settings, folder, load_source(settings), reporter, function)
        # Only now: a mistake in the settings must not leave a folder that looks like a run.
        if not folder.holds_run:
            folder.begin(write_toml(settings, origins))
        training.run()
        return Run(out)


class _Training:
    """The one life of a run in this process."""

    def __init__(
        self,
        settings: Settings,
        folder: RunFolder,
        loaded: Loaded,
        reporter: Reporter,
        function: Function | None,
    ) -> None:
        self.settings = settings
        self.folder = folder
        self.loaded = loaded
        self.reporter = reporter
        self.alarm = CollapseAlarm()
        self.monitor = Monitor(
            loaded.corpus, loaded.held_out.truth, settings.evaluation, settings.seed
        )
        torch.manual_seed(settings.seed)
        rng = torch.Generator().manual_seed(settings.seed)
        self.state, self.metric = build_state(settings, loaded.corpus, rng, function)
        self.phases, self.schedule, self.training = plan(settings)

    def run(self) -> None:
        folder, state = self.folder, self.state
        corpus = self.loaded.corpus
        splits = (corpus.train, corpus.valid, self.loaded.held_out.test)
        folder.keep_vocabulary(
            self.loaded.vocabulary, corpus.max_length, [part.fingerprint() for part in splits]
        )
        done = self._go_back()
        title = f"{self.settings.method} on {self.settings.source}, seed {self.settings.seed}"
        epochs = len(self.phases) + len(self.schedule)
        if not self.phases and not state.sda_epoch:
            self._save(0)
        self.reporter.start(title, self.loaded.summary, epochs, done)
        began = time.perf_counter()
        try:
            for progress in self_data_augmentation(
                state,
                self.loaded.corpus,
                self.metric,
                self.phases,
                self.schedule,
                self.training,
                tick=self.reporter.tick,
            ):
                line = {"stage": progress.stage, "epoch": progress.epoch, **progress.values}
                is_last_of_stage = self._is_last_of_stage()
                if progress.stage != "discriminator" and (
                    self.monitor.is_due(progress.epoch) or is_last_of_stage
                ):
                    line |= self.monitor.measure(state.generator, progress.stage, progress.epoch)
                for warning in self.alarm.look(line):
                    self.reporter.warn(warning)
                line["seconds"] = round(time.perf_counter() - began, 3)
                began = time.perf_counter()
                self._save(folder.append_progress(line))
                self.reporter.epoch(line)
        except Diverged as trouble:
            raise UserError(
                f"training stopped: {trouble}; the last good state is in"
                f" {folder.checkpoints.folder}"
            ) from None
        finally:
            self.reporter.stop()
        self._finish()

    def _go_back(self) -> int:
        """Take up the newest checkpoint, if there is one; returns the epochs that are done."""
        name = self.folder.checkpoints.latest()
        self.folder.clear_results()
        if name is None:
            self.folder.cut_progress(0)
            return 0
        checkpoint = self.folder.checkpoints.load(name)
        try:
            self.state.load(checkpoint.tensors, checkpoint.values["counters"])
            self.folder.cut_progress(checkpoint.values["progress_bytes"])
        except (KeyError, RuntimeError, TypeError, ValueError) as error:
            place = self.folder.checkpoints.folder / name
            raise UserError(
                f"{place}: the checkpoint does not fit the settings ({error})"
            ) from None
        for line in self.folder.read_progress():
            self.alarm.look(line)
        return self.state.phase + self.state.sda_epoch

    def _is_last_of_stage(self) -> bool:
        """Whether this was the last epoch of maximum likelihood, or the last of all."""
        state = self.state
        if state.sda_epoch:
            return state.sda_epoch == len(self.schedule)
        return state.stopped_early or Phase.GENERATOR not in self.phases[state.phase :]

    def _save(self, progress_bytes: int) -> None:
        state, checkpoints = self.state, self.folder.checkpoints
        number = state.phase + state.sda_epoch
        values = {"counters": state.counters(), "progress_bytes": progress_bytes}
        stage_one_ends = state.phase == len(self.phases) and not state.sda_epoch
        ends = state.sda_epoch == len(self.schedule) and state.phase == len(self.phases)
        if stage_one_ends or ends or number % self.settings.checkpoint_every == 0:
            checkpoint = Checkpoint(state.tensors(), values)
            if stage_one_ends:
                checkpoints.save(STAGE_ONE, checkpoint)
            checkpoints.save_numbered(number, checkpoint)

    def _finish(self) -> None:
        """Samples, scores, buffer and report; the mark that all is done comes last."""
        from sda.experiments.report import write_report

        folder, settings, vocabulary = self.folder, self.settings, self.loaded.vocabulary
        scorer = FinalScorer(
            self.loaded.corpus, self.loaded.held_out, settings.evaluation, settings.seed
        )
        rows, samples = score_rows(settings, scorer, self.state, folder)
        texts = vocabulary.decode(samples)
        write_text(folder.samples, "".join(f"{text}\n" for text in texts))
        last = self.folder.checkpoints.latest()
        write_json(
            folder.samples_info,
            {"count": len(texts), "seed": settings.seed, "temperature": 1.0, "checkpoint": last},
        )
        if len(self.state.buffer):
            entries = vocabulary.decode(self.state.buffer.entries.sentences)
            records = self.state.buffer.records(entries)
            lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
            write_text(folder.buffer, lines)
        real = rows[0]
        write_json(folder.scores, {"rows": [row.as_dict(real) for row in rows]})
        write_report([Run(folder.path)], folder.report)
        write_json(folder.finished, {"epochs": self.state.phase + self.state.sda_epoch})


def score_rows(
    settings: Settings, scorer: FinalScorer, state: TrainState, folder: RunFolder
) -> tuple[list[Row], Any]:
    """Real text, the start of Stage II at two temperatures, and what Stage II made of it.

    The colder start is the control that every gain has to be held against.
    """
    start = Run(folder.path).generator("mle")
    cold = settings.evaluation.cold_temperature
    rows = [scorer.real_text()]
    row, samples = scorer.model("mle", start)
    rows += [row, scorer.model("mle", start, cold)[0]]
    if state.sda_epoch:
        row, samples = scorer.model(settings.method, state.generator)
        rows.append(row)
    return rows, samples
