"""Where the words of a rewriting come from."""

import pytest
import torch
from fakes import seeded, sentences_of

from sda.models.generator import Frame
from sda.models.rewriter import Rewriter
from sda.text.context import Context

WORDS = 6


def rewriter(writable: int | None = None) -> Rewriter:
    sizes = {"embedding": 4, "reading": 3, "hidden": 4, "init_std": 0.5}
    return Rewriter(Frame(WORDS, 0, 5), seeded(1), 2, writable, **sizes)


def first_probs(generator: Rewriter, source: list[int]) -> torch.Tensor:
    about = Context(torch.tensor([1]), sentences_of(source))
    with torch.no_grad():
        logits, _ = generator.step(generator.start(1, about), torch.tensor([generator.bos]))
    return logits[0].exp()


def test_a_word_that_cannot_be_written_is_copied_where_the_source_has_it() -> None:
    generator = rewriter(writable=3)
    with_it, without_it = (first_probs(generator, source) for source in ([5, 1, 0], [2, 1, 0]))

    assert float(with_it[5]) > 0.01
    assert float(without_it[5]) < 1e-5
    assert float(with_it[4]) < 1e-5


def test_a_mask_is_never_written_and_leaves_its_share_to_words() -> None:
    generator = rewriter()
    probs = first_probs(generator, [generator.mask] * 3)

    assert len(probs) == WORDS
    assert float(probs.sum()) == pytest.approx(1, abs=1e-5)


def test_a_word_that_stands_twice_is_copied_from_both_places() -> None:
    generator = rewriter(writable=1)
    with torch.no_grad():
        generator.gate.bias.fill_(50)  # everything is copied
        generator.query.weight.zero_()  # and all places are looked at alike
    probs = first_probs(generator, [4, 3, 4, 0])

    assert probs[[4, 3, 0]].tolist() == pytest.approx([0.5, 0.25, 0.25], abs=1e-4)


def test_more_words_cannot_be_writable_than_there_are() -> None:
    with pytest.raises(ValueError, match="from 1 to 6, not 7"):
        rewriter(writable=WORDS + 1)
