"""Everything that the reference metric was ever asked, with its answers: no call is paid twice."""

from __future__ import annotations

import json
import os
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from sda.doors import Finite, Shape, read_checked_lines
from sda.errors import UserError
from sda.files import mark_of, naming, read_whole
from sda.text.about import About
from sda.text.aligned import Aligned
from sda.text.context import sentence_tensors, tensor_sentences
from sda.text.scores import Scores
from sda.text.sentences import Sentences

LINE_MARK = "mark"
"""The key of what tells a line, and all lines before it, from any others."""
TRIAL = -1
"""The epoch of sentences that the metric was tried on before Stage I."""

Answer = tuple[float, ...]
"""The score of one sentence, then its weighted parts."""


class Question(NamedTuple):
    """What a metric is asked about: a text, and what it is about."""

    text: str
    about: About = About()


@dataclass(frozen=True)
class Answered(Aligned):
    """Sentences with score, parts (n, P), and the epoch in which the metric was asked."""

    sentences: Sentences
    scores: Tensor
    parts: Tensor
    epochs: Tensor


class Archive:
    """All questions with their answers, in the order of asking.

    With a `path` each is a line of that file, written at once; without one they are known to this
    process alone. `repeats` says whether a text may score otherwise when it is asked again, as by
    a metric that depends on the generator: then answers are no use for later questions.

    A run that goes back to a checkpoint asks once more what it asked after it. The file has those
    answers, so they cost nothing; but they count, in `calls` and in `entries`, only when they are
    asked for again, and all is as if the run had never been interrupted.

    `entries` is what was asked as tensors, if the archive `keeps` it: it makes checkpoints larger.
    """

    def __init__(
        self,
        path: Path | None = None,
        parts: tuple[str, ...] = (),
        *,
        repeats: bool = False,
        keeps: bool = False,
    ) -> None:
        self.path = path
        self.part_names = parts
        self.keeps = keeps
        self.epoch = TRIAL
        """The epoch that questions belong to from now on."""
        self.calls = 0
        """Sentences that the metric was asked up to where training stands."""
        self._repeats = repeats
        self._lines: list[tuple[Question, Answer]] = []
        self._marks: list[str] = []
        self._is_torn = False
        self._known: dict[Question, Answer] = {}
        self._ahead: dict[Question, deque[Answer]] = {}
        self._kept: list[Answered] = []
        self.remarks: list[str] = []
        """What there is to say of the file as it was found."""
        if path is not None and path.is_file():
            self._lines, self._marks, is_cut = _read(path, parts)
            if is_cut:
                self.remarks.append(
                    f"{path}: its last line was not written to its end; what was asked since the"
                    " state that training goes on from is asked again"
                )
                self._is_torn = True
        self.go_back(0)

    @property
    def paid(self) -> int:
        """Sentences that the metric was asked in all, also by what was interrupted since."""
        return len(self._lines)

    @property
    def mark(self) -> str:
        """What tells the answers up to where training stands from any others; empty without any."""
        return self._marks[self.calls - 1] if self._marks and self.calls else ""

    def go_back(self, calls: int, mark: str | None = None) -> None:
        """Training stands where the metric had been asked so many sentences.

        `mark` is that of the answers up to there, where it is known.
        """
        if self.path is not None and calls > len(self._lines):
            raise ValueError(f"{self.path} has lost {calls - len(self._lines):,} answers")
        self.calls = calls
        if self.path is not None and mark is not None and mark != self.mark:
            raise ValueError(f"{self.path} has other answers than the run was given")
        self._known = {} if self._repeats else dict(self._lines)
        self._ahead = {}
        self._put_ahead(self._lines[calls:])

    def unknown(self, questions: Sequence[Question]) -> list[int]:
        """The places of the questions that the metric has to be asked, equal ones once.

        Where answers may change these are all, unless every single one was asked before the run
        was interrupted at the same point.
        """
        if self._is_torn:
            self._forget_torn()
        if not self._repeats:
            first = {question: place for place, question in reversed(list(enumerate(questions)))}
            return sorted(place for q, place in first.items() if q not in self._known)
        counts = Counter(questions)
        if all(len(self._ahead.get(q, ())) >= count for q, count in counts.items()):
            return []
        # What is there is of a part of these at most, and all are asked together.
        self._ahead = {}
        return list(range(len(questions)))

    def _forget_torn(self) -> None:
        """After a loss of power only the answers that the state has behind it are left.

        What is asked from there on is asked in the same portions as before: a metric may answer in
        other digits if it is asked about a part of what was asked together.
        """
        assert self.path is not None
        size = sum(len(line) + 1 for line in read_whole(self.path).split(b"\n")[: self.calls])
        with naming(self.path), self.path.open("r+b") as file:
            file.truncate(size)
        self._lines, self._marks = self._lines[: self.calls], self._marks[: self.calls]
        self._is_torn = False
        self.go_back(self.calls)

    def known(self, question: Question) -> float | None:
        """The score that the metric gave once; None where it never did, or may change its mind."""
        answer = self._known.get(question)
        return None if answer is None else answer[0]

    def add(self, questions: Sequence[Question], scores: Scores) -> None:
        """Write down what the metric answered."""
        answers = torch.cat((scores.total[:, None], scores.parts), 1).tolist()
        lines = [(q, tuple(answer)) for q, answer in zip(questions, answers, strict=True)]
        if self.path is not None and lines:
            text, marks = "", list(self._marks[-1:])
            for question, answer in lines:
                record = self._record(question, answer)
                marks.append(_marked(record, marks))
                text += json.dumps({**record, LINE_MARK: marks[-1]}, ensure_ascii=False) + "\n"
            with naming(self.path), self.path.open("ab") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            self._marks += marks[-len(lines) :]
        self._lines += lines
        if not self._repeats:
            self._known |= lines
        self._put_ahead(lines)

    def take(self, questions: Sequence[Question], sentences: Sentences) -> Scores:
        """The answers to these questions, all of which are there; new ones count from now on."""
        answers, new = [], []
        for place, question in enumerate(questions):
            waiting = self._ahead.get(question)
            if waiting:
                answers.append(waiting.popleft())
                new.append(place)
            else:
                answers.append(self._known[question])
        size = (len(questions), 1 + len(self.part_names))
        table = torch.tensor(answers, dtype=torch.float64).view(size)
        self.calls += len(new)
        if self.keeps and new:
            rows = torch.tensor(new)
            epochs = torch.full((len(new),), self.epoch, dtype=torch.int64)
            self._kept.append(
                Answered(sentences.to("cpu")[rows], table[rows, 0], table[rows, 1:], epochs)
            )
        return Scores(table[:, 0].clone(), table[:, 1:].clone())

    @property
    def entries(self) -> Answered:
        """All that was asked up to where training stands; nothing unless the archive keeps it."""
        kept = self._kept or [
            Answered(
                Sentences.empty(),
                torch.zeros(0, dtype=torch.float64),
                torch.zeros(0, len(self.part_names), dtype=torch.float64),
                torch.zeros(0, dtype=torch.int64),
            )
        ]
        if len(kept) > 1:
            whole = Answered(
                Sentences.join([part.sentences for part in kept]),
                torch.cat([part.scores for part in kept]),
                torch.cat([part.parts for part in kept]),
                torch.cat([part.epochs for part in kept]),
            )
            self._kept = kept = [whole]
        return kept[0]

    def state_dict(self) -> dict[str, Tensor]:
        """The entries by name; nothing where none are kept."""
        if not self.keeps:
            return {}
        e = self.entries
        return {
            **sentence_tensors(e.sentences),
            "scores": e.scores,
            "parts": e.parts,
            "epochs": e.epochs,
        }

    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        if not self.keeps:
            return
        rest = (state[name] for name in ("scores", "parts", "epochs"))
        self._kept = [Answered(tensor_sentences(state), *rest)]

    def _put_ahead(self, lines: Sequence[tuple[Question, Answer]]) -> None:
        for question, answer in lines:
            self._ahead.setdefault(question, deque()).append(answer)

    def _record(self, question: Question, answer: Answer) -> dict[str, Any]:
        score, *parts = map(_to_json, answer)
        named = dict(zip(self.part_names, parts, strict=True))
        return {
            "text": question.text,
            **question.about.as_dict(),
            "score": score,
            "parts": named,
            "epoch": self.epoch,
        }


def _to_json(value: float) -> float | None:
    """Minus infinity, which JSON has no number for, is null."""
    return None if value == float("-inf") else value


def _from_json(value: float | None) -> float:
    return float("-inf") if value is None else float(value)


def _marked(record: Mapping[str, Any], before: Sequence[str]) -> str:
    """The mark of a line, which follows from the line and the mark of the one before."""
    rest = {key: value for key, value in record.items() if key != LINE_MARK}
    return mark_of({"before": before[-1] if before else "", "line": rest})[:16]


class AnswerShape(Shape):
    """One line of the file."""

    text: str
    label: str | None = None
    source: str | None = None
    score: Finite | None
    parts: dict[str, Finite | None]


def _read(
    path: Path, parts: tuple[str, ...]
) -> tuple[list[tuple[Question, Answer]], list[str], bool]:
    """The lines of the file with their marks, and whether the last one was cut off.

    Lines that an earlier version wrote have no marks in them; none of those comes after others.
    """
    found = read_checked_lines(path, AnswerShape)
    lines, marks, has_marks = [], list[str](), False
    for number, line in enumerate(found.values, 1):
        lines.append(_parse(path, number, line, parts))
        marks.append(_marked(line, marks))
        has_marks = has_marks or LINE_MARK in line
        if has_marks and line.get(LINE_MARK) != marks[-1]:
            raise UserError(
                f"{path}, line {number}: does not follow from the lines before it; the file cannot"
                " be changed by hand"
            )
    if found.is_cut:
        with naming(path), path.open("r+b") as file:
            file.truncate(found.size)
    return lines, marks, found.is_cut


def _parse(
    path: Path, number: int, found: Mapping[str, Any], parts: tuple[str, ...]
) -> tuple[Question, Answer]:
    about = About(found.get("label"), found.get("source"))
    try:
        values = (found["score"], *(found["parts"][name] for name in parts))
    except KeyError:
        raise UserError(
            f"{path}, line {number}: not a score of this run's metric; the file cannot be changed"
            " by hand"
        ) from None
    return Question(found["text"], about), tuple(map(_from_json, values))
