"""Records are found by their keys, are whole, and are easy to read and to compare."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reproduction.records import record_of
from reproduction.small_jobs import tiny_job
from sda.errors import UserError
from sda.evaluation.catalogue import KINDS
from sda.reproduction.ledger import FORMAT, Ledger
from sda.reproduction.rewriting_rows import rewriting_names


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "results")


def test_a_ledger_that_is_not_there_is_empty(ledger: Ledger) -> None:
    assert ledger.records() == [] and ledger.find("abc") is None
    assert not ledger.folder.exists()


def test_a_record_is_found_by_its_key_whatever_its_name(ledger: Ledger) -> None:
    first, second = tiny_job("mle"), tiny_job("sda")
    assert ledger.find(first.key) is None
    ledger.write(record_of(first))
    contents = {"scores": {"bleu-2": 0.25}, "real": {"bleu-2": 0.5}, "costs": {"seconds": 10.0}}
    written = ledger.write(record_of(replace(second, experiment="others", row="ours"), **contents))

    found = ledger.find(second.key)
    assert found is not None and found.path == written.path
    assert found.path == ledger.folder / "others" / "rnn-ours-smoke-0.json"
    assert found.data == written.data == {"format": FORMAT, **written.data}
    assert (found.key, found.seed) == (second.key, 0)
    assert found.costs == {"seconds": 10.0}
    assert found.scores() == {"bleu-2": 0.25} and found.scores("real") == {"bleu-2": 0.5}
    # Another ledger of the same folder sees the same.
    assert {record.key for record in Ledger(ledger.folder).records()} == {first.key, second.key}


def test_a_record_of_other_settings_gives_way_to_one_of_the_same_name(ledger: Ledger) -> None:
    old, new = tiny_job("mle"), tiny_job("mle", "mle.epochs=3")
    ledger.write(record_of(old))
    ledger.write(record_of(new))

    assert ledger.find(old.key) is None
    assert [record.key for record in ledger.records()] == [new.key]


def test_points_that_are_measured_again_change_nothing_else(ledger: Ledger) -> None:
    before = ledger.write(record_of(tiny_job("mle")))
    again = {**before.data["curve"], "sentences": 10}
    ledger.add_points(before, again)
    found = ledger.find(before.key)

    assert before.later is None and found is not None
    assert found.data == {**before.data, "later_curve": again}
    assert found.later is not None and found.later.data["curve"] == again


def test_a_record_has_a_line_for_each_field(ledger: Ledger) -> None:
    record = ledger.write(record_of(tiny_job("sda")))
    lines = record.path.read_text().splitlines()

    assert (lines[0], lines[-1]) == ("{", "}")
    assert [next(iter(json.loads(f"{{{line.rstrip(',')}}}"))) for line in lines[1:-1]] == list(
        record.data
    )
    assert json.loads(record.path.read_text()) == record.data


def test_files_that_are_being_written_are_not_records(ledger: Ledger) -> None:
    path = ledger.write(record_of(tiny_job("mle"))).path
    (path.parent / f".{path.name}.17.part").write_text("{")
    (path.parent / "notes.txt").write_text("mine")
    (ledger.folder / "index.json").write_text("[]")

    assert len(Ledger(ledger.folder).records()) == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"key": ', "not valid JSON"),
        (b"", "not valid JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[1, 2]", "should be an object"),
        (b'{"format": 1}', "'key': field required"),
        (b'{"key": "a"}', "written in format None, not 1"),
        (b'{"format": 2}', "in format 2, not 1"),
    ],
)
def test_a_broken_file_is_one_sentence(content: bytes, words: str, ledger: Ledger) -> None:
    path = ledger.write(record_of(tiny_job("mle"))).path
    path.write_bytes(content)

    with pytest.raises(UserError) as caught:
        Ledger(ledger.folder).records()
    assert str(caught.value).startswith(f"{path}: ") and words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_that_cannot_be_made(ledger: Ledger) -> None:
    ledger.folder.write_text("a file")
    record: dict[str, Any] = record_of(tiny_job("mle"))

    with pytest.raises(UserError, match="Not a directory"):
        ledger.write(record)


def test_scores_with_an_old_name_are_read_under_the_new_one(ledger: Ledger) -> None:
    """The score that was called `mauve` is not the published one, and has another name since."""
    values = {"mauve": 0.5, "bleu-2": 0.25}
    contents = {"scores": values, "real": values, "signatures": {"mauve": "refs:5"}}
    written = ledger.write(record_of(tiny_job("mle"), **contents))
    before = written.path.read_bytes()
    (found,) = Ledger(ledger.folder).records()

    renamed = {"mauve-ngram": 0.5, "bleu-2": 0.25}
    assert found.scores() == found.scores("real") == renamed
    assert found.data["signatures"] == {"mauve-ngram": "refs:5"}
    assert found.path.read_bytes() == before


def test_every_record_of_the_repository_has_names_that_the_catalogue_knows() -> None:
    records = Ledger(Path(__file__).parents[2] / "results").records()

    assert len(records) > 200
    # Scores of rewritings are about sources and styles, and no generator has them.
    written = [record for record in records if record.data["experiment"] not in rewriting_names()]
    found = {name for record in written for of in ("scores", "real") for name in record.scores(of)}
    assert "mauve-ngram" in found
    assert found <= {kind.name for kind in KINDS}
