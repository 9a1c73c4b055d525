"""The other rows of the paper's table, by name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from sda.errors import UserError
from sda.files import naming, write_text
from sda.transfer.rivals.autoencoder import SMALL, AutoencoderSettings, Done
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
    done: Done = lambda _: None,
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


def output_files(sources: SourceFiles, out: Path) -> list[Path]:
    """The files beside `out` for the rewritings of each file of sources."""
    styles = zip(sources.files, file_styles(sources.files), strict=True)
    return [out.with_name(f"{out.name}.{ending(file) or style}") for file, style in styles]


def rewrite_files(
    rival: Rival, sources: SourceFiles, out: Path, targets: Sequence[str] | None = None
) -> list[Path]:
    """The output files hold a rewriting for every line of the sources."""
    written = output_files(sources, out)
    with naming(out):
        out.parent.mkdir(parents=True, exist_ok=True)
    wanted = sources.file_targets(targets)
    for path, lines, origin, target in zip(
        written, sources.lines, sources.origins, wanted, strict=True
    ):
        write_text(path, "".join(f"{text}\n" for text in rival.rewrite(lines, origin, target)))
    return written
