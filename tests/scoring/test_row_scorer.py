"""Every row of a table and every point of a curve is scored under the same conditions."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
import torch
from fakes import FixedGenerator, seeded, sentences_of

import sda.scoring.row_scorer as module
from sda.evaluation.catalogue import KINDS, Need, in_order
from sda.evaluation.score import Score
from sda.evaluation.truth import LstmTruth
from sda.randomness import seeded as purposed
from sda.sampling import Decoding, Write, sample
from sda.scoring.row_scorer import CURVE_KINDS, RowScorer, ScoredRow, own_row, real_row
from sda.settings.schema import EvaluationSettings, Settings, make_settings
from sda.source import HeldOut, Loaded
from sda.text.corpus import Corpus
from sda.text.sentences import Sentences
from sda.text.tokens import WhitespaceTokenizer
from sda.text.vocabulary import NumberVocabulary, WordVocabulary

GENERATOR = FixedGenerator([0.2, *([0.8 / 9] * 9)], eos=0, max_length=6)
ORACLE = FixedGenerator([0.4, 0.3, 0.2, 0.1], max_length=6)
PLAIN = Decoding()
UNASKED = (Need.LSTM, Need.CHECKER)
TEXT = [
    kind.name
    for kind in KINDS
    if kind.measure is not None and kind.needs not in UNASKED and kind.name != "mauve-sentence"
]
UP_TO_FIVE = [name for name in TEXT if name != "novelty-6"]
ON_CURVE = [kind.name for kind in CURVE_KINDS if kind.name in TEXT]


def settings(seed: int = 0, **evaluation: int) -> Settings:
    table = {"final_samples": 300, "self_bleu_samples": 50} | evaluation
    plain = make_settings({"source": "captions", "method": "mle", "seed": seed})
    return plain.model_copy(update={"evaluation": EvaluationSettings(**table)})


def loaded_of(corpus: Corpus, known: bool = False) -> Loaded:
    """The last two training sentences stand in for a test split."""
    eos = corpus.vocabulary.eos
    test = corpus.train[-2:]
    truth = LstmTruth(GENERATOR) if known else None
    flats = (part.flat(eos) for part in (test, corpus.valid, corpus.train))
    vocabulary = corpus.vocabulary
    assert isinstance(vocabulary, WordVocabulary)
    return Loaded(corpus, HeldOut(test, *flats, truth), vocabulary, [])


def numbers(valid: int = 30, test: int = 80, known: bool = True) -> Loaded:
    """Numbers drawn from fixed probabilities, six to a sentence."""
    parts = [sample(ORACLE, n, seeded(seed)) for seed, n in enumerate((50, valid, test))]
    vocabulary = NumberVocabulary(4)
    train, real, references = (part.flat(None) for part in parts)
    truth = LstmTruth(ORACLE) if known else None
    held_out = HeldOut(parts[2], references, real, train, truth)
    return Loaded(Corpus(vocabulary, parts[0], parts[1], 6), held_out, vocabulary, [])


def points(samples: int = 20, valid: int = 30, test: int = 80, known: bool = True) -> RowScorer:
    return RowScorer(numbers(valid, test, known), settings(), CURVE_KINDS, samples=samples)


def sampled(scorer: RowScorer, decoding: Decoding = PLAIN, seed: int = 0) -> list[Score]:
    return scorer.sampled(ORACLE, decoding, seeded(seed))[0]


def names(scores: Sequence[Score]) -> list[str]:
    return [score.name for score in scores]


def by_name(scores: Sequence[Score]) -> dict[str, Score]:
    return {score.name: score for score in scores}


def test_random_numbers_have_a_purpose() -> None:
    def first(*purpose: object) -> float:
        return torch.rand(1, generator=purposed(*purpose)).item()  # type: ignore[arg-type]

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


def test_rows_are_found_by_what_they_are() -> None:
    """A table may have more rows before or after those of the start, or fewer."""
    real, start, cold, last = (
        ScoredRow(name, temperature, [])
        for name, temperature in (("real text", None), ("mle", 1.0), ("mle", 0.8), ("sda", 1.0))
    )
    for rows in ([real, start, cold, last], [start, real, last, cold], [last, real]):
        assert (real_row(rows), own_row(rows)) == (real, last)
    assert own_row([real, start, cold]) == start


def test_the_row_of_a_model(corpus: Corpus) -> None:
    scorer = RowScorer(loaded_of(corpus), settings())
    row, samples = scorer.model("sda", GENERATOR)

    assert (row.name, row.temperature, len(samples)) == ("sda", 1.0, 300)
    # The three sentences that are scored have five words at most.
    assert names(row.scores) == [*UP_TO_FIVE, "nll-test"]
    again, same = scorer.model("sda", GENERATOR)
    assert torch.equal(same.tokens, samples.tokens)
    assert again == row
    assert scorer.model("rl", GENERATOR)[0] != row


def test_the_row_of_a_model_where_the_truth_is_known(corpus: Corpus) -> None:
    row, _ = RowScorer(loaded_of(corpus, known=True), settings()).model("sda", GENERATOR)

    model = ["nll-test", "entropy", "kl-model-oracle", "kl-oracle-model", "js"]
    assert names(row.scores) == [*UP_TO_FIVE, "nll-oracle", *model]
    assert row.value("kl-model-oracle") == row.value("kl-oracle-model") == 0.0
    # A likelihood does not change with the number of sentences, and is about all of them.
    assert "sentences:300|" in by_name(row.scores)["nll-oracle"].signature


def test_a_colder_model_has_no_likelihood(corpus: Corpus) -> None:
    scorer = RowScorer(loaded_of(corpus, known=True), settings())
    row, samples = scorer.model("mle", GENERATOR, temperature=0.5)

    assert names(row.scores)[-1] == "nll-oracle"
    assert "nll-test" not in names(row.scores)
    # The end has odds 0.2 to 0.8 / 9 for each word, squared at half the temperature.
    end = 0.2**2 / (0.2**2 + 9 * (0.8 / 9) ** 2)
    assert (samples.tokens[:, 0] == 0).double().mean().item() == pytest.approx(end, abs=0.15)
    assert "temperature:0.5" in row.scores[-1].signature


def test_the_row_of_real_text(corpus: Corpus) -> None:
    row = RowScorer(loaded_of(corpus), settings()).real_text()

    assert (row.name, row.temperature) == ("real text", None)
    # The longest validation sentence has four words.
    assert names(row.scores) == [name for name in TEXT if name not in ("novelty-5", "novelty-6")]
    assert row.value("length") == pytest.approx((4 + 3 + 4) / 3)
    assert row.value("copy-share") == row.value("duplicate-share") == 0.0


def test_features_may_be_left_out(corpus: Corpus) -> None:
    row = RowScorer(loaded_of(corpus), settings(features=False)).real_text()

    assert not {"frechet", "mauve-ngram"} & set(names(row.scores))


def test_copies_are_counted_against_the_training_split(corpus: Corpus) -> None:
    train = corpus.train.flat(corpus.vocabulary.eos)
    copied = HeldOut(corpus.train, references=train, real=train, train=train, truth=None)
    row = RowScorer(replace(loaded_of(corpus), held_out=copied), settings()).real_text()

    assert row.value("copy-share") == 1.0
    assert row.value("bleu-3") == pytest.approx(1.0)


def test_the_unknown_word_is_never_written() -> None:
    vocabulary = WordVocabulary(("a", "b"), has_unknown=True, tokenizer=WhitespaceTokenizer())
    assert vocabulary.unk is not None
    sentences = sentences_of(*[[vocabulary.unk, 2, 3, vocabulary.eos]] * 2)
    corpus = Corpus(vocabulary, sentences, sentences, 4)
    generator = FixedGenerator([0.1, 0.7, 0.1, 0.1], eos=vocabulary.eos)
    assert (sample(generator, 50, seeded(0)).tokens == vocabulary.unk).any()

    _, samples = RowScorer(loaded_of(corpus), settings()).model("mle", generator)
    assert not ((samples.tokens == vocabulary.unk) & samples.mask).any()


def test_sentences_without_an_end_symbol() -> None:
    scorer = RowScorer(numbers(), settings())

    assert scorer.real_text().value("length") == 6.0
    nll = scorer.model("mle", ORACLE)[0].value("nll-test")
    assert nll == pytest.approx(1.28, abs=0.1)


def test_all_rows_are_about_as_many_sentences(corpus: Corpus) -> None:
    scorer = RowScorer(loaded_of(corpus), settings())
    rows = [scorer.real_text(), scorer.model("sda", GENERATOR)[0]]

    for name in ("bleu-3", "self-bleu-3", "duplicate-share"):
        real, model = (by_name(row.scores)[name] for row in rows)
        assert real.signature == model.signature
        assert f"hyps:{len(corpus.valid)}|" in real.signature
        assert "|draw:0|" in real.signature


def test_a_point_is_scored_as_a_row_of_the_table_is() -> None:
    """Points used to be about another number of sentences, and so stood beside no row."""
    loaded = numbers()
    table = RowScorer(loaded, settings())
    curve = RowScorer(loaded, settings(), CURVE_KINDS)
    row, _ = table.model("mle", ORACLE)
    scores, _ = curve.sampled(ORACLE, Decoding(), purposed(0, "final", "mle"))
    scores += curve.likelihood(ORACLE, Decoding())

    assert curve.count == table.count == 30
    assert names(scores) == [*ON_CURVE, "nll-oracle", "nll-test"]
    assert all(score in row.scores for score in scores)
    real = table.real_text().scores
    assert all(score in real for score in curve.real_text().scores)


def test_a_model_and_real_text_are_scored_alike() -> None:
    scorer = points()
    model, real = by_name(sampled(scorer)), by_name(scorer.real_text().scores)

    assert list(model) == list(real) == [*ON_CURVE, "nll-oracle"]
    for name in ON_CURVE:
        assert model[name].signature.split("|ngrams")[0] == real[name].signature.split("|ngrams")[0]
    assert "refs:80|hyps:20|" in real["bleu-5"].signature
    assert "refs:19|hyps:20|of:20|" in real["self-bleu-5"].signature
    assert "refs:20|hyps:80|" in real["reverse-bleu-5"].signature


def test_without_a_truth_there_are_scores_of_words_alone() -> None:
    scorer = points(known=False)

    assert names(sampled(scorer)) == names(scorer.real_text().scores) == ON_CURVE
    assert scorer.truth_likelihood() == []


class ThreeIsWrong:
    """Finds an issue in every word that is 3, and notes how many texts it was shown."""

    name = "three"
    kinds = ("wrong",)

    def __init__(self) -> None:
        self.seen = 0

    def issues(self, texts: Sequence[str]) -> list[list[str]]:
        self.seen += len(texts)
        return [["wrong"] * text.count("3") for text in texts]


def test_a_checker_adds_issues_of_the_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHECKED_SENTENCES", 10)
    checker = ThreeIsWrong()
    scorer = RowScorer(numbers(), settings(), CURVE_KINDS, samples=20, checker=checker)
    scores, samples = scorer.sampled(ORACLE, Decoding(), seeded(7))

    # Six words to a sentence, and only the first ten sentences are checked.
    expected = 1000 * int((samples.tokens[:10] == 3).sum()) / 60
    assert by_name(scores)["grammar-issues"].value == pytest.approx(expected) and expected > 0
    assert 0 < checker.seen <= 10
    assert "grammar-issues" not in names(scorer.real_text().scores)


def test_no_more_sentences_are_scored_than_there_is_real_text() -> None:
    scorer = points(samples=50)

    assert (scorer.samples, scorer.count) == (50, 30)
    for scores in (sampled(scorer), scorer.real_text().scores):
        assert "refs:80|hyps:30|" in by_name(scores)["bleu-5"].signature


def test_the_likelihood_is_that_of_the_temperature() -> None:
    scorer = points()
    (warm,), (cold,) = (scorer.likelihood(ORACLE, Decoding(t)) for t in (1.0, 0.5))
    (truth,) = scorer.truth_likelihood()

    assert "sentences:80|" in warm.signature
    assert warm.value == pytest.approx(truth.value, rel=1e-5)
    assert "model:truth" in truth.signature
    # At half the temperature probabilities are squared, and 0.3 is what the squares sum to.
    assert cold.value == pytest.approx(2 * warm.value + math.log(0.3), rel=1e-5)


def test_the_likelihood_ignores_what_may_not_be_written() -> None:
    scorer = points()

    assert scorer.likelihood(ORACLE, Decoding(0.7, never=0)) == scorer.likelihood(
        ORACLE, Decoding(0.7)
    )


def test_words_that_are_cut_off_leave_no_likelihood() -> None:
    scorer = points()

    assert scorer.likelihood(ORACLE, Decoding(top_p=0.5)) == []
    cut = by_name(sampled(scorer, Decoding(top_p=0.5)))
    # Only words 0 and 1 are left.
    assert cut["distinct-2"].value == pytest.approx(4 / (20 * 5))
    assert "temperature" not in cut["nll-oracle"].signature


def test_the_same_random_numbers_give_the_same_scores() -> None:
    first = sampled(points(), seed=1)

    assert sampled(points(), seed=1) == first
    assert sampled(points(), seed=2) != first


def test_a_selection_chooses_what_is_scored() -> None:
    scorer = points()
    written: list[int] = []

    def second(write: Write, n: int) -> Sentences:
        written.append(len(write(n)))
        return write(n)

    chosen, _ = scorer.sampled(ORACLE, Decoding(), seeded(1), second)
    rng = seeded(1)
    sample(ORACLE, 20, rng)

    assert written == [20]
    assert chosen == scorer.sampled(ORACLE, Decoding(), rng)[0]


def test_fingerprints_tell_conditions_apart() -> None:
    lower = replace(settings().data, lowercase=True)
    marks = [
        points().fingerprint(),
        points(samples=21).fingerprint(),
        points(valid=31).fingerprint(),
        points(test=81).fingerprint(),
        *(
            RowScorer(numbers(), some, kinds, samples=20).fingerprint()
            for some, kinds in (
                (settings(seed=1), CURVE_KINDS),
                (settings().model_copy(update={"data": lower}), CURVE_KINDS),
                (settings(self_bleu_samples=10), CURVE_KINDS),
                # A score that is new on the curve has to be measured.
                (settings(), CURVE_KINDS[:-1]),
            )
        ),
    ]

    assert len(set(marks)) == len(marks)
    assert points().fingerprint() == marks[0]


def test_scores_of_a_curve_come_in_the_order_of_the_catalogue() -> None:
    found = names(points(known=False).real_text().scores)

    assert found == in_order(set(found))


def test_scoring_leaves_the_global_random_numbers_alone() -> None:
    before = torch.get_rng_state()
    sampled(points())

    assert torch.equal(torch.get_rng_state(), before)
