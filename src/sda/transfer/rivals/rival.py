"""The other rows of the paper's table, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from sda.errors import UserError
from sda.files import naming, write_text
from sda.transfer.rivals.autoencoder import SMALL, AutoencoderSettings
from sda.transfer.rivals.delete_retrieve import DeleteRetrieve
from sda.transfer.rivals.retrieval import Retrieval, Template
from sda.transfer.rivals.separation import OBJECTIVES, Separation
from sda.transfer.styled import StyledTexts, ending, file_styles
from sda.transfer.transfer_task import SourceFiles

COUNTED = ("template", "retrieval")
RIVALS = (*COUNTED, "delete-retrieve", *OBJECTIVES)


class Rival(Protocol):
    """Anything that rewrites texts."""

    def rewrite(self, texts: Sequence[str], origin: int, target: int) -> list[str]:
        """Each text of the style `origin` in the style `target`."""


def passes(name: str, settings: AutoencoderSettings = SMALL) -> int:
    """How many times `done` is called while the rival is fitted."""
    return 1 if name in COUNTED else settings.first_epochs + settings.epochs


def fit_rival(
    name: str,
    texts: StyledTexts,
    seed: int,
    settings: AutoencoderSettings = SMALL,
    done: Callable[[str], None] = lambda _: None,
) -> Rival:
    """The rival of that name, once it has learned the texts."""
    if name not in RIVALS:
        raise UserError(f"there is no rival {name!r}: there are {', '.join(RIVALS)}.")
    if name in OBJECTIVES:
        return Separation.fit(name, texts, seed, settings, done)
    if name not in COUNTED:
        return DeleteRetrieve.fit(texts, seed, settings, done)
    rival = Template(texts) if name == "template" else Retrieval(texts)
    done("counts")
    return rival


def rewrite_files(
    rival: Rival, sources: SourceFiles, out: Path, targets: Sequence[str] | None = None
) -> list[Path]:
    """Beside `out` a file for each file of sources, with a rewriting for every line of it."""
    written = []
    for lines, file, origin, target, style in zip(
        sources.lines,
        sources.files,
        sources.origins,
        sources.file_targets(targets),
        file_styles(sources.files),
        strict=True,
    ):
        path = out.with_name(f"{out.name}.{ending(file) or style}")
        with naming(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, "".join(f"{text}\n" for text in rival.rewrite(lines, origin, target)))
        written.append(path)
    return written
