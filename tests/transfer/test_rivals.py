"""Rivals: markers by hand, the nearest sentence, and autoencoders that learn what they are told."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tiny import Answer

from sda.errors import UserError
from sda.text.sentences import Sentences
from sda.transfer.rivals.autoencoder import SMALL, Autoencoder
from sda.transfer.rivals.markers import Markers
from sda.transfer.rivals.rival import RIVALS, fit_rival, passes
from sda.transfer.rivals.separation import OBJECTIVES
from sda.transfer.sources import is_right, styled_source, true_pairs
from sda.transfer.style_judges import NaiveBayes
from sda.transfer.styled import StyledTexts

Command = Callable[..., Answer]
TINY = replace(SMALL, words=300, embedding=8, hidden=8, content=8, first_epochs=1, epochs=1)
TEXTS = StyledTexts(
    ("bad", "good"),
    (
        ("the soup was awful .",) * 20 + ("the waiter was so rude .",) * 20,
        ("the soup was great .",) * 20 + ("the waiter was so kind .",) * 20,
    ),
)


def marked(texts: StyledTexts, sentence: str, style: int) -> list[str]:
    markers = Markers(texts)
    found = markers.find(markers.table.flat([sentence]), style)
    return [word for word, is_marker in zip(sentence.split(), found, strict=True) if is_marker]


def test_markers_are_the_shortest_salient_words() -> None:
    assert marked(TEXTS, "the soup was awful .", 0) == ["awful"]
    assert marked(TEXTS, "the soup was awful .", 1) == []
    # Two words that both styles have, but not behind each other.
    pairs = StyledTexts(("a", "b"), (("go home",) * 20 + ("it",), ("home it go",) * 20))
    assert marked(pairs, "we go home now", 0) == ["go", "home"]


def test_a_sentence_without_markers_has_its_most_salient_words() -> None:
    few = StyledTexts(("bad", "good"), (("so awful soup",) * 2, ("so great soup",) * 2))

    assert marked(few, "such awful soup", 0) == ["awful"]
    assert marked(few, "so soup", 0) == []


def test_a_template_takes_words_of_the_nearest_sentence() -> None:
    texts = StyledTexts(
        ("bad", "good"),
        (
            tuple(f"{thing} awful {where}" for thing in "abcdefghijklmnopqrst" for where in "xy"),
            tuple(f"{thing} great {where}" for thing in "abcdefghijklmnopqrst" for where in "xy"),
        ),
    )
    template, retrieval = (fit_rival(name, texts, 0) for name in ("template", "retrieval"))

    assert template.rewrite(["c awful y", "strange awful x"], 0, 1) == [
        "c great y",
        "strange great x",
    ]
    assert retrieval.rewrite(["c awful y"], 0, 1) == ["c great y"]
    # Nothing to take out, so nothing to put in.
    assert template.rewrite(["strange words"], 0, 1) == ["strange words"]
    assert template.rewrite([""], 0, 1) == [""]


def test_templates_of_reviews_have_the_other_style() -> None:
    texts = styled_source("reviews", 2000, seed=0)
    negative, _ = true_pairs("reviews", 200, seed=1)
    found = fit_rival("template", texts, 0).rewrite(negative, 0, 1)
    answers = NaiveBayes.fit(texts).probabilities(found).argmax(1)

    assert answers.float().mean() > 0.8
    assert sum(is_right("reviews", negative, found, to="positive")) > 25


@pytest.mark.slow
@pytest.mark.parametrize("name", [*OBJECTIVES, "delete-retrieve"])
def test_networks_are_trained_the_same_by_the_same_seed(name: str) -> None:
    texts = styled_source("reviews", 100, seed=0)
    told: list[str] = []
    before = torch.get_rng_state()

    first = fit_rival(name, texts, 1, TINY, told.append)
    again = fit_rival(name, texts, 1, TINY)
    other = fit_rival(name, texts, 2, TINY)

    assert torch.equal(torch.get_rng_state(), before)
    sources = [*texts.texts[0][:5], "", "unknown words", "long " * 50]
    written = first.rewrite(sources, 0, 1)
    assert len(written) == len(sources) and "<unk>" not in " ".join(written)
    assert written == again.rewrite(sources, 0, 1)
    weights = [each.model.output.weight for each in (first, again, other)]  # type: ignore[attr-defined]
    assert torch.equal(weights[0], weights[1]) and not torch.equal(weights[0], weights[2])
    assert len(told) == passes(name, TINY)


def test_soft_sentences_have_gradients_and_end() -> None:
    model = Autoencoder(5, 2, TINY)
    sentences = Sentences(torch.tensor([[3, 4, 0], [2, 0, 0]]), torch.tensor([3, 2]))
    content, _ = model.encode(sentences)
    soft = model.soften(content, model.style(torch.tensor([0, 1])), 4, 1.0)

    assert soft.probs.shape == (2, 4, 5) and soft.hidden.shape == (2, 4, 8)
    assert torch.allclose(soft.probs.sum(2), torch.ones(2, 4))
    assert torch.allclose(soft.alive[:, 2], (1 - soft.probs[:, :2, 0]).prod(1))
    soft.probs[:, -1, 1].sum().backward()  # type: ignore[no-untyped-call]
    assert model.embedding.weight.grad is not None and model.embedding.weight.grad.abs().sum() > 0
    written = model.write(content, model.style(torch.tensor([0, 1])), 3, never=1)
    assert not (written.tokens == 1).any() and written.tokens.shape == (2, 3)


def test_padding_changes_nothing() -> None:
    model = Autoencoder(5, 2, TINY)
    short = Sentences(torch.tensor([[3, 4, 0]]), torch.tensor([3]))
    long = Sentences(torch.tensor([[3, 4, 0, 0, 0]]), torch.tensor([3]))

    assert torch.allclose(model.encode(short)[0], model.encode(long)[0], atol=1e-6)


def test_the_command_writes_a_line_for_each_line(command: Command, tmp_path: Path) -> None:
    train = styled_source("reviews", 200, seed=0)
    for style, lines in zip(("neg", "pos"), train.texts, strict=True):
        (tmp_path / f"t.{style}").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (tmp_path / f"s.{style}").write_text("\n".join([*lines[:3], ""]) + "\n", encoding="utf-8")
    files = [str(tmp_path / name) for name in ("t.neg", "t.pos", "s.neg", "s.pos")]

    answer = command(
        *("transfer", "rival", "template", *files[:2], "--sources", *files[2:]),
        *("--out", str(tmp_path / "new" / "made")),
    )

    assert answer.code == 0, answer.err
    written = [tmp_path / "new" / name for name in ("made.neg", "made.pos")]
    assert answer.out.split() == [str(path) for path in written]
    for path in written:
        assert path.read_text(encoding="utf-8").count("\n") == 4
    over = command(
        *("transfer", "rival", "template", *files[:2], "--sources", *files[2:]),
        *("--out", str(tmp_path / "s")),
    )
    assert over.code == 2 and "s.neg is a file that is read" in over.err


def test_a_rival_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UserError, match=f"no rival 'best': there are {', '.join(RIVALS)}"):
        fit_rival("best", TEXTS, 0)
