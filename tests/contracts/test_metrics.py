"""What every reference metric promises. A new metric is one more row in `CASES`."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
import torch
from fakes import FixedGenerator, seeded

from contracts.rows import each_of
from sda.reference.bleu import Bleu
from sda.reference.chance import Chance
from sda.reference.checked import Checked
from sda.reference.filters import Contains, Length, NotCopy
from sda.reference.function import Function
from sda.reference.grammatical import Grammatical
from sda.reference.likelihood import Likelihood
from sda.reference.metric import ReferenceMetric
from sda.reference.rare_words import RareWords
from sda.reference.repetition import Repetition
from sda.settings.layers import named, names_of
from sda.text.captions.caption_grammar import CaptionGrammar
from sda.text.corpus import Corpus
from sda.text.sentences import Sentences
from sda.text.vocabulary import WordVocabulary


@dataclass(frozen=True)
class Case:
    build: Callable[[WordVocabulary, Corpus], ReferenceMetric]
    better: str
    worse: str
    more_words: Callable[[], tuple[str, ...]] = tuple
    """Words that the metric needs besides those of the vocabulary."""


def likelihood(vocabulary: WordVocabulary, corpus: Corpus) -> ReferenceMetric:
    """Every word is half as likely as the one before it in the vocabulary."""
    powers = [0.5**i for i in range(len(vocabulary))]
    return Likelihood(FixedGenerator([p / sum(powers) for p in powers], eos=0, max_length=9))


CASES = {
    "bleu": Case(lambda v, c: Bleu(v, c.train, seeded(0)), "the cat sat", "sat the cat"),
    "bleu-2": Case(lambda v, c: Bleu(v, c.train, seeded(0), 2), "a dog ran", "big here home"),
    "likelihood": Case(likelihood, "the the the", "big big big"),
    "rare words": Case(lambda v, c: RareWords(v, c.train, 6, 1.0), "a big cat", "a cat"),
    "repetition": Case(lambda v, c: Repetition(v), "a cat ran home", "a a a a a"),
    "grammatical": Case(
        lambda v, c: Grammatical(v),
        "a bear is eating hay",
        "a bear are eating hay",
        lambda: CaptionGrammar().words,
    ),
    "checked": Case(lambda v, c: Checked(v), "the dog ran", "the the dog ran"),
    "chance": Case(lambda v, c: Chance(v, seeded(0)), "a dog", "a cat"),
    "contains": Case(lambda v, c: Contains(v, ["cat"], ["dog"]), "the cat", "the cat dog"),
    "length": Case(lambda v, c: Length(v, 2, 3), "the big cat", "the big cat ran"),
    "not a copy": Case(lambda v, c: NotCopy(v, c.train), "the cat", "the cat sat"),
    "function": Case(lambda v, c: Function(v, lambda texts: map(len, texts)), "here", "a"),
    "function of completions": Case(
        lambda v, c: Function(v, lambda completions, **_: [t.count("cat") for t in completions]),
        "cat cat",
        "cat",
    ),
}

LINES = ("the cat sat", "dog", "a a a a a a", "", "the big dog ran home", "home home a", "the cat")


case = each_of(CASES)


def known_words(case: Case, vocabulary: WordVocabulary) -> WordVocabulary:
    """The vocabulary, whose ids stay as they are, and after it the words that the metric needs."""
    words = tuple(dict.fromkeys((*vocabulary.known, *case.more_words())))
    return WordVocabulary(words, has_unknown=False, tokenizer=vocabulary.tokenizer)


@pytest.fixture
def metric(case: Case, vocabulary: WordVocabulary, corpus: Corpus) -> ReferenceMetric:
    if case is CASES["checked"]:
        pytest.importorskip("harper")
    return case.build(known_words(case, vocabulary), corpus)


@pytest.fixture
def encode(case: Case, vocabulary: WordVocabulary) -> Callable[..., Sentences]:
    known = known_words(case, vocabulary)

    def encode(*lines: str) -> Sentences:
        return known.encode(lines)

    return encode


def test_better_beats_worse(
    metric: ReferenceMetric, case: Case, encode: Callable[..., Sentences]
) -> None:
    better, worse = metric(encode(case.better, case.worse))

    assert better > worse


def test_scores_are_plain_numbers(
    metric: ReferenceMetric, encode: Callable[..., Sentences]
) -> None:
    scores = metric(encode(*LINES))

    assert scores.shape == (len(LINES),) and scores.dtype == torch.float64
    assert not scores.requires_grad
    assert not scores.isnan().any() and (scores < float("inf")).all()
    assert metric.name and isinstance(metric.depends_on_generator, bool)


def test_order_and_company_do_not_matter(
    metric: ReferenceMetric, encode: Callable[..., Sentences]
) -> None:
    sentences = encode(*LINES)
    scores = metric(sentences)
    order = torch.tensor([3, 6, 0, 5, 2, 1, 4])

    torch.testing.assert_close(metric(sentences[order]), scores[order])
    alone = torch.cat([metric(encode(line)) for line in LINES])
    torch.testing.assert_close(alone, scores)


def test_padding_does_not_matter(metric: ReferenceMetric, encode: Callable[..., Sentences]) -> None:
    sentences = encode(*LINES)
    garbage = sentences.tokens.masked_fill(~sentences.mask, 9)
    wider = torch.cat((garbage, torch.full((len(LINES), 3), 9)), 1)

    torch.testing.assert_close(metric(Sentences(wider, sentences.lengths)), metric(sentences))


def test_sentences_are_left_as_they_were(
    metric: ReferenceMetric, encode: Callable[..., Sentences]
) -> None:
    sentences = encode(*LINES)
    tokens, lengths = sentences.tokens.clone(), sentences.lengths.clone()
    metric(sentences)

    assert torch.equal(sentences.tokens, tokens) and torch.equal(sentences.lengths, lengths)


@pytest.mark.parametrize("width", [0, 6])
def test_no_sentence_has_no_score(metric: ReferenceMetric, width: int) -> None:
    scores = metric(Sentences.empty(width))

    assert scores.shape == (0,) and scores.dtype == torch.float64


def test_every_metric_with_a_name_has_a_row(vocabulary: WordVocabulary, corpus: Corpus) -> None:
    pytest.importorskip("harper")
    rows = {type(case.build(known_words(case, vocabulary), corpus)) for case in CASES.values()}
    uses = [
        part["use"] for name in names_of("metrics") for part in named("metrics", name)["metric"]
    ]

    assert uses
    assert set(uses) <= {f"{row.__module__}:{row.__qualname__}" for row in rows}
