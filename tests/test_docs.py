"""What the documents show runs: Python blocks as they are, commands as far as their options."""

import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from sda.cli import app

ROOT = Path(__file__).parent.parent
FOLDERS = ("docs", "docs/results")
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *(path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.md"))),
]
LINKED = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def blocks(path: Path, language: str) -> list[str]:
    """The fenced blocks of that language; the empty language is the shell's."""
    pieces = re.split(r"^```(\w*)\n", path.read_text(), flags=re.MULTILINE)
    # Every second fence closes a block: opening language, content, closing fence, text between.
    return [text for name, text in zip(pieces[1::4], pieces[2::4], strict=True) if name == language]


def commands() -> list[str]:
    lines = [
        line for path in DOCUMENTS for block in blocks(path, "") for line in block.splitlines()
    ]
    return sorted({line.partition("#")[0].strip() for line in lines if line.startswith("sda ")})


def test_there_are_commands_to_check() -> None:
    assert len(commands()) >= 8


def test_commands_have_only_known_options() -> None:
    group: Any = typer.main.get_command(app)
    for line in commands():
        _, name, *arguments = shlex.split(line)
        found = group.commands[name]
        while hasattr(found, "get_command"):
            name, *arguments = arguments
            found = found.get_command(None, name)
        try:
            found.make_context(name, arguments)
        except Exception as error:
            pytest.fail(f"{line}: {error!r}")


@cache
def headings(path: Path) -> list[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles]


def test_links_lead_somewhere() -> None:
    for path in LINKED:
        for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", path.read_text()):
            page = path.parent / target if target else path
            assert page.exists(), f"{path}: {target}"
            assert not anchor or anchor in headings(page), f"{path}: {target}#{anchor}"


def test_the_index_of_decisions_has_every_page_once() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", (folder / "README.md").read_text())

    assert sorted(listed) == sorted(path.name for path in folder.glob("[0-9]*.md"))


@pytest.mark.slow
def test_python_of_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (block,) = blocks(ROOT / "docs" / "guide.md", "python")
    exec(compile(block, "guide.md", "exec"), {})


def test_the_readme_is_short() -> None:
    """About 600 words of sentences: what a newcomer reads in three minutes."""
    text = (ROOT / "README.md").read_text()
    for part in (r"^```.*?^```", r"<!-- begin .*?<!-- end -->", r"^\|.*?$"):
        text = re.sub(part, "", text, flags=re.MULTILINE | re.DOTALL)

    assert 400 <= len(text.split()) <= 650


def test_python_of_the_page_on_augmentation_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = blocks(ROOT / "docs" / "augmentation.md", "python")
    exec(compile(block, "augmentation.md", "exec"), {})

    before, after = re.findall(r"\d+", capsys.readouterr().out)
    assert int(after) == 5 * int(before) > 0


def test_make_targets_of_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in set(re.findall(r"`?make (\w+)", (ROOT / "README.md").read_text())):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_paper_map_names_what_exists() -> None:
    text = (ROOT / "docs" / "paper-map.md").read_text()
    code = re.findall(r"`([\w/]+\.py): (\w+)", text)
    tests = re.findall(r"`((?:\w+/)?test_\w+\.py)`", text)

    assert len(code) > 20 and len(tests) > 20
    for file, name in code:
        assert re.search(rf"\b{name}\b", (ROOT / "src" / "sda" / file).read_text()), (file, name)
    for file in tests:
        assert (ROOT / "tests" / file).is_file(), file
