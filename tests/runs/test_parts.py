"""Augmentations, objectives and selections from settings."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from fakes import lists_of, seeded
from tiny import tiny_settings, train_tiny
from torch import Tensor

from sda.errors import UserError
from sda.models.generator import Frame, Generator
from sda.models.rnn import RnnDiscriminator, RnnGenerator
from sda.reference.metric import WeightedSum
from sda.runs.parts import augment, build_objective, build_selection, hold_out
from sda.sampling import Write
from sda.text.corpus import Corpus
from sda.text.sentences import Sentences
from sda.text.vocabulary import Vocabulary
from sda.training.steps import nll

HERE = "runs.test_parts"


class Doubled:
    """Each training sentence `times` times."""

    def __init__(self, vocabulary: Vocabulary, times: int = 2) -> None:
        self._times = times

    def __call__(self, corpus: Corpus) -> Corpus:
        return replace(corpus, train=Sentences.join([corpus.train] * self._times))


class Heavier:
    """Maximum likelihood with a weight, and a lot that is drawn each time."""

    def __init__(self, train: Sentences, rng: torch.Generator, weight: float) -> None:
        self._rng = rng
        self._weight = weight

    def __call__(self, generator: Generator, sentences: Sentences) -> Tensor:
        lot = 0.5 + torch.rand((), generator=self._rng)
        return self._weight * lot * nll(generator, sentences)


class Backwards:
    """The sentences in the opposite order."""

    def __init__(self, metric: WeightedSum, vocabulary: Vocabulary) -> None:
        self._parts = metric.parts

    def __call__(self, write: Write, n: int) -> Sentences:
        return write(n)[torch.arange(n - 1, -1, -1)]


def test_empty_sections_change_nothing(corpus: Corpus) -> None:
    settings, _ = tiny_settings("captions")

    assert augment(settings, corpus) is corpus
    assert hold_out(settings, corpus) is corpus
    assert build_objective(settings, corpus, seeded(0)) is nll
    discriminator = RnnDiscriminator(10, seeded(0))
    none = build_selection(settings, WeightedSum([]), discriminator, corpus.vocabulary, seeded(0))
    assert none is None


def test_held_out_sentences_are_for_the_discriminator_alone(corpus: Corpus) -> None:
    settings, _ = tiny_settings("captions", "discriminator_phase.unseen=0.3")
    parted = hold_out(settings, corpus)

    assert parted.unseen is not None
    assert len(parted.unseen) == round(0.3 * len(corpus))
    both = lists_of(parted.train) + lists_of(parted.unseen)
    assert sorted(both) == sorted(lists_of(corpus.train))
    assert lists_of(parted.valid) == lists_of(corpus.valid)
    again, other = (hold_out(settings.model_copy(update={"seed": s}), corpus) for s in (0, 1))
    assert lists_of(again.train) == lists_of(parted.train) != lists_of(other.train)


@pytest.mark.parametrize(("share", "who"), [("0.01", "discriminator"), ("0.99", "generator")])
def test_a_share_that_leaves_nothing_is_refused(share: str, who: str, corpus: Corpus) -> None:
    settings, _ = tiny_settings("captions", f"discriminator_phase.unseen={share}")
    with pytest.raises(UserError, match=f"unseen = {share} of .* leaves none for the {who}"):
        hold_out(settings, corpus)


def test_an_enlarged_corpus_has_epochs_of_the_same_length(corpus: Corpus) -> None:
    settings, _ = tiny_settings(
        "captions", f"augmentation.use={HERE}:Doubled", "augmentation.times=3"
    )
    larger = augment(settings, corpus)

    assert len(larger) == 3 * len(corpus)
    assert sum(map(len, larger.batches(4, seeded(0)))) == len(corpus)
    assert lists_of(larger.valid) == lists_of(corpus.valid)


def test_an_objective_takes_the_place_of_the_likelihood(corpus: Corpus) -> None:
    settings, _ = tiny_settings("captions", f"objective.use={HERE}:Heavier", "objective.weight=2")
    generator = RnnGenerator(Frame(10, 0, 6), seeded(1))
    loss = build_objective(settings, corpus, seeded(0))(generator, corpus.train)
    lot = 0.5 + torch.rand((), generator=seeded(0))

    assert loss.item() == pytest.approx((2 * lot * nll(generator, corpus.train)).item())


@pytest.mark.parametrize("key", ["augmentation", "objective", "selection"])
def test_a_mistake_names_the_setting(key: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=rf"setting '{key}\.use'"):
        train_tiny("captions", tmp_path / "run", (f"{key}.use={HERE}:Missing",))
    with pytest.raises(UserError, match=rf"unknown setting '{key}\.wrong'"):
        name = {"augmentation": "Doubled", "objective": "Heavier", "selection": "Backwards"}[key]
        more = (f"{key}.use={HERE}:{name}", f"{key}.wrong=1")
        train_tiny("captions", tmp_path / "run", more)
    assert not (tmp_path / "run" / "config.toml").exists()


def test_a_run_with_all_three(tmp_path: Path) -> None:
    more = (
        f"augmentation.use={HERE}:Doubled",
        f"objective.use={HERE}:Heavier",
        "objective.weight=1.0",
        f"selection.use={HERE}:Backwards",
    )
    run = train_tiny("captions", tmp_path / "run", more)
    plain = train_tiny("captions", tmp_path / "plain")

    updates = [[line["updates"] for line in found.progress()] for found in (run, plain)]
    assert updates[0] == updates[1]
    assert run.progress()[0]["g_loss"] != plain.progress()[0]["g_loss"]
    # What a selection chose has no likelihood.
    last = {score.name for score in run.scores()[-1].scores}
    assert "bleu-3" in last and "nll-test" not in last
    assert run.sample(4, seed=5) != run.sample(4, seed=6)
    assert run.sample(4, seed=5) == run.sample(4, seed=5)
