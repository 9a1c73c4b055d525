"""`sda transfer rival`: the other rows of the paper's table."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sda.commands.options import Seed, out_option


class RivalName(StrEnum):
    template = "template"
    retrieval = "retrieval"
    delete_retrieve = "delete-retrieve"
    vae = "vae"
    cross_aligned = "cross-aligned"
    controlled = "controlled"
    language_models = "language-models"


def rival(
    name: Annotated[
        RivalName,
        typer.Argument(
            help="`template` puts words of the nearest sentence of the other style in the place of"
            " the source's, and `retrieval` takes that sentence as it is; both take seconds."
            " `delete-retrieve` trains a network to join the source's content with those words (all"
            " three Li et al. 2018). The others train an autoencoder that is told the style:"
            " `vae` by a prior alone, `cross-aligned` by discriminators of its states (Shen et al."
            " 2017), `controlled` by a classifier (Hu et al. 2017), `language-models` by one model"
            " for each style (Yang et al. 2018)."
        ),
    ],
    train: Annotated[
        list[Path], typer.Argument(help="Files with sentences to learn from, one for each style.")
    ],
    sources: Annotated[list[Path], "Files with sentences to rewrite, one for each style."],
    out: Annotated[
        Path, out_option(help="Where to write: OUT.neg and OUT.pos for sources of such names.")
    ],
    targets: Annotated[
        list[str] | None,
        "The style that the sentences of each file of sources are to get; for two styles"
        " the other one.",
    ] = None,
    seed: Seed = 0,
) -> None:
    """Rewrite sentences by a method that SDA is compared with, at the scale of one CPU."""
    from sda.files import refuse_overlap
    from sda.show.terminal import Counter
    from sda.transfer.rivals.rival import fit_rival, output_files, passes, rewrite_files
    from sda.transfer.styled import read_styled
    from sda.transfer.transfer_task import SourceFiles

    texts = read_styled(train)
    files = SourceFiles(sources, texts.names)
    files.file_targets(targets or None)
    for path in output_files(files, out):
        refuse_overlap({"--out": path}, (*train, *sources))
    with Counter(lines=False) as counter:
        counter.begin(passes(name.value))
        found = fit_rival(name.value, texts, seed, done=counter.step)
    for path in rewrite_files(found, files, out, targets or None):
        print(path)
