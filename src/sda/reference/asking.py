"""The reference metric as a run asks it: each sentence once, in batches, within a limit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from itertools import islice

import torch
from torch import Tensor

from sda.archive import Archive, Question
from sda.errors import UserError
from sda.ranks import ALONE, Shares, Values
from sda.reference.function import Function, MetricRaised
from sda.reference.metric import ReferenceMetric, WeightedSum, weighted
from sda.reference.place import defined_at, raised_at
from sda.text.scores import Scores
from sda.text.sentences import Sentences

SLOW = 0.01  # seconds a sentence from which sentences are asked one by one
QUICK_BATCH = 256
FIRST_BATCH = 2  # while nobody knows how slow it is; one sentence would not show a wrong number

Questions = Callable[[Sentences], list[Question]]
"""The texts of sentences, and what they are about."""
Told = Callable[[int, int], None]
"""Is told how many sentences of how many the metric has answered."""


@dataclass(frozen=True)
class AskingRule:
    """How a metric is asked.

    `limit` is the most sentences that it may be asked in the whole run; None is no limit. `batch`
    sentences are handed to it at once; 0 is 256, or 1 while it takes more than 10 ms a sentence, so
    that an interruption loses one call at most. `workers` threads ask at a time. A batch that
    raises an exception is asked again, `tries` times in all, after `wait` seconds and twice as many
    before each further try.
    """

    limit: int | None = None
    batch: int = 0
    workers: int = 1
    tries: int = 1
    wait: float = 0.0


class AskedMetric(WeightedSum):
    """A metric that is never asked what the archive knows, and never more than the rule allows.

    Only the user's own metrics are asked in batches: those of the package are quick, and get all
    sentences at once. Where the metric depends on the generator nothing is known beforehand.
    """

    def __init__(
        self,
        metric: WeightedSum,
        archive: Archive,
        questions: Questions,
        rule: AskingRule | None = None,
        told: Told = lambda done, total: None,
        shares: Shares = ALONE,
    ) -> None:
        super().__init__(metric.parts)
        self.archive = archive
        self.rule = rule or AskingRule()
        self.tries = self.rule.tries
        """How often a batch is asked before its exception ends the run."""
        self._questions = questions
        self._told = told
        self._shares = shares
        self._size = FIRST_BATCH

    @property
    def calls(self) -> int:
        """Sentences that the metric was asked, up to where training stands."""
        return self.archive.calls

    @property
    def left(self) -> int | None:
        """Sentences that it may still be asked; None where there is no limit."""
        return None if self.rule.limit is None else self.rule.limit - self.archive.paid

    def __call__(self, sentences: Sentences) -> Scores:
        if not self.parts:
            return super().__call__(sentences)
        sentences = sentences.to("cpu")
        questions = self._questions(sentences)
        new = self.archive.unknown(questions)
        if self.left is not None and len(new) > self.left:
            raise UserError(
                f"setting 'calls.limit': the metric may be asked {self.rule.limit:,} sentences,"
                f" {self.archive.paid:,} were asked, and {len(new):,} more are needed now: allow"
                " more calls"
            )
        if new:
            self._ask(sentences[torch.tensor(new)], [questions[place] for place in new])
        return self.archive.take(questions, sentences)

    def _ask(self, sentences: Sentences, questions: list[Question]) -> None:
        """The archive holds the answers of the metric."""
        columns = torch.zeros(len(sentences), len(self.parts), dtype=torch.float64)
        slow = []
        for place, (weight, part) in enumerate(self.parts):
            if is_users(part):
                slow.append(place)
            else:
                columns[:, place] = weighted(weight, self._in_parts(part, sentences))
        done, total = 0, len(sentences)
        self._told(done, total)
        ask = self._asked_together if self._shares.ranks > 1 else self._batches_done
        for rows in ask(sentences, columns, slow):
            some = columns[rows]
            self.archive.add(questions[rows], Scores(some.sum(1), some))
            done += len(some)
            self._told(done, total)

    def _in_parts(self, part: ReferenceMetric, sentences: Sentences) -> Tensor:
        """What a part of the package says; it reads a model perhaps, so that pieces matter."""
        if self._shares.parts == 1:
            return part(sentences)
        found = self._shares.each(len(sentences), lambda rows, _: {"": part(sentences[rows])})
        return torch.cat([values[""] for values in found])

    def _asked_together(
        self, sentences: Sentences, columns: Tensor, slow: list[int]
    ) -> Iterator[slice]:
        """The rows of each round in which every process asks its share, once all have answers.

        What is wrong with one share is told by all processes.
        """
        ranks, total, start = self._shares.ranks, len(sentences), 0
        one_each = Shares(ranks, self._shares.rank, ranks)
        while start < total:
            size = (self.rule.batch or self._size) * self.rule.workers if slow else total
            rows = slice(start, min(total, start + size * ranks))
            ask = partial(self._ask_share, sentences[rows], columns[rows], slow)
            found = one_each.each(rows.stop - rows.start, ask)
            for values in found:
                if len(values["trouble"]):
                    raise UserError(bytes(values["trouble"].tolist()).decode())
            columns[rows] = torch.cat([values["answers"] for values in found])
            self._size = min(int(values["size"]) for values in found)
            yield rows
            start = rows.stop

    def _ask_share(
        self, sentences: Sentences, columns: Tensor, slow: list[int], rows: slice, _: int
    ) -> Values:
        """What the metric says of some rows, or what is wrong with them, and how many to ask next
        at a time."""
        answers, trouble = columns[rows].clone(), ""
        try:
            for _done in self._batches_done(sentences[rows], answers, slow):
                pass
        except UserError as error:
            trouble = str(error)
        return {
            "answers": answers,
            "trouble": torch.tensor(list(trouble.encode()), dtype=torch.uint8),
            "size": torch.tensor(self._size),
        }

    def _batches_done(
        self, sentences: Sentences, columns: Tensor, slow: list[int]
    ) -> Iterator[slice]:
        """The rows of each batch once the user's parts have filled theirs of the columns.

        If a batch fails, those that others are asking are waited for, so that nothing is lost.
        """

        def fill(rows: slice) -> slice:
            began = time.perf_counter()
            for place in slow:
                weight, part = self.parts[place]
                columns[rows, place] = weighted(weight, self._try(part, sentences[rows]))
            per_sentence = (time.perf_counter() - began) / (rows.stop - rows.start)
            self._size = 1 if per_sentence > SLOW else QUICK_BATCH
            return rows

        batches = self._batches(len(sentences), bool(slow))
        if self.rule.workers == 1 or not slow:
            yield from map(fill, batches)
            return
        trouble: BaseException | None = None
        with ThreadPoolExecutor(self.rule.workers) as pool:
            waiting: set[Future[slice]] = set()
            while True:
                if trouble is None:
                    free = self.rule.workers - len(waiting)
                    waiting |= {pool.submit(fill, rows) for rows in islice(batches, free)}
                if not waiting:
                    break
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                trouble = trouble or next((e for f in done if (e := f.exception())), None)
                yield from (future.result() for future in done if future.exception() is None)
        if trouble is not None:
            raise trouble

    def _batches(self, total: int, is_slow: bool) -> Iterator[slice]:
        """All rows; the size of a batch is decided when it is due."""
        start = 0
        while start < total:
            size = (self.rule.batch or self._size) if is_slow else total
            yield slice(start, min(total, start + size))
            start += size

    def _try(self, part: ReferenceMetric, sentences: Sentences) -> Tensor:
        """What the user's part says, asked again after an exception as the rule has it."""
        for failed in range(1, self.tries):
            try:
                return self._ask_user(part, sentences)
            except MetricRaised:
                time.sleep(self.rule.wait * 2 ** (failed - 1))
        return self._ask_user(part, sentences, is_last=True)

    def _ask_user(
        self, part: ReferenceMetric, sentences: Sentences, is_last: bool = False
    ) -> Tensor:
        if isinstance(part, Function):
            # To find the sentence at fault takes more calls, which a limit does not allow.
            finds_fault = is_last and self.rule.limit is None
            return part(sentences) if finds_fault else part.ask(sentences)
        where = f"metric {part.name}"
        try:
            values = part(sentences)
        except UserError:
            raise
        except Exception as error:
            place = raised_at(type(part).__call__, error)
            message = f"{where}: raised {type(error).__name__}: {error}{place}"
            raise MetricRaised(message) from None
        wrong = _wrong_values(values, len(sentences))
        if wrong is not None:
            raise UserError(f"{where}: returned {wrong}{part_place(part)}")
        return values


def is_users(part: ReferenceMetric) -> bool:
    """Whether nobody knows how slow the part is, or what it returns."""
    return isinstance(part, Function) or not type(part).__module__.startswith("sda.")


def part_place(part: ReferenceMetric) -> str:
    """Where a part of the user's own is defined, for messages; empty for one of the package."""
    if isinstance(part, Function):
        return part.place
    return defined_at(type(part).__call__) if is_users(part) else ""


def _wrong_values(values: object, count: int) -> str | None:
    """What is wrong with that many scores of sentences; None if nothing is."""
    if not isinstance(values, Tensor):
        return f"{type(values).__name__} instead of a tensor"
    if values.shape != (count,):
        return f"a tensor {tuple(values.shape)} for {count} sentences"
    wrong = values.isnan() | (values == torch.inf)
    return f"{values[wrong][0].item()}" if bool(wrong.any()) else None
