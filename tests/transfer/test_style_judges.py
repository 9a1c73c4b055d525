"""Judges of style: what they learn, how texts are halved for them, and how they are kept."""

import math
from functools import cache
from pathlib import Path

import pytest
import torch

from sda.errors import UserError
from sda.transfer import style_cnn
from sda.transfer.length_batches import length_batches
from sda.transfer.sources import styled_source
from sda.transfer.style_counts import WordTable
from sda.transfer.style_judges import (
    JUDGES,
    LanguageModelRatio,
    NaiveBayes,
    StyleJudge,
    halves,
    load_judge,
    save_judge,
)
from sda.transfer.styled import StyledTexts

KINDS = pytest.mark.parametrize("kind", JUDGES)
REVIEWS = styled_source("reviews", 300, seed=0)
NEW = styled_source("reviews", 200, seed=1)
THREE = StyledTexts(
    ("red", "green", "blue"),
    tuple(tuple(f"{word} {n} is here" for n in "abcdefgh") for word in ("rose", "leaf", "sky")),
)


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(style_cnn, "LEAST_UPDATES", 100)
    monkeypatch.setattr(style_cnn, "MAPS", 32)


@cache
def of_three(kind: str) -> StyleJudge:
    """A judge of three styles, learned once for all tests that only ask it."""
    return JUDGES[kind].fit(THREE, seed=0)


def accuracy(judge: StyleJudge, texts: StyledTexts) -> float:
    right = [judge.probabilities(part).argmax(1) == k for k, part in enumerate(texts.texts)]
    return torch.cat(right).float().mean().item()


@KINDS
def test_styles_are_learned_and_answers_sum_to_one(kind: str) -> None:
    judge = JUDGES[kind].fit(REVIEWS, seed=0)

    assert accuracy(judge, NEW) > 0.85
    assert judge.names == ("negative", "positive")
    found = judge.probabilities(["", "soup", "xylophone " * 400, "это не то", *NEW.texts[0][:3]])
    assert found.shape == (7, 2)
    assert found.dtype == torch.float32
    assert torch.allclose(found.sum(1), torch.ones(7))
    assert judge.probabilities([]).shape == (0, 2)


@KINDS
def test_more_than_two_styles(kind: str) -> None:
    found = of_three(kind).probabilities(["sky z is here", "rose", "leaf here"])

    assert found.argmax(1).tolist() == [2, 0, 1]


@KINDS
def test_an_answer_does_not_depend_on_its_company(kind: str) -> None:
    judge = of_three(kind)
    texts = ["sky", "rose a is here and here and there", "", "leaf is a leaf"]

    alone = torch.cat([judge.probabilities([text]) for text in texts])

    assert torch.allclose(alone, judge.probabilities(texts), atol=1e-6)


@KINDS
def test_a_judge_comes_back_from_its_file(kind: str, tmp_path: Path) -> None:
    judge = of_three(kind)
    texts = ["sky z is here", "rose", "strange"]

    save_judge(tmp_path / "judge", judge)
    again = load_judge(tmp_path / "judge")

    assert again.kind == kind and again.names == THREE.names
    assert torch.equal(again.probabilities(texts), judge.probabilities(texts))


def test_the_same_seed_gives_the_same_judge_whatever_was_drawn_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(style_cnn, "LEAST_UPDATES", 10)
    torch.manual_seed(5)
    before = torch.get_rng_state()
    first = JUDGES["cnn"].fit(THREE, seed=1).probabilities(["sky and rose"])
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(6)

    assert torch.equal(JUDGES["cnn"].fit(THREE, seed=1).probabilities(["sky and rose"]), first)
    assert not torch.equal(JUDGES["cnn"].fit(THREE, seed=2).probabilities(["sky and rose"]), first)


def test_naive_bayes_by_hand() -> None:
    judge = NaiveBayes.fit(StyledTexts(("a", "b"), (("x x y",), ("y z",))))

    # Counts with one added: a has x 3, y 2, z 1 of 6, and of its pairs xx 2, xy 2, yz 1 of 5; b has
    # x 1, y 2, z 2 of 5, and xx 1, xy 1, yz 2 of 4. No pair of the text was met.
    odds = (3 / 6 * 2 / 6) / (1 / 5 * 2 / 5)
    assert judge.probabilities(["y strange x"])[0].tolist() == pytest.approx(
        [odds / (1 + odds), 1 / (1 + odds)]
    )
    odds *= 2 / 5 / (1 / 4)
    assert judge.probabilities(["x y"])[0, 0].item() == pytest.approx(odds / (1 + odds))


def test_models_of_unequal_texts_agree_on_strange_words() -> None:
    texts = StyledTexts(("a", "b"), (("x",), ("y z u v w",)))
    judge = LanguageModelRatio.fit(texts)
    strange = [model.log_probs(WordTable(()).flat(["q"]))[0] for model in judge.models]

    # The floor under all words is the same; what is handed down to it is not.
    floor = 1 / (len("xyzuvw") + 2)
    assert all(math.exp(value) <= floor for value in strange)
    assert len({len(model._words) + model.unseen for model in judge.models}) == 1


def test_no_sentence_is_in_both_halves() -> None:
    doubled = StyledTexts(("a", "b"), (REVIEWS.texts[0] * 2, REVIEWS.texts[1] + REVIEWS.texts[0]))

    metric, evaluation = halves(doubled)

    first = {text for part in metric.texts for text in part}
    second = {text for part in evaluation.texts for text in part}
    assert not first & second
    assert first | second == {text for part in doubled.texts for text in part}
    assert sum(map(len, metric.texts)) + sum(map(len, evaluation.texts)) == 4 * 300
    assert 0.4 < len(first) / len(first | second) < 0.6
    with pytest.raises(UserError, match="style 'b' has too few different sentences"):
        halves(StyledTexts(("a", "b"), (REVIEWS.texts[0], ("one",) * 9)))


def test_batches_hold_every_row_once_and_rows_of_about_one_length() -> None:
    lengths = torch.arange(1000) % 20
    batches = length_batches(lengths, 10, torch.Generator().manual_seed(0))

    assert sorted(torch.cat(batches).tolist()) == list(range(1000))
    assert max(int(lengths[rows].max() - lengths[rows].min()) for rows in batches) <= 2
    assert len(length_batches(torch.ones(25), 10, torch.Generator())) == 3


def test_a_file_that_is_no_judge_is_refused(tmp_path: Path) -> None:
    (tmp_path / "judge").write_bytes(b"nothing")

    with pytest.raises(UserError, match="holds no judge of style"):
        load_judge(tmp_path / "judge")
    with pytest.raises(UserError, match="none"):
        load_judge(tmp_path / "none")
