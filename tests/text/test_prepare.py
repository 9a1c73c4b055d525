import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from sda.errors import UserError
from sda.text.preparation import Preparation
from sda.text.prepare import prepare
from text.ring import RING, Writer, numbered


def test_blank_lines_and_wide_spaces(text_file: Writer, undrawn: Preparation) -> None:
    path = text_file(["", "  a \t  b ", "   ", *numbered(12)])

    prepared = prepare(path, undrawn, seed=0)

    assert prepared.train_lines[0] == "a b"
    counts = prepared.summary.files[0]
    assert (counts.file, counts.read, counts.blank) == ("text.txt", 15, 2)
    assert prepared.summary.train == 13


def test_lowercase(text_file: Writer, undrawn: Preparation) -> None:
    path = text_file(["A B", *numbered(12)])

    kept = prepare(path, undrawn, seed=0)
    lowered = prepare(path, replace(undrawn, lowercase=True), seed=0)

    assert kept.train_lines[0] == "A B"
    assert lowered.train_lines[0] == "a b"
    assert len(kept.corpus.vocabulary) == len(lowered.corpus.vocabulary) + 2


def test_words_tokenizer(text_file: Writer, undrawn: Preparation) -> None:
    path = text_file(["Well, well.", *numbered(12)])

    prepared = prepare(path, replace(undrawn, tokenizer="words"), seed=0)

    assert prepared.train_lines[0].split() == ["Well", "\uffed,", "well", "\uffed."]
    decoded = prepared.corpus.vocabulary.decode(prepared.corpus.train)
    assert decoded == ["Well, well.", *numbered(12)]


def test_subwords_know_every_word(text_file: Writer, undrawn: Preparation) -> None:
    pytest.importorskip("tokenizers")
    valid = text_file(["zebra a", "猫 b"], "valid.txt")
    path = text_file([*RING, "a " * 60])
    settings = replace(undrawn, subwords=256, min_count=3, valid=str(valid))

    prepared = prepare(path, settings, seed=0)

    corpus, summary = prepared.corpus, prepared.summary
    assert corpus.vocabulary.unk is None
    assert corpus.vocabulary.decode(corpus.valid) == ["zebra a", "猫 b"]
    assert corpus.vocabulary.decode(corpus.train) == prepared.train_lines == RING
    assert (summary.vocabulary, summary.unknown_words) == (257, 0)
    assert summary.files[0].too_long == 1  # in words
    assert summary.words == 2 * len(RING)
    # A space and a letter for each word, where no pair is a piece.
    assert summary.subwords == 4 * len(RING)
    assert corpus.max_length == len(" zebra a") + 1
    assert ("running subwords in training", "528") in summary.as_rows()


def test_sentences_of_too_many_subwords_are_dropped(text_file: Writer) -> None:
    pytest.importorskip("tokenizers")
    path = text_file([*RING, "x" * 50])
    valid = text_file(["a b", "y" * 50], "valid.txt")
    test = text_file(["z" * 50], "test.txt")
    settings = Preparation(subwords=256, max_length=2, valid=str(valid), test=str(test))

    prepared = prepare(path, settings, seed=0)

    summary = prepared.summary
    assert prepared.train_lines == RING
    assert (summary.train_many_subwords, summary.train_rare) == (1, 0)
    assert (summary.valid, summary.valid_not_scored) == (1, 1)
    assert (len(prepared.test), prepared.test_lines) == (0, ["z" * 50])
    rows = dict(summary.as_rows())
    assert rows["  dropped: too many subwords"] == rows["  left out: too many subwords"] == "1"
    with pytest.raises(UserError, match="all 132 training sentences have more than 4 subwords"):
        prepare(
            text_file([line.replace(" ", "xx") for line in RING]),
            replace(settings, max_length=1),
            0,
        )
    long_valid = replace(settings, valid=str(text_file(["y" * 50], "valid.txt")))
    with pytest.raises(UserError, match="all 1 validation sentences have more than 8 subwords"):
        prepare(path, long_valid, seed=0)


def test_rare_words_become_unknown(text_file: Writer, undrawn: Preparation) -> None:
    path = text_file(["a zebra", "zebra b gnu", *RING])

    prepared = prepare(path, replace(undrawn, min_count=3), seed=0)

    vocabulary = prepared.corpus.vocabulary
    assert vocabulary.unk == 1
    assert vocabulary.decode(prepared.corpus.train)[:2] == ["a <unk>", "<unk> b <unk>"]
    assert prepared.train_lines[:2] == ["a zebra", "zebra b gnu"]
    assert prepared.summary.unknown_words == 3
    assert prepared.summary.words == 2 * len(RING) + 5
    assert ("running words in training", "269 (1.1% unknown)") in prepared.summary.as_rows()


def test_sentences_with_rare_words_are_dropped(text_file: Writer) -> None:
    three_times = ["emu a", "emu b", "emu c"]
    path = text_file(["a zebra", "yak zebra b", "a yak", *three_times, *RING])
    valid = text_file(["a b", "a zebra"], "valid.txt")
    test = text_file(["b a", "gnu a", "a yak"], "test.txt")
    preparation = Preparation(min_count=3, rare="drop", valid=str(valid), test=str(test))

    prepared = prepare(path, preparation, seed=0)

    assert prepared.train_lines == [*three_times, *RING]
    assert prepared.corpus.vocabulary.unk is None
    assert prepared.corpus.vocabulary.decode(prepared.corpus.valid) == ["a b"]
    assert prepared.corpus.vocabulary.decode(prepared.test) == ["b a"]
    assert prepared.test_lines == ["b a", "gnu a", "a yak"]
    summary = prepared.summary
    assert (summary.train_rare, summary.valid_not_scored, summary.test_not_scored) == (3, 1, 2)
    assert (summary.valid, summary.test) == (1, 3)


def test_words_that_only_dropped_sentences_held_leave_the_vocabulary(
    text_file: Writer, undrawn: Preparation
) -> None:
    path = text_file(["moth gnu", "moth yak", *RING])

    prepared = prepare(path, replace(undrawn, min_count=2, rare="drop"), seed=0)

    assert prepared.summary.train_rare == 2
    assert len(prepared.corpus.vocabulary) == 1 + 12


def test_long_sentences_are_dropped_or_cut(text_file: Writer) -> None:
    path = text_file(["a b c d e", *numbered(12), "a b c d"])
    long_file = str(text_file(["a b", "b c d e"], "long.txt"))

    drop = prepare(path, Preparation(max_length=3, valid=long_file, test=long_file), seed=0)
    cut = prepare(
        path, Preparation(max_length=3, too_long="cut", valid=long_file, test=long_file), seed=0
    )

    assert drop.train_lines == numbered(12)
    assert [counts.too_long for counts in drop.summary.files] == [2, 1, 1]
    assert len(drop.corpus.valid) == len(drop.test) == 1
    assert drop.summary.test_not_scored == 1
    assert cut.train_lines == ["a b c", *numbered(12), "a b c"]
    assert [counts.shortened for counts in cut.summary.files] == [2, 1, 1]
    assert cut.corpus.vocabulary.decode(cut.corpus.valid) == ["a b", "b c d"]
    assert drop.test_lines == cut.test_lines == ["a b", "b c d e"]
    assert drop.corpus.max_length == cut.corpus.max_length == 4


def test_short_sentences_are_dropped(text_file: Writer, undrawn: Preparation) -> None:
    path = text_file(["a", *numbered(12), "b"])

    prepared = prepare(path, replace(undrawn, min_length=2), seed=0)

    assert prepared.train_lines == numbered(12)
    assert prepared.summary.files[0].too_short == 2


def test_a_word_that_loses_what_it_stuck_to_is_cut_anew(
    text_file: Writer, undrawn: Preparation
) -> None:
    path = text_file(["a (b c", "a b", *numbered(12)])
    preparation = replace(undrawn, max_length=2, too_long="cut", tokenizer="words")

    assert prepare(path, preparation, seed=0).train_lines[:2] == ["a (", "a b"]


def test_duplicates_are_removed_after_cutting(text_file: Writer, undrawn: Preparation) -> None:
    path = text_file(["a b c x", *numbered(12), "a  b c y", numbered(12)[3]])
    preparation = replace(undrawn, max_length=3, too_long="cut", deduplicate=True)

    prepared = prepare(path, preparation, seed=0)

    assert prepared.train_lines == ["a b c", *numbered(12)]
    assert prepared.summary.files[0].duplicate == 2


def test_every_kind_of_file_gives_the_same(tmp_path: Path, text_file: Writer) -> None:
    plain = text_file(RING)
    table = tmp_path / "text.csv.gz"
    table.write_bytes(gzip.compress("\n".join(["n,body", *(f"1,{s}" for s in RING)]).encode()))
    objects = tmp_path / "text.jsonl"
    objects.write_text("".join(json.dumps({"t": sentence}) + "\n" for sentence in RING))

    from_table = prepare(table, Preparation(column="body"), seed=1)
    from_objects = prepare(objects, Preparation(field="t"), seed=1)

    assert from_table.train_lines == from_objects.train_lines
    assert from_table.train_lines == prepare(plain, Preparation(), seed=1).train_lines


def test_nothing_left_says_which_rule_dropped_how_much(text_file: Writer) -> None:
    path = text_file(["", "a", "a b c d", "b c d e", "a b c d e"])
    preparation = Preparation(min_length=2, max_length=3)
    with pytest.raises(
        UserError,
        match=r"text\.txt: no sentence is left \(5 lines read, dropped: 1 blank,"
        r" 1 shorter than min_length, 3 longer than max_length\)",
    ):
        prepare(path, preparation, seed=0)


def test_nothing_left_of_a_named_file(text_file: Writer, undrawn: Preparation) -> None:
    empty = text_file(["", " "], "blank.txt")
    preparation = replace(undrawn, test=str(empty))
    with pytest.raises(UserError, match=r"blank\.txt: no sentence is left \(2 lines read"):
        prepare(text_file(RING), preparation, seed=0)


def test_every_training_sentence_has_a_rare_word(text_file: Writer, undrawn: Preparation) -> None:
    preparation = replace(undrawn, min_count=500, rare="drop")
    with pytest.raises(UserError, match="all 132 training sentences hold a word seen fewer than"):
        prepare(text_file(RING), preparation, seed=0)


def test_no_validation_sentence_has_known_words(text_file: Writer) -> None:
    lines = [f"word{i}" for i in range(20)]
    with pytest.raises(UserError, match="all 2 validation sentences hold a word that the train"):
        prepare(text_file(lines), Preparation(), seed=0)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"min_count": 0}, "min_count must be 1 or more, not 0"),
        ({"min_length": 0}, "min_length must be 1 or more, not 0"),
        ({"max_length": 0}, "max_length must be 1 or more, not 0"),
        ({"limit": 0}, "limit must be 1 or more, not 0"),
        ({"share": 0.0}, "share must be above 0 and at most 1, not 0.0"),
        ({"share": 1.1}, "share must be above 0 and at most 1, not 1.1"),
        ({"share": float("nan")}, "share must be above 0 and at most 1, not nan"),
        ({"max_length": 3, "min_length": 4}, "max_length = 3 is below min_length = 4"),
        ({"rare": "keep"}, "rare must be one of unknown, drop, not 'keep'"),
        ({"too_long": "keep"}, "too_long must be one of drop, cut, not 'keep'"),
        ({"tokenizer": "bpe"}, "tokenizer must be one of"),
        ({"subwords": 100}, "subwords must be 256 or more, one for each byte, not 100"),
        ({"subwords": 10**20}, "subwords must be 1,000,000 or fewer, not 100000000000000000000"),
        ({"valid_share": 0.0}, "must be above 0 and together at most 0.9"),
        ({"test_share": -0.1}, "must be above 0 and together at most 0.9"),
        ({"valid_share": 0.5, "test_share": 0.5}, "must be above 0 and together at most 0.9"),
        ({"valid_share": float("nan")}, "must be above 0 and together at most 0.9"),
    ],
)
def test_settings_that_cannot_be(setting: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        Preparation(**setting)  # type: ignore[arg-type]
