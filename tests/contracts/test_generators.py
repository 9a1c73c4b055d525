"""What every generator promises. A new generator is one more row in `CASES`."""

import copy
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import torch
from fakes import (
    FixedGenerator,
    Judge,
    assert_likely,
    lists_of,
    oracle_arrays,
    seeded,
    sentences_of,
    write_arrays,
)
from tiny_models import Kind, word_model
from torch import Tensor, nn

from contracts.rows import each_of
from sda.models.branching import State, select
from sda.models.causal_cnn import CnnGenerator
from sda.models.cnn import CnnDiscriminator
from sda.models.copying import CopyingGenerator
from sda.models.encoder_decoder import EncoderDecoder
from sda.models.generator import Frame, Generator, without_dropout
from sda.models.leak import LeakGenerator
from sda.models.oracle import load_oracle, random_oracle
from sda.models.rewriter import Rewriter
from sda.models.rnn import RnnGenerator
from sda.models.transformer import TransformerGenerator
from sda.models.transformer_rewriter import TransformerRewriter
from sda.rewards import rollout_rewards
from sda.sampling import sample
from sda.text.context import Context
from sda.text.model_tokens import ModelVocabulary
from sda.text.sentences import Sentences
from sda.text.tokens import tokenizer

WORDS, LONGEST, LABELS = 4, 3, 3
Build = Callable[[torch.Generator], Generator]


def rnn(rng: torch.Generator, eos: int | None = 0, **settings: object) -> Generator:
    sizes = {"embedding": 6, "hidden": 6, "init_std": 0.8} | settings
    return RnnGenerator(Frame(WORDS, eos, LONGEST), rng, **sizes)  # type: ignore[arg-type]


def transformer(rng: torch.Generator, eos: int | None = 0, **settings: object) -> Generator:
    sizes = {"width": 8, "heads": 2, "feedforward": 12, "init_std": 0.5} | settings
    return TransformerGenerator(Frame(WORDS, eos, LONGEST), rng, **sizes)  # type: ignore[arg-type]


def cnn(rng: torch.Generator, eos: int | None = 0, **settings: object) -> Generator:
    sizes = {"channels": 6, "layers": 2, "init_std": 0.8} | settings
    return CnnGenerator(Frame(WORDS, eos, LONGEST), rng, **sizes)  # type: ignore[arg-type]


def leak(rng: torch.Generator, eos: int | None = 0, **settings: object) -> Generator:
    """All rows read one discriminator: its weights are no part of the generator's."""
    discriminator = CnnDiscriminator(WORDS, seeded(0), 3, widths=(1, 2, 4), maps=(3, 3, 2))
    sizes = {"embedding": 5, "hidden": 6, "goal_size": 3, "block": 2, "init_std": 0.8} | settings
    return LeakGenerator(Frame(WORDS, eos, LONGEST), rng, discriminator, **sizes)  # type: ignore[arg-type]


def copying(rng: torch.Generator, eos: int | None = 0, **settings: object) -> Generator:
    sizes = {
        "writable": None,
        "embedding": 6,
        "reading": 5,
        "hidden": 6,
        "init_std": 0.8,
    } | settings
    return Rewriter(Frame(WORDS, eos, LONGEST), rng, LABELS, **sizes)  # type: ignore[arg-type]


def transformer_copying(rng: torch.Generator, eos: int | None = 0, **settings: object) -> Generator:
    sizes = {"width": 8, "layers": 2, "heads": 2, "feedforward": 12, "init_std": 0.5}
    sizes = {"writable": None} | sizes | settings
    frame = Frame(WORDS, eos, LONGEST)
    return TransformerRewriter(frame, rng, LABELS, **sizes)  # type: ignore[arg-type]


def rewriter(rng: torch.Generator, eos: int | None = 0, **settings: object) -> Generator:
    sizes = {"embedding": 6, "hidden": 6, "init_std": 0.8} | settings
    return EncoderDecoder(Frame(WORDS, eos, LONGEST), rng, **sizes)  # type: ignore[arg-type]


def stored_oracle(rng: torch.Generator) -> Generator:
    """An oracle read from a file, whose first input is an ordinary word."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "oracle.npz"
        write_arrays(path, oracle_arrays(WORDS, embedding=3, hidden=5, rng=rng))
        return load_oracle(path, LONGEST)


# The colon makes the last word of each one that the model does not know.
NAMES = ("w1 is", "w2 w1 is", "w3 is")


def pretrained(
    rng: torch.Generator,
    kind: Kind,
    has_bos: bool = False,
    lora: int = 0,
    names: tuple[str, ...] = (),
    **more: float,
) -> Generator:
    """A folder's model, whose learned weights are others for each rng."""
    from sda.pretrained.causal import PretrainedGenerator

    folder = word_model(kind, WORDS, has_bos, **more)
    vocabulary = ModelVocabulary.read(folder, tokenizer("whitespace"), has_prompts=False)
    frame = Frame(len(vocabulary), vocabulary.eos, LONGEST)
    made = PretrainedGenerator(frame, rng, vocabulary, str(folder), lora, label_names=names)
    with torch.no_grad():
        for value in made.state_dict(keep_vars=True).values():
            value += 0.2 * torch.randn(value.shape, generator=rng)
    return made


CASES: dict[str, Build] = {
    "lstm": rnn,
    "gru": partial(rnn, cell="gru"),
    "lstm of two layers": partial(rnn, layers=2, embedding=5),
    "gru of two layers": partial(rnn, cell="gru", layers=2, embedding=5),
    "tied": partial(rnn, tied=True),
    "with dropout": partial(rnn, dropout=0.5, layers=2),
    "tied gru with dropout": partial(rnn, cell="gru", tied=True, dropout=0.3),
    "fixed length": partial(rnn, eos=None),
    "end symbol is the last id": partial(rnn, eos=WORDS - 1),
    "transformer": transformer,
    "transformer with learned positions": partial(transformer, positions="learned"),
    "transformer of one layer, not tied": partial(transformer, layers=1, tied=False),
    "transformer with dropout": partial(transformer, dropout=0.5),
    "learned positions, not tied, with dropout": partial(
        transformer, positions="learned", tied=False, dropout=0.3
    ),
    "transformer of fixed length": partial(transformer, eos=None),
    "learned positions of fixed length": partial(transformer, eos=None, positions="learned"),
    "transformer of one head": partial(transformer, heads=1, eos=WORDS - 1),
    "cnn": cnn,
    "cnn of four layers": partial(cnn, layers=4, init_std=0.5),
    "cnn that sees one word": partial(cnn, width=1),
    "cnn that sees two words": partial(cnn, width=2, layers=1),
    "tied cnn": partial(cnn, tied=True),
    "cnn with dropout": partial(cnn, dropout=0.5),
    "cnn of fixed length": partial(cnn, eos=None),
    "leak": leak,
    "leak with a goal for each word": partial(leak, block=1, eos=WORDS - 1),
    "leak of fixed length": partial(leak, eos=None),
    "leak with dropout": partial(leak, dropout=0.5),
    "leak with intrinsic rewards": partial(leak, worker_reward="intrinsic"),
    "lstm with a label": partial(rnn, labels=LABELS),
    "gru of two layers with a label": partial(rnn, cell="gru", layers=2, labels=LABELS),
    "transformer with a label": partial(transformer, labels=LABELS),
    "learned positions with a label and dropout": partial(
        transformer, positions="learned", labels=LABELS, dropout=0.3
    ),
    "cnn with a label": partial(cnn, labels=LABELS),
    "encoder-decoder": rewriter,
    "encoder-decoder with a label": partial(rewriter, labels=LABELS),
    "tied encoder-decoder of fixed length": partial(rewriter, tied=True, eos=None),
    "encoder-decoder with dropout": partial(rewriter, dropout=0.5),
    "copying": copying,
    "copying, with one word of its own and the end": partial(copying, writable=2),
    "copying, of fixed length": partial(copying, eos=None),
    "copying, with dropout": partial(copying, dropout=0.5),
    "transformer, copying": transformer_copying,
    "transformer, copying, with dropout": partial(transformer_copying, dropout=0.5, writable=2),
    "random oracle": lambda rng: random_oracle(WORDS, LONGEST, 5, rng),
    "stored oracle": stored_oracle,
    "pretrained llama": partial(pretrained, kind="llama", has_bos=True),
    "pretrained llama with an adapter": partial(pretrained, kind="llama", has_bos=True, lora=2),
    "pretrained gpt-2, tied, with dropout": partial(
        pretrained, kind="gpt2", attn_pdrop=0.5, resid_pdrop=0.5, embd_pdrop=0.5
    ),
    "pretrained llama with a label": partial(pretrained, kind="llama", has_bos=True, names=NAMES),
    "pretrained gpt-2 with a label": partial(pretrained, kind="gpt2", names=NAMES),
    "start and step alone": lambda rng: FixedGenerator([0.1, 0.2, 0.3, 0.4], 0, LONGEST),
}


SOURCES = sentences_of([1, 2, 0], [3, 0], [2, 2, 1, 3, 0])


def things(generator: Generator, numbers: Tensor) -> Context | None:
    """The contexts with these numbers; None for a generator that writes about nothing."""
    labels = numbers if getattr(generator, "labels", None) is not None else None
    reads = isinstance(generator, EncoderDecoder | CopyingGenerator)
    source = SOURCES[numbers] if reads else None
    return None if labels is None and source is None else Context(labels, source)


def thing(generator: Generator, n: int, number: int = 0) -> Context | None:
    """n times the same context."""
    return things(generator, torch.full((n,), number))


build = each_of(CASES)


@pytest.fixture
def generator(build: Build) -> Generator:
    return build(seeded(3))


def every_sentence(generator: Generator, number: int = 0) -> Sentences:
    """All sentences that the generator can write about one thing."""
    finished: list[list[int]] = []
    going: list[list[int]] = [[]]
    for _ in range(LONGEST):
        longer = [[*words, word] for words in going for word in range(WORDS)]
        finished += [words for words in longer if words[-1] == generator.eos]
        going = [words for words in longer if words[-1] != generator.eos]
    sentences = sentences_of(*finished, *going)
    return sentences.about(thing(generator, len(sentences), number))


def samples(generator: Generator, n: int, seed: int) -> Sentences:
    return sample(generator, n, seeded(seed), context=thing(generator, n))


def parameters(generator: Generator) -> list[Tensor]:
    return [value for value in generator.parameters() if value.requires_grad]


def deep_copy(state: State) -> State:
    if isinstance(state, Tensor):
        return state.clone()
    return tuple(deep_copy(part) for part in state)


def assert_same(a: State, b: State) -> None:
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        torch.testing.assert_close(a, b)
        return
    assert isinstance(a, tuple) and isinstance(b, tuple)
    for one, other in zip(a, b, strict=True):
        assert_same(one, other)


def test_one_pass_scores_as_step_does(generator: Generator) -> None:
    sentences = every_sentence(generator)
    with without_dropout(generator):
        by_pass = generator.log_probs(sentences)
        by_step = Generator.log_probs(generator, sentences)

    torch.testing.assert_close(by_pass, by_step, atol=1e-5, rtol=1e-5)
    assert by_pass.shape == sentences.tokens.shape
    assert not by_pass[~sentences.mask].any()


def test_probabilities_of_all_sentences_add_up_to_one(generator: Generator) -> None:
    with without_dropout(generator), torch.no_grad():
        total = generator.log_probs(every_sentence(generator)).sum(1).exp().sum()

    assert float(total) == pytest.approx(1, abs=1e-5)


@torch.no_grad()
def test_step_leaves_its_argument_alone(generator: Generator) -> None:
    tokens = torch.tensor([1, 2, 3])
    _, state = generator.step(generator.start(3, thing(generator, 3)), tokens)
    before = deep_copy(state)
    generator.step(state, tokens)

    assert_same(state, before)
    assert tokens.tolist() == [1, 2, 3]


@torch.no_grad()
def test_a_branched_state_equals_a_fresh_one(generator: Generator) -> None:
    def read(rows: Tensor, about: Tensor) -> State:
        state = generator.start(len(rows), things(generator, about))
        for column in rows.unbind(1):
            _, state = generator.step(state, column)
        return state

    prefixes = torch.tensor([[1, 2], [2, 2], [3, 1]])
    rows = torch.tensor([2, 0, 0, 2])
    following = torch.tensor([1, 1, 3, 2])
    with without_dropout(generator):
        about = torch.arange(3)
        branched, after = generator.step(select(read(prefixes, about), rows), following)
        fresh, expected = generator.step(read(prefixes[rows], about[rows]), following)

    torch.testing.assert_close(branched, fresh)
    assert_same(after, expected)


def test_gradients_reach_every_parameter(generator: Generator) -> None:
    trained = parameters(generator)
    # A label's vector learns from sentences about it alone.
    sentences = Sentences.join([every_sentence(generator, number) for number in range(LABELS)])
    if not trained:
        assert not generator.loss(sentences).requires_grad
        return
    generator.loss(sentences).backward()  # type: ignore[no-untyped-call]

    assert all(value.grad is not None and bool(value.grad.any()) for value in trained)


# The manager of LeakRNN adds a term of its own, which tests/models/test_leak.py works out.
@pytest.mark.parametrize("build", [n for n in CASES if not n.startswith("leak")], indirect=True)
@pytest.mark.parametrize("weighted", [False, True])
def test_loss_is_the_weighted_sum_over_time_of_the_mean_sentence(
    generator: Generator, weighted: bool
) -> None:
    sentences = every_sentence(generator)
    weights = torch.randn(sentences.tokens.shape, generator=seeded(1)) if weighted else None
    with without_dropout(generator):
        log_probs = generator.log_probs(sentences)
        loss = generator.loss(sentences, weights)
    scale = torch.ones_like(log_probs) if weights is None else weights
    by_hand = -(log_probs * scale)[sentences.mask].sum() / len(sentences)

    torch.testing.assert_close(loss, by_hand)
    if parameters(generator):
        found = torch.autograd.grad(loss, parameters(generator))
        expected = torch.autograd.grad(by_hand, parameters(generator))
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-4)


def test_sentences_that_are_expected_have_the_same_loss(generator: Generator) -> None:
    sentences = every_sentence(generator)
    batch = sentences[torch.arange(0, len(sentences), 3)]
    trained = parameters(generator)
    with without_dropout(generator):
        expected = generator.loss(batch)
        generator.expect(sentences)
        loss = generator.loss(batch)

    torch.testing.assert_close(loss, expected, atol=1e-5, rtol=1e-5)
    if trained:
        found, wanted = (torch.autograd.grad(value, trained) for value in (loss, expected))
        torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)


def test_padding_never_matters(generator: Generator) -> None:
    sentences = every_sentence(generator)
    short = sentences[sentences.lengths == sentences.lengths.min()].trimmed()
    width = short.tokens.shape[1]
    garbage = torch.full((len(short), 5), WORDS - 1)
    wider = Sentences(torch.cat((short.tokens, garbage), 1), short.lengths, short.context)
    company = Sentences.join([short, sentences])
    weights = torch.randn(len(short), width + 5, generator=seeded(1))
    with without_dropout(generator):
        alone = generator.log_probs(short)
        beside = generator.log_probs(company)[: len(short)]
        torch.testing.assert_close(generator.log_probs(wider)[:, :width], alone)
        torch.testing.assert_close(beside[:, :width], alone)
        assert not beside[:, width:].any()
        torch.testing.assert_close(generator.loss(wider), generator.loss(short))
        torch.testing.assert_close(generator.loss(wider, weights), generator.loss(short, weights))


def test_sampled_frequencies_match_probabilities(generator: Generator) -> None:
    sentences = every_sentence(generator)
    with without_dropout(generator), torch.no_grad():
        probabilities = generator.log_probs(sentences).double().sum(1).exp()
    places = {tuple(words): i for i, words in enumerate(lists_of(sentences))}
    found = torch.tensor([places[tuple(w)] for w in lists_of(samples(generator, 8000, 5))])

    assert_likely(torch.bincount(found, minlength=len(places)), probabilities)


def assert_ended(generator: Generator, sentences: Sentences) -> None:
    """Every sentence ends with its first end symbol, or else at the longest length."""
    ends = (sentences.tokens == generator.eos) & sentences.mask
    last = sentences.tokens.gather(1, sentences.lengths[:, None] - 1)[:, 0]

    assert sentences.tokens.shape[1] == LONGEST
    assert not sentences.tokens[~sentences.mask].any()
    if generator.eos is None:
        assert sentences.lengths.eq(LONGEST).all()
    else:
        assert ((last == generator.eos) | (sentences.lengths == LONGEST)).all()
        assert torch.equal(ends.sum(1), (last == generator.eos).long())


def test_a_sample_ends_where_its_length_says(generator: Generator) -> None:
    sentences = samples(generator, 300, 5)

    assert len(sentences) == 300
    assert_ended(generator, sentences)


def test_rollouts_end_where_a_sentence_does(generator: Generator) -> None:
    sentences = samples(generator, 30, 5)
    judge = Judge(lambda shown: torch.full((len(shown),), 0.5))
    rollout_rewards(generator, judge, sentences, 2, seeded(6))
    completed = judge.judged[1:]

    # Two for each beginning that has not ended, and none of a whole sentence.
    assert sum(map(len, completed)) == 2 * int((sentences.lengths - 1).sum())
    for finished in completed:
        assert_ended(generator, finished)


def test_sampling_follows_the_seed(generator: Generator) -> None:
    one, same, other = (samples(generator, 50, seed).tokens for seed in (1, 1, 2))

    assert torch.equal(one, same)
    assert not torch.equal(one, other)


def test_weights_can_be_saved_and_loaded(build: Build) -> None:
    one, other = build(seeded(3)), build(seeded(4))
    saved = copy.deepcopy(one.state_dict())
    other.load_state_dict(saved)
    sentences = every_sentence(one)
    with without_dropout(one), without_dropout(other):
        assert torch.equal(one.log_probs(sentences), other.log_probs(sentences))


def test_dropout_is_off_in_sampling_and_on_again_after_it(generator: Generator) -> None:
    dropouts = [layer for layer in generator.modules() if isinstance(layer, nn.Dropout)]
    modes = [layer.training for layer in generator.modules()]
    untouched = torch.get_rng_state()
    with_dropout = samples(generator, 100, 2)
    assert [layer.training for layer in generator.modules()] == modes
    assert torch.equal(torch.get_rng_state(), untouched)

    for layer in dropouts:
        layer.p = 0.0
    assert torch.equal(samples(generator, 100, 2).tokens, with_dropout.tokens)


def test_what_it_makes_of_words_is_told_word_by_word(generator: Generator) -> None:
    sentences = every_sentence(generator)
    states = generator.word_states(sentences)
    with without_dropout(generator):
        log_probs = generator.log_probs(sentences)[sentences.mask]
    garbage = torch.full((len(sentences), 2), WORDS - 1)
    wider = Sentences(torch.cat((sentences.tokens, garbage), 1), sentences.lengths)
    alone = [generator.word_states(sentences[i : i + 1]) for i in (0, 2, len(sentences) - 1)]
    starts = torch.cat((torch.zeros(1, dtype=torch.int64), sentences.lengths.cumsum(0)))

    assert len(states) == int(sentences.lengths.sum()) and not states.requires_grad
    assert bool(states.isfinite().all())
    # The last two numbers of a word are its log-probability and the entropy.
    torch.testing.assert_close(states[:, -2], log_probs, atol=1e-5, rtol=1e-5)
    assert bool((states[:, -1] >= 0).all())
    torch.testing.assert_close(generator.word_states(wider.about(sentences.context)), states)
    for i, own in zip((0, 2, len(sentences) - 1), alone, strict=True):
        torch.testing.assert_close(states[starts[i] : starts[i + 1]], own)
