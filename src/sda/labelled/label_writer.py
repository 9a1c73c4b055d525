"""A generator that is told the label: trained on labelled and unlabelled text, then by SDA."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sda.files import naming, write_text
from sda.labelled.augment_settings import WriterSettings
from sda.runs.handed import sections
from sda.runs.run import Run
from sda.runs.train import Callback, train_run
from sda.settings.layers import Choices
from sda.show.terminal import Reporter

UNKNOWN = "(no label)"
"""The label of text that has none."""
VALID_SHARE = 0.1
FEWEST_VALID = 10
MOST_VALID = 500
LONGEST = 100  # words of a text that is learned; a longer one is cut there

# Nobody reads the figures of these runs, and what they hand over is judged row by row.
UNWATCHED: dict[str, Any] = {
    "evaluation": {
        "every": 1000,
        "samples": 20,
        "final_samples": 20,
        "self_bleu_samples": 20,
        "features": False,
    },
    "hand_over": {"check": False},
    "checkpoint_every": 4,
}


class LabelWriter:
    """The runs in a folder, one for each stage; what is finished there is not done again."""

    def __init__(
        self,
        folder: Path,
        settings: WriterSettings,
        tokenizer: str,
        seed: int,
        reporter: Reporter,
        is_late: Callable[[str], bool] = lambda stage: False,
    ) -> None:
        """`is_late` says whether a stage, `start` or any other, has to end."""
        self._folder = folder
        self._settings = settings
        self._tokenizer = tokenizer
        self._seed = seed
        self._reporter = reporter
        self._is_late = is_late
        self._min_count = 2

    def begin(self, texts: Sequence[str], labels: Sequence[str], pool: Sequence[str]) -> Run:
        """The generator after maximum likelihood."""
        # Where there is little text without labels, the labelled ones stand there too: a generator
        # that is told no label has to know what all texts have in common.
        is_doubled = len(pool) < len(texts)
        unlabelled = [*texts, *pool] if is_doubled else list(pool)
        train, valid = _split(texts, labels, unlabelled, self._seed)
        with naming(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
        for name, rows in (("train", train), ("valid", valid)):
            _write(self._folder / f"{name}.csv", rows)
        # A word that one text alone has is unknown.
        self._min_count = 3 if is_doubled else 2
        return self._train("start", method="mle")

    def improve(self, start: Run, metric: Callable[..., Any], name: str = "sda") -> Run:
        """The generator after Stage II, with a buffer a label that holds the best by the metric."""
        if not self._settings.stage2:
            return start
        epochs = self._settings.stage2
        values = {
            **sections(None, None, metric),
            "start": str(start.path),
            # Asked one by one it would take several times as long.
            "calls": {"limit": self._settings.calls, "batch": 256},
            "judge": {"candidates": ["states"], "members": 1, "updates": 400},
            "stage2": {"epochs": epochs, "fewer_every": epochs},
        }
        return self._train(name, method="sda", preset="recommended", more=values)

    def _train(
        self, name: str, method: str, preset: str | None = None, more: dict[str, Any] | None = None
    ) -> Run:
        wanted = self._settings
        values: dict[str, Any] = {
            **UNWATCHED,
            "seed": self._seed,
            "data": {
                "column": "text",
                "label": "label",
                "tokenizer": self._tokenizer,
                "valid": str(self._folder / "valid.csv"),
                "test": str(self._folder / "valid.csv"),
                "max_length": LONGEST,
                "too_long": "cut",
                "min_count": self._min_count,
            },
            "mle": {"epochs": wanted.epochs, "keep_best": True, "patience": 1, "rate_drops": 2},
            **({"generator": {"lora": wanted.lora}} if wanted.lora else {}),
            **(more or {}),
        }
        choices = Choices(
            source=str(self._folder / "train.csv"),
            method=method,
            generator=wanted.generator,
            preset=preset,
            profile=wanted.profile,
            values=values,
        )
        settled, origins = choices.settle()
        late: Callback = lambda line: self._is_late(name)  # noqa: E731
        out = self._folder / name
        return train_run(
            settled, origins, out, self._reporter, resume=True, callbacks=[late], has_page=False
        )


def _split(
    texts: Sequence[str], labels: Sequence[str], unlabelled: Sequence[str], seed: int
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Pairs of text and label to learn from, and some to see when that is enough.

    Text without a label is held out where there is enough of it: labelled rows are dear.
    """
    rng = np.random.default_rng(seed)
    labelled = set(texts)
    others = list(dict.fromkeys(text for text in unlabelled if text not in labelled))
    count = int(min(MOST_VALID, VALID_SHARE * len(others)))
    if count < FEWEST_VALID:
        others = list(dict.fromkeys(texts))
        count = max(1, int(min(MOST_VALID, VALID_SHARE * len(others))))
    held = {others[place] for place in rng.permutation(len(others))[:count].tolist()}
    pairs = [*zip(texts, labels, strict=True), *((text, UNKNOWN) for text in unlabelled)]
    return [one for one in pairs if one[0] not in held], [one for one in pairs if one[0] in held]


def _write(path: Path, rows: Sequence[tuple[str, str]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("text", "label"))
    writer.writerows(rows)
    write_text(path, text.getvalue())
