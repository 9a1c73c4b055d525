"""Whether the labels of new rows could be told at all, by what is known of the rows there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sda.labelled.label_classifiers import Numbers, Shares
from sda.labelled.word_rules import WordRules

SURE, SURE_BY_RULES = 0.98, 0.9
"""How sure the label of a new row must be; less where rules speak for it as well."""
SHOWN = 0.8
"""The share of right labels that the rows have to show with 95 % confidence."""
RULED = 0.9
"""The share of right labels that rules are believed to have, until the rows show otherwise."""
Z = 1.645  # one-sided, 95 %

INSTEAD = (
    "give more labelled rows, rules (--rules) or a sentence transformer (--sentence-model);"
    " --set least=0.9 writes rows all the same"
)


@dataclass(frozen=True)
class Told:
    """So many rows were surely told to be of a label, and so many of them are."""

    right: int
    count: int

    @property
    def low(self) -> float:
        """The least share of right ones that this is compatible with, with 95 % confidence."""
        return self._bound(-Z)

    @property
    def high(self) -> float:
        """The largest one."""
        return self._bound(Z)

    def _bound(self, z: float) -> float:
        """Wilson's; nothing is known of none."""
        if not self.count:
            return float(z > 0)
        share, square = self.right / self.count, z * z / self.count
        spread = z * np.sqrt(share * (1 - share) / self.count + square / self.count / 4)
        return float(np.clip((share + square / 2 + spread) / (1 + square), 0, 1))


def doubts(
    names: Sequence[str],
    shares: Shares,
    texts: Sequence[str],
    labels: Numbers,
    rules: WordRules | None,
) -> dict[str, str]:
    """By label whose new rows could not be believed, the sentence that says why.

    `shares` are of rows, by classifiers that have not learned them. Of a label that rules speak for
    the rules are believed, unless the rows show that they are wrong.
    """
    verdicts = None if rules is None else rules.verdicts(texts)
    found = {}
    for number, name in enumerate(names):
        if rules is not None and verdicts is not None and number in rules.labels:
            own = verdicts == number
            told = Told(int((labels[own] == number).sum()), int(own.sum()))
            if told.high < RULED:
                found[name] = (
                    f"no new rows of {name!r}: your rules are right about {told.right} of"
                    f" {told.count} rows that they call so, which is too few; mend them"
                )
            continue
        own = (shares.argmax(1) == number) & (shares.max(1) >= SURE)
        told = Told(int((labels[own] == number).sum()), int(own.sum()))
        if told.low < SHOWN:
            found[name] = (
                f"no new rows of {name!r}: your rows do not show that its label can be told"
                f" ({told.right} of {told.count} rows that surely look like it are right, by"
                f" classifiers that have not learned them); {INSTEAD}"
            )
    return found
