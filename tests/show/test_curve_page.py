"""The page says who is better first, and shows every point with its signature."""

from pathlib import Path

from planes import MLE, SDA, result, track

from sda.show.curve_page import (
    curve_page,
    planes_view,
    point_table,
    signature_table,
    statements,
    write_curve,
)
from show.pages import EVIL, Page


def test_sentences_of_the_plane_that_decides_come_first() -> None:
    primary, others = statements(result(MLE, SDA))

    assert len(primary) == 3
    assert primary[0].startswith("at equal self-bleu-5 (0.310 to 0.610) the bleu-5 of sda is above")
    assert "real text" in primary[1]
    assert [sentence.split(" (")[0] for sentence in others] == ["at equal distinct-2"]


def test_the_table_has_every_point_once() -> None:
    top_p = track("sda with top-p", "mle", {0.9: [(0.3, 0.3)]}, "top-p")
    table = point_table(result(MLE, SDA, top_p))
    body = table.body

    assert table.header == ["", "decoding", "bleu-5", "self-bleu-5", "distinct-2"]
    assert body[0] == ["real text", "", "0.400", "0.250", "-"]
    assert body[1] == ["mle", "T 1", "0.310", "0.210", "0.790"]
    assert body[-1] == ["sda with top-p", "p 0.9", "0.300", "0.300", "0.700"]
    assert len(body) == 6


def test_a_short_table_has_the_axes_alone() -> None:
    more = track("mle", None, {1.0: [(0.2, 0.3)]})
    for scores in more["points"][0]["samplings"]:
        scores.append({"name": "length", "value": 11.25, "signature": "of length"})

    assert point_table(result(more)).header[-1] == "length"
    assert point_table(result(more), is_short=True).header == [
        *("", "decoding", "bleu-5", "self-bleu-5", "distinct-2"),
    ]


def test_the_title_says_how_much_was_sampled() -> None:
    several = result(MLE)
    one = several | {"settings": {"repeats": 1, "samples": 50}}

    assert point_table(several).title == "Means over 2 samplings of 2,000 sentences"
    assert point_table(one).title == "One sampling of 50 sentences"


def test_the_page_is_complete_and_trusts_nothing() -> None:
    evil = track(EVIL, "mle", {1.0: [(0.3, 0.4)], 0.5: [(0.7, 0.6)]})
    evil["points"][0]["samplings"][0].append({"name": EVIL, "value": 1.0, "signature": EVIL})
    page = Page(curve_page("<i>title", result(MLE, evil)))

    assert not {"script", "i", "link", "img"} & set(page.tags)
    assert all(target.startswith("#") for target in page.loads)
    assert page.tags.count("svg") == 2
    assert page.text.count(EVIL) >= 3
    for words in ("<i>title", "at equal self-bleu-5", "at equal distinct-2", "of bleu-5"):
        assert words in page.text


def test_signatures_are_listed_once() -> None:
    assert signature_table(result(MLE, SDA)).body == [
        ["bleu-5", "of bleu-5"],
        ["distinct-2", "of distinct-2"],
        ["self-bleu-5", "of self-bleu-5"],
    ]


def test_a_model_alone_has_no_other_sentences() -> None:
    assert planes_view(result(MLE)).others == []
    assert "by other measures" not in curve_page("title", result(MLE))
    assert "by other measures" in curve_page("title", result(MLE, SDA))


def test_the_files(tmp_path: Path) -> None:
    write_curve(result(MLE, SDA), "title", tmp_path)

    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["curve.html", "curve.json", "curve.png", "curve.svg"]
