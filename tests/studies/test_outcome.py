"""What the ratings of whole studies say, and what they leave open."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny import Answer

from sda.errors import UserError
from sda.studies.cautions import cautions
from sda.studies.datasheet import datasheet
from sda.studies.outcome import Outcome
from sda.studies.outcome_page import outcome_page
from sda.studies.outcome_tables import as_dict, outcome_tables
from sda.studies.proxies import correlations, proxies_of, ranks, spearman
from sda.studies.reading_back import read_outcome
from sda.studies.study import Item, Study
from studies.people import (
    MODELS,
    attentive,
    by_model,
    lines_of,
    rate_all,
    small_study,
    write_study,
)

FAR = {MODELS[0]: 2.0, MODELS[1]: 4.0, MODELS[2]: 4.0}


def outcome_of(path: Path, study: Study, means: dict[str, float] = FAR) -> Outcome:
    folder = write_study(path / "study", study)
    rate_all(folder, by_model(study, means))
    return read_outcome(folder)


def test_a_large_difference_is_found_and_none_is_not(tmp_path: Path) -> None:
    study = small_study(models=3, items=20, judges=12)
    found = outcome_of(tmp_path, study)
    (each,) = found.criteria
    claims = {(pair.first, pair.second): pair.is_claimed for pair in each.pairs}

    assert claims == {MODELS[:2]: True, (MODELS[0], MODELS[2]): True, MODELS[1:]: False}
    assert [round(model.value) for model in each.models] == [2, 4, 4]
    for model in each.models:
        assert model.interval[0] < model.value < model.interval[1]
        assert sum(model.counts) == model.ratings == 60
    assert (found.judges, found.ratings, found.planned) == (12, 180, 180)
    assert found.is_plan_kept and study.fingerprint in found.plan
    told = dict(cautions(found))
    assert list(told) == ["quality"] and "does not mean that they are alike" in told["quality"]


def test_three_judges_are_warned_of(tmp_path: Path) -> None:
    found = outcome_of(tmp_path, small_study(items=20, judges=3))
    told = dict(cautions(found))

    assert "3 judges are too few" in told["judges"]
    visible = found.criteria[0].pairs[0].visible
    assert f"{visible:.2f} (quality)" in told["judges"]


def test_one_model_alone_has_no_pairs(tmp_path: Path) -> None:
    found = outcome_of(tmp_path, small_study(models=1, items=12))

    assert [table.title for table in outcome_tables(found)] == ["Models", "Agreement"]
    assert "Differences" not in dict(cautions(found))["judges"]


def test_judges_who_fail_their_checks_are_excluded_by_the_rule_alone(tmp_path: Path) -> None:
    study = small_study(items=20, judges=10, checks=3)
    folder = write_study(tmp_path / "study", study)
    honest = by_model(study, FAR)

    def opinion(judge: int, item: Item, criterion: str) -> int:
        return 5 if judge in (2, 5) else honest(judge, item, criterion)

    rate_all(folder, opinion)
    found = read_outcome(folder)

    assert found.excluded == {2: (3, 3), 5: (3, 3)}
    assert found.judges == 8 and found.ratings == 96
    each = found.criteria[0]
    assert each.alpha is not None and each.alpha_of_all is not None
    assert each.alpha.value > each.alpha_of_all.value
    assert "96 of 120 planned" in dict(cautions(found))["ratings"]


def test_half_of_the_checks_may_fail(tmp_path: Path) -> None:
    study = small_study(items=8, judges=3, checks=2)
    folder = write_study(tmp_path / "study", study)
    usual, seen = attentive(study), dict[int, int]()

    def opinion(judge: int, item: Item, criterion: str) -> int:
        if item.is_check:
            seen[judge] = seen.get(judge, 0) + 1
            return 5 if seen[judge] == 1 else 1
        return usual(judge, item, criterion) + judge % 2

    rate_all(folder, opinion)
    assert read_outcome(folder).excluded == {}


def test_agreement_with_oneself(tmp_path: Path) -> None:
    study = small_study(items=12, judges=6, repeats=2)
    folder = write_study(tmp_path / "study", study)
    times: dict[tuple[int, str], int] = {}

    def opinion(judge: int, item: Item, _: str) -> int:
        if item.is_check:
            return 1
        times[judge, item.id] = times.get((judge, item.id), 0) + 1
        again = times[judge, item.id] == 2
        # The first three judges are one apart when asked again, the others are not.
        return 3 + (again and judge <= 3)

    rate_all(folder, opinion)
    found = read_outcome(folder).criteria[0].consistency

    assert found is not None
    assert (found.count, found.same, found.near, found.distance) == (12, 0.5, 1.0, 0.5)


def test_choices_have_strengths(tmp_path: Path) -> None:
    study = small_study(models=3, items=12, judges=12, is_pairs=True)
    found = outcome_of(tmp_path, study, {MODELS[0]: 0.0, MODELS[1]: 1.5, MODELS[2]: 3.0})
    (each,) = found.criteria
    strengths = [model.strength for model in each.models]

    assert all(strength is not None for strength in strengths)
    assert strengths == sorted(strengths, key=lambda value: value or 0.0)
    assert sum(strength or 0.0 for strength in strengths) == pytest.approx(0, abs=1e-9)
    assert all(pair.value < 0 and pair.is_claimed for pair in each.pairs)
    shares = [model.value for model in each.models]
    assert sum(shares) == pytest.approx(1.5, abs=1e-9)
    assert all(0 <= share <= 1 for share in shares)
    assert (
        proxies_of(study, None, None) and correlations(found, proxies_of(study, None, None)) == []
    )


def test_lines_of_a_source_are_compared_in_pairs(tmp_path: Path) -> None:
    """Both models share what is hard about a line; within lines they differ clearly."""
    study = small_study(items=20, judges=6, source=True)
    folder = write_study(tmp_path / "study", study)

    def opinion(_: int, item: Item, criterion: str) -> int:
        if item.is_check:
            return 1
        assert item.line is not None
        hard = 1 + 3 * (item.line % 2)
        return hard + (item.models[0] == MODELS[1])

    rate_all(folder, opinion)
    found = read_outcome(folder)

    assert [each.criterion.name for each in found.criteria] == ["style", "content", "fluency"]
    for each in found.criteria:
        (pair,) = each.pairs
        assert pair.value == pytest.approx(-1.0) and pair.is_claimed
        assert pair.visible < 0.5
        # Holm's correction is over the three questions.
        assert pair.corrected == pytest.approx(3 * pair.p)


def test_a_plan_that_was_changed_is_told(tmp_path: Path) -> None:
    study = small_study()
    folder = write_study(tmp_path / "study", study)
    rate_all(folder, by_model(study, FAR))
    text = folder.plan.read_text()
    folder.plan.write_text(text.replace("more than half of", "any of"))
    assert "changed by hand" in read_outcome(folder).plan

    other = study.model_copy(update={"title": "another"})
    data = {"sha256": other.fingerprint, "study": other.model_dump()}
    folder.plan.write_text(json.dumps(data))
    found = read_outcome(folder)
    assert not found.is_plan_kept and study.fingerprint in found.plan
    assert "changed after the first rating" in found.plan


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda study: study["items"][0].update(id=study["items"][1]["id"]), "the same id"),
        (lambda study: study["items"][0].update(models=["nobody"]), "does not name"),
        (lambda study: study["items"][0].update(texts=[]), "has 0 texts, not 1"),
        (lambda study: study["blocks"][0][0].update(item="none"), "does not have"),
        (lambda study: study.update(criteria=[]), "no question"),
    ],
)
def test_a_plan_that_does_not_hold_together_is_refused(
    change: Callable[[Any], None], words: str, tmp_path: Path
) -> None:
    folder = write_study(tmp_path / "study", small_study())
    data = json.loads(folder.plan.read_text())
    change(data["study"])
    folder.plan.write_text(json.dumps(data))

    with pytest.raises(UserError, match=words):
        folder.study()


def test_nothing_rated_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nobody has rated anything yet"):
        read_outcome(write_study(tmp_path / "study", small_study()))


def test_scores_of_the_same_texts(tmp_path: Path) -> None:
    study = small_study(items=20, judges=6)
    folder = write_study(tmp_path / "study", study)

    def opinion(_: int, item: Item, __: str) -> int:
        return 1 if item.is_check else min(5, len(item.texts[0].split()) - 4)

    rate_all(folder, opinion)
    found = read_outcome(folder)
    proxies = proxies_of(study, lines_of(2), None)
    by_name = {each.proxy: each for each in correlations(found, proxies)}

    assert list(by_name) == ["words", "lm-perplexity", "bleu-3"]
    assert by_name["words"].value > 0.95
    assert by_name["words"].interval[0] > 0.9 and by_name["words"].items == 40
    texts = outcome_tables(found, proxies, list(by_name.values()))[-1].body
    assert texts[0][0] == "words"


def test_overlap_with_the_source_by_hand() -> None:
    study = small_study(source=True)
    item = study.rated[0].model_copy(update={"texts": ["A b c."], "source": "A b d e."})
    proxies = proxies_of(study.model_copy(update={"items": [item]}), None, None)

    # a, b and the full stop are in both; c, d and e in one of them.
    assert {proxy.name: proxy.values.tolist() for proxy in proxies} == {
        "words": [4.0],
        "source-overlap": [0.5],
    }


def test_ranks_and_their_correlation_by_hand() -> None:
    assert ranks(np.array([3.0, 1.0, 3.0, 7.0])).tolist() == [2.5, 1.0, 2.5, 4.0]
    value, interval = spearman(np.arange(8.0), -np.arange(8.0))
    assert value == pytest.approx(-1) and interval == pytest.approx((-1, -1))


def test_the_page_escapes_and_shows_pictures(tmp_path: Path) -> None:
    study = small_study(title="<b>bold</b>")
    found = outcome_of(tmp_path, study)
    page = outcome_page(found, outcome_tables(found))

    assert "&lt;b&gt;bold" in page and "<b>bold" not in page
    assert page.count("<svg") == 2 and "Before you believe it" in page
    assert "://" not in page.replace("http://www.w3.org", "")


def test_the_datasheet_has_five_sections(tmp_path: Path) -> None:
    found = outcome_of(tmp_path, small_study())
    sheet = json.loads(json.dumps(datasheet(found)))

    assert [key for key in sheet if key[0].isdigit()] == [
        "1 main reference and supplementary resources",
        "2 evaluated systems",
        "3 sample of outputs, evaluators and experimental design",
        "4 quality criteria",
        "5 ethics",
    ]
    assert sheet["3 sample of outputs, evaluators and experimental design"]["3.2.1 evaluators"] == 6
    assert json.loads(json.dumps(as_dict(found)))["judges"] == 6


def test_the_command_writes_every_form(
    tmp_path: Path, command: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = small_study()
    folder = write_study(tmp_path / "study", study)
    rate_all(folder, by_model(study, FAR))
    files = {"--json": "r.json", "--markdown": "r.md", "--latex": "r.tex", "--html": "r.html"}
    options = [part for pair in files.items() for part in pair]
    answer = command("judge", "results", "study", *options, "--datasheet", "sheet.json")

    assert answer.code == 0, answer.err
    assert "Pairs of models" in answer.out and "ALARM judges" in answer.out
    assert json.loads(Path("r.json").read_text())["criteria"][0]["name"] == "quality"
    assert Path("r.md").read_text().startswith("**Models**")
    assert "\\begin{tabular}" in Path("r.tex").read_text()
    assert "<!doctype html>" in Path("r.html").read_text()
    assert json.loads(Path("sheet.json").read_text())["heds_version"] == "3.0"
    folder.store.unlink()
    assert "study: nobody has rated anything yet" in command("judge", "results", "study").err
