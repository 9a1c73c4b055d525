"""Imports point down only; boxes of one layer do not import each other."""

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "sda"

# From the top. What stands in one row may import what stands in the rows below.
LAYERS = (
    ("__main__",),
    ("cli", "api"),
    ("commands",),
    ("reproduction",),
    ("labelled",),
    ("transfer",),
    ("runs", "studies"),
    ("show",),
    ("scoring",),
    ("source",),
    ("settings",),
    ("algorithm", "baselines"),
    ("training", "evaluation"),
    ("reference", "buffer", "rewards"),
    ("sampling", "archive"),
    ("pretrained",),
    ("models",),
    ("text",),
    ("doors",),
    ("files", "randomness", "devices", "ranks"),
    ("errors", "configs", "__init__"),
)
ROW = {box: row for row, boxes in enumerate(LAYERS) for box in boxes}

# Rows alone would let these through.
FORBIDDEN = {
    # A test score can never leak into a reward.
    "algorithm": {"evaluation"},
    "baselines": {"evaluation"},
    # Evaluation stands aside: it scores sentences and models, and knows nothing of training.
    "evaluation": {"reference", "buffer", "rewards"},
}

# All that models and arithmetic need; files, settings and screens belong to the upper rows.
FOUNDATION = {"torch", "numpy", "numba"}
BELOW_SETTINGS = (
    "models",
    "sampling",
    "archive",
    "reference",
    "buffer",
    "rewards",
    "training",
    "algorithm",
    "baselines",
)

# Extras: packages that an installation may lack, each known to one file only.
EXTRAS = {
    "text/harper.py": {"harper"},
    "text/pieces.py": {"tokenizers"},
    "text/dataset_folder.py": {"datasets"},
    "show/sinks.py": {"trackio", "wandb"},
    "pretrained/library.py": {"transformers", "peft"},
    "evaluation/sentence_features.py": {"sentence_transformers"},
    "reproduction/coco_captions.py": {"nltk"},
    "reproduction/hands.py": {"distributed"},
    "labelled/label_classifiers.py": {"sklearn"},
    "studies/site.py": {"starlette"},
    "studies/server.py": {"uvicorn"},
}

FILES = sorted(SOURCE.rglob("*.py"))
FACE = SOURCE / "__init__.py"


def name_of(path: Path) -> str:
    return str(path.relative_to(SOURCE))


def box_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """All that the file says, in one list."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def imports_of(path: Path) -> list[tuple[int, str]]:
    """Line and full name of everything the file imports, inside functions too."""
    found: list[tuple[int, str]] = []
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            found += ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}:{node.lineno} imports relatively"
            assert node.module is not None
            found += ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
    return found


def box_imported(name: str) -> str | None:
    """The box of this package that a full name belongs to; None for other packages."""
    first, _, rest = name.partition(".")
    if first != "sda":
        return None
    box = rest.partition(".")[0]
    return box if (SOURCE / box).is_dir() or (SOURCE / f"{box}.py").is_file() else "__init__"


def is_allowed(importer: str, imported: str) -> bool:
    if importer == imported:
        return True
    return ROW[imported] > ROW[importer] and imported not in FORBIDDEN.get(importer, set())


def test_every_file_has_a_place_in_the_picture() -> None:
    assert {box_of(path) for path in FILES} == set(ROW)


def test_the_page_for_contributors_shows_the_picture() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = page.partition("\n## Layers\n")[2].partition("\n## ")[0]
    picture = section.split("```\n")[1]
    rows = [row.strip().splitlines() for row in re.split(r"^-+$", picture, flags=re.MULTILINE)]
    names, purposes = zip(*[line.split(maxsplit=1) for row in rows for line in row], strict=True)

    assert [tuple(line.split()[0] for line in row) for row in rows] == list(LAYERS)
    assert len(set(purposes)) == len(names)


# The package's face names the public API, which is imported on first use: see the last test.
def test_imports_point_down() -> None:
    wrong = [
        f"{name_of(path)}:{line} imports {name}"
        for path in FILES
        if path != FACE
        for line, name in imports_of(path)
        if (box := box_imported(name)) is not None and not is_allowed(box_of(path), box)
    ]

    assert not wrong


MAY_IMPORT = {
    "cli": ("runs",),
    "commands": ("reproduction",),
    "reproduction": ("runs",),
    "runs": ("evaluation",),
    "algorithm": ("training",),
    "training": ("buffer",),
    "evaluation": ("sampling",),
    "text": ("errors",),
    "baselines": ("training",),
}
MAY_NOT_IMPORT = {
    "runs": ("reproduction",),
    "text": ("models",),
    "buffer": ("reference",),
    "reference": ("evaluation",),
    "rewards": ("evaluation",),
    "training": ("evaluation",),
    "algorithm": ("evaluation", "baselines"),
    "baselines": ("algorithm", "evaluation", "runs"),
    "evaluation": ("reference", "training"),
    "cli": ("api",),
    "models": ("cli",),
}


def test_the_picture_says_what_it_should() -> None:
    for importer, boxes in MAY_IMPORT.items():
        assert {box for box in boxes if not is_allowed(importer, box)} == set(), importer
    for importer, boxes in MAY_NOT_IMPORT.items():
        assert {box for box in boxes if is_allowed(importer, box)} == set(), importer


def declared() -> set[str]:
    """The import names of the packages that an installation always has."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = [re.match(r"[\w-]+", text) for text in project["dependencies"]]
    return {match[0].replace("-", "_") for match in names if match is not None}


def others_imported(path: Path) -> set[str]:
    """Packages from outside that the file imports."""
    first = {name.partition(".")[0] for _, name in imports_of(path)}
    return first - {"sda"} - set(sys.stdlib_module_names)


def test_only_declared_packages_are_imported() -> None:
    always = declared()
    others = {
        name_of(path): others_imported(path) - always - EXTRAS.get(name_of(path), set())
        for path in FILES
    }

    assert {name: packages for name, packages in others.items() if packages} == {}


@pytest.mark.parametrize(
    "box", ["text", "models", "sampling", "archive", "rewards", "buffer", "reference"]
)
def test_the_foundation_needs_arithmetic_only(box: str) -> None:
    files = [path for path in FILES if box_of(path) == box]

    assert files
    for path in files:
        assert others_imported(path) <= FOUNDATION | EXTRAS.get(name_of(path), set())


def words_of(path: Path) -> set[str]:
    """The single words in every name and text of the file, comments left out."""
    found: list[str] = []
    for node in nodes_of(path):
        for value in vars(node).values():
            values = value if isinstance(value, list) else [value]
            found += [text for text in values if isinstance(text, str)]
    return {word for text in found for word in re.findall(r"[a-z]+", text.lower())}


@pytest.mark.parametrize("box", BELOW_SETTINGS)
def test_nothing_that_trains_mentions_a_test_split(box: str) -> None:
    files = [path for path in FILES if box_of(path) == box]

    assert files
    assert [name_of(path) for path in files if words_of(path) & {"test", "held"}] == []
    # The module that cuts texts into splits is the only one below that holds test sentences.
    reached = {name for path in files for _, name in imports_of(path)}
    assert not any(name.startswith("sda.text.prepare") for name in reached)


def test_a_corpus_holds_no_test_split() -> None:
    assert "test" in words_of(SOURCE / "text" / "prepare.py")
    nodes = nodes_of(SOURCE / "text" / "corpus.py")
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}

    assert not any("test" in name for name in names | attributes)


def test_importing_the_package_imports_nothing_else() -> None:
    code = "import sys; before = set(sys.modules); import sda; print(*set(sys.modules) - before)"
    command = [sys.executable, "-c", code]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert "sda" in printed.split()
    assert not [name for name in printed.split() if name.partition(".")[0] in declared()]
    assert not [name for name in printed.split() if name.startswith("sda.")]
