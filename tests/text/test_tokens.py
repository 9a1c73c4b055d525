import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sda.errors import UserError
from sda.text.tokens import MARK, SPACE, TOKENIZERS, tokenizer

tricky = st.text(alphabet=f"ab1.,'\u2019\"-<>/ \u0301{MARK}{SPACE}")


def split(text: str) -> list[str]:
    """The tokens, with the mark written as an underscore that is easier to read."""
    return [word.replace(MARK, "_") for word in tokenizer("words").split(text)]


def test_whitespace_splits_at_any_white_space() -> None:
    assert tokenizer("whitespace").split(" a\tdog\u00a0.\n") == ["a", "dog", "."]
    assert tokenizer("whitespace").join(["a", "dog", "."]) == "a dog ."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("a dog", ["a", "dog"]),
        ("A dog.", ["A", "dog", "_."]),
        ("A dog .", ["A", "dog", "."]),
        ('say "hi", (now)!', ["say", '"_', "hi", '_"', "_,", "(_", "now", "_)", "_!"]),
        ("don't isn\u2019t 'tis", ["don't", "isn\u2019t", "'_", "tis"]),
        ("3.14 or 1,000.5 or 5.", ["3.14", "or", "1,000.5", "or", "5", "_."]),
        ("3rd 2.5cm", ["3rd", "2.5", "_cm"]),
        ("well-known", ["well", "_-_", "known"]),
        ("...", [".", "_.", "_."]),
        ("cafe\u0301 हिन्दी", ["cafe\u0301", "हिन्दी"]),
        ("a </s> b", ["a", "<", "_/_", "s", "_>", "b"]),
    ],
)
def test_words_and_punctuation_come_apart(text: str, words: list[str]) -> None:
    assert split(text) == words


def test_join_of_words_that_no_text_gave() -> None:
    join = tokenizer("words").join

    assert join([f"{MARK}.", "dog", f"({MARK}"]) == ". dog ("
    assert join([f"({MARK}", f"{MARK})", "a"]) == "() a"
    assert join([]) == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("今天天气好。", ["今", "天", "天", "气", "好", "。"]),
        ("東京 タワー", ["東", "京", SPACE, "タ", "ワ", "ー"]),
        ("กินข้าว", ["ก", "\u0e34", "น", "ข", "\u0e49", "า", "ว"]),
        (" AI\u3000 時代 ", ["A", "I", SPACE, "時", "代"]),
        (f"a{SPACE}b", ["a", f"<{SPACE}>", "b"]),
    ],
)
def test_characters_are_words(text: str, words: list[str]) -> None:
    assert tokenizer("characters").split(text) == words


def test_join_of_spaces_that_no_text_has() -> None:
    assert tokenizer("characters").join([SPACE, "今", SPACE, SPACE, "天", SPACE]) == "今 天"


def test_a_mark_in_the_text_is_spelled_out() -> None:
    assert tokenizer("words").split(f"a {MARK} b") == ["a", "<joiner>", "b"]


@pytest.mark.parametrize("name", TOKENIZERS)
@given(text=st.text() | tricky)
@example(text=f"{MARK}{MARK}a{MARK} {MARK}")
@example(text="<joiner> a<joiner>b")
@example(text=f"< > <{SPACE}>")
@example(text="\u0301 \u0301. .\u0301")
def test_join_undoes_split(name: str, text: str) -> None:
    chosen = tokenizer(name)
    normalised = " ".join(text.split())

    words = chosen.split(text)

    assert chosen.join(words) == normalised
    assert chosen.split(normalised) == words
    assert all(word and word.split() == [word] for word in words)


def test_unknown_name() -> None:
    with pytest.raises(UserError, match="one of whitespace, words, characters, not 'bpe'"):
        tokenizer("bpe")
