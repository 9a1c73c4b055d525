"""Which scores a set of samples gets, by what it is held against."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest
import torch

from sda.evaluation.catalogue import KINDS, Kind, Need, kind_of
from sda.evaluation.novelty import train_bleu_scores
from sda.evaluation.scorer import SLOW, Scorer, drawn
from sda.text import parted_ngrams
from sda.text.sentences import Flat

PLAIN = SLOW | {Need.FEATURES, Need.LANGUAGE_MODEL}


def random_sentences(count: int, seed: int) -> Flat:
    rng = np.random.default_rng(seed)
    lists = [rng.integers(0, 7, rng.integers(1, 9)).tolist() for _ in range(count)]
    return Flat.from_lists(lists)


SAMPLES, TEST, TRAIN = random_sentences(50, 1), random_sentences(30, 2), random_sentences(90, 3)
NOTHING = Flat.from_lists([])


def kinds(*names: str) -> Iterable[Kind]:
    return [kind_of(name) for name in names]


class EveryWord:
    """Finds an issue in every word."""

    name = "every"
    kinds = ("any",)

    def issues(self, texts: Sequence[str]) -> list[list[str]]:
        return [["any"] * len(text.split()) for text in texts]


def test_training_sentences_add_novelty_and_rare_words() -> None:
    alone = Scorer(TEST, without=PLAIN).scores(SAMPLES)
    trained = Scorer(TEST, TRAIN, without=PLAIN).scores(SAMPLES)

    assert [score for score in trained if score in alone] == alone
    added = {score.name for score in trained} - {score.name for score in alone}
    assert added == {kind.name for kind in KINDS if kind.needs == Need.TRAIN}
    assert Scorer(TEST, NOTHING, without=PLAIN).scores(SAMPLES) == alone


@pytest.mark.slow
def test_every_row_with_a_measure_is_measured_and_has_the_direction_of_the_score() -> None:
    samples, texts = random_sentences(200, 4), ["a word"] * 200
    scorer = Scorer(TEST, TRAIN, without=frozenset(), checker=EveryWord())
    scores = scorer.scores(samples, texts)

    measured = {kind.name for kind in KINDS if kind.measure is not None}
    # Those vectors need a model in a folder.
    assert {score.name for score in scores} == measured - {"mauve-sentence"}
    order = [kind.name for kind in KINDS]
    assert [s.name for s in scores] == sorted((s.name for s in scores), key=order.index)
    for score in scores:
        assert score.higher_is_better == kind_of(score.name).higher_is_better, score.name


def test_only_the_kinds_that_are_asked_for_are_measured() -> None:
    everything = Scorer(TEST, TRAIN, without=PLAIN).scores(SAMPLES)
    few = Scorer(TEST, TRAIN, kinds("self-bleu-3", "bleu-3", "novelty-2")).scores(SAMPLES)

    assert [score.name for score in few] == ["self-bleu-3", "bleu-3", "novelty-2"]
    assert all(score in everything for score in few)
    for names in (["reverse-bleu-5"], ["bleu-2", "reverse-bleu-4"]):
        found = Scorer(TEST, TRAIN, kinds(*names)).scores(SAMPLES)
        assert found == [score for score in everything if score.name in names]


def test_every_order_of_ngrams_is_numbered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """For BLEU those of the test sentences, for all scores of variety those of the samples."""
    numbered, words = parted_ngrams._numbered, []

    def counted(prefixes: Any, *rest: Any) -> Any:
        words.append(len(prefixes))
        return numbered(prefixes, *rest)

    monkeypatch.setattr(parted_ngrams, "_numbered", counted)
    Scorer(TEST, without=PLAIN).scores(SAMPLES)

    assert words == [len(TEST.ids)] * 5 + [len(SAMPLES.ids)] * 4


def test_which_ids_words_have_changes_no_score() -> None:
    """A run scores ids of its vocabulary, and a file of its samples ids by first appearance."""
    numbers = np.random.default_rng(5).permutation(40).astype(np.int32)

    def other(flat: Flat) -> Flat:
        return Flat(numbers[flat.ids], flat.starts)

    one = Scorer(TEST, TRAIN).scores(SAMPLES)
    assert Scorer(other(TEST), other(TRAIN)).scores(other(SAMPLES)) == one
    assert {"frechet", "mauve-ngram", "lm-perplexity"} <= {score.name for score in one}


def test_every_score_of_many_samples_has_an_interval_but_the_extreme() -> None:
    scores = Scorer(TEST, TRAIN, without=PLAIN).scores(random_sentences(200, 4))

    assert [s.name for s in scores if s.interval is None] == ["copied-span-max"]
    assert all(s.interval[0] <= s.value <= s.interval[1] for s in scores if s.interval)
    assert all("|ci:" in s.signature for s in scores if s.interval)


def test_train_bleu_has_as_many_references_as_bleu() -> None:
    scores = Scorer(TEST, TRAIN, seed=6, without=PLAIN).scores(SAMPLES)
    found = [score for score in scores if score.name.startswith("train-bleu")]

    assert found == train_bleu_scores(SAMPLES, TRAIN, len(TEST), seed=6)
    assert all("refs:30|of:90|seed:6|" in score.signature for score in found)


def test_scores_that_samples_do_not_define_are_absent() -> None:
    def names(*sentences: list[int]) -> set[str]:
        scores = Scorer(TEST, TRAIN).scores(Flat.from_lists(list(sentences)))
        return {score.name for score in scores}

    empty = names([], [])
    assert {"copy-share", "bleu-3", "length"} <= empty
    assert not empty & {"rare-types", "distinct-1", "order-gain"}
    single = names([1])
    assert {"bleu-3", "distinct-1", "rare-types"} <= single
    assert not single & {"self-bleu-3", "distinct-2", "frechet", "seq-rep-3"}


def test_no_samples_have_no_scores() -> None:
    with pytest.raises(ValueError, match="at least one sample"):
        Scorer(TEST).scores(NOTHING)


def test_the_sentences_of_self_bleu_are_drawn_by_the_seed_or_by_random_numbers() -> None:
    scorer = Scorer(TEST, kinds=kinds("self-bleu-3"), seed=2, self_bleu_limit=20)
    by_seed = scorer.scores(SAMPLES)

    assert "seed:2|" in by_seed[0].signature
    assert scorer.scores(SAMPLES) == by_seed
    assert scorer.scores(SAMPLES, rng=torch.Generator().manual_seed(3)) != by_seed


def test_a_checker_reads_the_texts_that_there_are() -> None:
    scorer = Scorer(TEST, kinds=kinds("grammar-issues"), checker=EveryWord(), checked=2)

    (score,) = scorer.scores(SAMPLES, ["a b"] * 50)
    assert score.value == 1000.0
    assert "hyps:2|words:4|" in score.signature
    assert scorer.scores(SAMPLES) == []


def test_sentences_are_drawn_unless_all_are_wanted() -> None:
    assert drawn(5, 5, seed=0).tolist() == drawn(5, 9, seed=1).tolist() == [0, 1, 2, 3, 4]
    few = drawn(1000, 100, seed=0)
    assert len(set(few.tolist())) == 100
    assert few.tolist() != drawn(1000, 100, seed=1).tolist()
    assert few.tolist() != list(range(100))
