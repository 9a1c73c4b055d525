"""Settings as text: complete, with origins, and read back as they were."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny import file_with

from sda.errors import UserError
from sda.settings.layers import Choices
from sda.settings.schema import Settings, leaves, make_settings, read_toml, write_toml

arguments = st.one_of(
    st.booleans(),
    st.integers(-(2**62), 2**62),
    st.floats(allow_nan=False),
    st.text(),
    st.lists(st.one_of(st.integers(0, 9), st.text())),
)
components = st.dictionaries(st.text(min_size=1), arguments, max_size=4)


def read_back(text: str) -> Settings:
    return make_settings(tomllib.loads(text))


@given(st.text(), st.one_of(st.none(), st.text()), components, st.lists(components, max_size=2))
def test_whatever_is_written_is_read_back(
    source: str, column: str | None, generator: dict[str, Any], metric: list[dict[str, Any]]
) -> None:
    table = {"source": source, "data": {"column": column}, "generator": generator, "metric": metric}
    settings = make_settings(table)

    assert read_back(write_toml(settings, {})) == settings


def test_every_value_is_there_with_its_origin() -> None:
    settings, origins = Choices("oracle", assignments=["seed=7"], metric="bleu\n+ length").settle()
    text = write_toml(settings, origins)
    lines = text.splitlines()

    assert "seed = 7  # --set" in lines
    assert 'source = "oracle"  # command line' in lines
    assert "clip = 5.0  # default" in lines
    assert "hidden = 32  # profile small, for rnn" in lines
    assert "# near_duplicates is not set" in lines
    assert lines.count("[[metric]]  # --metric bleu + length") == 2
    said = {key for key, _ in leaves(tomllib.loads(text))}
    expected = {key for key, value in leaves(settings.model_dump()) if value is not None}
    assert said == expected


def test_leaves_take_lists_as_one_value() -> None:
    table = {"a": 1, "b": {"c": [{"d": 2}], "e": {"f": None}}, "g": {}}

    assert list(leaves(table)) == [("a", 1), ("b.c", [{"d": 2}]), ("b.e.f", None)]


def test_settings_cannot_be_changed() -> None:
    settings = make_settings({"source": "captions"})

    with pytest.raises(ValueError, match="frozen"):
        settings.seed = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a = = 1\n", "not valid TOML.*line 1, column 5"),
        (b'a = "\xe9"\n', "not UTF-8 text"),
        (b"a = " + b"9" * 5000 + b"\n", "not valid TOML.*digits"),
        (None, "no such file"),
    ],
)
def test_a_broken_file_is_named(content: bytes | None, message: str, tmp_path: Path) -> None:
    path = file_with(tmp_path / "mine.toml", content)

    with pytest.raises(UserError, match=rf"mine\.toml: {message}"):
        read_toml(path)


def test_a_folder_is_no_settings_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"^{tmp_path}: Is a directory$"):
        read_toml(tmp_path)
