"""The COCO sets made from the public annotation files, as those of the ledger were made.

The recipe is that of `docs/data.md`. Which images and captions the ledger's files drew is not
known any more, so what is made here is of the same kind, and the same for everybody who gives the
same annotation files.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sda.errors import UserError
from sda.files import naming, read_json, write_bytes

SEED = 2021
FEWEST, MOST = 3, 31  # words of a caption
_QUOTES = {"``": '"', "''": '"'}
_NO_LETTER = re.compile(r"[\W_]+")

Cut = Callable[[str], list[str]]


@dataclass(frozen=True)
class Sizes:
    """Captions of each part; those set `aside` are in none."""

    test: int = 10_000
    aside: int = 10_000
    valid: int = 5_000
    train: int = 120_000


@dataclass(frozen=True)
class Split:
    """The captions of each part, as lines."""

    train: list[str]
    valid: list[str]
    test: list[str]


def nltk_words() -> Cut:
    """NLTK's word tokeniser, which needs no data of its own."""
    try:
        from nltk.tokenize import NLTKWordTokenizer
    except ImportError:
        raise UserError(
            "Captions are cut by the tokeniser of nltk: pip install 'sda-text[coco]'."
        ) from None
    cut: Cut = NLTKWordTokenizer().tokenize
    return cut


def read_captions(paths: Sequence[Path]) -> dict[int, list[str]]:
    """The captions of each image in the order of their ids, images in that of theirs."""
    found: dict[int, dict[int, str]] = {}
    for path in paths:
        for number, entry in enumerate(_annotations(path), 1):
            try:
                image, place, text = int(entry["image_id"]), int(entry["id"]), entry["caption"]
            except (KeyError, TypeError, ValueError):
                raise UserError(
                    f"{path}: entry {number} of 'annotations' is no caption with 'image_id', 'id'"
                    " and 'caption'; give captions_train2014.json or captions_val2014.json"
                ) from None
            found.setdefault(image, {})[place] = str(text)
    return {
        image: [text for _, text in sorted(captions.items())]
        for image, captions in sorted(found.items())
    }


def _annotations(path: Path) -> list[Any]:
    data = read_json(path)
    entries = data.get("annotations") if isinstance(data, dict) else None
    if not isinstance(entries, list) or not entries:
        raise UserError(
            f"{path}: no list 'annotations'; give captions_train2014.json or captions_val2014.json"
        )
    return entries


def as_line(caption: str, cut: Cut) -> str | None:
    """The caption in small letters, its words apart; None if it has too few or too many."""
    words = [_QUOTES.get(word, word) for word in cut(caption.lower())]
    return " ".join(words) if FEWEST <= len(words) <= MOST else None


def split_captions(
    images: dict[int, list[str]], cut: Cut, sizes: Sizes, not_in: Iterable[str] = ()
) -> Split:
    """The parts, each of images of its own; no training caption is equal to one held out.

    Captions are equal if their letters and digits are. `not_in` are further sentences that no
    training caption may be equal to.
    """
    lines = {
        image: [line for text in texts if (line := as_line(text, cut)) is not None]
        for image, texts in images.items()
    }
    order = list(lines)
    rng = random.Random(SEED)
    rng.shuffle(order)
    parts: list[list[str]] = []
    for size in (sizes.test, sizes.aside, sizes.valid):
        part: list[str] = []
        while order and len(part) < size:
            part += lines[order.pop(0)]
        parts.append(part[:size])
    test, aside, valid = parts
    held = {_letters(line) for line in (*test, *aside)}
    valid = [line for line in valid if _letters(line) not in held]
    held |= {_letters(line) for line in (*valid, *not_in)}
    pool = [line for image in order for line in lines[image] if _letters(line) not in held]
    if len(pool) < sizes.train:
        needed = sizes.test + sizes.aside + sizes.valid + sizes.train
        raise UserError(
            f"too few captions: {sum(map(len, lines.values())):,} of {FEWEST} to {MOST} words leave"
            f" {len(pool):,} for training, which takes {sizes.train:,}; give --from a file with"
            f" well over {needed:,}, as captions_val2014.json has"
        )
    return Split(rng.sample(pool, sizes.train), valid, test)


def write_split(split: Split, folder: Path) -> list[tuple[Path, int, str]]:
    """The folder holds the three files; of each its path, its lines and its hash."""
    found = []
    for name in ("train", "valid", "test"):
        lines: list[str] = getattr(split, name)
        content = "".join(f"{line}\n" for line in lines).encode()
        path = folder / "coco" / f"{name}.txt"
        with naming(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, content)
        found.append((path, len(lines), hashlib.sha256(content).hexdigest()))
    return found


def _letters(line: str) -> str:
    return _NO_LETTER.sub("", line.lower())
