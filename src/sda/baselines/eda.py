"""+EDA: training sentences and versions of them with words replaced, inserted, swapped or deleted.

Easy data augmentation (Wei and Zou 2019), on the words of the corpus and without the cleaning of
the original, which would change them (decision 0028).
"""

from __future__ import annotations

from dataclasses import dataclass

from sda.baselines.augmentation import SynonymAugmentation
from sda.baselines.edits import OPERATIONS, Amount, Operation, edit
from sda.text.sentences import Flat


@dataclass(eq=False)
class Eda(SynonymAugmentation):
    """Adds edited versions of every training sentence, by words it knows."""

    alpha: float = 0.1
    operations: tuple[Operation, ...] = OPERATIONS

    def write(self, sentences: Flat, longest: int) -> Flat:
        amount = Amount(self.alpha, self.per_sentence)
        return edit(sentences, self.choices, self.seed(), amount, self.operations, longest)
