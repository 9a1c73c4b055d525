"""Judges that scores are made with: fitted once, and kept in a folder where one is named."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from sda.files import naming, read_json, write_json
from sda.transfer.style_judges import JUDGES, StyleJudge, halves, load_judge, save_judge
from sda.transfer.styled import StyledTexts


def evaluation_judges(
    train: StyledTexts,
    seed: int,
    folder: Path | None = None,
    done: Callable[[str], None] = lambda _: None,
) -> list[StyleJudge]:
    """A judge of every kind, fitted to the half of the sentences that no metric learns from.

    They are read from the folder if it holds those of the same sentences and seed; else they are
    written there. `done` is called with the kind of each.
    """
    mark = {"sentences": fingerprint(train), "seed": seed}
    is_known = folder is not None and (folder / "judges.json").is_file()
    if folder is not None and is_known:
        is_known = read_json(folder / "judges.json") == mark
    half = halves(train)[1]
    judges = []
    for kind, judge in JUDGES.items():
        if folder is not None and is_known:
            found = load_judge(folder / f"{kind}.safetensors")
        else:
            found = judge.fit(half, seed)
        judges.append(found)
        done(kind)
    if folder is not None and not is_known:
        with naming(folder):
            folder.mkdir(parents=True, exist_ok=True)
        for found in judges:
            save_judge(folder / f"{found.kind}.safetensors", found)
        # Written last: a folder without it holds no judges.
        write_json(folder / "judges.json", mark)
    return judges


def fingerprint(texts: StyledTexts) -> str:
    """What tells these sentences from any others, in this order."""
    content = "\n\n".join(
        "\n".join((name, *part)) for name, part in zip(texts.names, texts.texts, strict=True)
    )
    return hashlib.sha256(content.encode()).hexdigest()
