"""E4: the study of the paper's human evaluation from run folders, without any rating."""

from collections.abc import Callable
from pathlib import Path

import pytest
from studies.people import lines_of
from tiny import Answer

from sda.reproduction.human_study import PAPER, human_study
from sda.reproduction.work import Places
from sda.studies.store import Store
from sda.studies.study import StudyFolder


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    """Folders that look like finished runs; nothing is trained."""
    monkeypatch.chdir(tmp_path)
    # How exact the table of designs is does not matter here.
    monkeypatch.setattr("sda.studies.power.STUDIES", 200)
    found = Places(tmp_path / "data", tmp_path / "runs", tmp_path / "results")
    (tmp_path / "data" / "emnlp_news").mkdir(parents=True)
    (tmp_path / "data" / "emnlp_news" / "test.txt").write_text("\n".join(lines_of(3, 150)))
    for number, job in enumerate(human_study("small", None, found, None).jobs):
        folder = found.folder(job)
        folder.mkdir(parents=True)
        (folder / "samples.txt").write_text("\n".join(lines_of(number, 150)))
        (folder / "finished.json").write_text("{}")
    return found


def test_the_study_has_the_papers_rows(places: Places, command: Callable[..., Answer]) -> None:
    answer = command("reproduce", "human", "--data", places.data, "--out", places.runs)
    folder = StudyFolder(places.runs / "human-leakrnn-small")
    study = folder.study()

    assert answer.code == 0, answer.err
    assert study.models == ["LeakRNN", "LeakRNN +RL", "LeakRNN +SDA", "real"]
    assert study.real == "real" and len(study.rated) == 400 and len(study.blocks) == 30
    assert "none are invented" in answer.err
    assert "the paper's" in answer.out and "lm-perplexity" in answer.out
    assert f"sda judge serve {folder.path}" in answer.out
    assert Store.of(folder).all_ratings() == []
    # What was made is not made again.
    assert command("reproduce", "human", "--data", places.data, "--out", places.runs).code == 0
    assert folder.study() == study


def test_what_is_left_is_said_and_not_run(places: Places, command: Callable[..., Answer]) -> None:
    (job, *_) = human_study("small", None, places, None).jobs
    (places.folder(job) / "finished.json").unlink()
    answer = command("reproduce", "human", "--plan", "--data", places.data, "--out", places.runs)

    assert "left: leakrnn-mle-small-0" in answer.err and not (places.runs / "human").exists()
    refused = command("reproduce", "human", "--rows", "sda")
    assert refused.code == 2 and "have no use there" in refused.err
    assert (
        "give one of --models"
        in command("reproduce", "human", "--models", "rnn", "--models", "leakrnn").err
    )


def test_the_papers_figures_stand_beside_its_own_base_only(places: Places) -> None:
    rows = human_study("small", None, places, None).proxies().groups[0].rows
    assert [row[1] for row in rows] == list(PAPER.values()) == [2.97, 2.67, 3.11, 4.10]
    other = human_study("small", ["rnn"], places, None).proxies().groups[0].rows
    assert [row[1] for row in other] == [None, None, None, 4.10]
