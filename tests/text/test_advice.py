"""What people are told about a text before anything is trained."""

from pathlib import Path

import pytest

from sda.errors import UserError
from sda.text.advice import advise_on_script
from sda.text.preparation import Preparation
from sda.text.prepare import prepare


def advice(path: Path, lines: list[str], **settings: object) -> list[str]:
    """The advice on a file of these lines, but for the one that there are few."""
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    preparation = Preparation(**{"min_count": 2, **settings})  # type: ignore[arg-type]
    found = prepare(path, preparation, seed=0).summary.advice
    few = [sentence for sentence in found if "are few" in sentence]
    assert len(few) == (len(lines) < 1000)
    return [sentence for sentence in found if sentence not in few]


CLEAN = [f"the {a} cat saw {b} ." for a in "abcdefghij" for b in "klmnopqrst"]
LONG_CLEAN = [f"{line} and {other}" for line in CLEAN for other in CLEAN[:20]]


def test_a_clean_text_needs_none(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    assert advice(path, CLEAN) == []
    assert advice(path, LONG_CLEAN) == []


def test_punctuation_that_sticks_to_words(tmp_path: Path) -> None:
    path, lines = tmp_path / "a.txt", [*CLEAN[:90], *(f"a dog, {n} ." for n in "abcdefghij")]
    (sentence,) = advice(path, lines)
    assert sentence.startswith("punctuation sticks to words in 10% of the lines, so that 'dog,'")
    assert sentence.endswith("give --tokenizer words")
    assert advice(path, lines, tokenizer="words") == []
    assert advice(path, [*CLEAN, "a dog, 1 ."]) == []


def test_capitals(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    lines = [f"{'The' if n % 2 else 'the'} cat sat on mat {n % 8} {n // 8}" for n in range(40)]
    (sentence,) = advice(path, lines)
    assert sentence.startswith("'The' and 'the' are different words") or sentence.startswith(
        "'the' and 'The' are different words"
    )
    assert sentence.endswith("give --lower")
    assert advice(path, lines, lowercase=True) == []
    assert advice(path, [line.replace("the", "a") for line in lines]) == []


UNSPACED = {
    "chinese": [f"今天我们看见{a}和{b}。" for a in "猫狗鸟鱼马" for b in "花草树木石"],
    "japanese": [f"きょうは{a}を{b}ました。" for a in "猫犬鳥魚馬" for b in "見買食飲売"],
    "thai": [f"วันนี้ฉันเห็น{a}และ{b}" for a in "กขคงจ" for b in "ชซดตถ"],
}


@pytest.mark.parametrize("name", UNSPACED)
def test_scripts_without_spaces(name: str, tmp_path: Path) -> None:
    path, lines = tmp_path / "a.txt", UNSPACED[name]
    words = "this is a script without spaces, so that a whole line counts as one word"
    assert advise_on_script(lines, Preparation()) == f"{words}; give --tokenizer characters"
    # No word comes twice, or none that was held out is known.
    for min_count in (1, 2):
        with pytest.raises(UserError, match=f"a.txt: {words}"):
            advice(path, lines, min_count=min_count)
    assert advice(path, lines, tokenizer="characters") == []


def test_scripts_without_spaces_that_somebody_has_spaced(tmp_path: Path) -> None:
    lines = [f"今天 我们 看见 {a} 和 {b} 。" for a in "猫狗鸟鱼马" for b in "花草树木石"]
    assert advice(tmp_path / "a.txt", lines) == []


def test_sentences_that_repeat(tmp_path: Path) -> None:
    path, lines = tmp_path / "a.txt", [*CLEAN[:90], *["i love it"] * 11]
    (sentence,) = advice(path, lines)
    assert sentence.startswith("10 of 101 sentences repeat another one ('i love it' comes 11 times")
    assert "give --deduplicate" in sentence
    assert advice(path, lines, deduplicate=True) == []


def test_words_that_are_unknown(tmp_path: Path) -> None:
    path, lines = tmp_path / "a.txt", [f"the cat saw {number}" for number in range(100)]
    (sentence,) = advice(path, lines)
    assert sentence.startswith("25% of all words come fewer than 2 times")
    assert advice(path, CLEAN) == []


def test_sentences_that_are_too_long(tmp_path: Path) -> None:
    lines = [*CLEAN[:85], *(f"{n} " * 60 for n in range(15))]
    (sentence,) = advice(tmp_path / "a.txt", lines)
    assert sentence.startswith("15 of 100 sentences are left out for their length")


def test_few_sentences(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("".join(f"{line}\n" for line in CLEAN))
    (sentence,) = prepare(path, Preparation(), seed=0).summary.advice
    assert sentence.startswith("80 training sentences and 10 to test by are few")
