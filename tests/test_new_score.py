"""A score is added to a copy of the package with the two files that `docs/extending.md` names."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from test_docs import ROOT, blocks
from tiny import TINY, sets, toy_lines

PAGE = ROOT / "docs" / "extending.md"
FILE = "evaluation/first_words.py"
CATALOGUE = "evaluation/catalogue.py"
IMPORT = "from sda.evaluation.first_words import first_words\n"


def block_with(text: str) -> str:
    (found,) = [block for block in blocks(PAGE, "python") if text in block]
    return found


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package and the score in it."""
    folder = tmp_path_factory.mktemp("scratch")
    shutil.copytree(ROOT / "src" / "sda", folder / "sda")
    (folder / "sda" / FILE).write_text(block_with("def first_words("))
    catalogue = folder / "sda" / CATALOGUE
    before, rest = catalogue.read_text().split("from sda.evaluation.samples", 1)
    kinds, after = rest.split("\n)\n\nOLD_NAMES", 1)
    row = block_with('Kind(\n    *("first-words"').strip()
    catalogue.write_text(
        f"{before}{IMPORT}from sda.evaluation.samples{kinds}\n{row},\n)\n\nOLD_NAMES{after}"
    )
    return folder


# All in one process: it takes longer to start than to do any of them.
COMMANDS = """
import contextlib, json, sys
from sda.cli import main
for place, words in enumerate(json.loads(sys.argv[1])):
    sys.argv = ["sda", *words]
    with open(f"said-{place}.txt", "w") as said, contextlib.redirect_stdout(said):
        try:
            main()
        except SystemExit as end:
            if end.code:
                raise
"""


def sda(scratch: Path, *commands: tuple[str, ...]) -> list[str]:
    """What each of the commands prints."""
    # The copy comes before the installed package.
    environment = {**os.environ, "PYTHONPATH": str(scratch), "COLUMNS": "100"}
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS, json.dumps(commands)],
        cwd=scratch,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return [(scratch / f"said-{place}.txt").read_text() for place in range(len(commands))]


def test_the_page_names_both_files_and_no_others(scratch: Path) -> None:
    text = PAGE.read_text()
    for file in (FILE, CATALOGUE):
        assert f"| `src/sda/{file}` |" in text
    ours = {path.relative_to(ROOT / "src"): path for path in (ROOT / "src").rglob("*.py")}
    theirs = {path.relative_to(scratch): path for path in scratch.rglob("*.py")}
    changed = {
        str(name)
        for name, path in theirs.items()
        if name not in ours or ours[name].read_bytes() != path.read_bytes()
    }
    assert changed == {f"sda/{FILE}", f"sda/{CATALOGUE}"}


@pytest.mark.slow
def test_the_score_is_in_evaluations_and_in_the_tables_of_runs(scratch: Path) -> None:
    (scratch / "test.txt").write_text("\n".join(toy_lines()))
    (scratch / "new.txt").write_text("the cat sat\na dog ran\nthe bird sang\nno fish slept\n")
    files = ("new.txt", "--test", "test.txt", "--no-ceiling", "--quick")
    more = ("--preset", "paper", "--profile", "smoke", "--out", "run")
    evaluated, _, compared, _ = sda(
        scratch,
        ("evaluate", *files, "--all", "--json", "found.json"),
        ("train", "captions", *more, *sets((*TINY, "stage2.epochs=1"))),
        ("compare", "run", "--scores", "first-words"),
        ("curve", "run", "--temperature", "1,0.5", "--repeats", "1"),
    )

    assert "first-words" in evaluated and "first-words" in compared
    scores = json.loads((scratch / "found.json").read_text())["scores"]
    assert [score["value"] for score in scores if score["name"] == "first-words"] == [0.75]
    rows = json.loads((scratch / "run" / "scores.json").read_text())["rows"]
    assert all("first-words" in [score["name"] for score in row["scores"]] for row in rows)
    report = (scratch / "run" / "report.html").read_text()
    assert "first-words" in report and ">first words<" in report
    lines = (scratch / "run" / "progress.jsonl").read_text().splitlines()
    assert any("first_words" in json.loads(line) for line in lines)
    points = json.loads((scratch / "run" / "curve.json").read_text())["curves"][0]["points"]
    assert "first-words" in [score["name"] for score in points[0]["samplings"][0]]
