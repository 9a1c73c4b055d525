"""Which scores a set of samples gets, by what it is held against."""

import numpy as np
import torch

from sda.evaluation.novelty import train_bleu_scores
from sda.evaluation.samples import brief_scores, sample_scores
from sda.text.sentence_bleu import References
from sda.text.sentences import Flat


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def random_sentences(count: int, seed: int) -> Flat:
    rng = np.random.default_rng(seed)
    lists = [rng.integers(0, 7, rng.integers(1, 9)).tolist() for _ in range(count)]
    return Flat.from_lists(lists)


SAMPLES, TEST, TRAIN = random_sentences(50, 1), random_sentences(30, 2), random_sentences(90, 3)
REFERENCES = References(TEST)


def test_test_sentences_add_recall_and_training_sentences_novelty() -> None:
    alone = sample_scores(SAMPLES, REFERENCES, None, seeded(0))
    tested = sample_scores(SAMPLES, REFERENCES, None, seeded(0), test=TEST)
    trained = sample_scores(SAMPLES, REFERENCES, TRAIN, seeded(0))
    everything = sample_scores(SAMPLES, REFERENCES, TRAIN, seeded(0), test=TEST)

    assert tested[: len(alone)] == trained[: len(alone)] == everything[: len(alone)] == alone
    assert everything == [*tested, *trained[len(alone) :]]
    added = [score.name for score in tested[len(alone) :]]
    assert added == ["length-distance", *(f"reverse-bleu-{n}" for n in (2, 3, 4, 5))]
    assert len({score.name for score in everything}) == len(everything)


def test_every_score_of_many_samples_has_an_interval_but_the_extreme() -> None:
    samples = random_sentences(200, 4)
    scores = sample_scores(samples, REFERENCES, TRAIN, seeded(0), test=TEST)

    assert [s.name for s in scores if s.interval is None] == ["copied-span-max"]
    assert all(s.interval[0] <= s.value <= s.interval[1] for s in scores if s.interval)
    assert all("|ci:" in s.signature for s in scores if s.interval)


def test_train_bleu_has_as_many_references_as_bleu() -> None:
    scores = sample_scores(SAMPLES, REFERENCES, TRAIN, seeded(6))
    found = [score for score in scores if score.name.startswith("train-bleu")]

    assert found == train_bleu_scores(SAMPLES, TRAIN, len(TEST), seed=6)
    assert all("refs:30|of:90|seed:6|" in score.signature for score in found)


def test_no_training_sentences_give_no_novelty() -> None:
    nothing = Flat.from_lists([])
    scores = sample_scores(SAMPLES, REFERENCES, nothing, seeded(0))

    assert scores == sample_scores(SAMPLES, REFERENCES, None, seeded(0))


def test_empty_samples_have_no_rare_words() -> None:
    names = [s.name for s in sample_scores(Flat.from_lists([[], []]), REFERENCES, TRAIN, seeded(0))]

    assert "copy-share" in names
    assert "rare-types" not in names


def test_the_brief_scores_are_some_of_all() -> None:
    brief = brief_scores(SAMPLES, REFERENCES, seeded(0), 20)
    everything = sample_scores(SAMPLES, REFERENCES, None, seeded(0), 20)

    names = ["bleu-3", "self-bleu-3", "distinct-2", "length", "duplicate-share"]
    assert [score.name for score in brief] == names
    assert all(score in everything for score in brief)


def test_brief_scores_that_samples_do_not_define_are_absent() -> None:
    names = [score.name for score in brief_scores(Flat.from_lists([[1]]), REFERENCES, seeded(0))]

    assert names == ["bleu-3", "length", "duplicate-share"]
