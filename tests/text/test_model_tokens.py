"""Tokens of a pretrained model between texts and ids."""

import json
from pathlib import Path

import pytest
from tiny_models import byte_tokenizer, word_tokenizer

from sda.errors import UserError
from sda.text.model_tokens import ModelVocabulary
from sda.text.tokens import tokenizer
from sda.text.vocabulary import vocabulary_from_json

TEXTS = ["the cat sat on the mat .", "a dog ran , and the cat sat ."]


def folder_of(path: Path, made: object, names: dict[str, object], **config: object) -> Path:
    """What a model's folder says of its tokens; there are no weights in it."""
    path.mkdir()
    made.save(str(path / "tokenizer.json"))  # type: ignore[attr-defined]
    (path / "config.json").write_text(json.dumps(config))
    if names:
        (path / "tokenizer_config.json").write_text(json.dumps(names))
    return path


def read(folder: Path, has_prompts: bool = False) -> ModelVocabulary:
    return ModelVocabulary.read(folder, tokenizer("whitespace"), has_prompts)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    names: dict[str, object] = {"eos_token": {"content": "<eos>"}, "bos_token": "<bos>"}
    return folder_of(tmp_path / "model", byte_tokenizer(TEXTS), names, vocab_size=320)


def test_texts_come_back(folder: Path) -> None:
    vocabulary = read(folder)
    texts = [*TEXTS, "Größe 敏捷 🙂", "<eos> is a word <bos> here"]
    sentences = vocabulary.encode([f"  {text} " for text in texts])

    assert vocabulary.decode(sentences) == texts
    # A symbol that is spelled out is text, and no end.
    assert (sentences.tokens == vocabulary.eos).sum(1).tolist() == [1] * 4
    assert vocabulary.words(sentences).lengths.tolist() == [7, 9, 3, 6]


def test_symbols_and_what_is_never_written(folder: Path) -> None:
    vocabulary = read(folder)
    pieces = byte_tokenizer(TEXTS).get_vocab_size()

    assert (vocabulary.bos, vocabulary.eos, vocabulary.unk, len(vocabulary)) == (0, 1, None, 320)
    assert vocabulary.forbidden == [0, *range(pieces, 320)]


def test_words_are_numbered_above_the_end(folder: Path) -> None:
    vocabulary = read(folder)
    sentences = vocabulary.encode(["the cat", "the the"])
    words = vocabulary.in_words(sentences)

    assert words.tokens.tolist() == [[2, 3, 1], [2, 2, 1]]
    assert vocabulary.number_words(["cat", "new"]) == [3, 4]


def test_a_sentence_after_a_prompt_begins_with_a_space(folder: Path) -> None:
    alone, glued = read(folder), read(folder, has_prompts=True)
    prompts = glued.encode_prompts(["Say: ", "the cat"])
    both = glued.encode(["cat"]).tokens[0].tolist()

    assert glued.decode(glued.encode(["cat"])) == ["cat"] == glued.decode(alone.encode(["cat"]))
    assert both != alone.encode(["cat"]).tokens[0].tolist()
    # The prompt and the sentence are what the whole text is.
    assert (
        prompts.tokens[1, : prompts.lengths[1]].tolist() + both[:-1]
        == (alone.encode(["the cat cat"]).tokens[0].tolist()[:-1])
    )
    assert glued.decode(prompts) == ["Say:", "the cat"]


def test_a_run_folder_is_enough(folder: Path) -> None:
    vocabulary = read(folder, has_prompts=True)
    again = vocabulary_from_json(json.loads(json.dumps(vocabulary.to_json())))

    assert again.to_json() == vocabulary.to_json()
    assert again.encode(TEXTS).tokens.tolist() == vocabulary.encode(TEXTS).tokens.tolist()
    with pytest.raises(UserError, match="no tokens of a model"):
        ModelVocabulary.from_json({"kind": "model"})


def test_a_start_symbol_may_be_missing_but_not_an_end(tmp_path: Path) -> None:
    made = word_tokenizer(4, has_bos=False)
    without = folder_of(tmp_path / "one", made, {}, eos_token_id=[2, 0])

    assert (read(without).bos, read(without).eos, len(read(without))) == (2, 2, 4)
    with pytest.raises(UserError, match="no sentence could end"):
        read(folder_of(tmp_path / "two", made, {}))
    (without / "config.json").write_text("[")
    with pytest.raises(UserError, match=r"config.json: not valid JSON"):
        read(without)
