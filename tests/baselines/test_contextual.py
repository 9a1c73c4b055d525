"""What takes a word's place is what the words around it ask for."""

from itertools import product

import numpy as np
import pytest
import torch
from fakes import seeded

from baselines.words import lists
from sda.baselines.contextual import (
    ContextModel,
    Contextual,
    fit_context,
    has_letters,
    rewrite,
)
from sda.baselines.edits import Amount
from sda.text.corpus import Corpus
from sda.text.sentences import Flat, Sentences

# Words 1 and 2 stand between 5 and 6, words 3 and 4 between 5 and 7: only the right side tells.
PATTERNS = [[5, a, 6] for a in (1, 2)] + [[5, b, 7] for b in (3, 4)]
TEXT = Flat.from_lists(PATTERNS * 20)
IS_WORD = np.array([False, True, True, True, True, False, False, False])


@pytest.mark.slow
def test_both_sides_of_a_place_are_read_and_the_place_is_not() -> None:
    model = fit_context(TEXT, IS_WORD, seed=0, updates=0, hidden=4)

    def contexts(words: list[int], width: int) -> torch.Tensor:
        tokens = torch.zeros(1, width, dtype=torch.int64)
        tokens[0, : len(words)] = torch.tensor(words)
        return model.contexts(Sentences(tokens, torch.tensor([len(words)])))[0, : len(words)]

    plain = contexts([5, 1, 6], 3)
    torch.testing.assert_close(contexts([5, 1, 6], 9), plain)  # padding is not read
    for place, other in product(range(3), (0, 2, 7)):
        words = [5, 1, 6]
        words[place] = other
        same = (contexts(words, 3) - plain).abs().amax(1) < 1e-7
        assert same.tolist() == [at == place for at in range(3)]


def test_replacements_fit_their_context() -> None:
    model = fit_context(TEXT, IS_WORD, seed=0, updates=150, hidden=16)
    new = lists(rewrite(model, TEXT, seeded(0), Amount(per_sentence=5)))

    partner = {1: 2, 2: 1, 3: 4, 4: 3}
    old = lists(TEXT)
    fitting = sum(words[1] == partner[old[i // 5][1]] for i, words in enumerate(new))
    assert all(
        [words[0], words[2]] == [old[i // 5][0], old[i // 5][2]] for i, words in enumerate(new)
    )
    assert fitting > 0.95 * len(new)


def fixed_model(logits: list[float]) -> ContextModel:
    """Puts words 1 to 4 with these logits, whatever the context."""
    model = ContextModel(8, torch.arange(1, 5), 2, seeded(0))
    torch.nn.init.zeros_(model.output.weight)
    model.output.bias.data = torch.tensor(logits)
    return model


def test_words_are_drawn_in_proportion_without_the_source() -> None:
    logits = np.log([0.4, 0.3, 0.2, 0.1])
    flat = Flat.from_lists([[1]] * 3000)
    new = rewrite(fixed_model(logits.tolist()), flat, seeded(0), temperature=0.5)

    counts = np.bincount(new.ids, minlength=5)[1:]
    expected = np.array([0.0, 0.09, 0.04, 0.01])
    expected *= 12_000 / expected.sum()
    assert counts[0] == 0
    assert (np.abs(counts - expected)[1:] < 5 * np.sqrt(expected[1:])).all()


@pytest.mark.parametrize(("alpha", "changed"), [(0.1, 1), (0.5, 3), (1.0, 4)])
def test_as_many_words_change_as_alpha_says(alpha: float, changed: int) -> None:
    old = [1, 5, 2, 3, 6, 4]  # 5 and 6 are no words to put
    flat = Flat.from_lists([old, [], [5, 6]] * 300)
    new = lists(rewrite(fixed_model([0.0] * 4), flat, seeded(0), Amount(alpha, 2)))

    for number, words in enumerate(new):
        if number // 2 % 3 == 0:
            differing = [place for place in range(6) if words[place] != old[place]]
            assert len(differing) == changed
            assert not {1, 4} & set(differing)
        else:
            assert words == [[], [5, 6]][number // 2 % 3 - 1]


def test_the_same_seeds_give_the_same_sentences_and_leave_torch_alone() -> None:
    state = torch.get_rng_state()
    one, other = (
        rewrite(fit_context(TEXT, IS_WORD, 1, updates=3, hidden=4), TEXT, seeded(2))
        for _ in range(2)
    )

    assert np.array_equal(one.ids, other.ids)
    assert torch.equal(torch.get_rng_state(), state)


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    fit_context(TEXT, IS_WORD, 0, updates=3, hidden=4, progress=lambda *at: told.append(at))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_bad_settings() -> None:
    model = fixed_model([0.0] * 4)
    with pytest.raises(ValueError, match="fewer than two words of letters occur 5 times"):
        fit_context(TEXT, np.arange(8) == 1, seed=0)
    with pytest.raises(ValueError, match="hidden 1 or more"):
        fit_context(TEXT, IS_WORD, seed=0, hidden=0)
    for name, amount in (("alpha", Amount(alpha=0.0)), ("per_sentence", Amount(per_sentence=0))):
        with pytest.raises(ValueError, match=name):
            rewrite(model, TEXT, seeded(0), amount)
    with pytest.raises(ValueError, match="temperature"):
        rewrite(model, TEXT, seeded(0), temperature=0.0)


def test_words_of_letters() -> None:
    assert has_letters(("the", ".", "dogs", "3")).tolist() == [True, False, True, False]


def test_a_corpus_gets_versions_of_its_training_sentences(corpus: Corpus) -> None:
    larger = Contextual(corpus.vocabulary, seeded(1), per_sentence=2, updates=5, hidden=4)(corpus)

    assert len(larger) == 3 * len(corpus)
    assert torch.equal(larger.train.lengths[10:], corpus.train.lengths.repeat_interleave(2))
    changed = (larger.train.tokens[10:] != corpus.train.tokens.repeat_interleave(2, 0)).sum(1)
    assert changed.tolist() == [1] * 20
