"""A name is the name of one thing: no two modules and no two classes share theirs."""

import ast
from collections import defaultdict

from test_layers import FILES, SOURCE, nodes_of

# `use` paths are part of the ledger's keys: a metric and the rival of the same aim keep theirs.
SHARED = {"RareWords", "Repetition"}


def shared(places: dict[str, list[str]]) -> dict[str, list[str]]:
    return {name: found for name, found in places.items() if len(found) > 1}


def test_no_two_modules_have_one_name() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in FILES:
        if path.name != "__init__.py":
            places[path.stem].append(str(path.relative_to(SOURCE)))
    # A package and a module would be told apart by nothing but their place.
    for folder in {path.parent for path in FILES} - {SOURCE}:
        places[folder.name].append(str(folder.relative_to(SOURCE)))

    assert len(places) > 100
    assert shared(places) == {}


def test_no_two_classes_have_one_name() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in FILES:
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(SOURCE)}:{node.lineno}")

    assert len(places) > 100
    assert shared(places).keys() == SHARED, shared(places)
