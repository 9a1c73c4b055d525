"""+EDA: training sentences and versions of them with words replaced, inserted, swapped or deleted.

Easy data augmentation (Wei and Zou 2019), on the words of the corpus and without the cleaning of
the original, which would change them (decision 0028).
"""

from __future__ import annotations

from pathlib import Path

import torch

from sda.baselines.augmentation import draw_seed, most_words, vocabulary_choices, with_written
from sda.baselines.edits import OPERATIONS, Operation, edit
from sda.text.corpus import Corpus
from sda.text.synonyms import read_synonyms, wordnet
from sda.text.vocabulary import Vocabulary


class Eda:
    """Adds `per_sentence` edited versions of every training sentence, by words it knows.

    `synonyms` names a table of the user's own in the place of WordNet.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        rng: torch.Generator,
        alpha: float = 0.1,
        per_sentence: int = 4,
        operations: tuple[Operation, ...] = OPERATIONS,
        synonyms: str | None = None,
    ) -> None:
        table = wordnet() if synonyms is None else read_synonyms(Path(synonyms))
        self.choices = vocabulary_choices(vocabulary, table)
        self.rng = rng
        self.alpha = alpha
        self.per_sentence = per_sentence
        self.operations = operations

    def __call__(self, corpus: Corpus) -> Corpus:
        written = edit(
            corpus.train.flat(corpus.vocabulary.eos),
            self.choices,
            draw_seed(self.rng),
            alpha=self.alpha,
            per_sentence=self.per_sentence,
            operations=self.operations,
            longest=most_words(corpus),
        )
        return with_written(corpus, written)
