"""The commands as functions, with the same words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sda.errors import UserError, brief
from sda.evaluation.evaluator import Evaluation, Options
from sda.evaluation.texts import evaluate_texts
from sda.labelled.augment_settings import settle_augmentation
from sda.labelled.augmented import Task
from sda.labelled.augmented_rows import Augmented
from sda.labelled.labelled_rows import of_lists
from sda.labelled.rows_trial import handed_over
from sda.labelled.word_rules import read_rules
from sda.models.discriminator import Discriminator
from sda.models.generator import Generator
from sda.reference.metric import ReferenceMetric
from sda.runs.folder import RunFolder
from sda.runs.handed import sections
from sda.runs.own_text import as_lines
from sda.runs.resume import resume_run
from sda.runs.run import Run, allowed_settings
from sda.runs.train import train_run
from sda.settings.layers import Choices
from sda.show.terminal import Quiet, Terminal
from sda.text.reading import read_lines
from sda.transfer.transfer_run import TransferRun
from sda.transfer.transfer_settings import settle_transfer
from sda.transfer.transfer_training import train_transfer_run


def train(
    source: str | Path | Iterable[str],
    out: str | Path,
    *,
    method: str | None = None,
    generator: str | Generator | type[Generator] = "rnn",
    discriminator: str | Discriminator | type[Discriminator] | None = None,
    metric: str | ReferenceMetric | type[ReferenceMetric] | Callable[..., Any] | None = None,
    calls: int | None = None,
    profile: str = "small",
    preset: str | None = None,
    seed: int | None = None,
    config: str | Path | None = None,
    settings: Mapping[str, Any] | None = None,
    resume: bool = False,
    quiet: bool = True,
    callbacks: Sequence[Callable[[dict[str, Any]], object]] = (),
) -> Run:
    """Train a generator in the folder `out`, score what it writes, and return the run.

    - `source`: a text file, `"captions"`, `"oracle"`, or the texts themselves, in a list or
      anything that gives strings one by one. Texts are kept in the run folder as `text.txt`.
    - `out`: a new folder, or with `resume` that of a run that was interrupted.
    - `method`: what follows maximum likelihood, such as `"mle"` (nothing), `"rl"`, `"sda"` or
      `"best-of-n"`; by default what `preset` has.
    - `generator`: a name such as `"rnn"`, a subclass of `Generator`, or an object of one. Of an
      object a copy is trained; it must fit the vocabulary of the text.
    - `discriminator`: likewise, with `Discriminator`.
    - `metric`: a name such as `"bleu"`; a function from a list of texts to a list of numbers,
      higher is better; a subclass of `ReferenceMetric`, or an object of one.
    - `calls`: the most sentences that the metric may be asked in all. Stage II is cut to fit, and
      what was asked is never asked again: it stands in `archive.jsonl` in the run folder.
    - `profile`: the scale: `"smoke"` takes seconds, `"small"` minutes, `"full"` is the paper's.
    - `preset`: `"recommended"`, the default for texts of your own with a metric, or `"paper"`.
    - `seed`: the same seed gives the same run, bit for bit.
    - `config`: a settings file (TOML).
    - `settings`: single values in a nested mapping, such as `{"stage2": {"rollouts": 4}}`; for a
      class that was handed in also its arguments, as `{"generator": {"size": 64}}` or
      `{"metric": [{"scale": 3.0}]}`.
    - `resume`: go on with the run in `out`, if there is one that began with the same arguments;
      `sda.resume` needs the folder alone.
    - `quiet`: say nothing but warnings.
    - `callbacks`: functions that are called with the line of each finished epoch, a dictionary with
      `stage`, `epoch` and figures such as `nll_valid`, as `Run.progress` lists them. If one returns
      something true, training ends with this epoch, and the run is scored as it is then.

    Settings record an object by the path of its class or function where an import finds it, else as
    an object. `Run` and `sda.resume` ask for either again: a folder may come from anybody, so code
    that it names is not loaded for that alone. A mistake in any of this raises `UserError`.

    ```python
    import sda

    colours, animals = ["red", "green", "blue", "white", "black"], ["cat", "dog", "bird", "fish"]
    texts = [f"the {c} {a} saw a {b}" for c in colours for a in animals for b in animals]


    def short(texts):
        return [-len(text.split()) for text in texts]


    def enough(line):
        return line["stage"] == "mle" and line["epoch"] == 3


    run = sda.train(texts, "runs/short", metric=short, profile="smoke", callbacks=[enough])
    print(run.sample(3))
    ```
    """
    if not isinstance(out, str | Path):
        raise UserError(f"out: the folder of the run is a path, not {brief(out)}")
    is_named = isinstance(source, str | Path)
    lines = None if isinstance(source, str | Path) else as_lines(source)
    objects = sections(
        None if isinstance(generator, str) else generator,
        None if isinstance(discriminator, str) else discriminator,
        None if isinstance(metric, str) else metric,
    )
    choices = Choices(
        source=str(source if is_named else RunFolder(Path(out)).text),
        method=method,
        generator=generator if isinstance(generator, str) else "rnn",
        preset=preset,
        profile=profile,
        discriminator=discriminator if isinstance(discriminator, str) else None,
        metric=metric if isinstance(metric, str) else None,
        config=None if config is None else Path(config),
        values=_values(seed, calls, _over(objects, settings or {})),
    )
    settled, origins = choices.settle()
    reporter = Quiet() if quiet else Terminal()
    run = train_run(settled, origins, Path(out), reporter, resume, lines, callbacks)
    if run.verdict is not None:
        reporter.say(run.verdict)
    return run


def resume(
    out: str | Path,
    *,
    generator: Generator | type[Generator] | None = None,
    discriminator: Discriminator | type[Discriminator] | None = None,
    metric: str | ReferenceMetric | type[ReferenceMetric] | Callable[..., Any] | None = None,
    trust: bool = False,
    quiet: bool = True,
    callbacks: Sequence[Callable[[dict[str, Any]], object]] = (),
) -> Run:
    """Go on with the run in the folder `out` that was interrupted, and return it.

    The folder holds all settings and all texts that were handed in as a list. It ends bit for bit
    as if it had never stopped; a run that is finished is left alone.

    - `generator`, `discriminator`, `metric`: once more what was handed to `sda.train` as an object,
      such as a function of a notebook; a metric in a file as `"FILE.py:FUNCTION"`.
    - `trust`: load all code of your own that the settings in the folder name, in place of giving it
      again; nothing is loaded for what a folder says alone.
    - `quiet`: say nothing but warnings.
    - `callbacks`: as for `sda.train`; those that the run began with are not in the folder.

    ```python
    import sda

    run = sda.train("captions", "runs/whole", profile="smoke", seed=2)
    print(sda.resume("runs/whole").sample(1) == run.sample(1))
    ```
    """
    settings = allowed_settings(RunFolder(Path(out)), generator, discriminator, metric, trust)
    reporter = Quiet() if quiet else Terminal()
    run = resume_run(Path(out), reporter, settings, callbacks=callbacks)
    if run.verdict is not None:
        reporter.say(run.verdict)
    return run


def _values(seed: int | None, calls: int | None, settings: dict[str, Any]) -> dict[str, Any]:
    """The settings over the arguments that have a name of their own."""
    values: dict[str, Any] = {} if seed is None else {"seed": seed}
    values |= settings
    if calls is not None:
        values["calls"] = {"limit": calls, **settings.get("calls", {})}
    return values


def _over(objects: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with the objects, of which they may say how the class of one is to be made."""
    merged = {**settings, **objects}
    for role, section in objects.items():
        if role not in settings:
            continue
        if isinstance(section, list):
            (part,) = section
            merged[role] = [{**_arguments(settings[role], role, is_list=True), **part}]
        else:
            merged[role] = {**_arguments(settings[role], role, is_list=False), **section}
    return merged


def _arguments(given: Any, role: str, is_list: bool) -> Mapping[str, Any]:
    """What settings say of the one thing that was handed in; a metric's stand in a list."""
    parts = [given] if not is_list else given if isinstance(given, list) else []
    if len(parts) == 1 and isinstance(parts[0], Mapping):
        return parts[0]
    form = "[{...}]" if is_list else "{...}"
    raise UserError(
        f"setting '{role}': the {role} was handed in, so give nothing but its arguments, as"
        f" {form}, not {brief(given)}"
    )


def evaluate(
    samples: Sequence[str] | str | Path,
    test: Sequence[str] | str | Path,
    train: Sequence[str] | str | Path | None = None,
    real: Sequence[str] | str | Path | None = None,
    options: Options | None = None,
) -> Evaluation:
    """Score texts against test texts, put real text beside them, and raise alarms.

    Each argument is a list of texts or a file with a text a line.

    - `samples`: the texts to judge.
    - `test`: texts that no model has learned from.
    - `train`: what the model learned from; with it copies are found.
    - `real`: real text to put beside the samples; without it, half of the test texts.
    - `options`: what is measured, and how texts are cut into words.

    ```python
    import sda

    test = ["the cat sat on the mat", "a dog ran home", "the dog sat", "a cat ran"]
    found = sda.evaluate(["the cat sat", "a dog ran home"], test)
    print(found.value("bleu-2"))
    ```
    """
    return evaluate_texts(
        _texts(samples),
        _texts(test),
        None if train is None else _texts(train),
        None if real is None else _texts(real),
        options or Options(),
    )


def train_transfer(
    sources: Sequence[str | Path],
    out: str | Path,
    *,
    metric: str | None = None,
    seed: int = 0,
    config: str | Path | None = None,
    settings: Mapping[str, Any] | None = None,
    resume: bool = False,
    quiet: bool = True,
) -> TransferRun:
    """Train a model that rewrites sentences of one style in another, and return the run.

    - `sources`: a file for each style, with a sentence a line; or `["reviews"]` or `["tense"]`,
      which need no data.
    - `out`: a new folder, or with `resume` that of a run that was interrupted.
    - `metric`: what a good rewriting is, as `"FILE.py:FUNCTION"`; by default style, content and
      fluency are added up.
    - `seed`: the same seed gives the same run, bit for bit.
    - `config`: a settings file (TOML).
    - `settings`: single values in a nested mapping, such as `{"stage2": {"rounds": 10}}`.
    - `resume`: go on with the run in `out`, if there is one that began with the same arguments.
    - `quiet`: say nothing but warnings.

    A mistake in any of this raises `UserError`. `TransferRun` shows an example.
    """
    if isinstance(sources, str | Path):
        raise UserError(f"sources: give a list, as [{str(sources)!r}], or of a file for each style")
    values: dict[str, Any] = {**(settings or {}), "seed": seed}
    if metric is not None:
        values["metric"] = {**values.get("metric", {}), "function": metric}
    found = settle_transfer(
        [str(source) for source in sources], values, None if config is None else Path(config)
    )
    reporter = Quiet() if quiet else Terminal()
    return train_transfer_run(found, Path(out), reporter, resume)


def augment(
    texts: Sequence[str],
    labels: Sequence[str | int],
    *,
    unlabelled: Sequence[str] | str | Path | None = None,
    test: Sequence[str] | str | Path | None = None,
    per_class: int | None = None,
    balance: bool = False,
    metric: str | Callable[..., Any] | None = None,
    rules: str | Path | None = None,
    max_minutes: float | None = None,
    seed: int = 0,
    settings: Mapping[str, Any] | None = None,
    work: str | Path | None = None,
    quiet: bool = True,
) -> Augmented:
    """Make more labelled texts from the given ones.

    - `texts`, `labels`: two lists of one length; a label is a string or a whole number.
    - `unlabelled`: texts of the same kind without labels, in a list or in a file.
    - `test`: texts that must never be written, such as a test set.
    - `per_class`: new rows of each label; by default a quarter as many as it has, and none where
      folds of the rows do not show that they help; with rules more, at most 1,000.
    - `balance`: as many new rows as make every label as frequent as the most frequent one.
    - `metric`: a function from texts to numbers between 0 and 1, which their worth is multiplied
      with, or `"FILE.py:FUNCTION"`; with a parameter `context` it is told the labels.
    - `rules`: a file with rules, on each line a label, a tab and a pattern.
    - `max_minutes`: end training early.
    - `seed`: the same seed gives the same rows.
    - `settings`: single values in a nested mapping, such as `{"weights": {"novelty": 1.0}}`.
    - `work`: a folder for what is trained, where an interrupted call goes on; without it nothing is
      kept.
    - `quiet`: say nothing but warnings.

    A mistake in any of this raises `UserError`. Needs the extra `sda-text[augment]`.

    ```python
    import sda

    animals, good, bad = ["cat", "dog", "bird"], ["nice", "kind", "fine"], ["rude", "bad", "sad"]
    texts = [f"the {a} is {w} and {v}" for a in animals for w in good for v in good if v != w]
    labels = ["good"] * len(texts)
    texts += [f"the {a} is {w} and {v}" for a in animals for w in bad for v in bad if v != w]
    labels += ["bad"] * (len(texts) - len(labels))
    quick = {"writer": {"profile": "smoke", "epochs": 4, "stage2": 0}, "least": 0.5}
    found = sda.augment(texts, labels, per_class=2, settings=quick)
    print([(row.text, row.label, row.confidence) for row in found.written])
    ```
    """
    given = {
        **(settings or {}),
        "seed": seed,
        "per_class": per_class,
        "balance": balance or None,
    }
    rows = of_lists(texts, labels)
    task = Task(
        rows,
        settle_augmentation(given),
        () if unlabelled is None else tuple(_texts(unlabelled)),
        () if test is None else tuple(_texts(test)),
        None if rules is None else read_rules(Path(rules), rows.names),
        metric,
    )
    seconds = None if max_minutes is None else 60 * max_minutes
    with ExitStack() as stack:
        folder = work or stack.enter_context(TemporaryDirectory())
        reporter = Quiet() if quiet else Terminal()
        return handed_over(task, Path(folder), reporter, seconds)


def _texts(given: Sequence[str] | str | Path) -> Sequence[str]:
    return read_lines(Path(given)) if isinstance(given, str | Path) else given
