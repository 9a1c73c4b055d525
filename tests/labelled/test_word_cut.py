"""What a word is, by a look at the texts."""

import pytest

from sda.labelled.word_cut import fitting_tokenizer


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        (["the food was good .", "i do n't like it !"], "whitespace"),
        (["The food was good.", "I don't like it!"], "words"),
        (["Das Essen war gut.", "Das Zimmer war schmutzig, leider."], "words"),
        (["这家餐厅很好。", "服务 太 差 了!"], "characters"),
        (["とても美味しい", "二度と来ない"], "characters"),
        (["อาหารอร่อยมาก", "บริการแย่"], "characters"),
        (["맛있어요 정말.", "다시는 안 와요."], "words"),
    ],
)
def test_scripts(texts: list[str], name: str) -> None:
    assert fitting_tokenizer(texts) == name
