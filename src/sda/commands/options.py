"""Options that several commands have."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sda import LARGEST_SEED

if TYPE_CHECKING:
    from sda.runs.run import Run


class TokenizerName(StrEnum):
    """How words are cut; spelled out, because settings know these names by their type."""

    whitespace = "whitespace"
    words = "words"
    characters = "characters"


Device = StrEnum("Device", "auto cpu cuda mps")
"""Where models are computed."""
Dtype = StrEnum("Dtype", "float32 bfloat16")
"""What products of large models are computed in."""
LogName = StrEnum("LogName", "tensorboard wandb trackio")
"""Where the figures of each epoch go beside the run folder."""
Stage = StrEnum("Stage", "handed last mle")
"""Which state of a run."""


def option_under(heading: str) -> partial[Any]:
    """`typer.Option` for options that stand under a heading in the help of a command."""
    return partial(typer.Option, rich_help_panel=heading)


def setting_option(heading: str, example: str, page: str | None = None) -> Any:
    """`--set KEY=VALUE`; `page` is where the settings are listed."""
    listed = "" if page is None else f" {page} lists them."
    return typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help=f"Change one setting, as in --set {example}; may be given several times.{listed}",
        rich_help_panel=heading,
    )


text_option = option_under("Text and words")
out_option = partial(typer.Option, "-o", "--out")
HOW_WORDS_ARE_CUT = (
    "What a word is. `whitespace`: what stands between spaces. `words`: punctuation is a word of"
    " its own, for text as people type it. `characters`: every character, for scripts without"
    " spaces, such as Chinese, Japanese and Thai."
)

Column = Annotated[
    str | None,
    text_option(help="Which column of a .csv or .tsv file holds the text."),
]
Field = Annotated[
    str | None,
    text_option(help="Which field of a .jsonl file holds the text."),
]
Label = Annotated[
    str | None,
    text_option(
        help="Which column, or field of a .jsonl file, says what a sentence is about, such as"
        " positive or negative. The model learns to write about each of them."
    ),
]
Prompt = Annotated[
    str | None,
    text_option(
        help="A text that every sentence follows on, for a pretrained model (--generator hf:PATH)."
    ),
]
PromptColumn = Annotated[
    str | None,
    text_option(
        help="Which column, or field of a .jsonl file, holds the prompt of each sentence, for a"
        " pretrained model."
    ),
]
Lower = Annotated[
    bool,
    text_option(
        "--lower", help="Turn capital letters into small ones, so that The and the are one word."
    ),
]
Tokens = Annotated[
    TokenizerName,
    text_option("--tokenizer", help=HOW_WORDS_ARE_CUT),
]
MaybeTokens = Annotated[
    TokenizerName | None,
    text_option("--tokenizer", help=HOW_WORDS_ARE_CUT),
]
"""The same where leaving it out is another answer than any of them."""
Subwords = Annotated[
    int | None,
    text_option(
        help="Let the model write pieces of words, this many different ones, so that no word is"
        " unknown; 2000 is a good number. Needs the extra sda-text\\[subwords]."
    ),
]
Deduplicate = Annotated[
    bool,
    text_option("--deduplicate", help="Keep only one of several sentences that are the same."),
]
Valid = Annotated[
    Path | None,
    text_option(
        help="File with sentences to check training by; by default a tenth of the text is set"
        " aside for it."
    ),
]
Test = Annotated[
    Path | None,
    text_option(
        help="File with sentences for the final scores, which training never sees; by default a"
        " tenth of the text is set aside for it."
    ),
]


def checked_seed(seed: int | None) -> int | None:
    """The seed itself; one that is no seed is refused.

    Not by limits of the option, whose digits would take half the width of the help.
    """
    if seed is not None and not 0 <= seed <= LARGEST_SEED:
        raise typer.BadParameter(f"{seed} is not in the range 0<=x<={LARGEST_SEED}.")
    return seed


Seed = Annotated[
    int,
    typer.Option(
        callback=checked_seed,
        help="Start of all random choices: the same seed gives the same result.",
    ),
]
Resume = Annotated[
    bool,
    "Go on with the run in --out if there is one that began with these same options;"
    " `sda resume RUN` needs no options.",
]


Logs = Annotated[
    list[LogName] | None,
    "Also write the figures of each epoch for TensorBoard, or for Weights & Biases"
    " (offline, unless WANDB_MODE says otherwise), into the folder logs of the run.",
]


Trust = Annotated[
    bool,
    "Load what the settings of this run name outside sda, such as your own metric; read"
    " them before, if the folder is somebody else's. Code inside the folder is never loaded.",
]


@dataclass(frozen=True)
class TrustOptions:
    """What is loaded of that which the settings of a run name outside sda."""

    metric: Annotated[
        str | None,
        "The metric of your own that the run was trained with, named once more as"
        " FILE.py:FUNCTION: it is loaded, and nothing else.",
    ] = None
    trust: Trust = False

    def run(self, path: Path) -> Run:
        """The run in that folder."""
        from sda.runs.run import Run

        return Run(path, metric=self.metric, trust=self.trust)


NOTHING = TrustOptions()


@dataclass(frozen=True)
class TableFiles:
    """Files to which a table is written too."""

    json: Annotated[Path | None, "Also write all scores to this JSON file."] = None
    markdown: Annotated[Path | None, "Also write the table to this Markdown file."] = None
    latex: Annotated[Path | None, "Also write the table to this LaTeX file."] = None

    def by_option(self) -> dict[str, Path | None]:
        """Each with the option that names it."""
        return {f"--{name}": path for name, path in vars(self).items()}


@dataclass(frozen=True)
class PageFiles(TableFiles):
    """Files of tables that are shown on a page too."""

    html: Annotated[Path | None, "Also write a page to this HTML file."] = None


NO_TABLES = TableFiles()
NO_PAGE = PageFiles()


def given(**values: Any) -> dict[str, Any]:
    """The settings that were asked for: those that are not None."""
    return {key: value for key, value in values.items() if value is not None}


def text_or_none(path: Path | None) -> str | None:
    """A path as it is written into settings."""
    return None if path is None else str(path)
