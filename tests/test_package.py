"""What is built for installation holds all that the commands need outside a clone."""

import email
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# Not read at run time.
SOURCES = {".py", ".pyc"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    pytest.importorskip(
        "hatchling", reason="the wheel is built by hatchling: pip install hatchling"
    )
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (found,) = out.glob("*.whl")
    return zipfile.ZipFile(found)


def test_the_name_is_ours_and_the_command_is_sda(wheel: zipfile.ZipFile) -> None:
    assert wheel.filename is not None
    name = Path(wheel.filename).name
    folder = "-".join(name.split("-")[:2]) + ".dist-info"
    about = email.message_from_bytes(wheel.read(f"{folder}/METADATA"))

    assert name.startswith("sda_text-") and about["Name"] == "sda-text"
    assert "sda = sda.cli:main" in wheel.read(f"{folder}/entry_points.txt").decode()


def test_every_file_of_the_package_is_inside(wheel: zipfile.ZipFile) -> None:
    package = ROOT / "src"
    ours = {
        path.relative_to(package).as_posix()
        for path in (package / "sda").rglob("*.*")
        if path.is_file() and "__pycache__" not in path.parts
    }

    assert len(ours) > 250 and ours <= set(wheel.namelist())
    assert any(Path(name).suffix not in SOURCES for name in ours)


def test_the_records_are_inside_as_they_are(wheel: zipfile.ZipFile) -> None:
    ours = {
        f"sda/results/{path.relative_to(ROOT / 'results').as_posix()}": path
        for path in (ROOT / "results").rglob("*.*")
        if path.is_file()
    }

    assert len(ours) > 200
    assert all(wheel.read(name) == path.read_bytes() for name, path in ours.items())


def test_no_hint_leads_to_the_package_of_others() -> None:
    pages = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").glob("*.md")]
    # In texts of help a bracket stands behind a backslash.
    hint = re.compile(r"\bsda\\*\[")
    wrong = [path for path in pages if hint.search(path.read_text(encoding="utf-8"))]

    assert len(pages) > 200 and wrong == []
