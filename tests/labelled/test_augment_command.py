"""`sda augment`: rows with all their columns, the same bytes whatever happens, and mistakes."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from labelled_tiny import QUICK, read_table, rows, write_table
from tiny import Answer

import sda
from sda.runs.keeper import Keeper

Command = Callable[..., Answer]


@pytest.mark.slow
def test_rows_are_made_and_an_interruption_changes_nothing(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts, labels = rows()
    source = write_table(tmp_path / "a.csv", [*texts, ""], [*labels, "good"])
    (tmp_path / "pool.txt").write_text("the cow is nice\nthe cow is rude\n")
    (tmp_path / "test.txt").write_text("the fish is sad and bad\n")
    (tmp_path / "rules.tsv").write_text("good\tword: nice kind\nbad\tword: rude\n")
    options = (
        *("--unlabelled", tmp_path / "pool.txt", "--test", tmp_path / "test.txt"),
        *("--rules", tmp_path / "rules.tsv", "--per-class", 3, *QUICK),
        *("--work", tmp_path / "work"),
    )
    out = tmp_path / "one" / "more.csv"
    out.parent.mkdir()
    answer = command("augment", source, "-o", out, *options)

    assert answer.code == 0, answer.err
    # Nobody reads a page of the runs that were needed.
    assert not list((tmp_path / "work").rglob("report.html"))
    table = read_table(out)
    old, new = table[:33], table[33:]
    assert [{k: row[k] for k in ("id", "text", "label")} for row in old] == read_table(source)
    assert {row["source"] for row in old} == {"original"}
    assert {row["source"] for row in new} == {"generated"}
    assert 0 < len(new) <= 6
    for row in new:
        assert row["label"] in ("good", "bad") and row["nearest"] in texts
        assert all(float(row[name]) >= 0 for name in ("score", "confidence", "nats", "copied"))
    seen = {*texts, "the cow is nice", "the cow is rude", "the fish is sad and bad"}
    assert not seen & {row["text"] for row in new}
    rejected = read_table(out.parent / "rejected.csv")
    assert rejected and all(row["reason"] for row in rejected)

    # Stage II once more, killed in the middle, and called again.
    shutil.rmtree(tmp_path / "work" / "rows" / "sda")
    again = tmp_path / "two" / "more.csv"
    again.parent.mkdir()
    saved = Keeper.save

    def interrupted(self: Keeper, *args: object) -> object:
        if self.state.sda_epoch:
            raise KeyboardInterrupt
        return saved(self, *args)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(Keeper, "save", interrupted)
        assert command("augment", source, "-o", again, *options).code == 130
    assert not again.exists()
    assert command("augment", source, "-o", again, *options).code == 0
    assert again.read_bytes() == out.read_bytes()
    other = (again.parent / "rejected.csv").read_bytes()
    assert other == (out.parent / "rejected.csv").read_bytes()
    # Other options would go on with work that is not theirs.
    answer = command("augment", source, "-o", again, *options, "--seed", 1)
    assert answer.code == 2 and "holds work on other rows or with other options" in answer.err


@pytest.mark.slow
def test_rows_that_cannot_be_believed_are_not_written(command: Command, tmp_path: Path) -> None:
    texts, labels = rows()
    # Labels by lot: nothing tells them.
    labels = [str(number * 7919 % 32 < 16) for number in range(32)]
    source = write_table(tmp_path / "a.csv", texts, labels)
    out, quick = tmp_path / "more.csv", ("writer.profile=smoke", "writer.epochs=1")
    answer = command(
        *("augment", source, "-o", out, "--set", quick[0], "--set", quick[1]),
        *("--work", tmp_path / "work"),
    )

    assert answer.code == 0, answer.err
    assert [row["text"] for row in read_table(out)] == texts
    assert {row["source"] for row in read_table(out)} == {"original"}
    told = " ".join(answer.out.split())
    assert "32 rows as they were and 0 new ones" in told
    for label in set(labels):
        assert f"no new rows of '{label}': your rows do not show that its label can be told" in told
    assert "give more labelled rows, rules (--rules)" in told
    # Nothing was tried in vain.
    assert not (tmp_path / "work" / "rows" / "sda").exists()
    assert not (tmp_path / "work" / "rows" / "trial").exists()


@pytest.mark.slow
@pytest.mark.parametrize("generator", ["transformer", "cnn", "hf"])
def test_other_generators_write_rows(generator: str, tmp_path: Path) -> None:
    texts, labels = rows()
    if generator == "hf":
        from tiny_models import byte_model

        generator = f"hf:{byte_model('llama')}"
    writer = {"generator": generator, "profile": "smoke", "epochs": 2, "stage2": 1, "calls": 60}
    found = sda.augment(texts, labels, per_class=2, settings={"writer": writer, "least": 0})

    assert found.written and not set(texts) & {one.text for one in found.written}
    assert {one.label for one in found.written} == {"good", "bad"}


GERMAN = [
    (f"{der} war {wie}.", label)
    for label, words in (
        ("gut", ("gut", "schön", "süß")),
        ("schlecht", ("schlecht", "öde", "kalt")),
    )
    for der in ("Das Essen", "Der Kellner", "Das Zimmer", "Die Straße")
    for wie in words
]
CHINESE = [
    (f"这家{place}{word}。", label)
    for label, words in (("好", ("很好", "不错", "很棒")), ("差", ("很差", "太吵", "很脏")))
    for place in ("餐厅", "酒店", "商店", "房间")
    for word in words
]


@pytest.mark.slow
@pytest.mark.parametrize(("pairs", "tokenizer"), [(GERMAN, "words"), (CHINESE, "characters")])
def test_other_languages(pairs: list[tuple[str, str]], tokenizer: str, tmp_path: Path) -> None:
    texts, labels = [text for text, _ in pairs], [label for _, label in pairs]
    writer = {"profile": "smoke", "epochs": 3, "stage2": 0}
    found = sda.augment(texts, labels, per_class=2, settings={"writer": writer, "least": 0.1})

    assert found.written
    characters = set("".join(texts))
    assert all(set(one.text) <= characters for one in found.written)
    assert not set(texts) & {one.text for one in found.written}


def assert_sentence(answer: Answer, *words: str) -> None:
    assert answer.code == 2
    assert len(answer.err.splitlines()) == 1
    for word in words:
        assert word in answer.err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("id,words,label\n1,a,x\n", ["no column 'text'; it has 'id', 'words', 'label'"]),
        ("text,kind\na,x\n", ["no column 'label'"]),
        ("text,label\na,x\nb,x\n", ["at least two different labels", "there is 'x'"]),
        ("text,label\na,x\nb,x\nc,y\n", ["label 'y' has one row"]),
        ("text,label\n,x\n,y\n", ["at least two different labels", "none"]),
        ("text,label\na,x\nb,\n", ["line 3: no label"]),
        ("text,label\n", ["is empty"]),
        ("text,label,source\na,x,1\nb,x,1\nc,y,1\nd,y,1\n", ["a column 'source', which"]),
        ("text,label\na,(no label)\nb,(no label)\nc,x\nd,x\n", ["is ours"]),
    ],
)
def test_tables_that_cannot_be_learned(
    content: str, words: list[str], command: Command, tmp_path: Path
) -> None:
    source = tmp_path / "a.csv"
    source.write_text(content)
    answer = command("augment", source, "-o", tmp_path / "b.csv", "--quiet")

    assert_sentence(answer, *words)
    assert source.read_text() == content
    assert not (tmp_path / "b.csv").exists()


def test_mistakes_in_options(command: Command, tmp_path: Path) -> None:
    source = write_table(tmp_path / "a.csv", *rows())
    out = tmp_path / "b.csv"
    for options, words in (
        ((), "name a file for the new rows with --out"),
        (("-o", source), "is a file that is read"),
        (("-o", tmp_path / "b.txt"), "name a file that ends in .csv, .tsv, .jsonl"),
        (("-o", tmp_path / "c" / "b.csv"), "there is no folder"),
        (("-o", out, "--balance", "--per-class", 2), "exclude each other"),
        (("-o", out, "--set", "weights.noise=1"), "unknown setting 'weights.noise'"),
        (("-o", out, "--set", "least=2"), "setting 'least'"),
        (("-o", out, "--rules", tmp_path / "no.tsv"), "does not exist"),
        (("-o", out, "--unlabelled", tmp_path / "no.txt"), "does not exist"),
        (("-o", out, "--generator", "gpt"), "unknown generator 'gpt'"),
        (("-o", out, "--sentence-model", "no-such-package"), "neither a folder with a sentence"),
        (("--report", tmp_path / "c" / "r.html"), "there is no folder"),
    ):
        assert_sentence(command("augment", source, *options, "--quiet"), words)
    assert not out.exists()


def test_labels_that_are_numbers(command: Command, tmp_path: Path) -> None:
    objects = [{"text": "a", "label": 0.5}, {"text": "b", "label": 1}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, objects)))
    answer = command("augment", tmp_path / "a.jsonl", "-o", tmp_path / "b.jsonl", "--quiet")

    assert_sentence(answer, "line 1: label 'label' is a number, not a string or a whole number")
