"""The settings by which a text file becomes a corpus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from sda.errors import UserError
from sda.text.subwords import check_number
from sda.text.tokens import tokenizer

SUBWORDS_A_WORD = 4
"""How many subwords a sentence may have for each word that `max_length` allows; about 1.5 are
usual, and a text without spaces is one word however long it is."""

Rare = Literal["unknown", "drop"]
TooLong = Literal["drop", "cut"]


@dataclass(frozen=True)
class Preparation:
    """How a text is cut and split."""

    lowercase: bool = False
    """Turn all letters into small ones."""
    tokenizer: Literal["whitespace", "words", "characters"] = "whitespace"
    """What a word is: what white space separates; words and punctuation apart, so that joining
    restores the text; or every character, for scripts without spaces. Scores and metrics count
    these words."""
    subwords: int | None = None
    """Let the model write pieces of words, at most so many of them (2000 is a good number), learned
    from the training sentences: then no word is unknown, in any script. Whole words if none is
    named. Needs the package tokenizers."""
    model: str | None = None
    """The folder of a pretrained language model whose tokens are written, in place of words or
    subwords; `--generator hf:PATH` sets it. Needs the package tokenizers."""
    min_count: int = 1
    """A word seen less often in the training sentences is rare; with subwords none is."""
    rare: Rare = "unknown"
    """Write a rare word as unknown, or drop the sentences that hold one."""
    max_length: int = 50
    """The most words of a sentence; with subwords, a sentence of more than four times as many of
    them is dropped as well."""
    too_long: TooLong = "drop"
    """Drop a sentence with more words, or cut it there."""
    min_length: int = 1
    """The fewest words of a sentence; one with fewer is dropped."""
    deduplicate: bool = False
    """Keep one of each among the identical sentences of a file; with labels, one for each label."""
    valid: str | None = None
    """The file with the validation sentences; drawn from the text if none is named."""
    test: str | None = None
    """The file with the test sentences; drawn from the text if none is named."""
    valid_share: float = 0.1
    """The share of the distinct sentences drawn for validation, at most 5,000 of them."""
    test_share: float = 0.1
    """The share of the distinct sentences drawn for the test, at most 5,000 of them."""
    column: str | None = None
    """The column of `.csv` and `.tsv` files that holds the sentence."""
    field: str | None = None
    """The field of `.jsonl` files that holds the sentence."""
    label: str | None = None
    """The column of `.csv` and `.tsv` files, or the field of `.jsonl` files, that holds the label
    of each sentence: what it is about, for a model that can be told. No labels if none is named."""
    prompt: str | None = None
    """A text that every sentence follows on: a pretrained model reads it before it writes. It is
    no part of a sentence, and nothing counts it."""
    prompt_column: str | None = None
    """The column of `.csv` and `.tsv` files, or the field of `.jsonl` files, that holds the prompt
    of each sentence, in place of one for all."""
    limit: int | None = None
    """Train on only this many sentences, drawn by the seed; all of them if none is named."""
    share: float = 1.0
    """Train on this share of what is left then; the words are still those of all of it."""

    @property
    def most_tokens(self) -> int:
        """Tokens of the longest sentence, the end symbol counted."""
        return self.max_length * (SUBWORDS_A_WORD if self.has_pieces else 1) + 1

    @property
    def has_pieces(self) -> bool:
        """Whether the model writes pieces of words."""
        return self.subwords is not None or self.model is not None

    @property
    def has_prompts(self) -> bool:
        """Whether sentences follow on a text that the settings or the file give."""
        return self.prompt is not None or self.prompt_column is not None

    def __post_init__(self) -> None:
        for key, value in (
            ("min_count", self.min_count),
            ("min_length", self.min_length),
            ("max_length", self.max_length),
            ("limit", self.limit),
        ):
            if value is not None and value < 1:
                raise UserError(f"{key} must be 1 or more, not {value}.")
        if self.max_length < self.min_length:
            raise UserError(
                f"max_length = {self.max_length} is below min_length = {self.min_length}."
            )
        for key, choice, choices in (
            ("rare", self.rare, get_args(Rare)),
            ("too_long", self.too_long, get_args(TooLong)),
        ):
            if choice not in choices:
                raise UserError(f"{key} must be one of {', '.join(choices)}, not {choice!r}.")
        tokenizer(self.tokenizer)
        if self.subwords is not None:
            check_number(self.subwords)
        if self.subwords is not None and self.model is not None:
            raise UserError("a pretrained model has its own subwords: leave subwords out.")
        if self.has_prompts and self.model is None:
            raise UserError("prompt is for pretrained models, as --generator hf:PATH names one.")
        if self.prompt is not None and self.prompt_column is not None:
            raise UserError("give either prompt or prompt_column, not both.")
        if self.has_prompts and self.label is not None:
            raise UserError(
                "give either label or prompt: a pretrained model reads the name of the label before"
                " it writes."
            )
        if not 0 < self.share <= 1:
            raise UserError(f"share must be above 0 and at most 1, not {self.share}.")
        shares = (self.valid_share, self.test_share)
        # 0.9 leaves a training sentence even where ten sentences are split.
        if not (min(shares) > 0 and sum(shares) <= 0.9):
            raise UserError(
                f"valid_share = {shares[0]} and test_share = {shares[1]} must be above 0 and"
                " together at most 0.9."
            )
