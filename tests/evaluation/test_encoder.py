"""All groups of texts share one table of words and one convention."""

import pytest

from sda.errors import UserError
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
