import math

import pytest
import torch
from fakes import FixedGenerator, Judge, lists_of, seeded, sentences_of
from torch import Tensor

from sda import devices
from sda import rewards as module
from sda.models.generator import Frame
from sda.models.rnn import RnnDiscriminator, RnnGenerator
from sda.models.word_judge import WordJudge
from sda.rewards import beginning_rewards, judge, rescale, rollout_rewards, subtract_baseline
from sda.sampling import complete
from sda.text.sentences import Sentences

ROLLOUTS = 3


def first_word(sentences: Sentences) -> Tensor:
    """D = 0.1, 0.2, ... for sentences that begin with 0, 1, ..."""
    return (sentences.tokens[:, 0] + 1) / 10


def share_of_ones(sentences: Sentences) -> Tensor:
    """D = 0.1 without the word 1 up to 0.9 with nothing else."""
    ones = ((sentences.tokens == 1) & sentences.mask).sum(1)
    return 0.1 + 0.8 * ones / sentences.lengths


def rewards_of_first_words() -> tuple[Tensor, Tensor]:
    """Rewards of D = first word, and what they must be: the own first word at every token."""
    sentences = sentences_of([4, 1, 1, 1], [0, 2, 2], [7, 3, 3, 3], [2], [5, 4, 4, 4])
    generator = FixedGenerator([0.125] * 8, eos=3, max_length=4)
    found = rollout_rewards(generator, Judge(first_word), sentences, ROLLOUTS, seeded(0))
    return found, first_word(sentences)[:, None] * sentences.mask


def test_rewards_depend_on_the_own_sentence_only() -> None:
    found, expected = rewards_of_first_words()

    torch.testing.assert_close(found, expected.double())


def test_a_wrong_layout_of_completions_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def all_rows_then_all_rows_again(*arguments: object, **more: object) -> Sentences:
        finished = complete(*arguments, **more)  # type: ignore[arg-type]
        order = torch.arange(len(finished)).view(-1, ROLLOUTS).t().flatten()
        return finished[order]

    monkeypatch.setattr(module, "complete", all_rows_then_all_rows_again)
    found, expected = rewards_of_first_words()

    assert not torch.allclose(found, expected.double())


@pytest.mark.parametrize("budget", [1, 8 * 4 * ROLLOUTS * 2, 2**30])
def test_chunks_of_completions_do_not_mix_sentences(
    budget: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "LOGIT_BYTES", budget)
    found, expected = rewards_of_first_words()

    torch.testing.assert_close(found, expected.double())


def test_swapping_sentences_swaps_rewards() -> None:
    generator = FixedGenerator([0.5, 0.3, 0.2], max_length=4)
    one, other = [1, 1, 0, 1], [0, 0, 2, 0]

    def mean_rewards(*rows: list[int]) -> Tensor:
        return rollout_rewards(
            generator, Judge(share_of_ones), sentences_of(*rows), 4000, seeded(0)
        )

    # One completion has a standard deviation of at most 0.8 / 4 * sqrt(3 * 0.21) = 0.16.
    bound = 6 * 0.16 / math.sqrt(4000)
    straight, swapped = mean_rewards(one, other), mean_rewards(other, one)
    torch.testing.assert_close(straight, swapped.flip(0), atol=bound, rtol=0)
    assert (straight[0] - straight[1]).min() > 2 * bound


def test_rewards_are_expectations_over_what_can_follow() -> None:
    generator = FixedGenerator([0.5, 0.3, 0.2], max_length=4)
    sentences = sentences_of([1, 0, 1, 2], [0, 1, 1, 1])
    found = rollout_rewards(generator, Judge(share_of_ones), sentences, 5000, seeded(0))

    # Four words: those read, then 0.3 ones expected for each that is missing.
    ones = torch.tensor([[1.9, 1.6, 2.3, 2.0], [0.9, 1.6, 2.3, 3.0]], dtype=torch.float64)
    torch.testing.assert_close(found, 0.1 + 0.8 * ones / 4, atol=6 * 0.16 / 5000**0.5, rtol=0)


def test_completions_may_end_before_the_longest() -> None:
    generator = FixedGenerator([0.4, 0.6], eos=0, max_length=4)
    by_length = Judge(lambda sentences: 1 / (1 + sentences.lengths))
    found = rollout_rewards(generator, by_length, sentences_of([1, 1, 1, 1]), 5000, seeded(0))

    after_three = 1 / 5
    after_two = 0.4 / 4 + 0.6 * after_three
    after_one = 0.4 / 3 + 0.6 * after_two
    expected = torch.tensor([[after_one, after_two, after_three, 1 / 5]], dtype=torch.float64)
    torch.testing.assert_close(found, expected, atol=6 * 0.1 / 5000**0.5, rtol=0)


def test_the_last_token_gets_the_judgement_of_the_sentence_and_padding_nothing() -> None:
    sentences = sentences_of([1, 2, 0], [1, 0], [0], [2, 2, 2, 2])
    generator = FixedGenerator([0.4, 0.3, 0.3], eos=0, max_length=4)
    discriminator = RnnDiscriminator(3, seeded(0), init_std=1.0)
    found = rollout_rewards(generator, discriminator, sentences, ROLLOUTS, seeded(0))

    last = found.gather(1, sentences.lengths[:, None] - 1)[:, 0]
    assert torch.equal(last, judge(discriminator, sentences))
    assert not found[~sentences.mask].any()


def test_only_unfinished_beginnings_are_completed() -> None:
    discriminator = Judge(first_word)
    sentences = sentences_of([1, 2, 0], [1, 0], [0])
    generator = FixedGenerator([0.4, 0.3, 0.3], eos=0, max_length=5)
    rollout_rewards(generator, discriminator, sentences, ROLLOUTS, seeded(0))

    # The sentences themselves; two beginnings of one word; one beginning of two words.
    shown = discriminator.judged
    assert [len(sentences) for sentences in shown] == [3, 2 * ROLLOUTS, ROLLOUTS]
    assert {tuple(row[:2]) for row in lists_of(shown[2])} == {(1, 2)}


@pytest.mark.parametrize(
    ("every", "sources"),
    [
        (1, [[1, 2, 3, 4, 5, 6, 7, 0], [1, 2, 3, 4, 0]]),
        (2, [[2, 2, 4, 4, 6, 6, 0, 0], [2, 2, 4, 4, 0]]),
        (3, [[3, 3, 3, 6, 6, 6, 0, 0], [3, 3, 3, 0, 0]]),
        (4, [[4, 4, 4, 4, 0, 0, 0, 0], [4, 4, 4, 4, 0]]),
        (8, [[0] * 8, [0] * 5]),
    ],
)
def test_tokens_share_the_reward_of_the_beginning_they_lead_to(
    every: int, sources: list[list[int]]
) -> None:
    # Completions consist of zeros, so the number of ones tells which beginning was completed; the
    # sentence itself is marked 0.
    sentences = sentences_of([1] * 8, [1] * 5)
    generator = FixedGenerator([1.0, 0.0], max_length=9)

    def beginning(shown: Sentences) -> Tensor:
        whole = (shown.tokens == 1).sum(1) == shown.lengths
        return torch.where(whole, 0, (shown.tokens == 1).sum(1)) / 10 + 0.01

    found = rollout_rewards(
        generator, Judge(beginning), sentences, ROLLOUTS, seeded(0), every=every
    )
    marks = ((found - 0.01) * 10).round().long()
    assert marks[0].tolist() == sources[0]
    assert marks[1, :5].tolist() == sources[1]
    assert not found[1, 5:].any()


def test_without_rollouts_every_token_gets_the_reward_of_its_sentence() -> None:
    sentences = sentences_of([1, 2, 0], [2, 0])
    generator = FixedGenerator([0.4, 0.3, 0.3], eos=0)
    found = rollout_rewards(generator, Judge(first_word), sentences, 0, seeded(0))

    assert found.tolist() == [pytest.approx([0.2, 0.2, 0.2]), pytest.approx([0.3, 0.3, 0])]
    assert not generator.rows_seen


def test_each_word_earns_d_of_the_beginning_that_ends_with_it() -> None:
    sentences = sentences_of([1, 0, 1, 1], [0], [1, 1])
    asked = Judge(share_of_ones)
    found = beginning_rewards(asked, sentences)

    shares = [[1, 1 / 2, 2 / 3, 3 / 4], [0], [1, 1]]
    for row, ones in zip(found.tolist(), shares, strict=True):
        expected = [0.1 + 0.8 * one for one in ones] + [0.0] * (4 - len(ones))
        assert row == pytest.approx(expected)
    # No word after a beginning was shown with it.
    assert lists_of(asked.judged[0]) == [[1], [0], [1]]
    assert lists_of(asked.judged[2]) == [[1, 0, 1]]
    assert beginning_rewards(asked, Sentences.empty(4)).shape == (0, 4)


def test_a_beginning_earns_the_product_of_the_verdicts_on_its_words() -> None:
    sentences = sentences_of([1, 2, 3, 0], [4, 4, 0])
    reader = RnnGenerator(Frame(5, 0, 6), seeded(1))
    by_words = WordJudge(reader, sentences, seeded(2), pooling="product")
    found = beginning_rewards(by_words, sentences)

    with torch.no_grad():
        verdicts = by_words.eval().log_verdicts(by_words.read(sentences)).exp()
    assert found[0].tolist() == pytest.approx(verdicts[:4].cumprod(0).tolist(), rel=1e-5)
    assert found[1].tolist() == pytest.approx([*verdicts[4:].cumprod(0).tolist(), 0], rel=1e-5)


def test_gail_is_the_clipped_logarithm() -> None:
    values = torch.tensor([0.0, 1e-9, 0.25, 0.5, 1 - 1e-9, 1.0], dtype=torch.float64)
    found = judge(Judge(lambda _: values), sentences_of(*[[0]] * 6), "gail")
    expected = [-math.log(1 - min(max(p, 1e-6), 1 - 1e-6)) for p in values.tolist()]

    assert found.tolist() == pytest.approx(expected)
    assert found.tolist()[3] == pytest.approx(math.log(2))


def test_gail_rewards_average_logarithms() -> None:
    generator = FixedGenerator([0.5, 0.5], max_length=2)
    by_last = Judge(lambda sentences: torch.where(sentences.tokens[:, 1] == 1, 0.9, 0.5))
    found = rollout_rewards(generator, by_last, sentences_of([0, 0]), 5000, seeded(0), kind="gail")

    expected = [(math.log(2) + math.log(10)) / 2, math.log(2)]
    assert found[0].tolist() == pytest.approx(expected, abs=6 * 0.81 / 5000**0.5)


def test_rewards_have_no_gradient_and_no_dropout() -> None:
    generator = RnnGenerator(Frame(5, 0, 6), seeded(1), dropout=0.5)
    discriminator = RnnDiscriminator(5, seeded(2), dropout=0.5)
    sentences = sentences_of([1, 2, 3, 0], [4, 4, 0])
    modes = [layer.training for layer in (*generator.modules(), *discriminator.modules())]
    untouched = torch.get_rng_state()
    found = rollout_rewards(generator, discriminator, sentences, ROLLOUTS, seeded(3))

    assert not found.requires_grad
    # Dropout is all that draws from torch's own generator.
    assert torch.equal(torch.get_rng_state(), untouched)
    assert [m.training for m in (*generator.modules(), *discriminator.modules())] == modes


def test_the_rewarded_word_becomes_likelier() -> None:
    generator = FixedGenerator([0.3, 0.3, 0.4], max_length=1)
    optimizer = torch.optim.SGD(generator.parameters(), lr=1.0)
    sentences = sentences_of([0], [1], [2])
    before = generator.logits.detach().softmax(0)
    weights = (sentences.tokens == 1).float()
    generator.loss(sentences, weights).backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    after = generator.logits.detach().softmax(0)

    assert after[1] > before[1]
    assert after[0] < before[0] and after[2] < before[2]


REWARDS = torch.tensor([[1.0, 2.0, 6.0], [3.0, 4.0, 0.0], [8.0, 0.0, 0.0]])
MASK = torch.tensor([[True, True, True], [True, True, False], [True, False, False]])


def test_no_baseline_leaves_rewards_alone() -> None:
    assert torch.equal(subtract_baseline(REWARDS, MASK, "none"), REWARDS)


def test_batch_mean_leaves_one_out() -> None:
    # The third column has one sentence only, which has nothing to be compared with.
    expected = [[1 - 5.5, 2 - 4, 0], [3 - 4.5, 4 - 2, 0], [8 - 2, 0, 0]]

    assert subtract_baseline(REWARDS, MASK, "batch_mean").tolist() == expected


def test_normalised_has_the_mean_of_each_column_and_one_deviation() -> None:
    centred = torch.tensor([[-3.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [4.0, 0.0, 0.0]])
    deviation = math.sqrt((9 + 1 + 1 + 1 + 16) / 6)

    found = subtract_baseline(REWARDS, MASK, "normalised")
    torch.testing.assert_close(found, centred / deviation)


def test_a_constant_reward_teaches_nothing_with_batch_mean() -> None:
    constant = 0.7 * MASK.float()

    torch.testing.assert_close(
        subtract_baseline(constant, MASK, "batch_mean"), torch.zeros(3, 3), atol=1e-6, rtol=0
    )


def test_rank_rescaling_is_a_true_sort_at_each_step() -> None:
    rewards = torch.tensor([[0.1, 0.9], [0.7, 0.2], [0.4, 0.0]])
    mask = torch.tensor([[True, True], [True, True], [True, False]])

    ranked = rescale(rewards, mask, "rank")

    by_rank = {
        rank: torch.sigmoid(torch.tensor(12 * (0.5 - rank / 3))).item() for rank in (1, 2, 3)
    }
    assert ranked[:, 0].tolist() == pytest.approx([by_rank[3], by_rank[1], by_rank[2]])
    of_two = [torch.sigmoid(torch.tensor(12 * (0.5 - rank / 2))).item() for rank in (1, 2)]
    assert ranked[:, 1].tolist() == pytest.approx([*of_two, 0.0])


def test_rank_rescaling_of_a_constant_is_a_constant() -> None:
    ranked = rescale(torch.full((4, 3), 0.3), torch.ones(4, 3, dtype=torch.bool), "rank")

    assert ranked.unique().numel() == 1


def test_no_rescaling_changes_nothing() -> None:
    rewards = torch.rand(3, 2)

    assert rescale(rewards, torch.ones(3, 2, dtype=torch.bool), "none") is rewards
