"""What in a text speaks for its label and what against it: the rules, and single words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sda.labelled.label_classifiers import Numbers, Split
from sda.labelled.word_rules import WordRules

AGAINST = 0.8
"""The share of one other label from which a word speaks against a text: two texts of that label
have it and none of another, if labels are equally frequent; one text is too few."""
NO_RULE, OTHER_WORD = "no rule speaks for the label", "a word of another label"

Reasons = list[str | None]


class LabelEvidence:
    """Texts whose labels are known, word by word, and the rules where there are some.

    The texts are the rows, and unlabelled ones that the rules have a verdict about.
    """

    def __init__(
        self,
        texts: Sequence[str],
        labels: Numbers,
        count: int,
        split: Split,
        rules: WordRules | None = None,
        pool: Sequence[str] = (),
    ) -> None:
        """`count` labels there are in all; `split` cuts a text into words."""
        self._rules = rules
        self._words: Callable[[str], set[str]] = lambda text: set(split(text.casefold()))
        if rules is not None and len(pool):
            verdicts = rules.verdicts(pool)
            told = np.flatnonzero(verdicts >= 0)
            texts = [*texts, *(pool[row] for row in told.tolist())]
            labels = np.concatenate((labels, verdicts[told]))
        counts: dict[str, NDArray[np.float64]] = {}
        for text, label in zip(texts, labels.tolist(), strict=True):
            for word in self._words(text):
                counts.setdefault(word, np.zeros(count))[label] += 1
        # How often a text of each label has the word; half a text more has it than was seen.
        all_texts = np.bincount(labels, minlength=count) + 1.0
        self._shares: dict[str, NDArray[np.float64]] = {}
        for word, own in counts.items():
            rates = (own + 0.5) / all_texts
            self._shares[word] = rates / rates.sum()

    def __call__(self, texts: Sequence[str], label: int) -> Reasons:
        """Why each text is not to be believed to be of the label; None where nothing says so."""
        found: Reasons = [OTHER_WORD if self._is_against(text, label) else None for text in texts]
        if self._rules is None or label not in self._rules.labels:
            return found
        votes = self._rules.votes(texts)
        is_alone = (votes[:, label] > 0) & (votes.sum(1) == votes[:, label])
        return [
            reason if alone else NO_RULE
            for reason, alone in zip(found, is_alone.tolist(), strict=True)
        ]

    def _is_against(self, text: str, label: int) -> bool:
        known = (self._shares.get(word) for word in self._words(text))
        return any(
            own is not None and float(np.delete(own, label).max()) >= AGAINST for own in known
        )
