"""All groups of texts share one table of words and one convention."""

import pytest

from sda.errors import UserError
from sda.evaluation import encoder
from sda.evaluation.encoder import encode_texts


def test_groups_share_one_table_of_words() -> None:
    first, second = encode_texts(["a b", "", " b  a\tb "], ["c b"])
    assert first.ids.tolist() == [0, 1, 1, 0, 1]
    assert first.starts.tolist() == [0, 2, 2, 5]
    assert second.ids.tolist() == [2, 1]


def test_case_is_kept_unless_asked() -> None:
    assert encode_texts(["A a"])[0].ids.tolist() == [0, 1]
    assert encode_texts(["A a"], lowercase=True)[0].ids.tolist() == [0, 0]


def test_the_tokenizer_is_the_one_named() -> None:
    assert len(encode_texts(["end."])[0].ids) == 1
    assert len(encode_texts(["end."], tokenizer="words")[0].ids) == 2
    with pytest.raises(UserError, match="'letters'"):
        encode_texts(["end."], tokenizer="letters")


@pytest.mark.parametrize("at_once", [1, 2, 5])
def test_portions_change_nothing(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["a b", "", "C a", "b", "d d d"]
    (whole,) = encode_texts(texts, lowercase=True)
    monkeypatch.setattr(encoder, "AT_ONCE", at_once)
    (found,) = encode_texts(texts, lowercase=True)
    assert found.ids.tolist() == whole.ids.tolist() == [0, 1, 2, 0, 1, 3, 3, 3]
    assert found.starts.tolist() == whole.starts.tolist() == [0, 2, 2, 4, 5, 8]
    assert encode_texts([])[0].starts.tolist() == [0]
