"""Judges of style, three of different kinds, and the halves of a text that they learn from."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, Self

from safetensors import SafetensorError
from torch import Tensor

from sda.errors import UserError
from sda.transfer.kept_tensors import keep_tensors, kept_tensors
from sda.transfer.style_cnn import StyleCnn
from sda.transfer.style_counts import LanguageModelRatio, NaiveBayes
from sda.transfer.styled import StyledTexts
from sda.transfer.transfer_settings import TransferSettings

__all__ = [
    "JUDGES",
    "LanguageModelRatio",
    "NaiveBayes",
    "StyleCnn",
    "StyleJudge",
    "check_judges",
    "halves",
    "load_judge",
    "save_judge",
]


class StyleJudge(Protocol):
    """Says of any text how likely it is of each style."""

    kind: str
    names: tuple[str, ...]

    @classmethod
    def fit(cls, texts: StyledTexts, seed: int) -> Self:
        """A judge that has learned these texts."""

    def probabilities(self, texts: Sequence[str]) -> Tensor:
        """(N, styles), each row sums to one."""

    def tensors(self) -> dict[str, Tensor]:
        """All numbers that it is made of."""

    def values(self) -> dict[str, object]:
        """What it is made of beside that, ready for JSON."""

    @classmethod
    def from_saved(
        cls, names: tuple[str, ...], tensors: dict[str, Tensor], values: dict[str, object]
    ) -> Self:
        """The judge that `tensors` and `values` describe."""


JUDGES: dict[str, type[StyleJudge]] = {
    judge.kind: judge for judge in (StyleCnn, LanguageModelRatio, NaiveBayes)
}
"""The judges by their kind."""


def halves(texts: StyledTexts) -> tuple[StyledTexts, StyledTexts]:
    """Half of the sentences for a metric to learn from, and half for evaluation.

    A sentence's own hash decides, so that it is in one of them only, however often it occurs and in
    whichever style.
    """
    sides = [[_side(text) for text in part] for part in texts.texts]
    found = []
    for wanted in (0, 1):
        kept = tuple(
            tuple(text for text, side in zip(part, row, strict=True) if side == wanted)
            for part, row in zip(texts.texts, sides, strict=True)
        )
        for name, part in zip(texts.names, kept, strict=True):
            if not part:
                raise UserError(
                    f"style {name!r} has too few different sentences to judge by: half of them"
                    " train the judges of a metric, and half those of the scores."
                )
        found.append(StyledTexts(texts.names, kept))
    return found[0], found[1]


def _side(text: str) -> int:
    return hashlib.blake2b(text.encode(), digest_size=1).digest()[0] % 2


def save_judge(path: Path, judge: StyleJudge) -> None:
    """The file holds the judge, as tensors and JSON."""
    about = {"kind": judge.kind, "names": judge.names, "values": judge.values()}
    keep_tensors(path, judge.tensors(), "judge", about)


def load_judge(path: Path) -> StyleJudge:
    """The judge that the file holds."""
    try:
        tensors, about = kept_tensors(path, "judge")
        return JUDGES[about["kind"]].from_saved(tuple(about["names"]), tensors, about["values"])
    except (
        *(SafetensorError, KeyError, ValueError, AssertionError, RuntimeError),
        *(TypeError, AttributeError, IndexError),
    ) as error:
        raise UserError(f"{path} holds no judge of style, or a damaged one ({error}).") from None


def check_judges(settings: TransferSettings) -> None:
    """Refuse settings that name a judge that there is not."""
    named = {"metric": settings.metric.judges, "report": settings.report.judges}
    for section, kinds in named.items():
        for kind in kinds:
            if kind not in JUDGES:
                raise UserError(
                    f"setting '{section}.judges': there is no judge {kind!r} (known:"
                    f" {', '.join(JUDGES)})"
                )
