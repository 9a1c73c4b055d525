"""The manager, the worker and the leak, worked out one sentence at a time."""

import math

import pytest
import torch
from fakes import Judge, seeded, sentences_of
from torch import Tensor
from torch.nn.functional import normalize

from sda.models.cnn import CnnDiscriminator
from sda.models.leak import LeakGenerator
from sda.models.rnn import RnnDiscriminator
from sda.rewards import rescale, rollout_rewards, subtract_baseline
from sda.sampling import sample
from sda.text.sentences import Sentences
from sda.training.steps import discriminator_loss

WORDS, LONGEST, BLOCK = 7, 9, 2
MANAGER = ("manager", "goal.", "first_goal")

# Whole blocks and blocks that the end cuts short, of one to four.
ROWS = [[1, 2, 3, 4, 5], [6, 0, 2], [3], [4, 4], [5, 1, 0, 2, 6, 3, 1]]
SENTENCES = sentences_of(*ROWS)


@pytest.fixture
def discriminator() -> CnnDiscriminator:
    return CnnDiscriminator(WORDS, seeded(0), 4, widths=(1, 2, 5), maps=(4, 5, 3))


def make_generator(discriminator: CnnDiscriminator, **settings: object) -> LeakGenerator:
    sizes = {"embedding": 5, "hidden": 6, "goal_size": 3, "block": BLOCK, "init_std": 0.5}
    return LeakGenerator(
        WORDS,
        None,
        LONGEST,
        seeded(1),
        discriminator,
        **(sizes | settings),  # type: ignore[arg-type]
    )


@pytest.fixture
def generator(discriminator: CnnDiscriminator) -> LeakGenerator:
    return make_generator(discriminator)


def random_rewards() -> Tensor:
    return torch.rand(SENTENCES.tokens.shape, generator=seeded(2)) * SENTENCES.mask


def gradients(generator: LeakGenerator, loss: Tensor) -> dict[str, Tensor]:
    names, values = zip(*generator.named_parameters(), strict=True)
    found = torch.autograd.grad(loss, values, materialize_grads=True)
    return dict(zip(names, found, strict=True))


def is_managers(name: str) -> bool:
    return name.startswith(MANAGER)


def features_alone(discriminator: CnnDiscriminator, words: list[int]) -> Tensor:
    """(T + 1, F) of each prefix, read alone."""
    prefixes = [words[:t] for t in range(len(words) + 1)]
    return torch.cat([discriminator.features(sentences_of(p)) for p in prefixes]).detach()


def sub_goals(generator: LeakGenerator, features: Tensor) -> Tensor:
    """(T, F) one after the features of each prefix but the whole sentence."""
    goals: Tensor = generator.goal(generator.manager(features[None, :-1])[0][0])
    return normalize(goals, dim=1)


def active_goal(generator: LeakGenerator, goals: Tensor, t: int) -> Tensor:
    """(F,) what word t, counted from 0, is written towards."""
    start = t - t % generator.block
    return goals[start - generator.block : start].sum(0) if start else generator.first_goal


def cosine(a: Tensor, b: Tensor) -> Tensor:
    return normalize(a, dim=0) @ normalize(b, dim=0)


def cosines(
    generator: LeakGenerator, discriminator: CnnDiscriminator, words: list[int]
) -> list[Tensor]:
    """Of each block: its goal with what changed from its start to its end, or the sentence's."""
    features = features_alone(discriminator, words)
    goals = sub_goals(generator, features)
    found = []
    for start in range(0, len(words), generator.block):
        end = min(start + generator.block, len(words))
        change = features[end] - features[start]
        found.append(cosine(change, active_goal(generator, goals, start)))
    return found


def test_another_discriminator_than_a_cnn_is_refused() -> None:
    with pytest.raises(ValueError, match="CNN discriminator"):
        LeakGenerator(WORDS, None, LONGEST, seeded(0), RnnDiscriminator(WORDS, seeded(0)))  # type: ignore[arg-type]


def test_the_generator_owns_nothing_of_the_discriminator(
    generator: LeakGenerator, discriminator: CnnDiscriminator
) -> None:
    features = sum(discriminator.maps)
    lstm = 4 * 6 * (6 + 2)
    manager = lstm + 4 * 6 * features + 6 * features + features + features
    worker = lstm + 4 * 6 * 5 + (WORDS + 1) * 5 + features * 3 + WORDS * (6 + 1) * 3

    assert sum(value.numel() for value in generator.parameters()) == manager + worker
    assert sum(value.numel() for value in generator.state_dict().values()) == manager + worker
    assert not set(generator.modules()) & set(discriminator.modules())


@pytest.mark.parametrize("worker_reward", ["q", "intrinsic"])
def test_the_generators_losses_do_not_reach_the_discriminator(
    discriminator: CnnDiscriminator, worker_reward: str
) -> None:
    generator = make_generator(discriminator, worker_reward=worker_reward)
    by_step = super(LeakGenerator, generator).log_probs(SENTENCES)
    losses = generator.loss(SENTENCES), generator.loss(SENTENCES, random_rewards())
    for loss in (*losses, -generator.log_probs(SENTENCES).sum(), -by_step.sum()):
        loss.backward()  # type: ignore[no-untyped-call]

    assert all(value.grad is not None for value in generator.parameters())
    assert all(value.grad is None for value in discriminator.parameters())


def test_the_discriminators_loss_does_not_reach_the_generator(
    generator: LeakGenerator, discriminator: CnnDiscriminator
) -> None:
    fake = sample(generator, 4, seeded(0))
    logits = discriminator.real_logit(SENTENCES), discriminator.real_logit(fake)
    discriminator_loss(*logits).backward()  # type: ignore[no-untyped-call]

    assert all(value.grad is not None for value in discriminator.parameters())
    assert all(value.grad is None for value in generator.parameters())


def test_the_worker_does_not_teach_the_manager(generator: LeakGenerator) -> None:
    found = gradients(generator, generator.log_probs(SENTENCES).sum())

    assert {name for name, value in found.items() if not value.any()} == {
        name for name in found if is_managers(name)
    }


def test_the_manager_does_not_teach_the_worker(
    generator: LeakGenerator, discriminator: CnnDiscriminator
) -> None:
    term = sum(sum(cosines(generator, discriminator, words)) for words in ROWS)
    assert isinstance(term, Tensor)
    found = gradients(generator, term)

    assert {name for name, value in found.items() if value.any()} == {
        name for name in found if is_managers(name)
    }


@pytest.mark.parametrize("weighted", [False, True])
def test_the_loss_is_the_workers_likelihood_and_the_managers_cosines(
    generator: LeakGenerator, discriminator: CnnDiscriminator, weighted: bool
) -> None:
    rewards = random_rewards() if weighted else SENTENCES.mask.float()
    worker = (generator.log_probs(SENTENCES) * rewards).sum()
    manager = sum(
        rewards[row, block * BLOCK] * value
        for row, words in enumerate(ROWS)
        for block, value in enumerate(cosines(generator, discriminator, words))
    )
    expected = -(worker + manager) / len(ROWS)
    loss = generator.loss(SENTENCES, rewards if weighted else None)

    torch.testing.assert_close(loss, expected)
    by_hand = gradients(generator, expected)
    for name, value in gradients(generator, loss).items():
        torch.testing.assert_close(value, by_hand[name], atol=1e-5, rtol=1e-4, msg=name)


def test_each_cosine_has_the_weight_of_its_own_block(
    generator: LeakGenerator, discriminator: CnnDiscriminator
) -> None:
    """Two blocks: words 6 and 0, then word 2, where the end cuts the block short."""
    row, words = 1, ROWS[1]
    log_probs = generator.log_probs(SENTENCES)[row]
    by_hand = cosines(generator, discriminator, words)
    assert len(by_hand) == 2
    for block, start in enumerate((0, 2)):
        weights = torch.zeros(SENTENCES.tokens.shape)
        weights[row, start] = 3.0
        found = -generator.loss(SENTENCES, weights) * len(ROWS) / 3 - log_probs[start]
        torch.testing.assert_close(found, by_hand[block])


def test_logits_are_a_matrix_of_the_worker_times_the_embedded_goal(
    generator: LeakGenerator, discriminator: CnnDiscriminator
) -> None:
    words = ROWS[4]
    goals = sub_goals(generator, features_alone(discriminator, words))
    inputs = torch.tensor([[generator.bos, *words[:-1]]])
    hidden = generator.worker(generator.embedding(inputs))[0][0]
    output = generator.output.view(WORDS, 7, 3)
    state = generator.start(1)
    for t in range(len(words)):
        embedded = generator.goal_embedding.weight @ active_goal(generator, goals, t)
        embedded = embedded / embedded.norm()
        matrix = torch.einsum("h,vhk->vk", hidden[t], output[:, :-1]) + output[:, -1]
        logits, state = generator.step(state, inputs[:, t])
        torch.testing.assert_close(logits[0], matrix @ embedded)


def test_the_first_goal_leads_the_first_block_and_the_manager_all_others(
    generator: LeakGenerator,
) -> None:
    whole = sentences_of([5, 1, 0, 2, 6, 3])
    before = generator.log_probs(whole)[0].detach()

    def changed(value: Tensor) -> list[bool]:
        """Which words have another probability once the value is another."""
        kept = value.detach().clone()
        with torch.no_grad():
            value.copy_(torch.randn(value.shape, generator=seeded(3)))
            after = generator.log_probs(whole)[0]
            value.copy_(kept)
        return ((after - before).abs() > 1e-5).tolist()

    assert changed(generator.first_goal) == [True] * BLOCK + [False] * 4
    assert changed(generator.goal.weight) == [False] * BLOCK + [True] * 4


def test_intrinsic_rewards_are_means_over_the_last_sub_goals(
    discriminator: CnnDiscriminator,
) -> None:
    generator = make_generator(discriminator, worker_reward="intrinsic", block=3)
    rewards = random_rewards()
    log_probs = generator.log_probs(SENTENCES)
    total = torch.zeros(())
    for row, words in enumerate(ROWS):
        features = features_alone(discriminator, words)
        goals = sub_goals(generator, features).detach()
        for t in range(1, len(words) + 1):
            met = [
                cosine(features[t] - features[t - back], goals[t - back])
                for back in range(1, min(3, t) + 1)
            ]
            total = total + torch.stack(met).sum() / 3 * log_probs[row, t - 1]
        for block, value in enumerate(cosines(generator, discriminator, words)):
            total = total + rewards[row, 3 * block] * value
    loss = generator.loss(SENTENCES, rewards)

    torch.testing.assert_close(loss, -total / len(ROWS))
    by_hand = gradients(generator, -total / len(ROWS))
    for name, value in gradients(generator, loss).items():
        torch.testing.assert_close(value, by_hand[name], atol=1e-5, rtol=1e-4, msg=name)


def test_maximum_likelihood_knows_no_intrinsic_reward(discriminator: CnnDiscriminator) -> None:
    q, intrinsic = (make_generator(discriminator, worker_reward=r) for r in ("q", "intrinsic"))

    assert torch.equal(q.loss(SENTENCES), intrinsic.loss(SENTENCES))
    assert q.loss(SENTENCES, random_rewards()) != intrinsic.loss(SENTENCES, random_rewards())


def test_intrinsic_rewards_of_sentences_much_shorter_than_a_block(
    discriminator: CnnDiscriminator,
) -> None:
    generator = make_generator(discriminator, worker_reward="intrinsic", block=8)
    short = sentences_of([3, 1, 2], [4])
    found = gradients(generator, generator.loss(short, torch.ones(2, 3)))

    assert bool(found["output"].any()) and bool(found["first_goal"].any())


@pytest.mark.parametrize("kind", ["none", "rank"])
def test_swapping_two_rewards_changes_both_gradients(generator: LeakGenerator, kind: str) -> None:
    """In LeakGAN's release the manager's would not: the sum of the rewards is the same."""
    fake = sentences_of([1, 2, 3, 4], [5, 6, 0, 2], [3, 3, 1, 0])
    rewards = torch.tensor([[0.9, 0.9, 0.2, 0.2], [0.1, 0.1, 0.6, 0.6], [0.4, 0.4, 0.5, 0.5]])
    one, other = (
        gradients(generator, generator.loss(fake, rescale(values, fake.mask, kind)))  # type: ignore[arg-type]
        for values in (rewards, rewards[[1, 0, 2]])
    )

    for name, value in one.items():
        difference = (value - other[name]).norm() / value.norm()
        assert difference > 1e-2, name


def test_a_constant_reward_is_maximum_likelihood_of_the_own_sentences(
    generator: LeakGenerator, discriminator: CnnDiscriminator
) -> None:
    with torch.no_grad():
        for value in discriminator.output.parameters():
            value.zero_()
    fake = sample(generator, 6, seeded(0))
    rewards = rollout_rewards(generator, discriminator, fake, 2, seeded(0), every=BLOCK)
    assert rewards.eq(0.5).all()
    plain = gradients(generator, generator.loss(fake))
    for name, gradient in gradients(generator, generator.loss(fake, rewards)).items():
        assert torch.equal(gradient, plain[name] / 2), name

    ranked = rescale(rewards, fake.mask, "rank")
    share = 1 / (1 + math.exp(-12 * (0.5 - 3.5 / 6)))
    for name, gradient in gradients(generator, generator.loss(fake, ranked)).items():
        torch.testing.assert_close(gradient, plain[name] * share, msg=name)

    nothing = subtract_baseline(rewards, fake.mask, "batch_mean")
    found = gradients(generator, generator.loss(fake, nothing))
    assert not any(value.any() for value in found.values())


def test_rewards_of_blocks_depend_on_the_own_sentence_only(generator: LeakGenerator) -> None:
    judge = Judge(lambda sentences: (sentences.tokens[:, 0] + 1) / 10)
    fake = sample(generator, 8, seeded(0))
    found = rollout_rewards(generator, judge, fake, 3, seeded(0), every=4)

    expected = (fake.tokens[:, :1] + 1) / 10
    torch.testing.assert_close(found, expected.expand(8, LONGEST).double())
    # The sentences, then three completions of each beginning of four and of eight words.
    assert [len(shown) for shown in judge.judged] == [8, 24, 24]
    for shown, t in zip(judge.judged[1:], (4, 8), strict=True):
        begins = fake.tokens[:, :t].repeat_interleave(3, 0)
        assert torch.equal(shown.tokens[:, :t], begins)


def test_a_block_has_the_reward_of_the_beginning_that_it_completes(
    generator: LeakGenerator,
) -> None:
    """D is high for sentences that begin with eight zeros."""
    fake = Sentences(torch.zeros(1, LONGEST, dtype=torch.int64), torch.tensor([LONGEST]))

    def leading_zeros(shown: Sentences) -> Tensor:
        return ((shown.tokens == 0).cumprod(1).sum(1) >= 8) * 0.5 + 0.25

    found = rollout_rewards(generator, Judge(leading_zeros), fake, 400, seeded(0), every=4)[0]
    chance = generator.log_probs(fake)[0, 4:8].sum().exp().item()

    assert found[:4].eq(found[0]).all()
    assert found[0].item() == pytest.approx(0.25 + 0.5 * chance, abs=0.5 * 6 * 0.5 / 20)
    assert found[4:].tolist() == [0.75] * 5


@pytest.mark.parametrize("place", [0, BLOCK, LONGEST - 1])
def test_the_rewarded_word_becomes_likelier(generator: LeakGenerator, place: int) -> None:
    """Only the word at one place has a reward, and only where it is word 1."""
    fake = Sentences(torch.full((WORDS, LONGEST), 2), torch.full((WORDS,), LONGEST))
    fake.tokens[:, place] = torch.arange(WORDS)
    weights = torch.zeros(WORDS, LONGEST)
    weights[1, place] = 1.0
    before = generator.log_probs(fake)[:, place].detach()
    optimizer = torch.optim.SGD(generator.parameters(), lr=0.1)
    generator.loss(fake, weights).backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    after = generator.log_probs(fake)[:, place].detach()

    torch.testing.assert_close(before.exp().sum(), torch.tensor(1.0))
    assert after[1] > before[1]


def test_a_rewarded_block_makes_the_manager_aim_where_it_went(
    generator: LeakGenerator, discriminator: CnnDiscriminator
) -> None:
    words = ROWS[0]
    weights = torch.zeros(1, len(words))
    weights[0, BLOCK] = 1.0
    before = cosines(generator, discriminator, words)[1].item()
    optimizer = torch.optim.SGD(generator.parameters(), lr=0.1)
    generator.loss(sentences_of(words), weights).backward()  # type: ignore[no-untyped-call]
    optimizer.step()

    assert cosines(generator, discriminator, words)[1].item() > before
