"""The table of a run says what `sda evaluate` says of the run's samples."""

from pathlib import Path
from typing import Any

import pytest
from tiny import SMALL_ORACLE, toy_lines, train_tiny

from sda.evaluation.evaluator import Evaluator, Options
from sda.evaluation.score import Score
from sda.runs.run import Run
from sda.source import load_source
from sda.text.prepare import prepare
from sda.text.sentences import Sentences
from sda.text.tokens import tokenizer

FULL = ("evaluation.features=true", "evaluation.self_bleu_samples=15")
# More samples than real text, so that some are drawn; and fewer, so that real text is.
SIZES = ("evaluation.final_samples=45", "evaluation.final_samples=18")
# These need a model, or a truth that no file of samples has.
OF_MODELS = {"nll-test", "entropy", "kl-model-oracle", "kl-oracle-model", "js"}


def texts_of(run: Run) -> dict[str, list[str]]:
    """Test, training and real text as files would hold them."""
    loaded = load_source(run.settings)
    eos = loaded.vocabulary.eos
    held_out = loaded.held_out
    flats = {"test": held_out.references, "train": held_out.train, "real": held_out.real}
    if loaded.held_out.truth is None:
        found = prepare(Path(run.settings.source), run.settings.data, run.settings.seed)
        splits = {"test": found.test_lines, "train": found.train_lines, "real": found.valid_lines}
        join = tokenizer(run.settings.data.tokenizer).join
        return {name: [join(line.split(" ")) for line in lines] for name, lines in splits.items()}
    return {
        name: loaded.vocabulary.decode(Sentences.from_flat(flat, eos))
        for name, flat in flats.items()
    }


def check_equal(run: Run, **options: Any) -> set[str]:
    """All scores that both have are equal; returns their names."""
    settings = run.settings
    chosen = Options(
        lowercase=settings.data.lowercase,
        tokenizer=settings.data.tokenizer,
        seed=settings.seed,
        self_bleu_limit=settings.evaluation.self_bleu_samples,
        **options,
    )
    samples = run.folder.samples.read_text(encoding="utf-8").splitlines()
    found = Evaluator(**texts_of(run), options=chosen).evaluate(samples)
    rows = [
        {score["name"]: Score.from_dict(score) for score in row["scores"]}
        for row in run.folder.read_scores()
    ]
    for row, scores in ((rows[0], found.ceiling), (rows[-1], found.scores)):
        evaluated = {score.name: score for score in scores}
        assert evaluated.keys() == row.keys() - OF_MODELS - (
            set() if chosen.captions else {"nll-oracle"}
        )
        for name, score in evaluated.items():
            assert (score.value, score.interval) == (row[name].value, row[name].interval), name
            if not name.startswith("nll-oracle") and name != "grammatical-share":
                assert score.signature == row[name].signature
    return set(evaluated)


@pytest.mark.parametrize("size", SIZES)
def test_a_run_on_a_file(size: str, tmp_path: Path) -> None:
    # Words that stand once are unknown to the model, and words all the same.
    lines = [*toy_lines(), *(f"the odd{n} cat sat near fish" for n in range(20))]
    text = tmp_path / "text.txt"
    text.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    run = train_tiny(text, tmp_path / "run", (*FULL, size, "data.min_count=2", "seed=3"))

    assert len(run.folder.load_vocabulary()[0]) < 30
    names = check_equal(run)
    assert {"bleu-5", "self-bleu-5", "frechet", "mauve-ngram", "copy-share", "order-gain"} <= names


def punctuated(line: str) -> str:
    """The line with signs that stick to the word before, to the word behind, and to both."""
    first, second, third, *rest, last = line.title().split()
    return f'"{first}-{second}," {third} {" ".join(rest)} ({last}) isn\'t it?'


@pytest.mark.parametrize("too_long", ["drop", "cut"])
def test_a_run_on_a_file_cut_into_words(too_long: str, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    lines = [f"{punctuated(line)}\n" for line in toy_lines()]
    text.write_text("".join(lines), encoding="utf-8")
    # Ten words end with a bracket that has lost what it stuck to.
    longest = 10 if too_long == "cut" else 50
    values = (
        *(*FULL, SIZES[0], 'data.tokenizer="words"', "data.lowercase=true"),
        *(f"data.too_long='{too_long}'", f"data.max_length={longest}", "seed=3"),
    )
    run = train_tiny(text, tmp_path / "run", values)

    assert "tok:words|case:lower|" in run.folder.read_scores()[0]["scores"][0]["signature"]
    # Some samples have tokens that no text is cut into, or this would prove nothing.
    chosen = tokenizer("words")
    samples = run.folder.samples.read_text(encoding="utf-8").splitlines()
    words = {word for line in texts_of(run)["train"] for word in chosen.split(line)}
    assert any(not words.issuperset(chosen.split(sample)) for sample in samples)
    check_equal(run)


@pytest.mark.parametrize("size", SIZES)
def test_a_run_on_captions_with_their_grammar(size: str, tmp_path: Path) -> None:
    run = train_tiny("captions", tmp_path / "run", (*FULL, size))

    names = check_equal(run, captions=True)
    assert {"grammatical-share", "nll-oracle"} <= names


def test_a_run_on_numbers(tmp_path: Path) -> None:
    run = train_tiny("oracle", tmp_path / "run", (*FULL, *SMALL_ORACLE, SIZES[0]))

    check_equal(run)
