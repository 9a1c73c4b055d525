"""Stage II does what it is for, on a toy oracle and over several seeds."""

import pytest
from fakes import seeded
from torch import Tensor

from learning.toy import WORDS, Toy, assert_rises
from sda.reference.likelihood import Likelihood
from sda.sampling import sample
from sda.text.sentences import Sentences
from sda.training.schedule import paper_schedule
from sda.training.step_kinds import AUGMENTED, TRAINING
from sda.training.steps import mean_nll

pytestmark = pytest.mark.slow

T, A = TRAINING, AUGMENTED


class LowWords:
    """How many words of the sentence belong to the first half of the vocabulary."""

    name = "low words"
    depends_on_generator = False

    def __call__(self, sentences: Sentences) -> Tensor:
        return ((sentences.tokens < WORDS // 2) & sentences.mask).double().sum(1)


def mean_score(toy: Toy) -> float:
    return LowWords()(sample(toy.state.generator, 3000, seeded(1))).mean().item()


def test_sda_lowers_the_nll_under_the_oracle() -> None:
    def fall(seed: int) -> float:
        toy = Toy.after_stage_one(seed)
        before = mean_nll(toy.oracle, sample(toy.state.generator, 3000, seeded(1)))
        metric = Likelihood(toy.state.generator)
        toy.stage_two(metric, paper_schedule(8, first=3, every=3))
        return before - mean_nll(toy.oracle, sample(toy.state.generator, 3000, seeded(1)))

    assert_rises(fall)


def test_augmented_steps_raise_the_metric_and_training_steps_alone_do_not() -> None:
    def advantage(seed: int) -> float:
        augmented, trained = Toy.after_stage_one(seed), Toy.after_stage_one(seed)
        augmented.stage_two(LowWords(), [[T, A]] * 10)
        trained.stage_two(LowWords(), [[T, T]] * 10)
        return mean_score(augmented) - mean_score(trained)

    assert_rises(advantage)


def test_the_buffer_gets_better() -> None:
    def rise(seed: int) -> float:
        toy = Toy.after_stage_one(seed)
        toy.stage_two(LowWords(), [[A]])
        after_one = toy.state.buffer.entries.scores.mean()
        toy.stage_two(LowWords(), [[A]] * 6)
        return float(toy.state.buffer.entries.scores.mean() - after_one)

    assert_rises(rise)
