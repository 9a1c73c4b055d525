"""Stage I walks the same sentences in every epoch, and the generator is told so."""

from __future__ import annotations

from collections.abc import Iterator

from sda.text.corpus import Corpus
from sda.training.progress import Progress
from sda.training.state import TrainState


def expecting(
    loop: Iterator[Progress], state: TrainState, corpus: Corpus, phases: int
) -> Iterator[Progress]:
    """What the loop yields; while Stage I has `phases` to do, the generator expects its sentences.

    It expects none where an epoch walks a part of an enlarged corpus: to compute something of all
    sentences would cost more than it saves. Stage II walks none again and again.
    """
    if state.phase < phases and corpus.walk is None:
        state.generator.expect(corpus.train)
    for progress in loop:
        if state.phase == phases:
            state.generator.expect(None)
        yield progress
