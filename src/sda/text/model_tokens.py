"""The tokens of a pretrained language model as ids, and what it reads before the first."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sda.errors import UserError
from sda.files import read_json
from sda.text.pieces import Pieces, PieceVocabulary, pieces_from_json, spaced
from sda.text.sentences import Sentences
from sda.text.tokens import Tokenizer, tokenizer

TOKENIZER_FILE = "tokenizer.json"


@dataclass(frozen=True)
class Symbols:
    """What a folder says of its tokens: how many ids the model knows, and which are special.

    `is_glued` says that a sentence follows on a prompt, so that a space comes before its first
    word.
    """

    size: int
    eos: int
    bos: int
    is_glued: bool = False


class ModelVocabulary(PieceVocabulary):
    """Tokens by the ids that the pretrained model knows them by.

    `bos` is read before the first token. It is an ordinary id of the model, and as all symbols but
    the end among the ids that are never written (`forbidden`).
    """

    def __init__(self, pieces: Pieces, tokenizer: Tokenizer, symbols: Symbols) -> None:
        super().__init__(pieces, tokenizer, symbols.eos)
        pieces.no_truncation()
        pieces.no_padding()
        # A symbol that is spelled out in a text is text.
        pieces.encode_special_tokens = True
        self.symbols = symbols

    @staticmethod
    def read(folder: Path, tokenizer: Tokenizer, has_prompts: bool) -> ModelVocabulary:
        """The tokens of the model in the folder."""
        pieces = read_pieces(folder)
        return ModelVocabulary(pieces, tokenizer, _symbols(folder, pieces, has_prompts))

    @property
    def bos(self) -> int:
        """What is read before the first token."""
        return self.symbols.bos

    @property
    def forbidden(self) -> list[int]:
        """Ids that are never written: symbols other than the end, and those without a token."""
        added = self._pieces.get_added_tokens_decoder()
        symbols = {number for number, token in added.items() if token.special}
        unused = range(self._pieces.get_vocab_size(with_added_tokens=True), len(self))
        return sorted(({*symbols, self.bos, *unused} - {self.eos}) & set(range(len(self))))

    def __len__(self) -> int:
        return self.symbols.size

    def encode(self, texts: Sequence[str]) -> Sentences:
        before = " " if self.symbols.is_glued else ""
        flat = self._ids([before + spaced(text) for text in texts])
        return Sentences.from_flat(flat, self.eos)

    def encode_prompts(self, prompts: Sequence[str]) -> Sentences:
        """What sentences follow on, as it is but for white space at its end; without an end
        symbol."""
        return Sentences.from_flat(self._ids([prompt.rstrip() for prompt in prompts]))

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": "model",
            "tokenizer": self.tokenizer.name,
            "symbols": vars(self.symbols),
            "pieces": json.loads(self._pieces.to_str()),
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> ModelVocabulary:
        match data:
            case {
                "kind": "model",
                "tokenizer": str(name),
                "symbols": {
                    "size": int(size),
                    "eos": int(eos),
                    "bos": int(bos),
                    "is_glued": bool(is_glued),
                },
                "pieces": dict(pieces),
            }:
                symbols = Symbols(size, eos, bos, is_glued)
                return ModelVocabulary(pieces_from_json(pieces), tokenizer(name), symbols)
        raise UserError("the vocabulary is damaged: no tokens of a model in it.")


def read_pieces(folder: Path) -> Pieces:
    """The table of pieces of the model in the folder."""
    return pieces_from_json(_read_json(folder / TOKENIZER_FILE))


def _symbols(folder: Path, pieces: Pieces, has_prompts: bool) -> Symbols:
    config = _read_json(folder / "config.json")
    inner = config.get("text_config", {})
    config = {**config, **(inner if isinstance(inner, dict) else {})}
    named = folder / "tokenizer_config.json"
    names = _read_json(named) if named.is_file() else {}

    def number(symbol: str) -> int | None:
        """The id of a symbol: what the tokeniser says, or else the model."""
        name = names.get(symbol)
        spelled = name.get("content") if isinstance(name, dict) else name
        found = None if spelled is None else pieces.token_to_id(spelled)
        if found is None:
            found = config.get(f"{symbol}_id")
        return found[0] if isinstance(found, list) else found

    eos = number("eos_token")
    if eos is None:
        raise UserError(
            f"{folder}: neither tokenizer_config.json nor config.json names an end symbol"
            " (eos_token), so no sentence could end; add one."
        )
    bos = number("bos_token")
    size = config.get("vocab_size", pieces.get_vocab_size(with_added_tokens=True))
    try:
        return Symbols(int(size), int(eos), int(eos if bos is None else bos), has_prompts)
    except (TypeError, ValueError):
        raise UserError(f"{folder}: its vocabulary or its end symbol is no number.") from None


def _read_json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise UserError(
            f"{path}: no such file; a folder that transformers' save_pretrained wrote, model and"
            " tokenizer, is needed."
        )
    found = read_json(path)
    if not isinstance(found, dict):
        raise UserError(f"{path}: not an object.")
    return found
