"""Files of sources, rewritings and references: what belongs to what, and what is refused."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from sda.errors import UserError
from sda.transfer.contractions import join_contractions
from sda.transfer.transfer_task import SourceFiles, System


def write(folder: Path, **texts: str) -> dict[str, Path]:
    """Files by name, with an underscore for the last point, and words for lines."""
    found = {}
    for name, text in texts.items():
        path = folder / ".".join(name.rsplit("_", 1))
        path.write_text("\n".join(text.split("/")) + "\n", encoding="utf-8")
        found[name] = path
    return found


def test_files_belong_together_by_name_in_any_order(tmp_path: Path) -> None:
    files = write(
        tmp_path, s_neg="bad/sad", s_pos="good", b_pos="b3", a_neg="a1/a2", b_neg="b1/", a_pos="a3"
    )
    sources = SourceFiles([files["s_neg"], files["s_pos"]])

    task = sources.task([files["b_neg"], files["b_pos"]])
    systems = sources.systems([files[name] for name in ("b_pos", "a_neg", "b_neg", "a_pos")])

    assert task.names == ("neg", "pos")
    assert task.sources == ("bad", "sad", "good")
    assert (task.origins, task.targets) == ((0, 0, 1), (1, 1, 0))
    assert task.references == (("b1", "", "b3"),)
    assert systems == [System("b", ("b1", "", "b3")), System("a", ("a1", "a2", "a3"))]


def test_other_files_belong_together_as_they_follow_each_other(tmp_path: Path) -> None:
    files = write(tmp_path, formal_txt="x", casual_txt="y", one_txt="1", two_txt="2")
    sources = SourceFiles([files["formal_txt"], files["casual_txt"]])

    assert sources.names == ("formal", "casual")
    assert sources.systems([files["one_txt"], files["two_txt"]]) == [System("one.txt", ("1", "2"))]


def test_sources_find_their_styles_by_name(tmp_path: Path) -> None:
    files = write(tmp_path, s_neg="bad", s_pos="good/fine")

    swapped = SourceFiles([files["s_pos"], files["s_neg"]], ("neg", "pos")).task()
    single = SourceFiles([files["s_pos"]], ("neg", "pos")).task()
    by_place = SourceFiles([files["s_neg"], files["s_pos"]], ("sad", "happy")).task()

    assert (swapped.origins, swapped.targets) == ((1, 1, 0), (0, 0, 1))
    assert (single.origins, single.targets) == ((1, 1), (0, 0))
    assert by_place.names == ("sad", "happy") and by_place.origins == (0, 1, 1)


def test_more_than_two_styles_need_targets(tmp_path: Path) -> None:
    files = write(tmp_path, s_a="1", s_b="2", s_c="3")
    sources = SourceFiles([files["s_a"], files["s_b"], files["s_c"]])

    assert sources.task(targets=("b", "c", "a")).targets == (1, 2, 0)
    for targets, words in (
        (None, "there are 3 styles: say by --targets"),
        (("b",), "3 files need as many, not 1"),
        (("b", "c", "d"), "no style 'd': there are a, b, c"),
    ):
        with pytest.raises(UserError, match=words):
            sources.task(targets=targets)


def test_one_style_alone_is_refused(tmp_path: Path) -> None:
    files = write(tmp_path, s_neg="x")

    with pytest.raises(UserError, match=r"s\.neg is the only file of sources"):
        SourceFiles([files["s_neg"]]).task()


@pytest.mark.parametrize(
    ("outputs", "words"),
    [
        (("o_neg",), r"o.pos is missing beside .*o.neg"),
        (("o_neg", "long_pos"), r"o.pos is missing"),
        (("long_neg", "long_pos"), "long.pos has 2 lines where .*s.pos has 1"),
        (("o_neg", "o_txt", "long_txt"), "3 files do not make groups of 2"),
        (("o_neg", "o_neg"), "o.neg is given twice"),
    ],
)
def test_files_that_do_not_fit_are_refused(
    tmp_path: Path, outputs: Sequence[str], words: str
) -> None:
    files = write(
        tmp_path,
        s_neg="x",
        s_pos="y",
        o_neg="1",
        o_txt="1",
        long_neg="1",
        long_pos="1/2",
        long_txt="1",
    )

    with pytest.raises(UserError, match=words):
        SourceFiles([files["s_neg"], files["s_pos"]]).systems([files[name] for name in outputs])


def test_sources_of_other_styles_are_refused(tmp_path: Path) -> None:
    files = write(tmp_path, s_neg="x")

    with pytest.raises(UserError, match="styles neg have no place among formal, casual"):
        SourceFiles([files["s_neg"]], ("formal", "casual"))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("it ' s  fine", "it 's fine"),
        ("i ca n ' t go", "i ca n't go"),
        ("we ' ve seen they ' re , she ' d", "we 've seen they 're , she 'd"),
    ],
)
def test_contractions_are_joined(text: str, wanted: str) -> None:
    assert join_contractions(wanted) == join_contractions(text) == wanted


def test_what_is_joined_or_no_contraction_stays() -> None:
    for text in ("the ' sun ' shines", "it 's fine , do n't"):
        assert join_contractions(text) == text
