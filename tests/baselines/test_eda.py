"""A corpus with edited versions of its training sentences is a corpus as good as before."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from fakes import seeded

from sda.baselines.eda import Eda
from sda.errors import UserError
from sda.runs.components import build
from sda.text.context import Context, labels_of
from sda.text.corpus import Corpus
from sda.text.tokens import WhitespaceTokenizer
from sda.text.vocabulary import NumberVocabulary, WordVocabulary


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "synonyms.txt"
    path.write_text("cat\tdog lion\nbig\there\nthe\ta\n", encoding="utf-8")
    return str(path)


def test_each_training_sentence_gets_its_versions(corpus: Corpus, table: str) -> None:
    larger = Eda(corpus.vocabulary, seeded(1), synonyms=table)(corpus)

    assert len(larger) == 5 * len(corpus)
    assert torch.equal(larger.train[: len(corpus)].trimmed().tokens, corpus.train.tokens)
    assert larger.valid is corpus.valid
    assert larger.vocabulary is corpus.vocabulary
    assert larger.max_length == corpus.max_length
    last = larger.train.tokens.gather(1, larger.train.lengths[:, None] - 1)
    assert (last == 0).all()
    old, new = (corpus.vocabulary.decode(s) for s in (corpus.train, larger.train[len(corpus) :]))
    assert all(text != old[number // 4] for number, text in enumerate(new))


def test_a_version_is_about_what_its_sentence_is_about(corpus: Corpus, table: str) -> None:
    labels = torch.arange(len(corpus)) % 3
    labelled = replace(corpus, train=corpus.train.about(Context(labels)))

    larger = Eda(corpus.vocabulary, seeded(1), 2, synonyms=table)(labelled)

    assert labels_of(larger.train.context).tolist() == [
        *labels.tolist(),
        *(label for label in labels.tolist() for _ in range(2)),
    ]


def test_the_rng_decides(corpus: Corpus, table: str) -> None:
    def tokens(seed: int) -> list[str]:
        return corpus.vocabulary.decode(
            Eda(corpus.vocabulary, seeded(seed), synonyms=table)(corpus).train
        )

    assert tokens(1) == tokens(1)
    assert tokens(1) != tokens(2)


def test_no_sentence_gets_too_long_for_a_model(corpus: Corpus, table: str) -> None:
    # "the big dog ran home" and its end fill the six tokens, so nothing can be inserted.
    augment = Eda(corpus.vocabulary, seeded(0), operations=("insert",), synonyms=table)
    larger = augment(corpus)

    assert int(larger.train.lengths.max()) == corpus.max_length
    texts = corpus.vocabulary.decode(larger.train)
    assert texts[-4:] == ["the big dog ran home"] * 4


def test_only_words_of_the_vocabulary_that_are_no_stop_words(corpus: Corpus, table: str) -> None:
    augment = Eda(corpus.vocabulary, seeded(0), operations=("replace",), synonyms=table)
    texts = corpus.vocabulary.decode(augment(corpus).train)

    assert texts[10:14] == ["the dog sat"] * 4
    assert texts[14:18] == ["the dog sat"] * 4


def test_the_unknown_word_has_no_synonyms(corpus: Corpus) -> None:
    words = ("bike", "<unk>", "bicycle")
    vocabulary = WordVocabulary(words, has_unknown=True, tokenizer=WhitespaceTokenizer())
    choices = Eda(vocabulary, seeded(0)).choices

    assert choices.starts.tolist() == [0, 0, 0, 1, 1, 2]
    assert choices.words.tolist() == [4, 2]


def test_numbers_have_no_synonyms() -> None:
    with pytest.raises(UserError, match="a text whose ids are whole words"):
        Eda(NumberVocabulary(9), seeded(0))


def test_settings_build_it(corpus: Corpus) -> None:
    section = {
        "use": "sda.baselines.eda:Eda",
        "alpha": 0.2,
        "per_sentence": 1,
        "operations": ["swap"],
    }
    known = {"vocabulary": corpus.vocabulary, "train": corpus.train, "rng": seeded(0)}
    larger = build(section, "augmentation", **known)(corpus)

    assert len(larger) == 2 * len(corpus)
    with pytest.raises(UserError, match=r"setting 'augmentation.operations"):
        build({**section, "operations": ["swop"]}, "augmentation", **known)
    with pytest.raises(UserError, match=r"unknown setting 'augmentation.alhpa'"):
        build({**section, "alhpa": 0.1}, "augmentation", **known)
