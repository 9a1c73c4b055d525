"""Which texts are rated: drawn by seed, shown as people write, without those that two models share.

The rule for duplicates. A text is what people see, after detokenising. Of a text that one model has
several times one is kept. A text that two models have, real text among them, is taken out of all
of them: its ratings could not tell them apart. Where line n of each file answers line n of a
source, a line on which two models have the same text is taken out for all, so that all models are
rated on the same lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sda.errors import UserError
from sda.text.detokenise import detokenise

SHORTEST_CHECK = 5  # words; fewer say little about their order
RULE = (
    "a text that a model has twice is kept once; a text that two models share is taken out of both"
)
RULE_OF_LINES = "a line on which two models have the same text is taken out for all models"


@dataclass(frozen=True)
class Lots:
    """The drawn texts of each model, all of one number.

    Where there is a source, text k of every model is an answer to source k.
    """

    texts: dict[str, list[str]]
    sources: list[str] | None
    lines: list[int] | None
    """The lines of the files that were drawn, from 1 on."""
    removed: dict[str, int]
    rest: list[str]
    """Texts that were not drawn, to make checks of: real ones if there are enough."""

    @property
    def rule(self) -> str:
        return RULE if self.sources is None else RULE_OF_LINES


def draw_lots(
    files: Mapping[str, Sequence[str]], real: str | None, count: int, rng: np.random.Generator
) -> Lots:
    """`count` texts of each model, from the lines of its file; `real` is the name of real text."""
    shown = {
        name: [text for text in map(detokenise, lines) if text] for name, lines in files.items()
    }
    distinct = {name: list(dict.fromkeys(texts)) for name, texts in shown.items()}
    owners = Counter(text for texts in distinct.values() for text in texts)
    kept = {name: [t for t in texts if owners[t] == 1] for name, texts in distinct.items()}
    removed = {name: len(shown[name]) - len(kept[name]) for name in files}
    orders = {name: rng.permutation(len(texts)) for name, texts in kept.items()}
    for name, texts in kept.items():
        _require(name, len(texts), count, removed[name])
    drawn = {name: [texts[k] for k in orders[name][:count]] for name, texts in kept.items()}
    left = {name: [texts[k] for k in orders[name][count:]] for name, texts in kept.items()}
    return Lots(drawn, None, None, removed, _for_checks(left, drawn, real))


def draw_lines(
    files: Mapping[str, Sequence[str]],
    source: Sequence[str],
    real: str | None,
    count: int,
    rng: np.random.Generator,
) -> Lots:
    """`count` lines, the same for each model, whose texts answer that line of the source."""
    for name, lines in files.items():
        if len(lines) != len(source):
            raise UserError(
                f"--model {name}: {len(lines):,} lines where --source has {len(source):,}; line n"
                " of each has to answer line n of the source"
            )
    shown = {name: list(map(detokenise, lines)) for name, lines in files.items()}
    sources = list(map(detokenise, source))
    rows = list(zip(*shown.values(), strict=True))
    written = [k for k, row in enumerate(rows) if all(row) and sources[k]]
    kept = [k for k in written if len(set(rows[k])) == len(files)]
    removed = len(written) - len(kept)
    _require("every model", len(kept), count, removed)
    order = rng.permutation(np.array(kept, np.int64)).tolist()
    chosen, rest = order[:count], order[count:]
    drawn = {name: [texts[k] for k in chosen] for name, texts in shown.items()}
    left = {name: [texts[k] for k in rest] for name, texts in shown.items()}
    return Lots(
        drawn,
        [sources[k] for k in chosen],
        [k + 1 for k in chosen],
        dict.fromkeys(files, removed),
        _for_checks(left, drawn, real),
    )


def shuffled_words(text: str, rng: np.random.Generator) -> str:
    """The sentence with its words in another order; a full stop stays at the end."""
    words = text.rstrip(".!?").split()
    words[0] = words[0].lower()
    other = words
    while other == words:
        other = [words[k] for k in rng.permutation(len(words))]
    return detokenise(" ".join(other))


def can_be_shuffled(text: str) -> bool:
    words = text.rstrip(".!?").lower().split()
    return len(words) >= SHORTEST_CHECK and len(set(words)) > 1


def _for_checks(
    left: Mapping[str, Sequence[str]], drawn: Mapping[str, Sequence[str]], real: str | None
) -> list[str]:
    """Texts to make checks of: real ones first, and those that are rated only after all others."""
    names = [*([real] if real is not None else []), *(name for name in left if name != real)]
    pools = [left[name] for name in names] + [drawn[name] for name in names]
    return [text for pool in pools for text in pool if can_be_shuffled(text)]


def _require(name: str, found: int, wanted: int, removed: int) -> None:
    if found < wanted:
        raise UserError(
            f"{name} has {found:,} texts for {wanted:,} items, after {removed:,} duplicates were"
            " taken out; give --items a smaller number or a longer file"
        )
