"""What scores sentences needs nothing that POSIX systems alone have."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from test_layers import FILES, nodes_of

# Modules of the standard library that Windows lacks.
POSIX_ONLY = ("fcntl", "grp", "pwd", "resource", "syslog", "termios")
CODE = f"""
import sys
sys.modules.update(dict.fromkeys({POSIX_ONLY}))
import sda
import sda.api
import sda.evaluation.evaluator
import sda.runs.folder
from sda.cli import main

texts = ["a dog runs", "a cat sits", "a dog sits there", "a cat runs home"] * 5
options = sda.api.Options(language_model=False, features=False)
assert sda.evaluate(texts, texts, options=options).value("bleu-2") > 0.9
main()
"""


@pytest.mark.slow
def test_importing_and_evaluating(tmp_path: Path) -> None:
    file, page = tmp_path / "some.txt", tmp_path / "page.html"
    file.write_text("a dog runs\na cat sits\na dog sits there\na cat runs home\n" * 5)
    command = [sys.executable, "-c", CODE, "evaluate", file, "--test", file, "--quick"]
    said = subprocess.run([*command, "--html", page], capture_output=True, text=True, check=False)

    assert said.returncode == 0, said.stderr
    assert "bleu-2" in said.stdout
    assert "bleu-2" in page.read_text(encoding="utf-8")


def test_no_file_imports_what_posix_alone_has() -> None:
    wrong = []
    for path in FILES:
        for node in nodes_of(path):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names.append(str(node.module))
            wrong += [f"{path.name}: {name}" for name in names if name in POSIX_ONLY]

    assert wrong == []
