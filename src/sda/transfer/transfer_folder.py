"""The folder of a run of style transfer: that of any run, with judges and style words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from sda.errors import UserError, told_of
from sda.files import naming, read_marked, refuse_links, write_json, write_marked
from sda.runs.folder import STYLE_FILES, RunFolder
from sda.runs.trusting import located, refuse_code_inside
from sda.settings.schema import leaves, read_toml
from sda.settings.vouched import Vouched
from sda.transfer.kept_tensors import keep_tensors, kept_tensors
from sda.transfer.rewriting_metric import RewritingMetric, own_function
from sda.transfer.style_counts import LanguageModelRatio
from sda.transfer.style_judges import JUDGES, check_judges, load_judge, save_judge
from sda.transfer.style_words import StyleWords
from sda.transfer.transfer_settings import TransferSettings, make_transfer_settings
from sda.transfer.transfer_texts import TransferTexts
from sda.transfer.word_slots import WordSlots

FINAL = "final"
"""The checkpoint of a finished run: the generator alone."""


class TransferFolder:
    """Paths of a run, and what is kept in them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.run = RunFolder(path)
        self.judges = path / "judges"
        self.words = path / "style_words.safetensors"
        self.rewritings = path / "rewritings.json"
        judges = [self.judges / f"{kind}.safetensors" for kind in JUDGES]
        self.run.checkpoints.beside = (self.run.vocabulary, self.words, *judges)

    @property
    def how_to_go_on(self) -> str:
        return f"`{self.run.resume_command}` goes on with it as it began"

    def settings(self, trust: bool = False, metric: str | None = None) -> TransferSettings:
        """The settings that the folder was made with.

        A function of the user's own that they name is loaded only where the user allows it, by
        `trust` or by naming it once more as `metric`.
        """
        if not self.run.holds_run:
            raise UserError(f"{self.path}: not a run folder (no config.toml in it)")
        self.run.refuse_links()
        refuse_links(self.judges)
        table = read_toml(self.run.config)
        if STYLE_FILES not in table:
            raise UserError(
                f"{self.path}: not a run of style transfer; `sda sample` writes with such a run"
            )
        with told_of(self.run.config):
            found = make_transfer_settings(table)
        if not trust and metric is None:
            return found
        there = found.metric.function
        if metric is not None and located(metric) != there:
            raise UserError(f"{self.path}: the metric there is {there or 'its own'}, not {metric}")
        if there is None:
            return found
        refuse_code_inside(there, self.path)
        own = found.metric.model_copy(update={"function": Vouched(there)})
        return found.model_copy(update={"metric": own})

    def check_same(self, settings: TransferSettings) -> None:
        """Refuse to go on with other settings than the run began with."""
        before = dict(leaves(self.settings().model_dump(mode="json")))
        for key, value in leaves(settings.model_dump(mode="json")):
            if before.get(key) != value:
                raise UserError(
                    f"{self.path}: the run there has {key} = {before.get(key)!r}, not {value!r};"
                    f" {self.how_to_go_on}, or choose another folder"
                )

    def keep_texts(self, texts: TransferTexts) -> None:
        """Write down vocabulary and styles, or refuse texts that have changed since."""
        data = {
            "styles": list(texts.names),
            "fingerprint": texts.fingerprint(),
            "vocabulary": texts.slots.to_json(),
        }
        if not self.run.vocabulary.is_file():
            write_marked(self.run.vocabulary, data)
        elif read_marked(self.run.vocabulary) != data:
            raise UserError(
                f"{self.run.vocabulary}: the files have other texts now than when the run began"
            )

    def load_slots(self) -> tuple[WordSlots, tuple[str, ...]]:
        """The vocabulary, and the names of the styles."""
        data = read_marked(self.run.vocabulary)
        try:
            # One key more, and a checksum has lost its name.
            if data.keys() != {"styles", "fingerprint", "vocabulary"}:
                raise KeyError
            with told_of(self.run.vocabulary):
                return WordSlots.from_json(data["vocabulary"]), tuple(data["styles"])
        except (KeyError, TypeError, AttributeError, ValueError):
            raise UserError(f"{self.run.vocabulary}: not the vocabulary of a transfer") from None

    def keep_words(self, words: StyleWords) -> None:
        keep_tensors(self.words, words.tensors())

    def load_words(self) -> StyleWords:
        try:
            return StyleWords.from_tensors(kept_tensors(self.words)[0])
        except (SafetensorError, KeyError, ValueError, RuntimeError, AttributeError, TypeError):
            raise UserError(f"{self.words}: damaged; train the run again") from None

    def keep_metric(self, metric: RewritingMetric) -> None:
        """The judges of the metric are on the disk, the last one as a sign that all are."""
        with naming(self.judges):
            self.judges.mkdir(exist_ok=True)
        judges = {judge.kind: judge for judge in (*metric.judges, metric.models)}
        for kind, judge in judges.items():
            save_judge(self.judges / f"{kind}.safetensors", judge)
        write_json(self.judges / "kinds.json", list(judges))

    @property
    def has_metric(self) -> bool:
        return (self.judges / "kinds.json").is_file()

    def load_metric(self, settings: TransferSettings, slots: WordSlots) -> RewritingMetric:
        def judge(kind: str) -> Any:
            return load_judge(self.judges / f"{kind}.safetensors")

        check_judges(settings)
        models = judge(LanguageModelRatio.kind)
        judges = tuple(
            models if kind == models.kind else judge(kind) for kind in settings.metric.judges
        )
        function = own_function(settings.metric, slots)
        return RewritingMetric(settings.metric, judges, models, function)


def is_transfer_run(path: Path) -> bool:
    """Whether a run of style transfer is in the folder."""
    folder = RunFolder(path)
    return folder.holds_run and STYLE_FILES in read_toml(folder.config)
