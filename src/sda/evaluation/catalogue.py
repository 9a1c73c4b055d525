"""The catalogue of scores: what is known of a score before it is measured.

A new score is a file of its own and a row here. Tables, pages, curves and the look at a model while
it is trained take their scores from these rows, in this order. What is about one score by its
nature names it: the planes that decide, the alarms, the table of the demo.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from sda.evaluation import measures
from sda.evaluation.samples import Beside, Samples
from sda.evaluation.score import Score

Measure = Callable[[Samples, Beside], list[Score]]

QUALITY = "quality"
DIVERSITY = "diversity"
BOTH = "quality and diversity"
NOVELTY = "novelty"
WORDS = "words and lengths"
LIKELIHOOD = "likelihood"
TRUTH = "truth"
OTHER = "other"  # scores that no row is about

GROUP_ABOUTS: Mapping[str, str] = MappingProxyType(
    {
        QUALITY: "Whether each sentence reads like real text, whatever the others say. A model that"
        " writes one good sentence again and again scores well here.",
        DIVERSITY: "How much the sentences differ from one another. Better than real text is not"
        " the aim: random words are the most varied of all.",
        BOTH: "How close the sentences are to real text as a whole: these fall if quality is bought"
        " with diversity, or the other way round.",
        NOVELTY: "What is taken over from the training sentences. Real text repeats itself too, so"
        " its figure is the measure.",
        WORDS: "Which words are used and how long sentences are. Neither direction is good: the"
        " figure of real text is.",
        LIKELIHOOD: "What the model thinks of real text and of itself, in nats a token.",
        TRUTH: "Held against the source that the text was drawn from, which only made-up text has.",
        OTHER: "Scores of your own.",
    }
)
"""What the scores of a group are about, for readers who have never heard of them."""


class Need(Enum):
    """What a score needs beside samples and test sentences."""

    NOTHING = "nothing"
    TRAIN = "training sentences"
    LANGUAGE_MODEL = "an n-gram model"
    FEATURES = "sentences as vectors"
    LSTM = "an LSTM"
    CHECKER = "a grammar checker"


@dataclass(frozen=True)
class Kind:
    """One row of the catalogue.

    `higher_is_better` is None where neither direction is good in itself. `digits` are the decimals
    of a figure below ten. Narrow tables show the `main` scores only; `monitored` scores are
    measured on validation data while training runs, and `on_curve` at every temperature of a curve.
    `measure` gives the score, and often others of its family with it; a score of a model, or of the
    truth behind the data, has none, because words alone do not tell it.
    """

    name: str
    title: str
    group: str
    higher_is_better: bool | None
    digits: int
    main: bool
    monitored: bool
    about: str
    on_curve: bool = False
    measure: Measure | None = None
    needs: Need = Need.NOTHING


def _orders(
    stem: str,
    title: str,
    orders: range,
    group: str,
    higher_is_better: bool | None,
    about: str,
    measure: Measure,
    needs: Need = Need.NOTHING,
    main: tuple[int, ...] = (),
    monitored: tuple[int, ...] = (),
    on_curve: tuple[int, ...] = (),
) -> Iterator[Kind]:
    """The rows of a score of n-grams, one for each order, which stands for `{n}` in `about`."""
    for n in orders:
        yield Kind(
            f"{stem}-{n}",
            f"{title}-{n}",
            group,
            higher_is_better,
            3,
            n in main,
            n in monitored,
            about.format(n=n),
            n in on_curve,
            measure,
            needs,
        )


KINDS: tuple[Kind, ...] = (
    Kind(
        *("nll-oracle", "NLL_oracle", TRUTH, False, 3, True, True),
        "How unlikely the samples are under the true distribution, in nats a token.",
        on_curve=True,
    ),
    Kind(
        *("nll-test", "NLL_test", LIKELIHOOD, False, 3, True, False),
        "How unlikely test sentences are under the model, in nats a token.",
        on_curve=True,
    ),
    Kind(
        *("grammatical-share", "grammatical share", TRUTH, True, 3, True, True),
        "The share of samples that the grammar of the embedded captions can write.",
        on_curve=True,
    ),
    Kind(
        *("nll-oracle-grammatical", "NLL_oracle, grammatical", TRUTH, False, 3, False, False),
        "NLL_oracle of the grammatical samples alone.",
        on_curve=True,
    ),
    *_orders(
        *("bleu", "BLEU", range(2, 6), QUALITY, True),
        "How many of a sample's n-grams of up to {n} words some test sentence has.",
        main=(2, 3, 4, 5),
        monitored=(3,),
        on_curve=(5,),
        measure=measures.bleu,
    ),
    Kind(
        *("lm-perplexity", "perplexity", QUALITY, False, 3, True, False),
        "How surprised an n-gram model of the test sentences is by the samples.",
        on_curve=True,
        measure=measures.perplexity,
        needs=Need.LANGUAGE_MODEL,
    ),
    Kind(
        *("order-gain", "order gain", QUALITY, True, 3, True, False),
        "What shuffling the words of a sample costs under that model, in nats a token.",
        measure=measures.order_gain,
        needs=Need.LANGUAGE_MODEL,
    ),
    Kind(
        *("lstm-perplexity", "LSTM perplexity", QUALITY, False, 3, False, False),
        "How surprised an LSTM that learned from the test sentences is by the samples.",
        measure=measures.lstm_perplexity,
        needs=Need.LSTM,
    ),
    Kind(
        *("grammar-issues", "grammar issues", QUALITY, False, 3, True, False),
        "Issues that a grammar checker finds per 1,000 words.",
        on_curve=True,
        measure=measures.grammar,
        needs=Need.CHECKER,
    ),
    *_orders(
        *("self-bleu", "self-BLEU", range(2, 6), DIVERSITY, False),
        "BLEU-{n} of each sample against the others: how much alike the samples are.",
        main=(3, 5),
        monitored=(3,),
        on_curve=(5,),
        measure=measures.self_bleu,
    ),
    *_orders(
        *("distinct", "distinct", range(1, 5), DIVERSITY, True),
        "The share of different {n}-grams among all {n}-grams of all samples together.",
        main=(2,),
        monitored=(2,),
        on_curve=(2,),
        measure=measures.distinct,
    ),
    *_orders(
        *("ngram-entropy", "n-gram entropy", range(2, 5), DIVERSITY, True),
        "The entropy of the {n}-grams of all samples together, in nats.",
        measure=measures.ngram_entropy,
    ),
    Kind(
        *("duplicate-share", "duplicates", DIVERSITY, False, 3, True, True),
        "The share of samples that repeat another sample.",
        on_curve=True,
        measure=measures.duplicates,
    ),
    Kind(
        *("seq-rep-3", "seq-rep-3", DIVERSITY, False, 3, True, False),
        "The share of 3-grams that repeat an earlier one of the same sample.",
        measure=measures.repetition,
    ),
    Kind(
        *("entropy", "entropy", LIKELIHOOD, None, 3, False, False),
        "The entropy of the model in nats a token.",
    ),
    *_orders(
        *("reverse-bleu", "reverse BLEU", range(2, 6), BOTH, True),
        "BLEU-{n} of test sentences against the samples: how much of real text they cover.",
        main=(5,),
        on_curve=(5,),
        measure=measures.bleu,
    ),
    Kind(
        *("reverse-lm-perplexity", "reverse perplexity", BOTH, False, 3, True, False),
        "How surprised an n-gram model of the samples is by the test sentences.",
        on_curve=True,
        measure=measures.reverse_perplexity,
        needs=Need.LANGUAGE_MODEL,
    ),
    Kind(
        *("reverse-lstm-perplexity", "reverse LSTM perplexity", BOTH, False, 3, False, False),
        "How surprised an LSTM that learned from the samples is by the test sentences.",
        measure=measures.reverse_lstm_perplexity,
        needs=Need.LSTM,
    ),
    Kind(
        *("frechet", "Fréchet distance", BOTH, False, 3, True, False),
        "How far the samples lie from test sentences as a cloud of points.",
        measure=measures.clouds,
        needs=Need.FEATURES,
    ),
    Kind(
        *("mauve-ngram", "MAUVE on n-grams", BOTH, True, 3, True, False),
        "How much samples and test sentences overlap in clusters of n-gram vectors, in the manner"
        " of MAUVE; not the published score, whose vectors come from a large language model.",
        measure=measures.clouds,
        needs=Need.FEATURES,
    ),
    Kind(
        *("mauve-sentence", "MAUVE on sentence vectors", BOTH, True, 3, True, False),
        "The same with vectors of a sentence transformer.",
        measure=measures.clouds,
        needs=Need.FEATURES,
    ),
    Kind(
        *("kl-model-oracle", "KL(model, oracle)", TRUTH, False, 3, True, True),
        "What the model writes and should not, in nats a token.",
    ),
    Kind(
        *("kl-oracle-model", "KL(oracle, model)", TRUTH, False, 3, True, False),
        "What the model should write and does not, in nats a token.",
    ),
    Kind(
        *("js", "Jensen-Shannon divergence", TRUTH, False, 3, False, False),
        "Both of these at once, in nats a sentence, at most log 2.",
    ),
    Kind(
        *("copy-share", "copies", NOVELTY, False, 3, True, False),
        "The share of samples that equal a training sentence word for word.",
        measure=measures.copies,
        needs=Need.TRAIN,
    ),
    Kind(
        *("copied-span", "copied span", NOVELTY, None, 3, False, False),
        "The longest run of words that a sample shares with a training sentence, on average.",
        measure=measures.fresh_ngrams,
        needs=Need.TRAIN,
    ),
    Kind(
        *("copied-span-max", "longest copied span", NOVELTY, None, 0, False, False),
        "The longest run of words that any sample shares with a training sentence.",
        measure=measures.fresh_ngrams,
        needs=Need.TRAIN,
    ),
    *_orders(
        *("novelty", "novelty", range(1, 7), NOVELTY, None),
        "The share of the samples' {n}-grams that no training sentence has.",
        main=(4,),
        measure=measures.fresh_ngrams,
        needs=Need.TRAIN,
    ),
    *_orders(
        *("train-bleu", "training BLEU", range(2, 6), NOVELTY, None),
        "BLEU-{n} of the samples against training sentences, as many as there are references.",
        main=(5,),
        measure=measures.train_bleu,
        needs=Need.TRAIN,
    ),
    Kind(
        *("rare-sentence-share", "sentences with a rare word", WORDS, None, 3, True, False),
        "The share of samples with a word that is rare in the training sentences.",
        measure=measures.rare_words,
        needs=Need.TRAIN,
    ),
    Kind(
        *("rare-word-share", "rare words", WORDS, None, 3, False, False),
        "The share of words that are rare in the training sentences.",
        measure=measures.rare_words,
        needs=Need.TRAIN,
    ),
    Kind(
        *("rare-types", "different rare words", WORDS, None, 0, False, False),
        "How many different words the samples have that are rare in the training sentences.",
        measure=measures.rare_words,
        needs=Need.TRAIN,
    ),
    Kind(
        *("types", "different words", WORDS, None, 0, True, False),
        "How many different words all samples together have.",
        measure=measures.types,
    ),
    Kind(
        *("length", "length", WORDS, None, 1, True, True),
        "The mean number of words of a sample.",
        on_curve=True,
        measure=measures.length,
    ),
    Kind(
        *("length-sd", "spread of length", WORDS, None, 3, False, False),
        "The standard deviation of the number of words.",
        measure=measures.lengths,
    ),
    *(
        Kind(
            *(f"length-q{percent:02}", f"length, {percent} %", WORDS, None, 0, False, False),
            f"The number of words that {percent} % of the samples do not exceed.",
            measure=measures.lengths,
        )
        for percent in (5, 50, 95)
    ),
    Kind(
        *("length-distance", "distance of lengths", WORDS, False, 3, False, False),
        "The share of samples that would need another length to match the test sentences.",
        measure=measures.length_distance,
    ),
)

OLD_NAMES: Mapping[str, str] = MappingProxyType({"mauve": "mauve-ngram"})
"""Names that scores had in files which were written before, and the names that they have now."""

_BY_NAME = {kind.name: kind for kind in KINDS}


def kind_of(name: str) -> Kind:
    """The row of a score; one that the catalogue lacks is shown everywhere, under its own name."""
    known = _BY_NAME.get(name)
    return known or Kind(name, name, OTHER, None, 3, True, False, "A score of your own.")


def current_name(name: str) -> str:
    """The name that a score from a file has now."""
    return OLD_NAMES.get(name, name)


def in_order(names: set[str] | frozenset[str]) -> list[str]:
    """The names as tables show them; those that the catalogue lacks come last, by the alphabet."""
    known = [kind.name for kind in KINDS if kind.name in names]
    return [*known, *sorted(names - set(known))]


def figure_name(name: str) -> str:
    """The key that a monitored score has in `progress.jsonl`, such as `bleu_3`."""
    return name.replace("-", "_")
