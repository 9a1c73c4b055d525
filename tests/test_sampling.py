import math

import pytest
import torch
from fakes import FixedGenerator, assert_likely, lists_of, seeded, sentences_of
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from sda import devices
from sda.models.generator import Frame
from sda.models.rnn import RnnGenerator
from sda.sampling import LEAST_TEMPERATURE, Decoded, Decoding, complete, pick, sample

NEVER = float("-inf")


def frequencies(logits: list[float], draws: int = 20_000) -> Tensor:
    """(V,) how often each word is picked."""
    picked = pick(torch.tensor(logits, dtype=torch.float32).expand(draws, -1), seeded(1))
    return torch.bincount(picked, minlength=len(logits))


@pytest.mark.parametrize("words", [1, 2, 3, 5, 9, 10, 37, 144, 150])
def test_words_are_picked_with_their_probabilities(words: int) -> None:
    logits = torch.randn(words, generator=seeded(words))

    assert_likely(frequencies(logits.tolist()), logits.softmax(0))


@pytest.mark.parametrize(
    ("logits", "probabilities"),
    [
        ([NEVER, 0, NEVER, 0, NEVER], [0, 0.5, 0, 0.5, 0]),
        ([NEVER, NEVER, NEVER, NEVER, 3], [0, 0, 0, 0, 1]),
        ([3, NEVER, NEVER, NEVER, NEVER], [1, 0, 0, 0, 0]),
        ([1e4, 1e4 + math.log(3), -1e4, 0], [0.25, 0.75, 0, 0]),
        ([-1e4, -1e4, NEVER], [0.5, 0.5, 0]),
        ([0, 200], [0, 1]),
    ],
)
def test_extreme_logits_are_picked_right(logits: list[float], probabilities: list[float]) -> None:
    assert_likely(frequencies(logits), torch.tensor(probabilities))


@given(
    st.lists(st.one_of(st.just(NEVER), st.floats(-200, 200, width=32)), min_size=1, max_size=70),
    st.integers(0, 2**32),
)
def test_a_word_without_probability_is_never_picked(logits: list[float], seed: int) -> None:
    if all(logit == NEVER for logit in logits):
        logits[0] = 0.0
    weights = torch.exp(torch.tensor(logits) - max(logits))
    picked = pick(torch.tensor(logits).expand(300, -1), seeded(seed))

    assert (weights[picked] > 0).all()


def test_each_row_has_logits_of_its_own() -> None:
    rows = torch.randn(2000, 50, generator=seeded(0))
    sure = torch.randint(50, (2000,), generator=seeded(1))
    rows[torch.arange(2000), sure] = 100.0

    assert torch.equal(pick(rows, seeded(2)), sure)


@pytest.mark.parametrize("words", [2, 7, 30, 64])
def test_picking_inverts_the_cumulative_distribution(
    words: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    logits = torch.randn(words, generator=seeded(words))
    ends = logits.double().softmax(0).cumsum(0)
    # Heights in the middle of each word's interval, so that rounding cannot matter.
    heights = (ends - logits.double().softmax(0) / 2).float()[:, None]
    monkeypatch.setattr(torch, "rand", lambda *_, **__: heights)

    assert pick(logits.expand(words, -1), seeded(0)).tolist() == list(range(words))


@pytest.mark.parametrize("height", [0.0, 1 - 2**-24, 1.0])
def test_rounding_at_the_ends_falls_on_a_possible_word(
    height: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    logits = torch.randn(500, 40, generator=seeded(3))
    logits[:, :9] = NEVER
    logits[:, 30:] = NEVER
    monkeypatch.setattr(torch, "rand", lambda rows, *_, **__: torch.full((rows, 1), height))
    picked = pick(logits, seeded(0))

    assert sorted(set(picked.tolist())) == ([9] if height == 0 else [29])


def probabilities(decoding: Decoding, given: list[float]) -> list[float]:
    found: list[float] = decoding.adjust(torch.tensor([given]).log()).softmax(1)[0].tolist()
    return found


@pytest.mark.parametrize(
    ("decoding", "expected"),
    [
        (Decoding(), [0.1, 0.4, 0.2, 0.3]),
        (Decoding(temperature=0.5), [1 / 30, 16 / 30, 4 / 30, 9 / 30]),
        (Decoding(temperature=LEAST_TEMPERATURE), [0, 1, 0, 0]),
        # Above what the logits' type can hold.
        (Decoding(temperature=1e50, never=1), [1 / 3, 0, 1 / 3, 1 / 3]),
        (Decoding(top_k=1), [0, 1, 0, 0]),
        (Decoding(top_k=2), [0, 4 / 7, 0, 3 / 7]),
        (Decoding(top_k=4), [0.1, 0.4, 0.2, 0.3]),
        (Decoding(top_k=99), [0.1, 0.4, 0.2, 0.3]),
        (Decoding(top_p=0.01), [0, 1, 0, 0]),
        (Decoding(top_p=0.39), [0, 1, 0, 0]),
        (Decoding(top_p=0.41), [0, 4 / 7, 0, 3 / 7]),
        (Decoding(top_p=0.71), [0, 4 / 9, 2 / 9, 3 / 9]),
        (Decoding(top_p=1.0), [0.1, 0.4, 0.2, 0.3]),
        # Of two words left by k, the first alone has 4/7 = 0.571.
        (Decoding(top_k=2, top_p=0.57), [0, 1, 0, 0]),
        (Decoding(top_k=2, top_p=0.58), [0, 4 / 7, 0, 3 / 7]),
        # Colder, the likeliest word has 16/30 = 0.533.
        (Decoding(temperature=0.5, top_p=0.53), [0, 1, 0, 0]),
    ],
)
def test_decoding_by_hand(decoding: Decoding, expected: list[float]) -> None:
    assert probabilities(decoding, [0.1, 0.4, 0.2, 0.3]) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"temperature": 0.0}, "temperature must be at least 1e-06, not 0.0"),
        ({"temperature": 1e-300}, "temperature must be at least 1e-06, not 1e-300"),
        ({"temperature": -1.0}, "temperature must be at least 1e-06"),
        ({"temperature": float("nan")}, "temperature must be at least 1e-06"),
        ({"top_k": 0}, "top_k must be at least 1"),
        ({"top_p": 0.0}, "top_p must be above 0"),
        ({"top_p": 1.1}, "top_p must be above 0 and at most 1"),
    ],
)
def test_bad_decoding_is_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Decoding(**settings)  # type: ignore[arg-type]


def test_decoding_reaches_every_word_of_a_sample() -> None:
    generator = FixedGenerator([0.1, 0.4, 0.2, 0.3], max_length=3)
    sentences = sample(generator, 200, seeded(0), Decoding(top_k=2))

    assert sorted(set(sentences.tokens.flatten().tolist())) == [1, 3]


def test_a_decoded_generator_has_the_likelihood_of_what_is_drawn() -> None:
    generator = FixedGenerator([0.1, 0.2, 0.3, 0.4], eos=0, max_length=2)
    # Squares 4, 9 and 16 of the words that may be written.
    decoded = Decoded(generator, Decoding(0.5, never=0))
    shares = torch.tensor([0.0, 4 / 29, 9 / 29, 16 / 29])
    found = decoded.log_probs(sentences_of([1, 2], [3])).exp()

    assert found.flatten().tolist() == pytest.approx([4 / 29, 9 / 29, 16 / 29, 1.0])
    counts = torch.bincount(sample(decoded, 2000, seeded(0)).tokens.flatten(), minlength=4)
    assert_likely(counts, shares)
    assert (decoded.eos, decoded.bos, decoded.max_length) == (0, 4, 2)


def test_rows_that_have_ended_leave_the_batch() -> None:
    generator = FixedGenerator([0.4, 0.3, 0.3], eos=0, max_length=6)
    sentences = sample(generator, 200, seeded(0))
    still_going = [int((sentences.lengths > t).sum()) for t in range(6)]

    assert generator.rows_seen == still_going
    assert still_going[0] == 200 > still_going[5] > 0


def test_sampling_stops_when_all_have_ended() -> None:
    generator = FixedGenerator([1.0, 0.0], eos=0, max_length=50)
    sentences = sample(generator, 3, seeded(0))

    assert lists_of(sentences) == [[0], [0], [0]]
    assert generator.rows_seen == [3]


@pytest.mark.parametrize("n", [1, 3, 100, 101, 4000])
def test_chunks_do_not_change_what_is_written(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # Twelve bytes are the logits of one row.
    monkeypatch.setattr(devices, "LOGIT_BYTES", 12 * 100 + 5)
    generator = FixedGenerator([0.5, 0.3, 0.2], eos=0, max_length=3)
    sentences = sample(generator, n, seeded(0))

    assert len(sentences) == n
    assert max(generator.rows_seen) == min(n, 100)
    if n == 4000:
        first, second = sentences.tokens[:, 0], sentences.tokens[sentences.lengths > 1][:, 1]
        assert_likely(torch.bincount(first, minlength=3), torch.tensor([0.5, 0.3, 0.2]))
        assert_likely(torch.bincount(second, minlength=3), torch.tensor([0.5, 0.3, 0.2]))


def test_a_vocabulary_larger_than_a_chunk_is_written_row_by_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(devices, "LOGIT_BYTES", 4)
    generator = FixedGenerator([0.5, 0.3, 0.2], max_length=2)

    assert len(sample(generator, 5, seeded(0))) == 5
    assert set(generator.rows_seen) == {1}


@pytest.mark.parametrize("longest", [1, 2, 9])
def test_max_length_cuts(longest: int) -> None:
    generator = FixedGenerator([0.1, 0.9], eos=0, max_length=4)
    sentences = sample(generator, 100, seeded(0), max_length=longest)

    assert sentences.tokens.shape == (100, longest)
    assert int(sentences.lengths.max()) == longest


def test_no_sentences_are_empty_sentences() -> None:
    generator = FixedGenerator([0.5, 0.5], max_length=4)

    assert sample(generator, 0, seeded(0)).tokens.shape == (0, 4)
    assert not generator.rows_seen


def test_completions_keep_their_beginnings_and_go_on_from_their_state() -> None:
    generator = RnnGenerator(Frame(3, 0, 4), seeded(1), embedding=4, hidden=4, init_std=1.5)
    prefixes = torch.tensor([[1, 2], [2, 2]]).repeat_interleave(4000, 0)
    with torch.no_grad():
        state = generator.start(len(prefixes))
        for tokens in (torch.full((len(prefixes),), generator.bos), *prefixes.unbind(1)):
            logits, state = generator.step(state, tokens)
    finished = complete(generator, prefixes, logits, state, seeded(2))

    assert torch.equal(finished.tokens[:, :2], prefixes)
    assert finished.lengths.min() == 3 and finished.lengths.max() == 4
    for rows in (slice(4000), slice(4000, None)):
        third = torch.bincount(finished.tokens[rows, 2], minlength=3)
        assert_likely(third, logits[rows][0].softmax(0))


def test_a_completion_can_be_as_long_as_its_beginning() -> None:
    generator = FixedGenerator([0.5, 0.5], max_length=2)
    prefixes = torch.tensor([[1, 0]])
    finished = complete(generator, prefixes, generator.logits[None], torch.zeros(1, 1), seeded(0))

    assert lists_of(finished) == [[1, 0]]
