"""Commands that train a generator and write with it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from sda.commands.interruption import resumable
from sda.commands.options import (
    NOTHING,
    Column,
    Deduplicate,
    Device,
    Dtype,
    Field,
    Label,
    Logs,
    Lower,
    MaybeTokens,
    Prompt,
    PromptColumn,
    Resume,
    Seed,
    Subwords,
    Test,
    TrustOptions,
    Valid,
    checked_seed,
    given,
    option_under,
    setting_option,
    text_option,
    text_or_none,
)
from sda.commands.telling import ALOUD, Telling, make_sinks

TRAINING = "Model and training"
training_option = option_under(TRAINING)
Profile = Annotated[
    str,
    training_option(
        help="How large the models are and how long they train: smoke takes seconds and only shows"
        " that all works, small takes minutes, full is the size of the paper's."
    ),
]


@dataclass(frozen=True)
class TextOptions:
    """How a text is read."""

    column: Column = None
    field: Field = None
    label: Label = None
    prompt: Prompt = None
    prompt_column: PromptColumn = None
    lower: Lower = False
    tokenizer: MaybeTokens = None
    subwords: Subwords = None
    min_count: Annotated[
        int | None,
        text_option(
            min=1,
            help="The model learns only words that occur at least this often; all others become"
            " one unknown word. By default 2.",
        ),
    ] = None
    max_length: Annotated[
        int | None,
        text_option(min=1, help="Leave out sentences with more words than this. By default 50."),
    ] = None
    deduplicate: Deduplicate = False
    valid: Valid = None
    test: Test = None

    def settings(self) -> dict[str, Any]:
        """Those of `[data]` that were asked for."""
        return given(
            valid=text_or_none(self.valid),
            test=text_or_none(self.test),
            column=self.column,
            field=self.field,
            label=self.label,
            prompt=self.prompt,
            prompt_column=self.prompt_column,
            lowercase=self.lower or None,
            tokenizer=self.tokenizer and self.tokenizer.value,
            subwords=self.subwords,
            min_count=self.min_count,
            max_length=self.max_length,
            deduplicate=self.deduplicate or None,
        )


AS_IT_STANDS = TextOptions()


def train(
    source: Annotated[
        str,
        typer.Argument(
            help="The text to learn from: a file with a sentence a line; a table (.csv, .tsv) with"
            " --column; or JSON lines (.jsonl) with --field; each may end in .gz. Without a text of"
            " your own: `captions`, which are built in, or `oracle`, sentences of a random model"
            " (`oracle:FILE.npz`: of the model in the file)."
        ),
    ],
    out: Annotated[
        Path | None,
        "Folder to write the run to; by default runs/ and a name of text, method, profile"
        " and seed.",
    ] = None,
    metric: Annotated[
        str | None,
        "What a good sentence is: a built-in metric, such as bleu, likelihood or"
        " rare_words, or a Python function of your own, as FILE.py:FUNCTION, which is given a"
        " list of texts and returns a number for each, higher is better. Several are added up,"
        " as in 'bleu + 0.5*FILE.py:FUNCTION'.",
    ] = None,
    calls: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="The most sentences that the metric may be asked about in all, for one that is"
            " slow or costs money.",
        ),
    ] = None,
    method: Annotated[
        str | None,
        training_option(
            help="What follows plain training on the text (maximum likelihood, MLE): sda, or a"
            " rival such as rl, raft or best-of-n, or mle for nothing. By default what --config or"
            " the generator is meant for, sda for most; but mle for a text of your own without a"
            " metric."
        ),
    ] = None,
    preset: Annotated[
        str | None,
        training_option(
            help="How sda learns from the metric. `recommended`, the default for a text of your own"
            " with a metric: asks it 2,000 times, trains a judge on its answers, and keeps the"
            " model from before if the new one is no better. `metric-reward`: rewards sentences by"
            " the metric itself, which is asked far more often. `paper`, the default otherwise: the"
            " method as published. `vocabulary` and `repetition`: the same with a metric for rare"
            " words, or against repeated ones."
        ),
    ] = None,
    profile: Profile = "small",
    generator: Annotated[
        str,
        training_option(
            help="The model that writes: rnn, gru, leakrnn, transformer, cnn, seqgan or leakgan; or"
            " hf:PATH, a pretrained language model in a folder (needs sda-text\\[hf])."
        ),
    ] = "rnn",
    lora: Annotated[
        int | None,
        training_option(
            min=1,
            help="Teach a pretrained model by a small adapter of this rank (LoRA), for example 8;"
            " by default all its weights learn.",
        ),
    ] = None,
    discriminator: Annotated[
        str | None,
        training_option(
            help="The model that tells good sentences from others: rnn, cnn or seqgan; by default"
            " the profile's. With --preset recommended also states, states-sum, surface,"
            " surface-sum, or auto, the default there: whichever predicts the metric best."
            " hf:PATH reads sentences with a pretrained model; with --preset recommended it joins"
            " auto."
        ),
    ] = None,
    start: Annotated[
        Path | None,
        training_option(
            help="Folder of a run on the same text: begin where its plain training (MLE) ended,"
            " which saves that time."
        ),
    ] = None,
    seed: Annotated[
        int | None,
        training_option(
            callback=checked_seed,
            help="Start of all random choices: the same seed gives the same run, bit for bit. By"
            " default 0.",
        ),
    ] = None,
    device: Annotated[
        Device, training_option(help="Where to compute; auto takes a GPU if there is one.")
    ] = Device.auto,
    dtype: Annotated[
        Dtype,
        training_option(
            help="What the layers of a pretrained model, or of transformer, are computed in."
            " bfloat16 saves memory and time on most GPUs, and is slow on most CPUs."
        ),
    ] = Dtype.float32,
    config: Annotated[
        Path | None, training_option(help="File with settings (TOML); docs/settings.md lists them.")
    ] = None,
    assignments: Annotated[list[str] | None, setting_option(TRAINING, "mle.epochs=20")] = None,
    length: Annotated[
        int | None,
        training_option(min=1, help="Words of each sentence, for the text `oracle` only."),
    ] = None,
    text: TextOptions = AS_IT_STANDS,
    resume: Resume = False,
    log: Logs = None,
    telling: Telling = ALOUD,
) -> None:
    """Train a model on a text, first to write like it, then to write what a metric prefers."""
    from sda.runs.train import train_run
    from sda.settings.layers import Choices, refuse_idle
    from sda.settings.method_name import method_name

    values: dict[str, Any] = {
        "data": text.settings(),
        "embedded": {} if length is None else {"length": length},
    }
    refuse_idle(source, values)
    if seed is not None:
        values["seed"] = seed
    if device is not Device.auto:
        values["device"] = device.value
    if dtype is not Dtype.float32:
        values["dtype"] = dtype.value
    if calls is not None:
        values["calls"] = {"limit": calls}
    if lora is not None:
        values["generator"] = {"lora": lora}
    if start is not None:
        values["start"] = str(start)
    choices = Choices(
        source=source,
        method=method,
        generator=generator,
        preset=preset,
        profile=profile,
        discriminator=discriminator,
        metric=metric,
        config=config,
        values=values,
        assignments=assignments or (),
    )
    settings, origins = choices.settle()
    folder = out or default_folder(source, generator, method_name(settings), profile, settings.seed)
    reporter = telling.reporter()
    if method is None and settings.method == "mle" and config is None:
        reporter.say(
            "no metric was given, so the text is all there is to learn: maximum likelihood, and no"
            " Stage II; --metric says what a good sentence is"
        )
    sinks = make_sinks(log, folder, settings)
    with resumable(folder):
        run = train_run(settings, origins, folder, reporter, resume, callbacks=sinks)
    telling.show_end(run, reporter)


def resume(
    run: Annotated[Path, typer.Argument(help="Folder of a run that was interrupted.")],
    device: Annotated[
        Device | None, "Where to compute; by default as the run was told when it began."
    ] = None,
    vouched: TrustOptions = NOTHING,
    log: Logs = None,
    telling: Telling = ALOUD,
) -> None:
    """Go on with a run that was interrupted; its folder holds all that it was told.

    It ends bit for bit as if it had never stopped. What was handed to `sda.train` in Python as an
    object is not in the folder: go on with such a run by `sda.resume` in Python.
    """
    from sda.runs.resume import resume_run
    from sda.transfer.transfer_folder import is_transfer_run

    reporter = telling.reporter()
    if is_transfer_run(run):
        from sda.commands.transferring import go_on

        go_on(run, reporter, telling.quiet, vouched)
        return
    settings = vouched.run(run).settings
    sinks = make_sinks(log, run, settings) if log else []
    with resumable(run):
        found = resume_run(
            *(run, reporter, settings),
            device=None if device is None else device.value,
            callbacks=sinks,
        )
    telling.show_end(found, reporter)


def default_folder(source: str, generator: str, method: str, profile: str, seed: int) -> Path:
    """runs/NAME, where the name says what was run."""
    name = Path(source.partition(":")[2] or source).name.partition(".")[0]
    generator = Path(generator.partition(":")[2] or generator).name
    kind = method if generator == "rnn" else f"{generator}-{method}"
    return Path("runs") / f"{name}-{kind}-{profile}-{seed}"


def demo(
    out: Annotated[Path, "Folder to write the runs to."] = Path("runs/demo"),
    seed: Seed = 0,
    profile: Profile = "small",
) -> None:
    """Show in under three minutes, on built-in captions, what 2,000 calls of a metric buy.

    If it was interrupted, the same command goes on.
    """
    from sda.commands.demonstration import run_demo

    run_demo(out, seed, profile, ALOUD.reporter())
