"""The page of the Python interface is made from the docstrings of today, and its examples run."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from test_docs import ROOT, blocks

import sda


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    path = ROOT / "tools" / "make_api_page.py"
    spec = importlib.util.spec_from_file_location("make_api_page", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date(tool: ModuleType) -> None:
    assert tool.PAGE.read_text(encoding="utf-8") == tool.api_page(), (
        "run python tools/make_api_page.py"
    )


def test_every_name_and_member_stands_there(tool: ModuleType) -> None:
    entries = {name: members for names in tool.CHAPTERS.values() for name, members in names.items()}

    assert set(entries) == set(sda.__all__) - {"__version__"}
    for name, members in entries.items():
        thing = getattr(sda, name)
        assert thing.__doc__
        assert all(getattr(thing, member).__doc__ for member in members)
        # Its own, or of a class of the package that it comes from.
        kinds = getattr(thing, "__mro__", ())
        own = [vars(kind) for kind in kinds if kind.__module__.startswith("sda.")]
        assert all(any(member in found for found in own) for member in members)


@pytest.mark.slow
@pytest.mark.parametrize("block", blocks(ROOT / "docs" / "api.md", "python"))
def test_examples_run(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "docs/api.md", "exec"), {"__name__": "an_example"})
