"""Texts as vectors of a pretrained model that never learns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from sda.devices import computed_in
from sda.pretrained.library import load_config, load_encoder
from sda.text.model_tokens import ModelVocabulary, read_pieces
from sda.text.tokens import tokenizer

ROWS = 16
"""Texts that are read at a time, no more and no fewer: products of another shape add up in another
order, and a text would have another vector beside others than alone."""
WIDTH = 4
"""Texts are as long as a multiple of it, with padding, for the same reason."""
LONGEST = 256  # tokens of a text that are read
KEPT = 50_000  # vectors, of the texts that were asked for last


class FrozenEncoder:
    """Vectors of texts from the model in a folder, each computed once.

    Of a causal language model a layer in its middle is read, where it knows most of the text and
    least of the next word: the mean of the states of all tokens, and that of the last. Of an
    encoder, such as those of sentences, it is the mean of its last layer.
    """

    def __init__(
        self, path: str, layer: int | None = None, dtype: torch.dtype = torch.float32
    ) -> None:
        """`layer` is by default the one after two thirds of them."""
        self.path = path
        self._dtype = dtype
        self._config = load_config(path)
        text_config = self._config.get_text_config()
        layers = int(text_config.num_hidden_layers)
        names = self._config.architectures or []
        self._is_causal = any("CausalLM" in name or "LMHead" in name for name in names)
        self._layer = layers if layer is None else layer
        if layer is None and self._is_causal:
            self._layer = max(1, round(layers * 2 / 3))
        if not 1 <= self._layer <= layers:
            raise ValueError(f"layer must be from 1 to {layers}, not {layer}")
        # States after the last layer that is loaded would have gone through the final norm.
        self._loaded = min(layers, self._layer + 1)
        self.size = int(text_config.hidden_size) * (2 if self._is_causal else 1)
        self._known: dict[str, Tensor] = {}

    @torch.no_grad()
    def vectors(self, texts: Sequence[str], device: torch.device) -> Tensor:
        """(B, F) the vectors of the texts."""
        # Those asked for now are the last to be forgotten.
        found = {text: self._known.pop(text, None) for text in dict.fromkeys(texts)}
        new = [text for text, vector in found.items() if vector is None]
        found |= dict(zip(new, self._read(new, device), strict=True))
        self._known |= {text: vector for text, vector in found.items() if vector is not None}
        for old in list(self._known)[: max(0, len(self._known) - max(KEPT, len(found)))]:
            del self._known[old]
        if not texts:
            return torch.zeros(0, self.size, device=device)
        return torch.stack([self._known[text] for text in texts]).to(device)

    def _read(self, texts: Sequence[str], device: torch.device) -> list[Tensor]:
        """The vectors, on the CPU; texts of one width are read together."""
        ids = self._ids(texts)
        by_width: defaultdict[int, list[int]] = defaultdict(list)
        for place, row in enumerate(ids):
            by_width[-(-len(row) // WIDTH) * WIDTH].append(place)
        vectors: dict[int, Tensor] = {}
        for width, places in sorted(by_width.items()):
            for first in range(0, len(places), ROWS):
                some = places[first : first + ROWS]
                rows = [ids[place] for place in some]
                made = self._of_tokens(rows + rows[:1] * (ROWS - len(rows)), width, device)
                vectors |= zip(some, made.cpu().unbind(), strict=False)
        return [vectors[place] for place in range(len(texts))]

    def _of_tokens(self, rows: list[list[int]], width: int, device: torch.device) -> Tensor:
        """(ROWS, F) the vectors of rows of tokens."""
        lengths = torch.tensor([len(row) for row in rows]).to(device)
        tokens = torch.tensor([row + [0] * (width - len(row)) for row in rows]).to(device)
        places = torch.arange(width, device=device)
        is_token = places < lengths[:, None]
        # Padding comes after a text, so causality alone keeps it out.
        mask = {} if self._is_causal else {"attention_mask": is_token.long()}
        with computed_in(self._dtype, device):
            found = self._model(device)(input_ids=tokens, output_hidden_states=True, **mask)
        states: Tensor = found.hidden_states[self._layer].float()
        # The first token of a causal model is the start symbol, whose state is the same for all.
        counted = is_token & (places > 0) if self._is_causal else is_token
        weights = counted.to(states) / counted.sum(1, keepdim=True).clamp(min=1)
        mean = (states * weights[:, :, None]).sum(1)
        if not self._is_causal:
            return mean
        last = states[torch.arange(len(rows), device=device), lengths - 1]
        return torch.cat((mean, last), 1)

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text, with what the model expects before and after them."""
        if self._is_causal:
            cut = self._vocabulary.encode(texts).flat(self._vocabulary.eos)
            lists = [
                cut.ids[a:b].tolist() for a, b in zip(cut.starts, cut.starts[1:], strict=False)
            ]
            return [[self._vocabulary.bos, *ids[: LONGEST - 1]] for ids in lists]
        found = self._pieces.encode_batch_fast(list(texts), add_special_tokens=True)
        return [piece.ids[:LONGEST] for piece in found]

    @cached_property
    def _vocabulary(self) -> ModelVocabulary:
        return ModelVocabulary.read(Path(self.path), tokenizer("whitespace"), has_prompts=False)

    @cached_property
    def _pieces(self) -> Any:
        pieces = read_pieces(Path(self.path))
        pieces.no_padding()
        return pieces

    @cached_property
    def _weights(self) -> Any:
        return load_encoder(self.path, self._loaded).eval().requires_grad_(False)

    def _model(self, device: torch.device) -> Any:
        """The model, opened when it is first asked, where it is asked for."""
        return self._weights.to(device)


@cache
def shared_encoder(
    path: str, layer: int | None = None, dtype: torch.dtype = torch.float32
) -> FrozenEncoder:
    """One of each for a process: several discriminators read the same texts."""
    return FrozenEncoder(path, layer, dtype)
