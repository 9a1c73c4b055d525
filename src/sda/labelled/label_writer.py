"""A generator that is told the label: trained on labelled and unlabelled text, then by SDA."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sda.files import naming, write_text
from sda.labelled.worth import Worth
from sda.models.hidden import HiddenStateGenerator
from sda.runs.handed import sections
from sda.runs.run import Run
from sda.runs.train import train_run
from sda.settings.layers import Choices
from sda.show.terminal import Reporter
from sda.text.context import Context
from sda.text.vocabulary import WordVocabulary

UNKNOWN = "(no label)"
"""The label of text that has none. Every labelled row stands there too, so that the generator also
learns what texts have in common."""
VALID_SHARE = 0.1
FEWEST_VALID = 10
MOST_VALID = 500
STATES_AT_ONCE = 256  # sentences


@dataclass(frozen=True)
class WriterSettings:
    """How the generator is made; the defaults fit a few hundred rows and a few minutes."""

    generator: str = "rnn"
    tokenizer: str = "whitespace"
    epochs: int = 40
    """At most, of maximum likelihood; it ends when held-out text no longer gains."""
    stage2: int = 6
    """Epochs of Stage II; 0 leaves it out."""
    calls: int = 2000
    """How often the metric is asked in Stage II."""
    seed: int = 0
    profile: str = "small"


class LabelWriter:
    """The runs in a folder, one for each stage; what is finished there is not done again."""

    def __init__(self, folder: Path, settings: WriterSettings, reporter: Reporter) -> None:
        self._folder = folder
        self._settings = settings
        self._reporter = reporter

    def begin(self, texts: Sequence[str], labels: Sequence[str], pool: Sequence[str]) -> Run:
        """The generator after maximum likelihood."""
        train, valid = _split(texts, labels, pool, self._settings.seed)
        with naming(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
        for name, rows in (("train", train), ("valid", valid), ("test", valid)):
            _write(self._folder / f"{name}.csv", rows)
        return self._train("start", method="mle")

    def improve(self, start: Run, worth: Worth) -> Run:
        """The generator after Stage II, with the worth of a text for its label as the metric."""
        if not self._settings.stage2:
            return start
        return self._train("sda", method="sda", preset="recommended", worth=worth, start=start)

    def _train(
        self,
        name: str,
        method: str,
        preset: str | None = None,
        worth: Worth | None = None,
        start: Run | None = None,
    ) -> Run:
        wanted = self._settings
        values: dict[str, Any] = {
            "seed": wanted.seed,
            "data": {
                "column": "text",
                "label": "label",
                "tokenizer": wanted.tokenizer,
                "valid": str(self._folder / "valid.csv"),
                "test": str(self._folder / "test.csv"),
                "max_length": 60,
            },
            "mle": {"epochs": wanted.epochs, "keep_best": True, "patience": 2, "rate_drops": 2},
        }
        if start is not None and worth is not None:
            values |= sections(None, None, worth)
            values["start"] = str(start.path)
            values["calls"] = {"limit": wanted.calls}
            values["judge"] = {"members": 2}
            values["stage2"] = {"epochs": wanted.stage2, "fewer_every": wanted.stage2}
        choices = Choices(
            source=str(self._folder / "train.csv"),
            method=method,
            generator=wanted.generator,
            preset=preset,
            profile=wanted.profile,
            values=values,
        )
        settled, origins = choices.settle()
        return train_run(settled, origins, self._folder / name, self._reporter, resume=True)


class StateVectors:
    """Vectors of texts: the mean hidden state of a generator that is told no label."""

    def __init__(self, run: Run) -> None:
        generator = run.generator("mle")
        assert isinstance(generator, HiddenStateGenerator)
        self._generator = generator.eval()
        vocabulary, _ = run.folder.load_vocabulary()
        assert isinstance(vocabulary, WordVocabulary)
        self._vocabulary = vocabulary
        self._words = frozenset(vocabulary.known)
        self._label = run.folder.load_labels().index(UNKNOWN)

    @torch.no_grad()
    def __call__(self, texts: Sequence[str]) -> NDArray[np.float64]:
        found = []
        for first in range(0, len(texts), STATES_AT_ONCE):
            some = self._vocabulary.encode(
                list(map(self._known, texts[first : first + STATES_AT_ONCE]))
            )
            about = Context(torch.full((len(some),), self._label))
            some = some.about(about).trimmed()
            states = self._generator.hidden_states(some)
            owners = torch.arange(len(some)).repeat_interleave(some.mask.sum(1))
            sums = states.new_zeros(len(some), states.shape[1]).index_add_(0, owners, states)
            found.append((sums / some.mask.sum(1, keepdim=True)).double().numpy())
        return np.concatenate(found)

    def _known(self, text: str) -> str:
        """The text without words that the generator has not met; a held-out row may have some."""
        tokenizer = self._vocabulary.tokenizer
        return tokenizer.join([word for word in tokenizer.split(text) if word in self._words])


def _split(
    texts: Sequence[str], labels: Sequence[str], pool: Sequence[str], seed: int
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Pairs of text and label to learn from, and some to see when that is enough.

    Text without a label is held out where there is enough of it: labelled rows are dear.
    """
    rng = np.random.default_rng(seed)
    unlabelled = list(dict.fromkeys([*texts, *pool]))
    few = np.array(list(dict.fromkeys(pool)))
    count = int(min(MOST_VALID, VALID_SHARE * len(few)))
    if count < FEWEST_VALID:
        few = np.array(list(dict.fromkeys(texts)))
        count = max(1, int(VALID_SHARE * len(few)))
    held = set(rng.permutation(few)[:count].tolist())
    train = [(text, label) for text, label in zip(texts, labels, strict=True) if text not in held]
    train += [(text, UNKNOWN) for text in unlabelled if text not in held]
    valid = [(text, label) for text, label in zip(texts, labels, strict=True) if text in held]
    valid += [(text, UNKNOWN) for text in unlabelled if text in held]
    return train, valid


def _write(path: Path, rows: Sequence[tuple[str, str]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("text", "label"))
    writer.writerows(rows)
    write_text(path, text.getvalue())
