"""Files of styled sentences: their names, and what is refused."""

from pathlib import Path

import pytest

from sda.errors import UserError
from sda.transfer.styled import StyledTexts, file_styles, read_styled


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_lines_are_read_and_blank_ones_left_out(tmp_path: Path) -> None:
    files = [write(tmp_path / "a.neg", "so  bad .\n\n"), write(tmp_path / "a.pos", "good\nfine\n")]

    assert read_styled(files) == StyledTexts(("neg", "pos"), (("so bad .",), ("good", "fine")))
    assert read_styled(files, ("x", "y")).names == ("x", "y")


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (("train.neg", "train.pos.gz"), ["neg", "pos"]),
        (("formal.txt", "casual.txt"), ["formal", "casual"]),
        (("formal.txt", "casual.csv"), ["formal", "casual"]),
        (("old/text.txt", "new/text.txt"), ["old", "new"]),
        (("a/old/text.txt", "b/old/text.txt"), ["text-1", "text-2"]),
    ],
)
def test_styles_are_called_after_their_files(files: tuple[str, ...], names: list[str]) -> None:
    assert file_styles([Path(file) for file in files]) == names


def test_what_cannot_be_read_is_refused_in_a_sentence(tmp_path: Path) -> None:
    good = write(tmp_path / "a.pos", "fine\n")
    empty, blank = write(tmp_path / "a.neg", ""), write(tmp_path / "b.neg", "\n \n")
    (tmp_path / "link.neg").symlink_to(good)

    for files, words in (
        ([good], "at least two files"),
        ([empty, good], "a.neg is empty"),
        ([blank, good], "b.neg holds blank lines only"),
        ([good, good], "a.pos is given twice"),
        ([good, tmp_path / "link.neg"], "link.neg is given twice"),
        ([good, tmp_path / "none.neg"], "none.neg does not exist"),
    ):
        with pytest.raises(UserError, match=words):
            read_styled(files)
    other = write(tmp_path / "c.neg", "bad\n")
    with pytest.raises(UserError, match="2 files of styles need as many names, not 1"):
        read_styled([good, other], ["x"])
    with pytest.raises(UserError, match="a name of its own, not x, x"):
        read_styled([good, other], ["x", "x"])


def test_a_style_that_does_not_exist_is_refused() -> None:
    texts = StyledTexts(("neg", "pos"), (("bad",), ("good",)))

    assert texts.number("pos") == 1
    with pytest.raises(UserError, match="no style 'happy': there are neg, pos"):
        texts.number("happy")
