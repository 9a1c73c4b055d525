"""Sentences to read: some of real text, of the start, and of what the run hands over.

They are kept in the run's folder, so that its page needs neither the text nor the metric again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from sda.archive import Archive, Question
from sda.doors import read_checked
from sda.errors import UserError
from sda.models.generator import Generator
from sda.randomness import seeded
from sda.runs.hand_over import MLE, read_handed_over
from sda.runs.run import Run
from sda.runs.shapes import ExamplesShape
from sda.sampling import Decoding
from sda.scoring.writing import writer
from sda.source import Loaded, load_source
from sda.text.about import in_words
from sda.text.copies import most_similar
from sda.text.sentences import Sentences
from sda.training.judging import Judge

SHOWN = 8
REAL, START, RESULT = "real", "start", "result"

Examples = dict[str, list[dict[str, Any]]]
"""For each side some sentences: `text`, the `nearest` of training and its `similarity`, and, where
they are known, `label`, and `score` with who gave it, in `by`."""


class Examiner:
    """Puts beside sentences what can be said of them without asking the metric."""

    def __init__(
        self, loaded: Loaded, judge: Judge | None = None, archive: Archive | None = None
    ) -> None:
        self._loaded = loaded
        self._judge = judge if judge is not None and judge.is_fitted else None
        self._archive = archive
        self._train = loaded.corpus.train.to("cpu")
        # Subwords are put together for it, which takes as long as the text is.
        self._train_words = loaded.vocabulary.words(self._train)

    def sides(self, seed: int, start: Generator, result: Sentences | None) -> Examples:
        """Real text, the start as it writes, and the first of the result where it is another."""
        valid, unknown = self._loaded.corpus.valid, self._loaded.vocabulary.unk
        rng = seeded(seed, "examples")
        real = valid[torch.randperm(len(valid), generator=rng)[:SHOWN]]
        written = writer(start, valid, Decoding(never=unknown), rng)(SHOWN)
        found = {REAL: self._told(real), START: self._told(written)}
        return found if result is None else {**found, RESULT: self._told(result[:SHOWN])}

    def _told(self, sentences: Sentences) -> list[dict[str, Any]]:
        """Each sentence with all that is known of it."""
        sentences = sentences.to("cpu")
        vocabulary, corpus = self._loaded.vocabulary, self._loaded.corpus
        texts = vocabulary.decode(sentences)
        abouts = in_words(sentences, corpus.labels, vocabulary)
        best, similarity = most_similar(vocabulary.words(sentences), self._train_words)
        nearest = vocabulary.decode(self._train[torch.from_numpy(best)])
        return [
            {
                "text": text,
                **about.as_dict(),
                **score,
                "nearest": near,
                "similarity": round(like, 3),
            }
            for text, about, score, near, like in zip(
                *(texts, abouts, self._scores(sentences, list(map(Question, texts, abouts)))),
                *(nearest, similarity.tolist()),
                strict=True,
            )
        ]

    def _scores(
        self, sentences: Sentences, questions: Sequence[Question]
    ) -> list[dict[str, object]]:
        """What the metric said once, or else what the judge says; nothing where neither knows."""
        known = [None if self._archive is None else self._archive.known(q) for q in questions]
        judged = None if self._judge is None else self._judge(sentences).tolist()
        found: list[dict[str, object]] = []
        for place, score in enumerate(known):
            if score is not None:
                # JSON has no number for minus infinity, by which a metric rules a sentence out.
                found.append({"score": score if math.isfinite(score) else None, "by": "metric"})
            elif judged is not None:
                found.append({"score": round(judged[place], 3), "by": "judge"})
            else:
                found.append({})
        return found


def examples_of(run: Run) -> Examples:
    """The examples that the run has kept, or those of a run that kept none; none of an unfinished.

    Where the text has gone or changed, there are those of the result alone.
    """
    folder = run.folder
    if folder.examples.is_file():
        return dict(read_checked(folder.examples, ExamplesShape))
    if not folder.samples.is_file():
        return {}
    texts = folder.read_samples()[:SHOWN]
    torch.set_num_threads(run.settings.threads)
    try:
        loaded = load_source(run.settings)
        folder.keep_text(loaded)
        start = run.generator(MLE)
        result = None if _hands_start(run) else loaded.vocabulary.encode(texts)
        # A file of samples does not say which labels they were written for.
        judge = None if folder.load_labels() else _judge(run)
        return Examiner(loaded, judge).sides(run.settings.seed, start, result)
    except UserError:
        return {RESULT: [{"text": text} for text in texts]}


def _hands_start(run: Run) -> bool:
    handed = read_handed_over(run.folder.handed_over)
    if handed is not None:
        return handed.is_start
    is_all = not any(line["stage"] == "imitation" for line in run.progress())
    return is_all and not run.settings.selection


def _judge(run: Run) -> Judge | None:
    try:
        return run.judge()
    except UserError:
        return None
