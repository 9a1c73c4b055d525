"""Samples, real text beside them, and what the difference means.

Samples and real text are scored with the same references and by the same number of sentences. The
real text is given, or else it is one half of the test sentences, and the other half are references.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sda.errors import UserError
from sda.evaluation.alarms import Alarm, find_alarms
from sda.evaluation.bleu_scores import SELF_BLEU_LIMIT
from sda.evaluation.caption_texts import caption_scores
from sda.evaluation.catalogue import Need
from sda.evaluation.encoder import Encoder
from sda.evaluation.grammar import Checker
from sda.evaluation.language_model import halves_order
from sda.evaluation.mauve import mauve_warnings
from sda.evaluation.novelty import nearest
from sda.evaluation.score import Convention, Score
from sda.evaluation.scorer import Scorer, drawn
from sda.text.sentences import Flat

SHOWN_NEAREST = 10


@dataclass(frozen=True)
class Options:
    """What is measured, and how texts are read."""

    lowercase: bool = False
    tokenizer: str = "whitespace"
    seed: int = 0
    """Which test sentences are set aside, and which samples are taken."""
    self_bleu_limit: int | None = SELF_BLEU_LIMIT
    """Sentences on which self-BLEU is measured; None takes all."""
    ceiling: bool = True
    """Whether real text is scored too; without it all test sentences are references, and all
    samples are scored."""
    language_model: bool = True
    """Whether an n-gram model judges the samples, and learns from them."""
    features: bool = True
    """Whether samples and real text are compared as clouds of points."""
    lstm: bool = False
    """Whether an LSTM does so as well as the n-gram model; minutes."""
    captions: bool = False
    """Whether the embedded grammar judges the sentences."""
    checker: Checker | None = None
    """Counts grammar issues."""
    sentence_model: Path | None = None
    """A folder with a sentence transformer whose vectors take the place of n-gram features."""

    def left_out(self) -> frozenset[Need]:
        """What no score may need."""
        wanted = {
            Need.LANGUAGE_MODEL: self.language_model,
            Need.FEATURES: self.features,
            Need.LSTM: self.lstm,
        }
        return frozenset(need for need, is_wanted in wanted.items() if not is_wanted)


DEFAULT = Options()


@dataclass(frozen=True)
class Evaluation:
    """All that is known about one set of samples."""

    sentences: int
    """How many were given."""
    scored: int
    """How many of them were scored."""
    scores: list[Score]
    ceiling: list[Score] = field(default_factory=list)
    """The scores of real text, measured in the same way; empty where none was set aside."""
    alarms: list[Alarm] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What makes a score less sure than it looks."""
    nearest: list[dict[str, object]] = field(default_factory=list)
    """Some samples, each with the training sentence most like it."""
    name: str = ""
    """What a run calls the row of its table; empty for texts that are no row of one."""
    temperature: float | None = None
    """At which a run's generator wrote the samples; None for texts of any other origin."""

    def as_dict(self) -> dict[str, object]:
        """All of it, ready for JSON; a row of a run's table has its name and temperature."""
        row = {"name": self.name, "temperature": self.temperature} if self.name else {}
        return {
            **row,
            "sentences": self.sentences,
            "scored": self.scored,
            "scores": [score.as_dict() for score in self.scores],
            "ceiling": [score.as_dict() for score in self.ceiling],
            "alarms": [alarm.as_dict() for alarm in self.alarms],
            "notes": self.notes,
            "nearest": self.nearest,
        }

    def value(self, name: str) -> float:
        """The value of the score of that name; an unknown name raises one that lists them."""
        values = {score.name: score.value for score in self.scores}
        if name not in values:
            raise UserError(f"there is no score {name!r} here (known: {', '.join(values)})")
        return values[name]


class Evaluator:
    """Scores any number of sets of samples against the same texts.

    Blank test, training and real texts are no sentences and are left out; samples are all kept.
    `most`, the number of sentences to score of every set, is by default that of the real text.
    """

    def __init__(
        self,
        test: Sequence[str],
        train: Sequence[str] | None = None,
        real: Sequence[str] | None = None,
        options: Options = DEFAULT,
        most: int | None = None,
    ) -> None:
        limit = options.self_bleu_limit
        if limit is not None and limit < 2:
            raise UserError(f"self-BLEU needs at least 2 sentences, not {limit}.")
        self._options = options
        seed = options.seed if options.ceiling else None
        self._convention = Convention(options.tokenizer, options.lowercase, draw=seed)
        self._encoder = Encoder(self._convention)
        references, held_out = _set_aside(_written(test), real, options)
        if not references:
            raise UserError("There are no test sentences to compare the samples with.")
        encoded = self._encoder.encode(references)
        self._train_texts = None if train is None else _written(train)
        if self._train_texts == []:
            raise UserError("There are no sentences in the training text.")
        self._train = self._encoder.encode(self._train_texts) if self._train_texts else None
        self._scorer = Scorer(
            encoded,
            self._train,
            seed=options.seed,
            self_bleu_limit=limit,
            convention=self._convention,
            without=options.left_out(),
            checker=options.checker,
            sentence_model=options.sentence_model,
            test_texts=references,
        )
        self._real = held_out
        self._most = min(most or len(held_out), len(held_out)) if held_out else most
        self._ceilings: dict[int, list[Score]] = {}

    def evaluate(self, samples: Sequence[str]) -> Evaluation:
        """All scores that the samples allow, with those of as many real sentences."""
        if not samples:
            raise UserError("There are no samples to evaluate.")
        count = min(self._most or len(samples), len(samples))
        chosen = _take(samples, count, self._options.seed)
        flat = self._encoder.encode(chosen)
        scores = self._scorer.scores(flat, chosen) + self._truth_scores(samples)
        ceiling = self._ceiling(count)
        return Evaluation(
            len(samples),
            count,
            scores,
            ceiling,
            find_alarms(scores, ceiling),
            self._notes(flat, bool(ceiling)),
            self._nearest(chosen, flat),
        )

    def _ceiling(self, count: int) -> list[Score]:
        """The scores of that many real sentences."""
        if not self._real:
            return []
        if count not in self._ceilings:
            real = _take(self._real, count, self._options.seed)
            scores = self._scorer.scores(self._encoder.encode(real), real)
            self._ceilings[count] = scores + self._truth_scores(self._real)
        return self._ceilings[count]

    def _truth_scores(self, texts: Sequence[str]) -> list[Score]:
        """What the embedded grammar says of all texts: means, which their number does not move."""
        whole = replace(self._convention, draw=None)
        return caption_scores(texts, whole) if self._options.captions else []

    def _notes(self, samples: Flat, has_ceiling: bool) -> list[str]:
        notes = []
        if not has_ceiling:
            notes.append("no real text stands beside the samples, so no alarm can be raised")
        if self._options.features:
            length = float(samples.lengths.mean())
            name = "mauve-ngram" if self._options.sentence_model is None else "mauve-sentence"
            notes += [text.rstrip(".") for text in mauve_warnings(len(samples), length, name)]
        return notes

    def _nearest(self, texts: Sequence[str], samples: Flat) -> list[dict[str, object]]:
        if self._train is None or self._train_texts is None:
            return []
        found = nearest(samples, self._train, SHOWN_NEAREST, self._options.seed)
        return [
            {
                "sample": texts[pair.sample],
                "train": self._train_texts[pair.train],
                "similarity": pair.similarity,
            }
            for pair in found
        ]


def _set_aside(
    test: list[str], real: Sequence[str] | None, options: Options
) -> tuple[list[str], list[str]]:
    """The references, and the real text to score."""
    if not options.ceiling:
        if real is not None:
            raise UserError("real text is given, and told not to be scored: choose one.")
        return test, []
    if real is not None:
        given = _written(real)
        if not given:
            raise UserError("There are no sentences in the real text.")
        return test, given
    if len(test) < 2:
        return test, []
    order = halves_order(len(test), options.seed)
    middle = len(test) // 2
    return [test[i] for i in order[:middle]], [test[i] for i in order[middle:]]


def _take(texts: Sequence[str], count: int, seed: int) -> list[str]:
    """That many of the texts, drawn by the seed."""
    return [texts[place] for place in drawn(len(texts), count, seed)]


def _written(texts: Sequence[str]) -> list[str]:
    return [text for text in texts if text.strip()]
