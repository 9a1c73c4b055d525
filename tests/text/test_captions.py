"""The caption grammar: what it accepts, its exact numbers, and how hard it is for n-grams."""

import math
from collections import Counter, defaultdict
from itertools import product

import numpy as np
import pytest
import torch

from sda.text.captions.automaton import Automaton
from sda.text.captions.caption_grammar import CaptionGrammar, CaptionOracle, Noise
from sda.text.captions.expressions import choice, sequence, words
from sda.text.sentences import Flat

GOOD = (
    "a man is riding a bike",
    "two brown dogs near the red barn are chasing a ball across the lawn",
    "a woman in a warm hat is feeding her dog while a boy watches her",
    "an old man in a coat drinks his coffee on the bench by himself",
    "the dog that two girls are watching chews an apron on the rug",
    "one of the girls is reading her book on the couch",
    "each of the boys carries an umbrella past the market with his friends",
    "a man and his son are eating sandwiches in the kitchen",
    "both the boy and the girl play soccer in the park with their brothers",
    "there are three cats sleeping on the sofa all by themselves",
    "there is a large blue vase sitting on the table",
    "on the beach a young girl is washing herself",
    "a plate of cookies is sitting on the counter",
    "the people who are wearing striped shirts wait outside the museum",
    "several trucks behind the fountain are passing a house",
    "the cat is licking itself behind the house",
)

# A caption, words of it, and what spoils it in their place.
BAD = {
    "verb, plural subject": ("two dogs near the barn are eating grass", "are", "is"),
    "verb, singular subject": ("the dog near the barns sleeps on the lawn", "sleeps", "sleep"),
    "verb, measure": ("a plate of cookies is sitting on the counter", "is", "are"),
    "verb in a clause": ("the boys who are holding a ball stand in the park", "are", "is"),
    "verb after a clause": ("the boys who are holding a ball stand in the park", "stand", "stands"),
    "verb after a pair": ("both the boy and the girl play soccer in the park", "play", "plays"),
    "verb after one of": ("one of the girls is reading a book on the couch", "is", "are"),
    "verb after there": ("there are three cats sleeping on the sofa", "are", "is"),
    "both without and": ("both the boy and the girl play soccer in the park", "and", "near"),
    "number of a noun": ("two dogs near the barn are eating grass", "dogs", "dog"),
    "object of read": ("a man is reading an old book on the couch", "book", "laptop"),
    "object of eat": ("the women eat a hot pancake in the kitchen", "pancake", "coffee"),
    "object where none may be": ("a dog is sleeping on the lawn", "sleeping on", "sleeping"),
    "no object": ("a man is reading a book on the couch", "reading a book", "reading"),
    "inanimate subject": ("a small red truck is waiting on the street", "truck", "lamp"),
    "who for an animal": ("the dog that is eating grass runs in the park", "that", "who"),
    "preposition": ("a dog is sleeping on the lawn", "on", "in"),
    "preposition and adjective": ("a man is standing in a quiet park", "in", "on"),
    "preposition of motion": ("a man is walking through the park", "walking", "standing"),
    "place of the verb": ("a duck swims in the lake all by itself", "lake", "office"),
    "a before a vowel": ("an elephant is eating hay in the field", "an", "a"),
    "an before a consonant": ("a small elephant is eating hay in the field", "a", "an"),
    "a before uniform": ("a man in a uniform is riding a bike", "a uniform", "an uniform"),
    "gender, reflexive": ("a woman in a hat is washing herself", "herself", "himself"),
    "number, reflexive": ("the cats lick themselves on the rug", "themselves", "itself"),
    "gender, possessive": ("a boy near a wall eats bread with his sister", "his", "her"),
    "number, possessive": ("a man and his son are washing their car", "their", "his"),
    "number, pronoun": ("the mothers drink wine while a man watches them", "them", "her"),
    "subject pronoun": ("a girl with a bag eats cake as she smiles", "she", "he"),
    "mass noun": ("a woman is eating some bread in the kitchen", "some", "two"),
    "order of adjectives": ("a tiny red bird runs in the park", "tiny red", "red tiny"),
    "clothes of several": ("two men in black jackets are riding bikes", "in", "in a"),
    "too short": ("the men are eating apples", "are eating", "eat"),
}


@pytest.fixture(scope="module")
def grammar() -> CaptionGrammar:
    return CaptionGrammar()


@pytest.fixture(scope="module")
def drawn(grammar: CaptionGrammar) -> Flat:
    return grammar.sample(10_000, torch.Generator().manual_seed(0))


def encode(grammar: CaptionGrammar, *texts: str) -> Flat:
    return Flat.from_lists([[grammar.words.index(word) for word in t.split()] for t in texts])


def lists(sentences: Flat) -> list[list[int]]:
    return [part.tolist() for part in np.split(sentences.ids, sentences.starts[1:-1])]


@pytest.mark.parametrize("caption", GOOD)
def test_accepts(grammar: CaptionGrammar, caption: str) -> None:
    assert grammar.is_grammatical(encode(grammar, caption)).all()


@pytest.mark.parametrize("mistake", BAD)
def test_one_mistake_is_enough(grammar: CaptionGrammar, mistake: str) -> None:
    caption, right, wrong = BAD[mistake]
    spoilt = f" {caption} ".replace(f" {right} ", f" {wrong} ", 1)
    got = grammar.is_grammatical(encode(grammar, caption, spoilt))
    assert got.tolist() == [True, False]


def test_probabilities_sum_to_one(grammar: CaptionGrammar) -> None:
    assert grammar.automaton.length_probs.sum() == pytest.approx(1, abs=1e-12)


def test_every_caption_has_5_to_20_words(grammar: CaptionGrammar) -> None:
    assert np.flatnonzero(grammar.automaton.length_probs).tolist() == list(range(5, 21))
    assert grammar.max_length == 20


def test_every_sampled_caption_is_grammatical(grammar: CaptionGrammar, drawn: Flat) -> None:
    assert grammar.is_grammatical(drawn).all()


@pytest.mark.slow
def test_there_are_many_captions_and_none_has_two_paths(grammar: CaptionGrammar) -> None:
    assert grammar.count() >= 10**9
    assert grammar.count() == grammar.automaton.count_paths()


def test_the_words_are_several_hundred_and_none_is_very_rare(grammar: CaptionGrammar) -> None:
    assert 400 <= len(grammar.words) <= 700
    assert grammar.automaton.expected_counts().min() > 1e-4


def test_the_mean_negative_log_probability_is_the_entropy(
    grammar: CaptionGrammar, drawn: Flat
) -> None:
    nll = -grammar.log_prob(drawn)
    error = nll.std() / math.sqrt(len(drawn))
    assert abs(nll.mean() - grammar.entropy()) < 4 * error


def test_lengths_of_samples_follow_the_exact_distribution(
    grammar: CaptionGrammar, drawn: Flat
) -> None:
    probs = grammar.automaton.length_probs[5:18]
    probs = np.append(probs, 1 - probs.sum())
    counts = np.bincount(np.minimum(drawn.lengths, 18) - 5, minlength=len(probs))
    expected = probs * len(drawn)
    chi_square = ((counts - expected) ** 2 / expected).sum()
    # 13 degrees of freedom: the value is larger once in ten thousand times.
    assert chi_square < 40.9


def test_words_of_samples_follow_the_exact_unigrams(grammar: CaptionGrammar, drawn: Flat) -> None:
    expected = grammar.automaton.expected_counts() * len(drawn)
    counts = np.bincount(drawn.ids, minlength=len(grammar.words))
    # A word may occur twice in a caption, hence a little more than a Poisson spread.
    assert (np.abs(counts - expected) < 6 * np.sqrt(expected) + 3).all()
    assert (counts > 0).mean() > 0.99


def test_a_dog_is_in_three_to_six_percent_of_captions(grammar: CaptionGrammar, drawn: Flat) -> None:
    dog = grammar.words.index("dog")
    owners = np.repeat(np.arange(len(drawn)), drawn.lengths)
    share = len(np.unique(owners[drawn.ids == dog])) / len(drawn)
    assert 0.03 < share < 0.06


def test_a_trigram_model_is_mostly_ungrammatical(grammar: CaptionGrammar, drawn: Flat) -> None:
    """Relative frequencies without smoothing: only trigrams of the 10,000 captions are written."""
    start, end = -2, -1
    counts: dict[tuple[int, int], Counter[int]] = defaultdict(Counter)
    for sentence in lists(drawn):
        padded = [start, start, *sentence, end]
        for first, second, third in zip(padded, padded[1:], padded[2:], strict=False):
            counts[first, second][third] += 1
    following = {pair: (list(c), np.cumsum(list(c.values()))) for pair, c in counts.items()}
    rng = np.random.default_rng(0)
    written = []
    for _ in range(2000):
        sentence = [start, start]
        while sentence[-1] != end:
            options, totals = following[sentence[-2], sentence[-1]]
            draw = rng.integers(totals[-1])
            sentence.append(options[int(np.searchsorted(totals, draw, side="right"))])
        written.append(sentence[2:-1])
    share = grammar.is_grammatical(Flat.from_lists(written)).mean()
    assert 0.02 < share < 0.60


def tiny() -> Automaton:
    return Automaton(sequence("a", choice((0.5, sequence()), (0.5, words({"a": 1, "b": 3})))))


def test_noise_by_hand() -> None:
    noise = Noise(tiny())
    # Expected words: a 1.125, b 0.375; lengths 1 and 2 with 0.5 each, or geometric with mean 1.5.
    np.testing.assert_allclose(noise.unigrams, [0.75, 0.25])
    got = np.exp(noise.log_prob(Flat.from_lists([[], [0], [1, 0], [0, 0, 1], []])))
    expected = [
        0.5 * 0.4,
        (0.25 + 0.5 * 0.4 * 0.6) * 0.75,
        (0.25 + 0.5 * 0.4 * 0.6**2) * 0.25 * 0.75,
        0.5 * 0.4 * 0.6**3 * 0.75**2 * 0.25,
        0.5 * 0.4,
    ]
    np.testing.assert_allclose(got, expected)


def test_noise_sums_to_one() -> None:
    longest = 12
    every = [s for n in range(longest + 1) for s in product((0, 1), repeat=n)]
    total = np.exp(Noise(tiny()).log_prob(Flat.from_lists(every))).sum()
    assert total == pytest.approx(1 - 0.5 * 0.6 ** (longest + 1), abs=1e-12)


def test_noise_frequencies() -> None:
    noise = Noise(tiny())
    n = 20_000
    sampled = noise.sample(n, torch.Generator().manual_seed(0))
    for length in range(5):
        p = np.exp(noise.log_prob(Flat.from_lists(list(product((0, 1), repeat=length))))).sum()
        count = int((sampled.lengths == length).sum())
        assert abs(count - p * n) < 4 * math.sqrt(n * p * (1 - p))
    share = (sampled.ids == 0).mean()
    assert abs(share - 0.75) < 4 * math.sqrt(0.75 * 0.25 / len(sampled.ids))


def test_the_oracle_mixes_grammar_and_noise(grammar: CaptionGrammar, drawn: Flat) -> None:
    oracle = CaptionOracle(grammar, noise=0.2)
    noise = Noise(grammar.automaton)
    expected = 0.8 * np.exp(grammar.log_prob(drawn)) + 0.2 * np.exp(noise.log_prob(drawn))
    np.testing.assert_allclose(np.exp(oracle.log_prob(drawn)), expected)


def test_the_oracle_prefers_captions_and_is_finite_on_everything(
    grammar: CaptionGrammar, drawn: Flat
) -> None:
    oracle = CaptionOracle(grammar)
    caption = "the dogs near the barn are eating grass"
    spoilt = caption.replace("are", "is")
    got = oracle.log_prob(encode(grammar, caption, spoilt, "", "dog", "the " * 500))
    assert np.isfinite(got).all()
    assert got[0] > got[1] + 10
    bound = grammar.log_prob(drawn) + math.log(0.99)
    assert (oracle.log_prob(drawn) >= bound).all()


def test_the_oracle_refuses_ids_that_are_no_words(grammar: CaptionGrammar) -> None:
    oracle = CaptionOracle(grammar)
    sentences = Flat.from_lists([[-1], [0, len(grammar.words)]])
    assert np.isneginf(oracle.log_prob(sentences)).all()


@pytest.mark.parametrize("noise", [0, 1, -0.1])
def test_the_share_of_noise_is_a_share(grammar: CaptionGrammar, noise: float) -> None:
    with pytest.raises(ValueError, match="noise"):
        CaptionOracle(grammar, noise=noise)


def test_the_oracle_writes_some_noise(grammar: CaptionGrammar) -> None:
    oracle = CaptionOracle(grammar, noise=0.25)
    n = 4000
    sampled = oracle.sample(n, torch.Generator().manual_seed(0))
    assert len(sampled) == n
    is_good = grammar.is_grammatical(sampled)
    assert abs(is_good.mean() - 0.75) < 4 * math.sqrt(0.75 * 0.25 / n)
    # Noise stands among the captions, not after them.
    assert 0.6 < is_good[: n // 4].mean() < 0.9
