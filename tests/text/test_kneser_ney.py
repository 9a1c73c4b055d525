"""The n-gram model follows its formulas, sums to one, and prefers what it should."""

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
import pytest
from fakes import seeded
from hypothesis import given
from hypothesis import strategies as st

from sda.text.captions.caption_grammar import CaptionGrammar
from sda.text.kneser_ney import NgramModel
from sda.text.sentences import Flat

Words = tuple[object, ...]


class ByTheFormulas:
    """Modified Kneser-Ney with one dictionary per order, one word at a time."""

    def __init__(self, train: Sequence[Sequence[int]], order: int, unseen: int) -> None:
        closed = [("<s>", *sentence, "</s>") for sentence in train]
        raw = [
            Counter(s[i : i + n] for s in closed for i in range(len(s) - n + 1))
            for n in range(1, order + 1)
        ]
        self.order = order
        self.types = {word for sentence in train for word in sentence}
        self.uniform = 1 / (len(self.types) + 1 + unseen)
        self.counts: list[Counter[Words]] = []
        for n, occurrences in enumerate(raw, 1):
            counts: Counter[Words] = Counter()
            for gram, count in occurrences.items():
                if gram == ("<s>",):
                    continue
                if n == order or gram[0] == "<s>":
                    counts[gram] = count
                else:
                    counts[gram] = sum(longer[1:] == gram for longer in raw[n])
            self.counts.append(counts)
        self.discounts = [self.estimate(counts) for counts in self.counts]
        self.followers: list[dict[Words, list[int]]] = []
        for counts in self.counts:
            followers = defaultdict(list)
            for gram, count in counts.items():
                followers[gram[:-1]].append(count)
            self.followers.append(followers)

    @staticmethod
    def estimate(counts: Counter[Words]) -> tuple[float, float, float]:
        n1, n2, n3, n4 = (sum(count == k for count in counts.values()) for k in (1, 2, 3, 4))
        if n1 and n2 and n3 and n4:
            y = n1 / (n1 + 2 * n2)
            found = (1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3)
            if all(0 < discount <= k for k, discount in enumerate(found, 1)):
                return found
        return 0.5, 1.0, 1.5

    def prob(self, word: object, context: Words) -> float:
        context = context[max(0, len(context) - self.order + 1) :]
        below = self.prob(word, context[1:]) if context else self.uniform
        followers = self.followers[len(context)].get(context)
        if not followers:
            return below
        discounts = self.discounts[len(context)]
        count = self.counts[len(context)][(*context, word)]
        own = count - discounts[min(count, 3) - 1] if count else 0.0
        freed = sum(discounts[min(follower, 3) - 1] for follower in followers)
        return (own + freed * below) / sum(followers)

    def log_prob(self, sentence: Sequence[int]) -> float:
        closed = ("<s>", *sentence, "</s>")
        probs = [self.prob(closed[i], closed[:i]) for i in range(1, len(closed))]
        return float(np.log(probs).sum())


texts = st.lists(st.lists(st.integers(0, 3), max_size=7), min_size=1, max_size=12)
orders = st.integers(1, 5)


@given(texts, texts, orders, st.integers(1, 3))
def test_probabilities_follow_the_formulas(
    train: list[list[int]], scored: list[list[int]], order: int, unseen: int
) -> None:
    slow = ByTheFormulas(train, order, unseen)
    fast = NgramModel(Flat.from_lists(train), order, unseen).log_prob(Flat.from_lists(scored))
    assert fast == pytest.approx([slow.log_prob(sentence) for sentence in scored], rel=1e-12)


def test_estimated_discounts_follow_the_formulas() -> None:
    # Zipfian words, so that all counts of counts exist and no order falls back.
    rng = np.random.default_rng(0)
    train = [rng.zipf(1.4, rng.integers(1, 9)).clip(max=400).tolist() for _ in range(400)]
    scored = [rng.zipf(1.4, rng.integers(0, 9)).clip(max=600).tolist() for _ in range(50)]
    slow = ByTheFormulas(train, 3, 1)
    assert all(discounts != (0.5, 1.0, 1.5) for discounts in slow.discounts)
    fast = NgramModel(Flat.from_lists(train), 3).log_prob(Flat.from_lists(scored))
    assert fast == pytest.approx([slow.log_prob(sentence) for sentence in scored], rel=1e-12)


@given(texts, st.lists(st.integers(-1, 4), max_size=6), orders, st.integers(1, 3))
def test_the_next_words_have_probabilities_that_sum_to_one(
    train: list[list[int]], prefix: list[int], order: int, unseen: int
) -> None:
    model = NgramModel(Flat.from_lists(train), order, unseen)
    words = sorted({word for sentence in train for word in sentence})
    ways = Flat.from_lists([[*prefix, word] for word in (*words, 99)])
    following = model.log_probs(ways).reshape(len(words) + 1, len(prefix) + 2)[:, len(prefix)]
    end = model.log_probs(Flat.from_lists([prefix]))[-1]
    *known, unknown = np.exp(following)
    assert sum(known) + unseen * unknown + np.exp(end) == pytest.approx(1.0)


def test_unigrams_by_hand() -> None:
    # Counts: word 7 twice, word 8 once, the end twice. No n-gram has a count of 3, so the discounts
    # are 1, 0.5 and 1 of 5, and 2.5 of 5 are spread over two words, the end and the unknown word.
    model = NgramModel(Flat.from_lists([[7, 7], [8]]), order=1)
    seven, eight, end, unknown = 1 / 5 + 1 / 8, 0.5 / 5 + 1 / 8, 1 / 5 + 1 / 8, 1 / 8
    assert np.exp(model.log_prob(Flat.from_lists([[], [7], [7, 8], [3], [-5]]))) == pytest.approx(
        [end, seven * end, seven * eight * end, unknown * end, unknown * end]
    )


def test_lower_orders_count_the_words_before() -> None:
    # "2" stands often, but always after "1"; "3" stands after two different words. In a context
    # never seen, "3" is therefore likelier than "2".
    train = Flat.from_lists([[1, 2]] * 6 + [[5, 3], [6, 3]])
    model = NgramModel(train, order=2)
    two, three = model.log_prob(Flat.from_lists([[9, 2], [9, 3]]))
    assert three > two
    unigrams = NgramModel(train, order=1).log_prob(Flat.from_lists([[9, 2], [9, 3]]))
    assert unigrams[0] > unigrams[1]


@pytest.fixture(scope="module")
def captions() -> tuple[Flat, Flat]:
    """Two sets of sentences of the caption grammar."""
    grammar = CaptionGrammar()
    return grammar.sample(2000, seeded(1)), grammar.sample(1000, seeded(2))


def perplexity(model: NgramModel, sentences: Flat) -> float:
    return float(np.exp(-model.log_probs(sentences).mean()))


def test_higher_orders_predict_new_text_better(captions: tuple[Flat, Flat]) -> None:
    train, new = captions
    values = [perplexity(NgramModel(train, order), new) for order in (1, 2, 3, 4, 5)]
    assert values[0] > 1.5 * values[1]
    assert values == sorted(values, reverse=True)


def test_no_model_predicts_better_than_the_grammar_itself(captions: tuple[Flat, Flat]) -> None:
    train, new = captions
    assert NgramModel(train).log_prob(new).mean() < CaptionGrammar().log_prob(new).mean()


def test_words_without_order_are_far_less_likely(captions: tuple[Flat, Flat]) -> None:
    train, new = captions
    rng = np.random.default_rng(0)
    owners = np.repeat(np.arange(len(new)), new.lengths)
    mixed = Flat(new.ids[np.lexsort((rng.random(len(new.ids)), owners))], new.starts)
    model = NgramModel(train)
    assert perplexity(model, mixed) > 5 * perplexity(model, new)


def test_many_copies_of_a_sentence_leave_every_word_a_probability() -> None:
    model = NgramModel(Flat.from_lists([[1, 2, 3]] * 1000), unseen=50)
    same, other, none = model.log_prob(Flat.from_lists([[1, 2, 3], [7, 8, 9], []]))
    assert same == pytest.approx(0.0, abs=0.05)
    # Unknown words and contexts: each word has hardly more than its share of the uniform.
    assert other < 3 * np.log(1 / 50)
    assert np.isfinite(none)


def test_sentences_without_words_are_sentences() -> None:
    model = NgramModel(Flat.from_lists([[], [], [1]]))
    empty, one = model.log_prob(Flat.from_lists([[], [1]]))
    assert empty > one
    assert model.log_prob(Flat.from_lists([])).shape == (0,)
    assert np.isfinite(NgramModel(Flat.from_lists([[]])).log_prob(Flat.from_lists([[], [5]]))).all()


def test_settings_without_meaning_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one sentence"):
        NgramModel(Flat.from_lists([]))
    for order, unseen in ((0, 1), (2, 0)):
        with pytest.raises(ValueError, match="1 or more"):
            NgramModel(Flat.from_lists([[1]]), order, unseen)


def test_facts_name_what_determines_the_model() -> None:
    model = NgramModel(Flat.from_lists([[1, 2], [1]]), order=3, unseen=4)
    assert model.facts == {"lm": "kneser-ney", "order": 3, "fitted": 2, "words": 2, "unseen": 4}
