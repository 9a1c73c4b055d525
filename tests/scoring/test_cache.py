"""What was measured once is found again, whatever happened in between."""

import json
from pathlib import Path

import pytest

from sda.errors import UserError
from sda.evaluation.score import Score
from sda.scoring.cache import Cache

SCORES = [Score("bleu-5", 0.5, True, "refs:1|ä", 0.1, (0.4, 0.6))]
READ = [
    {
        "name": "bleu-5",
        "value": 0.5,
        "higher_is_better": True,
        "signature": "refs:1|ä",
        "standard_error": 0.1,
        "interval": [0.4, 0.6],
    }
]


class Meter:
    """Counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self) -> list[Score]:
        self.asked += 1
        return SCORES


def test_scores_are_measured_once(tmp_path: Path) -> None:
    meter = Meter()
    for _ in range(2):
        cache = Cache(tmp_path / "cache.jsonl")
        assert cache.scores({"model": "a", "temperature": 0.5}, meter) == READ
        # The order of facts is no fact.
        assert cache.scores({"temperature": 0.5, "model": "a"}, meter) == READ
    assert meter.asked == 1


def test_other_facts_are_other_scores(tmp_path: Path) -> None:
    meter = Meter()
    cache = Cache(tmp_path / "cache.jsonl")
    for facts in ({"a": 1}, {"a": 2}, {"a": 1, "b": 1}, {"a": "1"}):
        cache.scores(facts, meter)
    assert meter.asked == 4


def test_other_files_are_read_and_left_alone(tmp_path: Path) -> None:
    meter = Meter()
    Cache(tmp_path / "other.jsonl").scores({"a": 1}, meter)
    before = (tmp_path / "other.jsonl").read_bytes()
    cache = Cache(tmp_path / "cache.jsonl", [tmp_path / "other.jsonl", tmp_path / "none.jsonl"])

    assert cache.scores({"a": 1}, meter) == READ
    cache.scores({"a": 2}, meter)
    assert meter.asked == 2
    assert (tmp_path / "other.jsonl").read_bytes() == before
    assert len((tmp_path / "cache.jsonl").read_text().splitlines()) == 1


@pytest.mark.parametrize("rest", ['{"facts": {"a": 2}, "sco', '{"facts": {"a": 2}}', "[]", "null"])
def test_a_line_that_was_cut_off_is_measured_again(rest: str, tmp_path: Path) -> None:
    path, meter = tmp_path / "cache.jsonl", Meter()
    Cache(path).scores({"a": 1}, meter)
    with path.open("a") as file:
        file.write(rest)
    Cache(path).scores({"a": 2}, meter)
    cache = Cache(path)

    assert cache.scores({"a": 1}, meter) == cache.scores({"a": 2}, meter) == READ
    assert meter.asked == 2
    *_, last = path.read_text().splitlines()
    assert json.loads(last)["facts"] == {"a": 2}


def test_an_interruption_costs_the_score_that_was_being_measured(tmp_path: Path) -> None:
    path, meter = tmp_path / "cache.jsonl", Meter()

    def interrupted() -> list[Score]:
        raise KeyboardInterrupt

    cache = Cache(path)
    cache.scores({"a": 1}, meter)
    with pytest.raises(KeyboardInterrupt):
        cache.scores({"a": 2}, interrupted)

    assert Cache(path).scores({"a": 1}, meter) == READ
    assert meter.asked == 1


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "nowhere" / "cache.jsonl")
    with pytest.raises(UserError, match="nowhere"):
        cache.scores({"a": 1}, Meter())
