"""A new study from drawn texts: items under names that tell nothing, and a block for each judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sda.errors import UserError
from sda.studies.balance import balanced_rows, imbalance, spread_gaps
from sda.studies.lots import Lots, shuffled_words
from sda.studies.study import Criterion, Item, Rules, Slot, Study

ID_LETTERS = 12
WARM_UP = 2  # items before the first check or repeat
CHECKS_EACH = 3  # different checks for each that a judge gets

QUALITY = Criterion(name="quality", question="How good is this sentence?")
BETTER = Criterion(name="quality", question="Which sentence is better?")
OF_TRANSFER = (
    Criterion(
        name="style",
        question="How well does the new sentence have the wanted style?",
        low="not at all",
        high="fully",
    ),
    Criterion(
        name="content",
        question="How much of the source's content has it kept?",
        low="nothing",
        high="all",
    ),
    Criterion(name="fluency", question="How natural and fluent is the new sentence?"),
)
GUIDE = (
    "You will see one sentence after the other. Rate each by itself, as it stands, by your first"
    " impression. There are no right answers, but please read every sentence: a few are there to"
    " see that somebody does. You may stop at any time and go on later with the same link."
)


@dataclass(frozen=True)
class Wishes:
    """What the owner of a study asked for, beside the texts."""

    is_pairs: bool = False
    scale: tuple[int, int] = (1, 5)
    ratings: int = 3
    judges: int = 30
    checks: int = 3
    repeats: int = 2
    seed: int = 0
    title: str = "Rating sentences"
    guide: str = GUIDE
    criteria: Sequence[Criterion] = ()


@dataclass(frozen=True)
class MadeStudy:
    """A study, and what its owner should know of the blocks."""

    study: Study
    imbalance: tuple[int, int]


def make_study(lots: Lots, real: str | None, wishes: Wishes) -> MadeStudy:
    """The study with these texts; everything that is drawn comes from the seed."""
    rng = np.random.default_rng([wishes.seed, 1])
    if wishes.is_pairs and len(lots.texts) < 2:
        raise UserError("--pairs needs at least two models to choose between")
    treatments = _pairs(lots, rng) if wishes.is_pairs else _singles(lots)
    rows = balanced_rows(len(treatments), len(treatments[0]), wishes.ratings, wishes.judges, rng)
    checks = _checks(lots, wishes, rng)
    ids = iter(_ids(sum(map(len, treatments)) + len(checks), rng))
    named = [[item.model_copy(update={"id": next(ids)}) for item in some] for some in treatments]
    named_checks = [item.model_copy(update={"id": next(ids)}) for item in checks]
    regular = [[named[treatment][number].id for treatment, number in row] for row in rows]
    items = [item for some in named for item in some] + named_checks
    low, high = (1, 3) if wishes.is_pairs else wishes.scale
    study = Study(
        title=wishes.title,
        task="pairs" if wishes.is_pairs else "scale",
        low=low,
        high=high,
        criteria=list(wishes.criteria) or _usual_criteria(lots, wishes.is_pairs),
        guide=wishes.guide,
        models=list(lots.texts),
        real=real,
        ratings=wishes.ratings,
        seed=wishes.seed,
        rules=Rules(duplicates=lots.rule),
        removed=lots.removed,
        # In the order of their names, which is no order.
        items=sorted(items, key=lambda item: item.id),
        blocks=_blocks(regular, [item.id for item in named_checks], wishes, rng),
    )
    return MadeStudy(study, imbalance(rows, len(treatments)))


def _usual_criteria(lots: Lots, is_pairs: bool) -> list[Criterion]:
    if is_pairs:
        return [BETTER]
    return [QUALITY] if lots.sources is None else list(OF_TRANSFER)


def _singles(lots: Lots) -> list[list[Item]]:
    return [
        [_item(lots, k, [text], [name]) for k, text in enumerate(texts)]
        for name, texts in lots.texts.items()
    ]


def _pairs(lots: Lots, rng: np.random.Generator) -> list[list[Item]]:
    """For each two models half of the pairs with the one on the left, and half with the other.

    Without a source the texts are paired by lot; of an odd number the last is left out.
    """
    found = []
    for first, second in combinations(lots.texts, 2):
        size = len(lots.texts[first])
        half = size // 2
        if not half:
            raise UserError("--pairs needs at least two --items")
        order = rng.permutation(size)
        other = order if lots.sources is not None else rng.permutation(size)
        for (left, places), (right, others), part in (
            ((first, order), (second, other), slice(0, half)),
            ((second, other), (first, order), slice(half, 2 * half)),
        ):
            chosen = zip(places[part].tolist(), others[part].tolist(), strict=True)
            found.append(
                [
                    _item(lots, k, [lots.texts[left][k], lots.texts[right][m]], [left, right])
                    for k, m in chosen
                ]
            )
    return found


def _item(lots: Lots, place: int, texts: list[str], models: list[str]) -> Item:
    source = None if lots.sources is None else lots.sources[place]
    line = None if lots.lines is None else lots.lines[place]
    return Item(id="", texts=texts, models=models, source=source, line=line)


def _checks(lots: Lots, wishes: Wishes, rng: np.random.Generator) -> list[Item]:
    """Sentences with their words in random order."""
    if not wishes.checks:
        return []
    wanted = CHECKS_EACH * wishes.checks
    texts = list(dict.fromkeys(lots.rest))[:wanted]
    if len(texts) < wishes.checks:
        raise UserError(
            f"--checks: {wishes.checks} sentences of at least five words are needed to make checks"
            f" of, and there are {len(texts)}; give fewer --checks or longer files"
        )
    found = []
    for text in texts:
        broken = shuffled_words(text, rng)
        source = text if lots.sources is not None else None
        if not wishes.is_pairs:
            found.append(Item(id="", texts=[broken], models=[], source=source))
            continue
        is_first = bool(rng.integers(2))
        both = [text, broken] if is_first else [broken, text]
        found.append(Item(id="", texts=both, models=[], source=source, good=1 if is_first else 3))
    return found


def _blocks(
    regular: list[list[str]], checks: list[str], wishes: Wishes, rng: np.random.Generator
) -> list[list[Slot]]:
    """The rows with checks and hidden repeats in them, at the same places for every judge.

    Were the places drawn for each judge, positions would no longer be balanced.
    """
    shortest = min(map(len, regular))
    check_places = spread_gaps(shortest, wishes.checks, WARM_UP, rng)
    # A repeat has to lie well behind what it repeats.
    repeats = wishes.repeats if shortest > 1 else 0
    repeat_places = spread_gaps(shortest, repeats, shortest * 2 // 3, rng)
    blocks = []
    for row in regular:
        chosen = [checks[k] for k in rng.permutation(len(checks))[: wishes.checks]]
        early = row[: max(1, shortest // 2)]
        again = [early[k] for k in rng.permutation(len(early))[:repeats]]
        extra = [(int(place), Slot(item=i)) for place, i in zip(check_places, chosen, strict=True)]
        extra += [
            (int(place), Slot(item=i, is_repeat=True))
            for place, i in zip(repeat_places, again, strict=False)
        ]
        block = [Slot(item=item) for item in row]
        # From the back, so that places keep their meaning.
        for place, slot in sorted(extra, key=lambda entry: -entry[0]):
            block.insert(place, slot)
        blocks.append(block)
    return blocks


def _ids(count: int, rng: np.random.Generator) -> list[str]:
    """Different names of hexadecimal digits that tell nothing about an item."""
    found: dict[str, None] = {}
    while len(found) < count:
        found[rng.bytes(ID_LETTERS // 2).hex()] = None
    return list(found)
