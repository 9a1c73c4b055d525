"""Names lose what all of them share, and never so much that two are one."""

from pathlib import Path

import pytest

from sda.show.short_names import file_names, without_common_words


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["x/set_mle.txt", "set_maligan.txt.gz"], ["mle", "maligan"]),
        (["a.txt"], ["a"]),
        (["one/a.txt", "two/a.txt"], ["one/a.txt", "two/a.txt"]),
        (["run-1.txt", "run-12.txt"], ["1", "12"]),
        (["mle.txt", "maligan.txt"], ["mle", "maligan"]),
        (["a_.txt", "a_b.txt"], ["a_", "b"]),
    ],
)
def test_names_of_files(files: list[str], names: list[str]) -> None:
    assert file_names([Path(file) for file in files]) == names


def test_a_name_alone_stays() -> None:
    assert without_common_words(["coco-rnn-sda"]) == ["coco-rnn-sda"]
    assert without_common_words([]) == []
