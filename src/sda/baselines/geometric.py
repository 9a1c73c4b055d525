"""Synonym replacement with geometric choice (Zhang, Zhao and LeCun 2015)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sda.baselines.augmentation import SynonymAugmentation
from sda.baselines.edits import Amount, check_choices, choose
from sda.text.compiled import Ids, Numbers, compiled
from sda.text.sentences import Flat
from sda.text.streams import geometric, start_stream
from sda.text.synonyms import WordChoices


@dataclass(eq=False)
class SynonymGeometric(SynonymAugmentation):
    """Adds versions of every training sentence with few words replaced, mostly by near synonyms.

    Both the number of words and the rank of the synonym are geometric; a synonym of a commoner
    sense has a lower rank. Synonyms that the vocabulary lacks do not count in the rank.
    """

    word_ratio: float = 0.5
    choice_ratio: float = 0.5

    def write(self, sentences: Flat, longest: int) -> Flat:
        return replace_geometric(
            sentences,
            self.choices,
            self.seed(),
            per_sentence=self.per_sentence,
            word_ratio=self.word_ratio,
            choice_ratio=self.choice_ratio,
        )


def replace_geometric(
    sentences: Flat,
    choices: WordChoices,
    seed: int,
    *,
    per_sentence: int = 4,
    word_ratio: float = 0.5,
    choice_ratio: float = 0.5,
    first: int = 0,
) -> Flat:
    """New sentences in which r = 1, 2, ... words gave way to one of their choices.

    The probability of r is proportional to `word_ratio`**r, that of choice 1, 2, ... to
    `choice_ratio` to that power (Zhang, Zhao and LeCun 2015); r = 0 would be the source itself.
    """
    for name, ratio in (("word_ratio", word_ratio), ("choice_ratio", choice_ratio)):
        if not 0.0 <= ratio < 1.0:
            raise ValueError(f"{name} must be 0 or more and below 1, not {ratio}")
    Amount(per_sentence=per_sentence).check()
    check_choices(sentences, choices)
    written = sentences.take(np.repeat(np.arange(len(sentences)), per_sentence))
    _replace_all(*written, *choices, per_sentence, word_ratio, choice_ratio, seed, first)
    return written


@compiled
def _replace_all(
    ids: Ids,
    starts: Numbers,
    words: Ids,
    rows: Numbers,
    per_sentence: int,
    word_ratio: float,
    choice_ratio: float,
    seed: int,
    first: int,
) -> None:
    """Replace words in place; `ids` and `starts` hold every sentence `per_sentence` times."""
    stream = np.zeros(1, np.uint64)
    for number in range(len(starts) - 1):
        if number % per_sentence == 0:
            start_stream(stream, seed, first + number // per_sentence)
        line = ids[starts[number] : starts[number + 1]]
        spots = np.empty(len(line), np.int64)
        count = 0
        for place in range(len(line)):
            if rows[line[place]] < rows[line[place] + 1]:
                spots[count] = place
                count += 1
        if count == 0:
            continue
        replaced = 1 + geometric(stream, word_ratio, count)
        choose(spots[:count], replaced, stream)
        for place in spots[:replaced]:
            row, end = rows[line[place]], rows[line[place] + 1]
            line[place] = words[row + geometric(stream, choice_ratio, end - row)]
