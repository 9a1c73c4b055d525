import pytest
import torch
from fakes import seeded, sentences_of
from torch import Tensor

from models.leak_by_hand import (
    BLOCK,
    LONGEST,
    ROWS,
    SENTENCES,
    WORDS,
    active_goal,
    cosine,
    cosines,
    features_alone,
    gradients,
    is_managers,
    make_generator,
    random_rewards,
    sub_goals,
)
from sda.models.cnn import CnnDiscriminator
from sda.models.generator import Frame
from sda.models.leak import LeakGenerator
from sda.models.rnn import RnnDiscriminator
from sda.sampling import sample
from sda.training.steps import discriminator_loss


def test_another_discriminator_than_a_cnn_is_refused() -> None:
    with pytest.raises(ValueError, match="CNN discriminator"):
        LeakGenerator(Frame(WORDS, None, LONGEST), seeded(0), RnnDiscriminator(WORDS, seeded(0)))  # type: ignore[arg-type]


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
