"""A run of style transfer as an object: its styles, and sentences rewritten in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import torch
from pydantic import Field, model_validator

from sda.doors import Finite, Shape, read_checked
from sda.errors import UserError, brief
from sda.randomness import seeded
from sda.runs.checkpoint import fitting
from sda.runs.opened import OpenedRun
from sda.runs.shapes import ScoreShape
from sda.show.table import Table
from sda.training.state import under
from sda.transfer.noise import Masks
from sda.transfer.rewriting import Reading, RewritingModel, candidate_ways
from sda.transfer.rewriting_metric import RewritingMetric
from sda.transfer.transfer_folder import FINAL, TransferFolder
from sda.transfer.transfer_page import rewriting_table
from sda.transfer.transfer_settings import TransferSettings
from sda.transfer.transfer_state import build_rewriter
from sda.transfer.transfer_texts import style_number

CANDIDATES = 8
PORTION = 256  # texts that are rewritten together
ENDS = (".", "!", "?", "\u3002", "\uff01", "\uff1f")  # after which a long line may be cut


class WaysShape(Shape):
    threshold: Finite | None


class RewrittenShape(Shape):
    name: str
    scores: list[ScoreShape]
    right: Finite = 0.0


class RewritingsShape(Shape):
    """`rewritings.json`: how a run rewrites, and what was measured of it."""

    ways: WaysShape
    scores: Annotated[list[RewrittenShape], Field(min_length=1)]
    examples: list[dict[str, str]]

    @model_validator(mode="after")
    def _are_alike(self) -> RewritingsShape:
        names = [{score.name for score in row.scores} for row in self.scores]
        if any(own != names[0] for own in names):
            raise ValueError("not all ways of rewriting have the same scores")
        return self


class TransferRun(OpenedRun[TransferSettings]):
    """A run of style transfer: what it was told, its styles, and sentences rewritten in them.

    `sda.train_transfer` returns one, and `TransferRun(path)` opens one that is there. A metric of
    the user's own that its settings name is loaded only if it is given again, as
    `TransferRun(path, metric="FILE.py:FUNCTION")`, or allowed by `trust=True`.

    ```python
    import sda

    # Far too little to learn anything; without settings it takes some three minutes.
    quick = {
        "data": {"size": 200},
        "denoising": {"epochs": 1, "walk": 200},
        "stage2": {"form": "off"},
        "metric": {"judges": ["language-model-ratio"]},
        "report": {"judges": ["naive-bayes"]},
    }
    run = sda.train_transfer(["reviews"], "runs/reviews", settings=quick)
    print(run.styles)
    print(run.transfer(["the soup was bland ."], to="positive"))
    ```
    """

    def __init__(self, path: Path | str, *, metric: str | None = None, trust: bool = False) -> None:
        self.folder = TransferFolder(Path(path))
        super().__init__(self.folder.run, self.folder.settings(trust, metric))

    @property
    def styles(self) -> tuple[str, ...]:
        """The names of the styles that sentences can be rewritten in."""
        return self.folder.load_slots()[1]

    def scores(self) -> list[dict[str, Any]]:
        """What was measured on sentences set aside: of copies, of one pass, and of the best of
        several candidates."""
        rows: list[dict[str, Any]] = self._found["scores"]
        return rows

    def score_table(self) -> Table:
        """The same as a table."""
        return rewriting_table(self._found)

    def check_ready(self, to: str) -> None:
        """Refuse a run that is not finished, and a style that it does not have."""
        self._check_finished()
        style_number(self.styles, to)

    def transfer(
        self, texts: Iterable[str], to: str, candidates: int = CANDIDATES, seed: int = 0
    ) -> list[str]:
        """The texts in the style `to`, one for each, in order.

        - `candidates`: how many rewritings are written of each, of which the best by the run's
          metric is taken; 1 is a single pass.
        - `seed`: what samples are drawn from where more candidates are asked for than there are
          ways to read the source; up to eight, by default, nothing is random.

        Words that the run does not know can be copied, whatever they are. A text that is longer
        than those the run was trained on is rewritten in pieces, and an empty one stays empty.
        """
        given = list(texts)
        for number, text in enumerate(given, 1):
            if not isinstance(text, str):
                raise UserError(f"texts: number {number} is {brief(text)}, not a text")
        return list(self.stream(given, to, candidates, seed))

    def stream(
        self, texts: Sequence[str], to: str, candidates: int = CANDIDATES, seed: int = 0
    ) -> Iterator[str]:
        """The same one by one, in portions of some hundred sentences."""
        style = style_number(self.styles, to)
        if candidates < 1:
            raise UserError(f"candidates must be at least 1, not {candidates}")
        for first in range(0, len(texts), PORTION):
            yield from self._rewritten(texts[first : first + PORTION], style, candidates, seed)

    def _rewritten(self, texts: Sequence[str], style: int, candidates: int, seed: int) -> list[str]:
        """The texts in the style."""
        torch.set_num_threads(self.settings.threads)
        pieces = [self.pieces(text) for text in texts]
        every = [piece for found in pieces for piece in found]
        if not every:
            return ["" for _ in texts]
        model = self._model
        sources, unknown = model.slots.encode(every)
        styles = torch.full((len(every),), style)
        rng = seeded(seed, "transfer")
        if candidates == 1:
            written = model.once(sources, styles, self._reading, rng)
            outputs = model.slots.decode(written, unknown)
        else:
            apply = self.settings.apply
            ways = candidate_ways(candidates, self._reading, apply.thresholds, apply.temperature)
            outputs = model.best(sources, unknown, styles, ways, self._metric, rng)
        results = iter(outputs)
        return [" ".join(next(results) for _ in found) for found in pieces]

    def pieces(self, text: str) -> list[str]:
        """The text in pieces of no more words than the run was trained on.

        A piece ends behind the last end of a sentence that it can hold, if there is one.
        """
        slots, longest = self._model.slots, self.settings.data.max_words
        words = slots.cut(text.lower() if self.settings.data.lowercase else text)
        pieces = []
        while len(words) > longest:
            ends = [place for place in range(longest) if words[place].endswith(ENDS)]
            cut = ends[-1] + 1 if ends else longest
            pieces.append(slots.join(words[:cut]))
            words = words[cut:]
        return [*pieces, slots.join(words)] if words else pieces

    def _check_finished(self) -> None:
        if not self.is_finished:
            raise UserError(f"{self.path}: this run is not finished; {self.folder.how_to_go_on}")

    @cached_property
    def _found(self) -> dict[str, Any]:
        self._check_finished()
        found: dict[str, Any] = read_checked(self.folder.rewritings, RewritingsShape)
        return found

    @cached_property
    def _reading(self) -> Reading:
        return Reading.from_dict(self._found["ways"])

    @cached_property
    def _model(self) -> RewritingModel:
        self._check_finished()
        slots, names = self.folder.load_slots()
        generator = build_rewriter(
            self.settings.model,
            slots,
            self.settings.data.max_words,
            len(names),
            torch.Generator(),
        )
        checkpoint = self.folder.run.checkpoints.load(FINAL)
        with fitting(self.folder.run.checkpoints.folder / FINAL):
            generator.load_state_dict(under("generator", checkpoint.tensors))
        return RewritingModel(generator, slots, Masks(self.folder.load_words(), generator.mask))

    @cached_property
    def _metric(self) -> RewritingMetric:
        return self.folder.load_metric(self.settings, self._model.slots)
