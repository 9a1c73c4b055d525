"""The page of settings has every key of today, with its default, its meaning and its place."""

import importlib
import re
from types import ModuleType

import pytest
from test_docs import ROOT

from sda.settings.schema import Settings, leaves


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "tools")
    return importlib.import_module("make_settings_page")


def keys_of(page: str) -> list[str]:
    return re.findall(r"^\| `([\w.]+)` \| .* \| .+ \| .*\|$", page, flags=re.MULTILINE)


def test_the_page_is_up_to_date(tool: ModuleType) -> None:
    page = tool.PAGE.read_text(encoding="utf-8")

    assert tool.settings_page(page) == page, "run python tools/make_settings_page.py"


def test_every_key_stands_there_once(tool: ModuleType) -> None:
    page = tool.PAGE.read_text(encoding="utf-8")
    empty = {section: {} for section in tool.sections() if section in Settings.model_fields}
    wanted = dict(leaves(Settings(source="x", **empty).model_dump()))

    found = keys_of(page)

    assert set(wanted) <= set(found) and len(found) == len(set(found))
    assert len(re.findall(r"<!-- begin keys ", page)) == len(tool.sections())
    assert len(re.findall(r"<!-- begin parts ", page)) == len(tool.PARTS)


def test_tables_are_made_anew_and_other_text_stays(tool: ModuleType) -> None:
    page = tool.PAGE.read_text(encoding="utf-8")
    other = page.replace("# Settings\n", "# Settings\n\nA sentence more.\n", 1)
    stale = other.replace("| `mle.epochs` | `100`", "| `mle.epochs` | `99`")

    assert stale != other != page
    assert tool.settings_page(stale) == other


def test_the_paper_is_quoted_for_keys_that_exist(tool: ModuleType) -> None:
    assert set(tool.PAPER) <= set(keys_of(tool.PAGE.read_text(encoding="utf-8")))
