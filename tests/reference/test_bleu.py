import pytest
import torch
from fakes import seeded
from nltk.translate.bleu_score import (  # type: ignore[import-untyped]
    SmoothingFunction,
    sentence_bleu,
)

from sda.reference.bleu import Bleu
from sda.text.corpus import Corpus
from sda.text.sentences import Sentences
from sda.text.tokens import WhitespaceTokenizer
from sda.text.vocabulary import WordVocabulary


def encode(vocabulary: WordVocabulary, lines: list[str]) -> Sentences:
    return vocabulary.encode(lines)


def test_scores_are_bleu_against_all_training_sentences(
    vocabulary: WordVocabulary, corpus: Corpus
) -> None:
    lines = ["the cat sat here", "big big dog", "the dog ran home here", "a cat sat"]
    references = [text.split() for text in vocabulary.decode(corpus.train)]
    expected = [
        sentence_bleu(
            references,
            line.split(),
            weights=(1 / 3, 1 / 3, 1 / 3),
            smoothing_function=SmoothingFunction().method1,
        )
        for line in lines
    ]

    found = Bleu(vocabulary, corpus.train, seeded(0))(encode(vocabulary, lines))
    assert found.tolist() == pytest.approx(expected, abs=1e-9)


def test_the_end_symbol_is_no_word(vocabulary: WordVocabulary, corpus: Corpus) -> None:
    metric = Bleu(vocabulary, corpus.train, seeded(0))
    with_end = encode(vocabulary, ["a cat sat"])
    cut = Sentences(with_end.tokens, with_end.lengths - 1)

    assert metric(with_end).item() == metric(cut).item()


def test_the_unknown_word_matches_no_unknown_word() -> None:
    vocabulary = WordVocabulary(("a", "cat", "sat"), True, WhitespaceTokenizer())
    train = encode(vocabulary, ["a bird sat", "a fish sat"])
    metric = Bleu(vocabulary, train, seeded(0), order=1)

    assert metric(encode(vocabulary, ["a dog sat", "a cat sat"])).tolist() == pytest.approx(
        [2 / 3, 2 / 3]
    )


def test_references_are_drawn_once_by_the_seed(vocabulary: WordVocabulary, corpus: Corpus) -> None:
    def scores(seed: int) -> torch.Tensor:
        return Bleu(vocabulary, corpus.train, seeded(seed), references=1)(corpus.train)

    # Only the one reference is itself a training sentence word for word.
    assert all((scores(seed) == 1).sum() == 1 for seed in range(5))
    assert len({int(scores(seed).argmax()) for seed in range(20)}) > 1
    assert torch.equal(scores(3), scores(3))


@pytest.mark.parametrize(("order", "references"), [(0, 5), (3, 0)])
def test_nothing_to_count_is_refused(
    vocabulary: WordVocabulary, corpus: Corpus, order: int, references: int
) -> None:
    with pytest.raises(ValueError, match="must be positive"):
        Bleu(vocabulary, corpus.train, seeded(0), order, references)
