"""A study from texts: what is drawn, what is taken out, what is mixed in, what is frozen."""

from collections import Counter
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sda.errors import UserError
from sda.studies.from_files import read_models, study_from_texts
from sda.studies.lots import draw_lines, draw_lots, shuffled_words
from sda.studies.make_study import Wishes
from sda.studies.study import Study, StudyFolder
from studies.people import MODELS, lines_of, small_study, texts, write_study


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_duplicates_are_taken_out_by_the_rule() -> None:
    files = {
        "a": ["x one .", "x one .", "shared text .", "x two .", ""],
        "b": ["y one .", "Shared text.", "y two ."],
    }
    lots = draw_lots(files, None, 2, rng())

    # As people see them: the shared text is the same with and without tokenising.
    assert {name: sorted(found) for name, found in lots.texts.items()} == {
        "a": ["X one.", "X two."],
        "b": ["Y one.", "Y two."],
    }
    assert lots.removed == {"a": 2, "b": 1}


def test_lines_with_equal_answers_are_taken_out_for_all() -> None:
    source = ["s one .", "s two .", "s three ."]
    files = {"a": ["p .", "same .", "q ."], "b": ["r .", "same .", "t ."]}
    lots = draw_lines(files, source, None, 2, rng())

    assert lots.lines is not None and sorted(lots.lines) == [1, 3]
    assert lots.removed == {"a": 1, "b": 1}
    for place, line in enumerate(lots.lines):
        assert lots.sources is not None
        assert lots.sources[place].lower().rstrip(".") == source[line - 1].rstrip(" .")


@pytest.mark.parametrize(
    ("files", "source", "said"),
    [
        ({"a": ["one ."], "b": ["two ."]}, None, "a has 1 texts for 2 items"),
        ({"a": ["one ."], "b": ["two .", "x ."]}, ["s ."], "--model b: 2 lines where --source has"),
    ],
)
def test_too_little_text_is_refused(
    files: dict[str, list[str]], source: list[str] | None, said: str
) -> None:
    with pytest.raises(UserError, match=said):
        study_from_texts(files, None, source, 2, Wishes())


def pages(study: Study) -> list[list[str]]:
    return [[slot.item for slot in block if not slot.is_repeat] for block in study.blocks]


def test_every_item_has_its_ratings_from_different_judges() -> None:
    study = small_study(models=3, items=10, judges=7)
    counts = Counter(item for row in pages(study) for item in row)

    assert all(len(set(row)) == len(row) for row in pages(study))
    assert {counts[item.id] for item in study.rated} == {3}
    assert Counter(item.models[0] for item in study.rated) == dict.fromkeys(MODELS, 10)


def test_checks_and_repeats_are_mixed_in_at_the_same_places() -> None:
    study = small_study(items=20, checks=2, repeats=2)
    places = []
    for block in study.blocks:
        checks = [n for n, slot in enumerate(block) if study.by_id[slot.item].is_check]
        again = [n for n, slot in enumerate(block) if slot.is_repeat]
        places.append((checks, again))
        for n in again:
            first = [slot.item for slot in block].index(block[n].item)
            assert first < n and not block[first].is_repeat
        assert len(checks) == len(again) == 2 and min(checks) >= 2

    assert all(each == places[0] for each in places)


def test_a_check_has_the_words_of_a_sentence_in_another_order() -> None:
    text = "The old man sells a cup of tea."
    broken = shuffled_words(text, rng())

    assert broken != text
    assert sorted(broken.lower().rstrip(".").split()) == sorted(text.lower().rstrip(".").split())
    study = small_study()
    low, middle = study.low, (study.low + study.high) // 2
    check = next(item for item in study.items if item.is_check)
    assert study.passes(check, low) and not study.passes(check, middle)


def test_checks_come_from_texts_that_nobody_rates() -> None:
    study = small_study(items=12)
    rated = {" ".join(sorted(item.texts[0].lower().split())) for item in study.rated}
    checks = {
        " ".join(sorted(item.texts[0].lower().split())) for item in study.items if item.is_check
    }

    assert checks and not checks & rated


def test_pairs_have_each_model_on_each_side_equally_often() -> None:
    study = small_study(models=3, items=8, is_pairs=True)
    sides = Counter(tuple(item.models) for item in study.rated)

    assert set(sides) == {(a, b) for a, b in combinations(MODELS, 2)} | {
        (b, a) for a, b in combinations(MODELS, 2)
    }
    assert set(sides.values()) == {4}
    check = next(item for item in study.items if item.is_check)
    assert check.good in (1, 3) and study.passes(check, check.good)
    assert not study.passes(check, 2) and not study.passes(check, 4 - check.good)


def test_transfer_shows_the_source_and_asks_three_questions() -> None:
    study = small_study(source=True)

    assert [each.name for each in study.criteria] == ["style", "content", "fluency"]
    assert study.checked_criterion == "fluency"
    sources = lines_of(2)
    for item in study.rated:
        assert item.source is not None and item.line is not None
        assert item.source.lower()[:-1] == sources[item.line - 1][:-2]


def test_names_tell_nothing() -> None:
    study = small_study(models=3)
    owners = [item.models[0] for item in study.items if item.models]

    assert len({item.id for item in study.items}) == len(study.items)
    # Sorted by name, models do not stand together.
    assert sum(a != b for a, b in pairwise(owners)) > len(owners) / 3


def test_the_seed_decides() -> None:
    assert small_study(seed=3) == small_study(seed=3)
    assert small_study(seed=3).fingerprint != small_study(seed=4).fingerprint


@given(st.integers(0, 1000), st.sampled_from(["title", "guide"]))
@settings(max_examples=10)
def test_the_hash_is_of_every_part(seed: int, part: str) -> None:
    study = small_study(items=4, judges=3, checks=1, repeats=0, seed=seed)

    assert study.fingerprint != study.model_copy(update={part: "another"}).fingerprint
    rules = study.rules.model_copy(update={"exclusion": "nobody"})
    assert study.fingerprint != study.model_copy(update={"rules": rules}).fingerprint


def test_a_folder_holds_one_study(tmp_path: Path) -> None:
    study = small_study()
    folder = write_study(tmp_path / "study", study)

    assert folder.study() == study
    assert folder.written_fingerprint() == study.fingerprint
    with pytest.raises(UserError, match=r"not empty \(it holds study.json\)"):
        folder.begin(study)
    with pytest.raises(UserError, match="not a study"):
        StudyFolder(tmp_path).study()
    folder.plan.write_text(folder.plan.read_text().replace('"low": 1', '"low": "x"', 1))
    with pytest.raises(UserError, match=r"study\.json: 'low'"):
        folder.study()


@pytest.mark.parametrize("text", ["a", "=file", "a=", "a=x,a=y"])
def test_models_have_a_name_and_a_file(text: str) -> None:
    with pytest.raises(UserError, match="--model"):
        read_models(text.split(","))


def test_one_model_cannot_be_compared() -> None:
    with pytest.raises(UserError, match="at least two models"):
        study_from_texts(texts(1), None, None, 4, Wishes(is_pairs=True, judges=3))
