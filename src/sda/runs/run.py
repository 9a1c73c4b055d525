"""A run folder as an object: what it was told, what it learned, and sentences of its generator."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from sda.baselines.selection import Fresh, Kept
from sda.devices import same_device_or_cpu
from sda.errors import UserError
from sda.evaluation.alarms import Alarm
from sda.evaluation.evaluator import Evaluation
from sda.evaluation.score import Score
from sda.models.discriminator import Discriminator
from sda.models.generator import Generator
from sda.models.guided import STRONGEST, Guided, can_guide
from sda.models.panel import Panel
from sda.randomness import seeded
from sda.reference.metric import ReferenceMetric
from sda.runs.assemble import build_judge, build_models, build_state
from sda.runs.checkpoint import Checkpoint
from sda.runs.costs import run_costs
from sda.runs.folder import STAGE_ONE, RunFolder
from sda.runs.hand_over import (
    HANDED,
    HAS_HANDED_OVER,
    LAST,
    MLE,
    STAGES,
    HandedOver,
    read_handed_over,
)
from sda.runs.handed import ROLES, give_again, sections
from sda.runs.opened import OpenedRun
from sda.runs.parts import Selector
from sda.runs.paths import check_text_is_there
from sda.sampling import Decoding, sample
from sda.settings.schema import Settings
from sda.source import Loaded, load_source
from sda.text.context import Context
from sda.text.model_tokens import ModelVocabulary
from sda.text.sentences import Sentences
from sda.text.vocabulary import Vocabulary
from sda.training.judging import Judge
from sda.training.state import under


class Run(OpenedRun[Settings]):
    """A run folder as an object: what it was told, what it learned, what it wrote.

    `sda.train` returns one, and `Run(path)` opens one that is there. A generator, discriminator or
    metric that was handed to `sda.train` as an object, and that no import finds, has to be given
    again to what needs it: `Run(path, generator=mine)` to write with a generator of one's own,
    `Run(path, metric=mine)` where a method selects by a metric of one's own.

    A folder may come from anybody, so code outside the package that its settings name is not
    loaded, until `Run(path, trust=True)` allows all of it, or `Run(path, metric="FILE.py:NAME")`
    that one function. Code that lies in the folder itself is never loaded.

    ```python
    import sda

    sda.train("captions", "runs/quick", profile="smoke", seed=1)
    run = sda.Run("runs/quick")
    print(run.sample(3, temperature=0.9))
    for row in run.scores():
        print(row.name, row.temperature, row.value("bleu-3"))
    ```
    """

    def __init__(
        self,
        path: Path | str,
        *,
        generator: Generator | type[Generator] | None = None,
        discriminator: Discriminator | type[Discriminator] | None = None,
        metric: str | ReferenceMetric | type[ReferenceMetric] | Callable[..., Any] | None = None,
        trust: bool = False,
    ) -> None:
        self.folder = RunFolder(Path(path))
        settings = allowed_settings(self.folder, generator, discriminator, metric, trust)
        super().__init__(self.folder, settings)

    @property
    def verdict(self) -> str | None:
        """One sentence on what was bought at what price, or that the start is used.

        None where nothing was compared: without the setting `hand_over.check`, in a run that is not
        finished, and where nothing came after maximum likelihood.
        """
        found = read_handed_over(self.folder.handed_over)
        return None if found is None else found.sentence

    def costs(self) -> dict[str, float]:
        """What the run cost so far: updates, tokens written, metric calls and seconds, by name."""
        costs = run_costs(self.progress())
        # A selection at the end asks the metric too.
        calls = self.folder.read_finished().get("calls") if self.is_finished else None
        return costs if calls is None else {**costs, "calls": calls}

    def scores(self) -> list[Evaluation]:
        """The rows of the run's table on test data: real text, the start, what became of it.

        Each is what `sda.evaluate` returns, with the `name` of the row and the `temperature` that
        its sentences were written at; real text has none.
        """
        rows = self.folder.read_scores()
        try:
            found = [[Score.from_dict(score) for score in row["scores"]] for row in rows]
            real = found[0]
            return [
                Evaluation(
                    _written(scores) if scores is real else self.settings.evaluation.final_samples,
                    _written(scores),
                    scores,
                    [] if scores is real else real,
                    [Alarm.from_dict(alarm) for alarm in row.get("alarms", ())],
                    name=row["name"],
                    temperature=row["temperature"],
                )
                for row, scores in zip(rows, found, strict=True)
            ]
        except (KeyError, TypeError, IndexError, AttributeError):
            raise UserError(f"{self.folder.scores}: not the scores of a run") from None

    def generator(self, stage: str = HANDED) -> Generator:
        """The generator that the run hands over.

        With stage "last" it is the last one, and with "mle" the one that maximum likelihood ended
        with. These are what may be handed over: the better of the two where `verdict` says which,
        and else the last.
        """
        vocabulary, max_length = self.folder.load_vocabulary()
        labels = self.folder.load_labels()
        models = build_models(self.settings, vocabulary, max_length, torch.Generator(), labels)
        self._load_weights(stage, *models)
        # Both: some generators read the discriminator.
        for model in models:
            model.to(same_device_or_cpu(self.settings.device))
        return models[0]

    def _load_weights(self, stage: str, *models: nn.Module) -> None:
        """Generator and discriminator are those of the stage."""
        is_start = self._stage(stage) == MLE
        name = STAGE_ONE if is_start else self.folder.checkpoints.latest()
        if name is None or not self.folder.checkpoints.has(name):
            raise UserError(f"{self.path}: there is no checkpoint of this run yet")
        checkpoint = self.folder.checkpoints.load(name)
        for model, part in zip(models, ("generator", "discriminator"), strict=True):
            load_weights(model, part, checkpoint, self.path)

    def _stage(self, stage: str) -> str:
        """The state that is meant: the last, or the one that maximum likelihood ended with."""
        if stage not in STAGES:
            raise UserError(f"{self.path}: no stage {stage!r} (known: {', '.join(STAGES)})")
        if stage != HANDED:
            return stage
        found = self._handed_over()
        return LAST if found is None else found.stage

    def _handed_over(self) -> HandedOver | None:
        """Which state is handed over; a run that said so once says so in a file that is there."""
        path = self.folder.handed_over
        found = read_handed_over(path)
        if found is None and self.is_finished and self.folder.read_finished().get(HAS_HANDED_OVER):
            raise UserError(
                f"{path}: missing, so that nobody knows which state of the run is handed over; name"
                f" one (--stage {MLE} or {LAST}), or put the file back"
            )
        return found

    def sample(
        self,
        n: int,
        temperature: float = 1.0,
        seed: int = 0,
        top_k: int | None = None,
        top_p: float | None = None,
        max_length: int | None = None,
        stage: str = HANDED,
        label: str | None = None,
        keep: float | None = None,
        unique: bool = False,
        no_copies: bool = False,
        prompt: str | None = None,
        guide: float | None = None,
    ) -> list[str]:
        """`n` sentences of the run's generator as text; the same seed gives the same ones.

        - `temperature`: below 1 the likelier words are preferred, above 1 less so.
        - `top_k`, `top_p`: only the k likeliest words, or those that make up this share.
        - `max_length`: sentences are cut after so many words.
        - `stage`: "handed", what the run hands over; "last", what became of it; or "mle", the
          generator that maximum likelihood ended with.
        - `label`: what all sentences are about, for a run on labelled text; without it the labels
          take turns.
        - `keep`: the share of what is written that is kept, by the run's judge; by default what the
          run hands over with. 1 keeps all.
        - `unique`: no sentence comes twice.
        - `no_copies`: no sentence is one of the training sentences; the source is read for it.
        - `prompt`: what all sentences follow on, for a run on text with prompts; by default the one
          prompt of its text.
        - `guide`: how strongly the run's judge weighs each word as it is written; by default what
          the run hands over with. 0 leaves the words to the generator.

        The unknown word, where the vocabulary has one, is never written. A run with a selection,
        such as best-of-n, applies it to its last state. The selection may need the metric, and the
        metric the training sentences, so the source is read again and has to be as it was.
        """
        vocabulary, _ = self.folder.load_vocabulary()
        decoding = make_decoding(temperature, top_k, top_p, vocabulary.unk)
        torch.set_num_threads(self.settings.threads)
        rng = seeded(seed, "sample")
        selection = None
        if self.settings.selection and self._stage(stage) == LAST:
            generator, selector = self.selecting()
            selection = selector.selection(seeded(seed, "selection"))
        else:
            generator = self.generator(stage)
            handed = self.keep if stage == HANDED else 1.0
            share = handed if keep is None else keep
            strength = guide if guide is not None else self.guide if stage == HANDED else 0.0
            judge = self.judge().model if share != 1 or strength else None
            if judge is not None and share != 1:
                selection = Kept(judge, _share(share))
            if judge is not None and strength:
                generator = self._guided(generator, judge, strength)
        if unique or no_copies:
            known = vocabulary.words(self.load_source().corpus.train) if no_copies else None
            selection = Fresh(vocabulary.words, selection, known, unique)

        def write(count: int, copies: int = 1) -> Sentences:
            about = self._about(label, count // copies, vocabulary, prompt)
            about = None if about is None else about.repeated(copies)
            longest = None if max_length is None else vocabulary.tokens_in(max_length)
            written = sample(generator, count, rng, decoding, longest, about)
            return written if max_length is None else vocabulary.cut(written, max_length)

        return vocabulary.decode(write(n) if selection is None else selection(write, n))

    @property
    def keep(self) -> float:
        """The share of what the run's generator writes that is handed over, the best by its judge;
        1 where no judge chooses."""
        found = self._handed_over()
        return 1.0 if found is None else found.keep

    @property
    def guide(self) -> float:
        """How strongly the run's judge weighs each word of what is handed over as it is written; 0
        where it does not."""
        found = self._handed_over()
        return 0.0 if found is None else found.guide

    def _guided(self, generator: Generator, judge: Panel, strength: float) -> Generator:
        if not can_guide(judge):
            raise UserError(
                f"{self.path}: the judge of this run ({self.judge().name}) judges whole sentences,"
                " not words as they are written: leave guide alone, and choose with keep"
            )
        if not 0 < strength <= STRONGEST:
            raise UserError(f"guide must be between 0 and {STRONGEST:g}, not {strength:g}")
        return Guided(generator, judge, strength)

    def judge(self) -> Judge:
        """What the run learned to tell from the metric: calling it with sentences ranks them."""
        vocabulary, _ = self.folder.load_vocabulary()
        labels = len(self.folder.load_labels())
        judge = build_judge(self.settings, vocabulary, self.generator(MLE), labels)
        name = self.folder.checkpoints.latest()
        if judge is not None and name is not None:
            checkpoint = self.folder.checkpoints.load(name)
            try:
                facts = checkpoint.values["counters"]["judge"]
                judge.load(under("judge", checkpoint.tensors), facts)
            except (KeyError, TypeError, RuntimeError) as error:
                raise _does_not_fit(self.path, error) from None
        if judge is None or not judge.is_fitted:
            raise UserError(
                f"{self.path}: this run has no judge that could choose; train with a metric and the"
                " preset recommended, or leave keep alone"
            )
        return judge

    def _about(
        self, label: str | None, n: int, vocabulary: Vocabulary, prompt: str | None
    ) -> Context | None:
        """n times the label of that name and the prompt, or all labels in turn; None where the text
        has neither."""
        labels, source = self._labels(label, n), self._prompts(prompt, n, vocabulary)
        return None if labels is None and source is None else Context(labels, source)

    def _prompts(self, prompt: str | None, n: int, vocabulary: Vocabulary) -> Sentences | None:
        """n times the prompt, or that of the text; None where the text has none."""
        data = self.settings.data
        if not data.has_prompts or not isinstance(vocabulary, ModelVocabulary):
            if prompt is not None:
                raise UserError(f"{self.path}: the run's text has no prompts, so give none")
            return None
        given = data.prompt if prompt is None else prompt
        if given is None:
            raise UserError(
                f"{self.path}: every sentence of this run's text follows on a prompt of its own;"
                " give one, as --prompt TEXT"
            )
        return vocabulary.encode_prompts([given] * n)

    def _labels(self, label: str | None, n: int) -> Tensor | None:
        """n times the label of that name, or all labels in turn; None where there are none."""
        names = self.folder.load_labels()
        if label is not None and label not in names:
            known = ", ".join(names) or "none: the run's text has no labels"
            raise UserError(f"{self.path}: there is no label {label!r} (known: {known})")
        if not names:
            return None
        turns = torch.arange(n) % len(names)
        return turns if label is None else torch.full((n,), names.index(label))

    def load_source(self) -> Loaded:
        """The run's text, read again; refused if it has changed since the run began."""
        check_text_is_there(self.settings, self.path)
        loaded = load_source(self.settings)
        self.folder.keep_text(loaded)
        return loaded

    def selecting(self, loaded: Loaded | None = None) -> tuple[Generator, Selector]:
        """The last generator, and the selection's maker with the metric that the run had.

        `loaded` is the run's source where the caller has read it already.
        """
        loaded = loaded or self.load_source()
        first = torch.Generator().manual_seed(self.settings.seed)
        device = same_device_or_cpu(self.settings.device)
        state, metric = build_state(self.settings, loaded.corpus, first, device)
        self._load_weights(LAST, state.generator, state.discriminator)
        return state.generator, Selector(self.settings, loaded.corpus, metric, state.discriminator)


def trained_run(path: Path, settings: Settings) -> Run:
    """The run that was trained there by these settings, with the objects that they carry."""
    run = Run(path)
    objects = {role: getattr(settings, role) for role in (*ROLES, "selection")}
    run._settings = run.settings.model_copy(update=objects)
    return run


def allowed_settings(
    folder: RunFolder,
    generator: Generator | type[Generator] | None,
    discriminator: Discriminator | type[Discriminator] | None,
    metric: str | ReferenceMetric | type[ReferenceMetric] | Callable[..., Any] | None,
    trust: bool,
) -> Settings:
    """The settings of the run in the folder with the objects that were given again, and with what
    else the user allows to be loaded."""
    named = metric if isinstance(metric, str) else None
    given = sections(generator, discriminator, None if isinstance(metric, str) else metric)
    return give_again(folder.settings(trust, named), given, folder.path)


def _written(scores: Sequence[Score]) -> int:
    """How many sentences were scored, as the signatures say."""
    found = (re.search(r"\bhyps:(\d+)", score.signature) for score in scores)
    return next((int(match[1]) for match in found if match), 0)


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
    weights = under(part, checkpoint.tensors)
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        raise _does_not_fit(where, error) from None
    if not all(bool(weight.isfinite().all()) for weight in weights.values()):
        raise UserError(f"{where}: the {part} of the checkpoint has weights that are no numbers")


def _does_not_fit(where: Path, error: Exception) -> UserError:
    reason = str(error).splitlines()[-1].strip()
    return UserError(f"{where}: the checkpoint does not fit the settings ({reason})")


def _share(keep: float) -> float:
    if not 0 < keep <= 1:
        raise UserError(f"keep must be above 0 and at most 1, not {keep:g}")
    return keep
