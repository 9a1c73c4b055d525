"""A generator whose words a judge weighs as they are written."""

import torch
from fakes import seeded, sentences_of
from torch.nn.functional import binary_cross_entropy_with_logits, logsigmoid

from sda.models.branching import select
from sda.models.discriminator import Discriminator
from sda.models.generator import Frame, Generator, without_dropout
from sda.models.guided import Guided, can_guide
from sda.models.panel import Panel
from sda.models.rnn import RnnDiscriminator, RnnGenerator
from sda.models.surface_judge import SurfaceJudge
from sda.models.transformer import TransformerGenerator
from sda.models.word_judge import Pooling, WordJudge
from sda.sampling import Decoding, sample
from sda.text.sentences import Sentences

WORDS = 6
EXAMPLE = sentences_of([1, 2, 3])


def writer(seed: int = 0) -> RnnGenerator:
    return RnnGenerator(Frame(WORDS, 0, 5), seeded(seed), embedding=4, hidden=4, init_std=0.7)


def panel_of(reader: Generator, pooling: Pooling = "product") -> Panel:
    """Three judges that have learned to dislike sentences with a three."""
    written = sample(reader, 400, seeded(2))
    is_real = ~has_three(written)
    torch.manual_seed(0)
    judges = [WordJudge(reader, EXAMPLE, seeded(n), 8, 0.0, pooling) for n in (1, 2, 3)]
    for one in judges:
        logits = one.begin_fit(written)
        optimizer = torch.optim.Adam(one.network.parameters(), lr=0.02)
        for _ in range(40):
            loss = binary_cross_entropy_with_logits(
                logits(torch.arange(len(written))), is_real.float()
            )
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
    return Panel(judges)


def has_three(sentences: Sentences) -> torch.Tensor:
    return ((sentences.tokens == 3) & sentences.mask).any(1)


def log_d(judge: Discriminator, tokens: list[int]) -> float:
    with torch.no_grad(), without_dropout(judge):
        return float(logsigmoid(judge.real_logit(sentences_of(tokens))))


def test_verdicts_on_words_multiply_to_that_on_the_sentence() -> None:
    for reader in (writer(), TransformerGenerator(Frame(WORDS, 0, 5), seeded(0), 8, 1, 2, 8)):
        judge = panel_of(reader)
        guided = Guided(writer(5), judge, strength=1.0)
        words = [3, 1, 2, 4, 0]
        total = 0.0
        with torch.no_grad(), without_dropout(guided):
            _, state = guided.step(guided.start(1), torch.tensor([guided.bos]))
            for place, word in enumerate(words):
                found = guided.passing(state, torch.tensor([word]))
                assert found <= 0
                total += float(found)
                # A beginning has the product of its own words.
                assert abs(total - log_d(judge, words[: place + 1])) < 1e-4
                _, state = guided.step(state, torch.tensor([word]))


def test_the_next_word_is_as_likely_as_both_say() -> None:
    generator = writer()
    guided = Guided(generator, panel_of(generator), strength=1.0)
    with torch.no_grad(), without_dropout(guided):
        logits, state = guided.step(guided.start(1), torch.tensor([guided.bos]))
        every = torch.arange(WORDS)
        passing = guided.passing(select(state, torch.zeros(WORDS).long()), every)
    expected = (logits[0].log_softmax(0) + passing).softmax(0)
    plain = logits[0].softmax(0)

    first = sample(guided, 20_000, seeded(1), max_length=1).tokens[:, 0]
    found = first.bincount(minlength=WORDS) / len(first)

    assert (found - expected).abs().max() < 0.015
    assert (plain - expected).abs().max() > 0.05


def test_the_stronger_the_guide_the_rarer_is_what_the_judge_dislikes() -> None:
    generator = writer()
    judge = panel_of(generator)
    plain, weighed, strict = (
        float(has_three(sample(Guided(generator, judge, strength), 2000, seeded(2))).float().mean())
        for strength in (0.0, 1.0, 8.0)
    )

    assert plain > weighed + 0.1 and weighed > strict + 0.03


def test_a_guide_that_refuses_nothing_changes_nothing_but_the_random_numbers() -> None:
    generator = writer()
    free = Guided(generator, panel_of(generator), strength=0.0)
    one = sample(free, 20, seeded(3))

    assert len(one) == 20 and torch.equal(one.tokens, sample(free, 20, seeded(3)).tokens)
    torch.testing.assert_close(free.log_probs(one), generator.log_probs(one))


def test_where_every_word_is_refused_the_least_bad_one_stands() -> None:
    generator = writer()
    judge = panel_of(generator)
    for member in judge.each():
        torch.nn.init.constant_(member.network[-1].bias, -60.0)  # type: ignore[union-attr, index]
    strict = Guided(generator, judge, strength=1000.0)
    written = sample(strict, 50, seeded(4), Decoding(top_k=3))

    assert (written.lengths >= 1).all() and len(written) == 50


def test_rows_do_not_know_of_each_other() -> None:
    generator = writer()
    guided = Guided(generator, panel_of(generator), strength=1.0)
    tokens = torch.tensor([2, 4, 1])
    with torch.no_grad(), without_dropout(guided):
        _, state = guided.step(guided.start(3), torch.full((3,), guided.bos))
        _, state = guided.step(state, tokens)
        together = guided.passing(state, tokens)
        rows = torch.tensor([2, 0])
        apart = guided.passing(select(state, rows), tokens[rows])

    torch.testing.assert_close(apart, together[rows])


def test_who_can_guide() -> None:
    generator = writer()

    assert can_guide(panel_of(generator))
    assert not can_guide(panel_of(generator, "sum"))
    assert not can_guide(Panel([SurfaceJudge(WORDS, seeded(1), pooling="product")]))
    assert not can_guide(Panel([RnnDiscriminator(WORDS, seeded(1), 2, 2)]))
    assert not can_guide(RnnDiscriminator(WORDS, seeded(1), 2, 2))
