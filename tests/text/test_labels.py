"""Labels from files: read, numbered, split, and kept with their sentences."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from sda.errors import UserError
from sda.runs.folder import RunFolder
from sda.settings.layers import Choices
from sda.source import load_source
from sda.text.context import labels_of
from sda.text.preparation import Preparation
from sda.text.prepare import Prepared, prepare
from sda.text.reading import each_record
from sda.text.records import Record

Writer = Callable[..., Path]

LETTERS = "abcdefgh"
ROWS = [
    (f"{first} {second}", "even" if (i + j) % 2 else "odd")
    for i, first in enumerate(LETTERS)
    for j, second in enumerate(LETTERS)
    if i != j
]
LABELLED = Preparation(column="text", label="kind")


def as_table(rows: list[tuple[str, str]]) -> list[str]:
    return ["text,kind", *(f"{text},{label}" for text, label in rows)]


def pairs(prepared: Prepared) -> list[tuple[str, str]]:
    """Text and label of every sentence that was encoded."""
    corpus = prepared.corpus
    found = []
    for sentences in (corpus.train, corpus.valid, prepared.test):
        labels = labels_of(sentences.context).tolist()
        texts = corpus.vocabulary.decode(sentences)
        found += [(text, corpus.labels[i]) for text, i in zip(texts, labels, strict=True)]
    return found


def test_each_sentence_keeps_its_label(text_file: Writer) -> None:
    prepared = prepare(text_file(as_table(ROWS), "a.csv"), LABELLED, seed=0)

    assert prepared.corpus.labels == ("even", "odd")
    assert sorted(pairs(prepared)) == sorted(ROWS)
    assert prepared.summary.labels == {
        "even": sum(label == "even" for _, label in pairs(prepared)[: len(prepared.corpus.train)]),
        "odd": sum(label == "odd" for _, label in pairs(prepared)[: len(prepared.corpus.train)]),
    }
    assert ("  label odd", str(prepared.summary.labels["odd"])) in prepared.summary.as_rows()


def test_labels_stay_with_their_sentences_when_others_leave(text_file: Writer) -> None:
    rows = [*ROWS, ("zebra a", "odd"), ("a b c d e", "even")]
    settings = replace(LABELLED, min_count=2, rare="drop", max_length=3, share=0.7)

    prepared = prepare(text_file(as_table(rows), "a.csv"), settings, seed=3)

    assert set(pairs(prepared)) < set(ROWS)
    assert len(prepared.corpus.train) < 50


def test_labels_in_subwords(text_file: Writer) -> None:
    pytest.importorskip("tokenizers")
    rows = [*ROWS, ("x" * 1000, "odd")]

    prepared = prepare(text_file(as_table(rows), "a.csv"), replace(LABELLED, subwords=256), seed=0)

    assert sorted(pairs(prepared)) == sorted(ROWS)


def test_every_kind_of_file_gives_the_same_labels(text_file: Writer) -> None:
    table = text_file([line.replace(",", "\t") for line in as_table(ROWS)], "a.tsv")
    objects = text_file([json.dumps({"t": text, "kind": kind}) for text, kind in ROWS], "a.jsonl")

    found = [
        prepare(table, LABELLED, seed=1),
        prepare(objects, Preparation(field="t", label="kind"), seed=1),
    ]

    assert pairs(found[0]) == pairs(found[1])


def test_without_a_label_sentences_are_about_nothing(text_file: Writer) -> None:
    path = text_file(as_table(ROWS), "a.csv")
    labelled, plain = (prepare(path, replace(LABELLED, label=k), 0) for k in ("kind", None))

    assert plain.corpus.train.context is None
    assert plain.corpus.labels == ()
    assert torch.equal(plain.corpus.train.tokens, labelled.corpus.train.tokens)


def test_one_text_under_two_labels_is_two_sentences_in_one_split(text_file: Writer) -> None:
    both = [(text, kind) for text, _ in ROWS for kind in ("one", "two", "two")]

    prepared = prepare(text_file(as_table(both), "a.csv"), replace(LABELLED, deduplicate=True), 0)

    assert prepared.summary.files[0].duplicate == len(ROWS)
    assert sorted(pairs(prepared)) == sorted(set(both))
    splits = (prepared.train_lines, prepared.valid_lines, prepared.test_lines)
    assert sum(len(set(lines)) for lines in splits) == len(ROWS)


def test_a_label_that_only_held_out_sentences_have(text_file: Writer) -> None:
    test = text_file(as_table([("a b", "new"), ("b a", "new"), ("c a", "odd")]), "test.csv")
    with pytest.raises(
        UserError, match=r"2 test sentences have the label 'new', .*to \S*a\.csv, or"
    ):
        prepare(text_file(as_table(ROWS), "a.csv"), replace(LABELLED, test=str(test)), seed=0)
    with pytest.raises(UserError, match="2 validation sentences have the label 'new'"):
        prepare(text_file(as_table(ROWS), "a.csv"), replace(LABELLED, valid=str(test)), seed=0)


@pytest.mark.parametrize(
    ("settings", "advice"),
    [
        (
            LABELLED,
            "drawn for held-out splits, so add .*, lower valid_share, name files with valid",
        ),
        (replace(LABELLED, limit=3), "limit = 3 left it out, so raise limit"),
        (replace(LABELLED, share=0.05), "share = 0.05 left it out, so raise share"),
        (
            replace(LABELLED, min_count=2, rare="drop"),
            "rare = 'drop' dropped it, so lower min_count",
        ),
    ],
)
def test_what_took_the_only_training_sentence_of_a_label_is_named(
    settings: Preparation, advice: str, text_file: Writer
) -> None:
    test = text_file(as_table([("a b", "new")]), "test.csv")
    path = text_file(as_table([*ROWS, ("zebra a", "new")]), "a.csv")
    stopped = []
    for seed in range(40):
        try:
            prepare(path, replace(settings, test=str(test)), seed)
        except UserError as error:
            stopped.append(str(error))

    assert any(re.search(advice, sentence) for sentence in stopped)
    # Any of them may be drawn, and nothing that is not in force is named.
    others = {"limit =": settings.limit is None, "share =": settings.share == 1}
    assert not any(key in sentence for key, no in others.items() if no for sentence in stopped)


def test_a_sentence_without_a_label_is_named(text_file: Writer) -> None:
    path = text_file(["text,kind", "a b,odd", "", " ,", "b c, "], "a.csv")
    with pytest.raises(UserError, match=r"a\.csv, line 5: no label in 'kind'"):
        list(each_record(path, "text", None, "kind"))
    path = text_file(['{"t": "a", "kind": "odd"}', '{"t": "b"}'], "a.jsonl")
    with pytest.raises(UserError, match=r"a\.jsonl, line 2: no label in 'kind'"):
        list(each_record(path, None, "t", "kind"))


def test_whole_numbers_are_labels_and_lists_are_not(text_file: Writer) -> None:
    path = text_file(['{"t": "a", "kind": 3}', '{"t": "b", "kind": " 4 "}', ""], "a.jsonl")
    assert list(each_record(path, None, "t", "kind")) == [
        Record("a", "3"),
        Record("b", "4"),
        Record("", None),
    ]
    for value, kind in (("[1]", "a list"), ("true", "a truth value"), ("0.5", "a number")):
        path = text_file([f'{{"t": "a", "kind": {value}}}'], "a.jsonl")
        with pytest.raises(UserError, match=f"label 'kind' is {kind}, not a string or a whole"):
            list(each_record(path, None, "t", "kind"))


def test_a_missing_column_is_named(text_file: Writer) -> None:
    with pytest.raises(UserError, match=r"no column 'sort'; it has 'text', 'kind'"):
        prepare(text_file(as_table(ROWS), "a.csv"), replace(LABELLED, label="sort"), seed=0)


def test_plain_text_has_no_labels(text_file: Writer) -> None:
    path = text_file([text for text, _ in ROWS])
    with pytest.raises(UserError, match=r"text\.txt has no label 'kind': labels stand in \.csv"):
        prepare(path, Preparation(label="kind"), seed=0)


def test_the_folder_keeps_the_names_and_notices_other_labels(
    text_file: Writer, tmp_path: Path
) -> None:
    path = text_file(as_table(ROWS), "a.csv")
    values = {"data": {"column": "text", "label": "kind"}}
    settings, _ = Choices(str(path), profile="smoke", values=values).settle()
    folder = RunFolder(tmp_path)
    folder.keep_text(load_source(settings))

    assert folder.load_labels() == ("even", "odd")
    folder.keep_text(load_source(settings))
    text_file(as_table([(ROWS[0][0], "odd"), *ROWS[1:]]), "a.csv")
    with pytest.raises(UserError, match="the source has another text now"):
        folder.keep_text(load_source(settings))


def test_the_folder_of_a_text_without_labels_has_none(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.vocabulary.write_text('{"max_length": 3, "vocabulary": {}}')

    assert folder.load_labels() == ()
