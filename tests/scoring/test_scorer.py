"""What is measured while a run goes on and at its end, and that measuring disturbs nothing."""

import math

import pytest
import torch
from fakes import FixedGenerator, sentences_of

from sda.evaluation.score import Score
from sda.evaluation.truth import LstmTruth
from sda.randomness import seeded
from sda.sampling import sample
from sda.scoring.scorer import FinalScorer, Monitor, ScoredRow
from sda.settings.schema import EvaluationSettings
from sda.source import HeldOut
from sda.text.corpus import Corpus
from sda.text.tokens import WhitespaceTokenizer
from sda.text.vocabulary import NumberVocabulary, WordVocabulary

SETTINGS = EvaluationSettings(every=3, samples=200, final_samples=300, self_bleu_samples=50)
GENERATOR = FixedGenerator([0.2, *([0.8 / 9] * 9)], eos=0, max_length=6)
BLEU = ["bleu-2", "bleu-3", "bleu-4", "bleu-5"]
DIVERSITY = ["self-bleu-2", "self-bleu-3", "self-bleu-4", "self-bleu-5"]
DIVERSITY += ["distinct-1", "distinct-2", "distinct-3", "distinct-4"]
DIVERSITY += ["ngram-entropy-2", "ngram-entropy-3", "ngram-entropy-4"]
DIVERSITY += ["duplicate-share", "seq-rep-3", "types"]
LENGTH = ["length", "length-sd", "length-q05", "length-q50", "length-q95", "length-distance"]
RECALL = ["reverse-bleu-2", "reverse-bleu-3", "reverse-bleu-4", "reverse-bleu-5"]
NOVELTY = ["copy-share", "copied-span", "copied-span-max", *(f"novelty-{n}" for n in range(1, 7))]
NOVELTY += ["train-bleu-2", "train-bleu-3", "train-bleu-4", "train-bleu-5"]
RARE = ["rare-sentence-share", "rare-word-share", "rare-types"]
MODELS = ["lm-perplexity", "order-gain", "reverse-lm-perplexity", "frechet", "mauve"]
TEXT = [*BLEU, *DIVERSITY, *LENGTH, *RECALL, *NOVELTY, *RARE, *MODELS]


def held_out(corpus: Corpus, known: bool = False) -> HeldOut:
    """The last two training sentences stand in for a test split."""
    eos = corpus.vocabulary.eos
    test = corpus.train[-2:]
    truth = LstmTruth(GENERATOR) if known else None
    return HeldOut(test, test.flat(eos), corpus.valid.flat(eos), corpus.train.flat(eos), truth)


def names(row: ScoredRow) -> list[str]:
    return [score.name for score in row.scores]


def test_random_numbers_have_a_purpose() -> None:
    def first(*purpose: object) -> float:
        return torch.rand(1, generator=seeded(*purpose)).item()  # type: ignore[arg-type]

    draws = [first(0, "a"), first(0, "b"), first(1, "a"), first(0, "a", 1), first(0, "a1")]
    assert len(set(draws)) == len(draws)
    assert first(0, "a", 1) == draws[3]


def test_a_row() -> None:
    row = ScoredRow("sda", 0.8, [Score("bleu-3", 0.5, True, "sign", 0.1)])

    assert row.value("bleu-3") == 0.5
    assert row.value("bleu-4") is None
    scores = row.as_dict()["scores"]
    rest = {"name": "sda", "temperature": 0.8, "scores": None, "alarms": []}
    assert row.as_dict() | {"scores": None} == rest
    assert scores[0]["name"] == "bleu-3"


def test_a_row_has_alarms_beside_real_text() -> None:
    row = ScoredRow("sda", 1.0, [Score("duplicate-share", 0.5, False, "")])
    real = ScoredRow("real text", None, [Score("duplicate-share", 0.0, False, "")])

    assert [alarm["name"] for alarm in row.as_dict(real)["alarms"]] == ["duplicates"]
    assert real.as_dict(real)["alarms"] == []


def test_when_the_monitor_is_due(corpus: Corpus) -> None:
    monitor = Monitor(corpus, None, SETTINGS, seed=0)

    assert [epoch for epoch in range(1, 10) if monitor.is_due(epoch)] == [1, 3, 6, 9]


def test_the_monitor_gives_few_figures(corpus: Corpus) -> None:
    monitor = Monitor(corpus, None, SETTINGS, seed=0)
    figures = monitor.measure(GENERATOR, "mle", 1)

    assert list(figures) == ["bleu_3", "self_bleu_3", "distinct_2", "length", "duplicate_share"]
    # Words before the end, each missed with probability 0.2, at most six.
    assert figures["length"] == pytest.approx(sum(0.8**k for k in range(1, 7)), abs=0.6)


def test_the_monitor_compares_with_the_truth(corpus: Corpus) -> None:
    monitor = Monitor(corpus, LstmTruth(GENERATOR), SETTINGS, seed=0)
    figures = monitor.measure(GENERATOR, "mle", 1)

    assert figures["kl_model_oracle"] == 0.0
    entropy = -0.2 * math.log(0.2) - 0.8 * math.log(0.8 / 9)
    assert figures["nll_oracle"] == pytest.approx(entropy, abs=0.1)


def test_measuring_depends_on_the_epoch_and_disturbs_nothing(corpus: Corpus) -> None:
    monitor = Monitor(corpus, None, SETTINGS, seed=0)
    before = torch.get_rng_state()
    first = monitor.measure(GENERATOR, "mle", 1)

    assert monitor.measure(GENERATOR, "mle", 1) == first
    assert monitor.measure(GENERATOR, "mle", 2) != first
    assert monitor.measure(GENERATOR, "imitation", 1) != first
    assert Monitor(corpus, None, SETTINGS, seed=1).measure(GENERATOR, "mle", 1) != first
    assert torch.equal(torch.get_rng_state(), before)


def test_the_row_of_a_model(corpus: Corpus) -> None:
    scorer = FinalScorer(corpus, held_out(corpus), SETTINGS, seed=0)
    row, samples = scorer.model("sda", GENERATOR)

    assert (row.name, row.temperature, len(samples)) == ("sda", 1.0, 300)
    assert names(row) == [*TEXT, "nll-test"]
    again, same = scorer.model("sda", GENERATOR)
    assert torch.equal(same.tokens, samples.tokens)
    assert again == row
    assert scorer.model("rl", GENERATOR)[0] != row


def test_the_row_of_a_model_where_the_truth_is_known(corpus: Corpus) -> None:
    scorer = FinalScorer(corpus, held_out(corpus, known=True), SETTINGS, seed=0)
    row, _ = scorer.model("sda", GENERATOR)

    assert names(row) == [
        *TEXT,
        "nll-oracle",
        "nll-test",
        "entropy",
        "kl-model-oracle",
        "kl-oracle-model",
        "js",
    ]
    assert row.value("kl-model-oracle") == row.value("kl-oracle-model") == 0.0


def test_a_colder_model_has_no_likelihood(corpus: Corpus) -> None:
    scorer = FinalScorer(corpus, held_out(corpus, known=True), SETTINGS, seed=0)
    row, samples = scorer.model("mle", GENERATOR, temperature=0.5)

    assert names(row)[-1] == "nll-oracle"
    assert "nll-test" not in names(row)
    # The end has odds 0.2 to 0.8 / 9 for each word, squared at half the temperature.
    end = 0.2**2 / (0.2**2 + 9 * (0.8 / 9) ** 2)
    assert (samples.tokens[:, 0] == 0).double().mean().item() == pytest.approx(end, abs=0.15)
    assert "temperature:0.5" in row.scores[-1].signature


def test_the_row_of_real_text(corpus: Corpus) -> None:
    row = FinalScorer(corpus, held_out(corpus), SETTINGS, seed=0).real_text()

    assert (row.name, row.temperature) == ("real text", None)
    # The longest validation sentence has four words.
    assert names(row) == [name for name in TEXT if name not in ("novelty-5", "novelty-6")]
    assert row.value("length") == pytest.approx((4 + 3 + 4) / 3)
    assert row.value("copy-share") == row.value("duplicate-share") == 0.0


def test_copies_are_counted_against_the_training_split(corpus: Corpus) -> None:
    train = corpus.train.flat(corpus.vocabulary.eos)
    copied = HeldOut(corpus.train, references=train, real=train, train=train, truth=None)
    row = FinalScorer(corpus, copied, SETTINGS, seed=0).real_text()

    assert row.value("copy-share") == 1.0
    assert row.value("bleu-3") == pytest.approx(1.0)


def test_the_unknown_word_is_never_written() -> None:
    vocabulary = WordVocabulary(("a", "b"), has_unknown=True, tokenizer=WhitespaceTokenizer())
    assert vocabulary.unk is not None
    sentences = sentences_of(*[[vocabulary.unk, 2, 3, vocabulary.eos]] * 2)
    corpus = Corpus(vocabulary, sentences, sentences, 4)
    generator = FixedGenerator([0.1, 0.7, 0.1, 0.1], eos=vocabulary.eos)
    assert (sample(generator, 50, seeded(0)).tokens == vocabulary.unk).any()

    _, samples = FinalScorer(corpus, held_out(corpus), SETTINGS, seed=0).model("mle", generator)
    assert not ((samples.tokens == vocabulary.unk) & samples.mask).any()


def test_sentences_without_an_end_symbol() -> None:
    oracle = FixedGenerator([0.25] * 4, max_length=3)
    sentences = sample(oracle, 40, seeded(0))
    corpus = Corpus(NumberVocabulary(4), sentences, sentences, 3)
    flat = sentences.flat(None)
    held = HeldOut(sentences, flat, flat, flat, LstmTruth(oracle))
    scorer = FinalScorer(corpus, held, SETTINGS, seed=0)

    assert scorer.real_text().value("length") == 3.0
    assert scorer.model("mle", oracle)[0].value("nll-test") == pytest.approx(math.log(4))


def test_all_rows_are_about_as_many_sentences(corpus: Corpus) -> None:
    scorer = FinalScorer(corpus, held_out(corpus), SETTINGS, seed=0)
    rows = [scorer.real_text(), scorer.model("sda", GENERATOR)[0]]

    for name in ("bleu-3", "self-bleu-3", "duplicate-share"):
        real, model = (next(s for s in row.scores if s.name == name) for row in rows)
        assert real.signature == model.signature
        assert f"hyps:{len(corpus.valid)}|" in real.signature
