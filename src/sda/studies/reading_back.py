"""The outcome of a study from its folder."""

from __future__ import annotations

from sda.errors import UserError
from sda.studies.outcome import Outcome, find_outcome
from sda.studies.store import Store
from sda.studies.study import StudyFolder


def read_outcome(folder: StudyFolder) -> Outcome:
    """What the ratings that are there now say."""
    study = folder.study()
    store = Store.of(folder)
    given, frozen, knows = store.all_ratings(), store.frozen(), store.knows_judges()
    store.close()
    if not given:
        raise UserError(f"{folder.path}: nobody has rated anything yet")
    return find_outcome(study, given, frozen, folder.written_fingerprint(), knows)
