"""Studies that are small, and people who rate them as they are told."""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path

import numpy as np

from sda.studies.from_files import study_from_texts
from sda.studies.make_study import Wishes
from sda.studies.store import Store
from sda.studies.study import Item, Study, StudyFolder

WHO = ("the cat", "a dog", "my friend", "the old man", "her sister", "some child", "the king")
DOES = ("likes", "sees", "paints", "sells", "finds", "wants")
WHAT = ("a red house", "the car", "his own book", "a cup of tea", "the garden", "an apple pie")
HOW = ("today", "in the morning", "with care", "for no reason", "again", "by the river")
SENTENCES = [" ".join(parts) + " ." for parts in product(WHO, DOES, WHAT, HOW)]
MODELS = ("secret-one", "secret-two", "secret-three")
"""Names that no page may show; they are no part of any other text."""


def lines_of(number: int, count: int = 60) -> list[str]:
    """Sentences of the model with this number, none of which another has."""
    order = np.random.default_rng(5).permutation(len(SENTENCES))
    return [SENTENCES[k] for k in order[number * count : (number + 1) * count]]


def texts(models: int = 2, count: int = 60) -> dict[str, list[str]]:
    return {name: lines_of(number, count) for number, name in enumerate(MODELS[:models])}


def small_study(models: int = 2, items: int = 12, source: bool = False, **wishes: object) -> Study:
    """A study of made-up sentences; by default 6 judges, 3 ratings, 2 checks and 1 repeat."""
    usual: dict[str, object] = {"judges": 6, "ratings": 3, "checks": 2, "repeats": 1}
    wanted = Wishes(**{**usual, **wishes})  # type: ignore[arg-type]
    sources = lines_of(models) if source else None
    return study_from_texts(texts(models), None, sources, items, wanted).study


def write_study(path: Path, study: Study) -> StudyFolder:
    folder = StudyFolder(path)
    folder.begin(study)
    return folder


Opinion = Callable[[int, Item, str], int]
"""From the number of a judge, an item and a question to a rating."""


def attentive(study: Study) -> Opinion:
    """Rates every text in the middle, and sees through every check."""

    def opinion(_: int, item: Item, __: str) -> int:
        if item.is_check:
            return item.good if item.good is not None else study.low
        return (study.low + study.high) // 2

    return opinion


def by_model(study: Study, means: Mapping[str, float], seed: int = 0) -> Opinion:
    """Rates around the mean of the model, with chance; sees through every check."""
    rng = np.random.default_rng(seed)
    usual = attentive(study)

    def opinion(judge: int, item: Item, criterion: str) -> int:
        if item.is_check:
            return usual(judge, item, criterion)
        if study.task == "pairs":
            lead = means[item.models[0]] - means[item.models[1]] + rng.standard_normal()
            return 1 if lead > 0.5 else 3 if lead < -0.5 else 2
        value = round(means[item.models[0]] + 0.8 * rng.standard_normal())
        return int(np.clip(value, study.low, study.high))

    return opinion


def rate_all(
    folder: StudyFolder, opinion: Opinion, judges: Sequence[int] | None = None
) -> list[int]:
    """All pages of so many judges are rated, and these are their numbers."""
    study = folder.study()
    store = Store.of(folder)
    numbers = []
    with store.transaction():
        store.freeze(study.fingerprint)
        for block in range(len(study.blocks)) if judges is None else judges:
            number, _ = store.invite(len(study.blocks))
            numbers.append(number)
            for slot in study.blocks[block]:
                item = study.by_id[slot.item]
                values = {each.name: opinion(number, item, each.name) for each in study.criteria}
                store.rate(number, slot.item, slot.is_repeat, values, "", 0)
    store.close()
    return numbers
