"""N-gram vectors equal weighted counts by hand, and tell word order from words."""

import math
from collections import Counter

import numpy as np
import pytest
from fakes import seeded
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sda.evaluation.frechet import frechet_score
from sda.evaluation.ngram_features import COMMON, NgramFeatures
from sda.text.captions.caption_grammar import CaptionGrammar
from sda.text.sentences import Flat

Lists = list[list[int]]


def grams(sentence: list[int], n: int) -> Counter[tuple[int, ...]]:
    bounded = [-1, *sentence, -1]
    return Counter(tuple(bounded[i : i + n]) for i in range(len(bounded) - n + 1))


def weighted_rows(real: Lists, sentences: Lists, n: int) -> NDArray[np.float64]:
    """(B, C) what the vectors are made of, counted one sentence at a time."""
    holders = Counter(gram for sentence in real for gram in grams(sentence, n))
    common = [gram for gram, count in holders.items() if count >= COMMON]
    rows = []
    for sentence in sentences:
        counts = grams(sentence, n)
        row = [counts[g] * math.log((1 + len(real)) / (1 + holders[g])) for g in common]
        others = sum(count for gram, count in counts.items() if gram not in common)
        rare = math.log(max(1 + len(real), COMMON) / COMMON)
        length = math.sqrt(sum(value**2 for value in row) + others * rare**2)
        rows.append([value / (length or 1.0) for value in row])
    return np.array(rows).reshape(len(sentences), len(common))


lists_of_sentences = st.lists(st.lists(st.integers(0, 3), max_size=5), min_size=1, max_size=14)


@settings(max_examples=50)
@given(lists_of_sentences, lists_of_sentences)
def test_all_directions_keep_the_angles_of_weighted_counts(real: Lists, samples: Lists) -> None:
    features = NgramFeatures.fit(Flat.from_lists(real), sizes=(0, 99))
    values = features.vectors(Flat.from_lists(samples)).values
    # As many directions as sentences have are kept, so those of the fitted ones are all there.
    fitted = features.vectors(Flat.from_lists(real)).values
    rows, own = weighted_rows(real, samples, 2), weighted_rows(real, real, 2)

    assert values[:, -1] == pytest.approx(np.log1p([len(sentence) for sentence in samples]))
    assert fitted[:, :-1] @ fitted[:, :-1].T == pytest.approx(own @ own.T, abs=1e-9)
    assert values[:, :-1] @ fitted[:, :-1].T == pytest.approx(rows @ own.T, abs=1e-9)


def test_few_directions_hold_as_much_as_those_of_the_exact_decomposition() -> None:
    captions = CaptionGrammar().sample(300, seeded(0))
    lists = [part.tolist() for part in np.split(captions.ids, captions.starts[1:-1])]
    rows = weighted_rows(lists, lists, 1)
    values = NgramFeatures.fit(captions, sizes=(4,)).vectors(captions).values[:, :-1]

    exact = np.linalg.svd(rows, compute_uv=False)[:4]
    assert np.linalg.norm(values, axis=0) == pytest.approx(exact, rel=1e-3)


def test_the_same_seed_gives_the_same_vectors_whatever_the_ids() -> None:
    captions = CaptionGrammar().sample(200, seeded(0))
    names = np.random.default_rng(0).permutation(5000).astype(np.int32)
    renamed = Flat(names[captions.ids], captions.starts)
    first = NgramFeatures.fit(captions, sizes=(6, 5, 4)).vectors(captions)
    second = NgramFeatures.fit(renamed, sizes=(6, 5, 4)).vectors(renamed)

    assert np.array_equal(first.values, second.values)
    assert first.source == second.source
    assert first.source.startswith("ngrams.6+5+4+length.fit200-")
    assert first.source.endswith(".seed0")


def test_the_source_tells_what_was_fitted() -> None:
    first, second = (CaptionGrammar().sample(50, seeded(seed)) for seed in (0, 1))
    sources = {
        NgramFeatures.fit(first).vectors(first).source,
        NgramFeatures.fit(second).vectors(first).source,
        NgramFeatures.fit(first, seed=1).vectors(first).source,
    }
    assert len(sources) == 3


def test_shuffled_words_are_far_and_other_captions_near() -> None:
    real, others = (CaptionGrammar().sample(2000, seeded(seed)) for seed in (0, 1))
    keys = np.random.default_rng(0).random(len(others.ids))
    owners = np.repeat(np.arange(len(others)), others.lengths)
    shuffled = Flat(others.ids[np.lexsort((keys, owners))], others.starts)
    features = NgramFeatures.fit(real)
    fitted = features.vectors(real)
    near, far = (frechet_score(features.vectors(some), fitted).value for some in (others, shuffled))
    assert far > 10 * near


def test_empty_and_unknown_sentences_have_vectors_too() -> None:
    captions = CaptionGrammar().sample(100, seeded(0))
    values = NgramFeatures.fit(captions).vectors(Flat.from_lists([[], [9999] * 3])).values

    assert np.isfinite(values).all()
    # No word of the second is known, and neither are its pairs and triples.
    assert values[1, :-1] == pytest.approx(0.0)
    assert values[:, -1] == pytest.approx([0.0, math.log(4)])


def test_no_sentence_to_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one real sentence"):
        NgramFeatures.fit(Flat.from_lists([]))
