"""The tool that holds the tables of two versions against each other tells figures from words."""

import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[1] / "tools" / "compare_tables.py"
JSON = '[{"columns": ["bleu-5"], "figures": {"mean": 0.25}}]'
MARKDOWN = "| RNN | 3 | 0.250 ± 0.010 |\n| RNN +SDA | 3 | 0.300 ± 0.020 |\n"


def write(folder: Path, **texts: str) -> Path:
    (folder / "small").mkdir(parents=True)
    for form, text in texts.items():
        (folder / "small" / f"coco.{form}").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("changed", "code", "words"),
    [
        ({}, 0, "2 files: the same figures"),
        ({"markdown": MARKDOWN.replace("+SDA", "SDA")}, 0, "other words, the same figures"),
        ({"markdown": MARKDOWN.replace("0.300", "0.301")}, 1, "+| RNN +SDA | 3 | 0.301"),
        ({"json": JSON.replace("0.25", "0.26")}, 1, "[0].figures.mean: 0.25 and 0.26"),
        ({"json": JSON.replace("mean", "middle")}, 1, "[0].figures.mean: only in the first"),
        ({"latex": "x"}, 1, "coco.latex: not in "),
    ],
)
def test_what_differs_is_listed(
    changed: dict[str, str], code: int, words: str, tmp_path: Path
) -> None:
    texts = {"json": JSON, "markdown": MARKDOWN}
    folders = [write(tmp_path / "a", **texts), write(tmp_path / "b", **(texts | changed))]
    command = [sys.executable, str(TOOL), "compare", *map(str, folders)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)

    assert answer.returncode == code, answer.stderr
    assert words in answer.stdout


ROW = '{"row": "sda", "title": "SDA", "figures": {"values": [0.25, 0.5]}}'
MORE = '{"row": null, "title": "real text", "figures": {"values": [0.75]}}'


@pytest.mark.parametrize(
    ("lines", "code", "words"),
    [
        (f"[{MORE}, {ROW}]", 0, "1 files: the same figures"),
        (f"[{MORE}, {ROW.replace('SDA', 'preset')}]", 0, "1 files: the same figures"),
        (f"[{MORE}, {ROW.replace('0.5', '0.6')}]", 1, "[0.25, 0.5] and [0.25, 0.6]"),
        (f"[{MORE}]", 1, "lines.sda: {'row': 'sda'"),
    ],
)
def test_a_table_that_has_grown_must_have_all_figures_that_it_had(
    lines: str, code: int, words: str, tmp_path: Path
) -> None:
    folders = [
        write(tmp_path / name, json=f'[{{"experiment": "coco", "lines": {text}}}]')
        for name, text in (("a", f"[{ROW}]"), ("b", lines))
    ]
    command = [sys.executable, str(TOOL), "compare", "--grown", *map(str, folders)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)

    assert answer.returncode == code, answer.stderr
    assert words in answer.stdout


def test_two_folders_without_tables_are_not_the_same(tmp_path: Path) -> None:
    command = [sys.executable, str(TOOL), "compare", str(tmp_path), str(tmp_path)]

    assert subprocess.run(command, capture_output=True, check=False).returncode == 1
