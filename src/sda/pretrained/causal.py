"""A pretrained causal language model as the generator."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import torch
from torch import Tensor, nn

from sda.devices import computed_in
from sda.errors import UserError
from sda.models.branching import State, select
from sda.models.generator import DROPS, Frame
from sda.models.hidden import OutputLayerGenerator
from sda.pretrained.library import load_causal, peft_library, transformers_library
from sda.text.context import Context, labels_of
from sda.text.model_tokens import ModelVocabulary
from sda.text.sentences import Sentences
from sda.text.vocabulary import Vocabulary

READ_AT_ONCE = 8192  # tokens where nothing is learned, so that memory does not grow with the batch
LABELLED = "{}:"
"""What is read before a sentence of a label, by its name."""
ALPHA = 2  # times the rank: what peft calls lora_alpha, by which the adapter's part is scaled

Memory = tuple[Tensor, Tensor]
"""Keys and values of one layer, (B, heads, t, d) each, for the t tokens read so far."""


class PretrainedGenerator(OutputLayerGenerator):
    """The model in a folder that `save_pretrained` wrote, with all weights learning or an adapter.

    The state has keys and values of all layers, how far each row is padded in front (none where no
    row is), and what is to be read first (nothing once it was): the start symbol, or the last token
    of the prompt, in place of the start symbol that whoever writes hands in. Where sentences have
    labels, the prompt is the name of the label. What is not learned is in no state that is saved:
    it is found again in the folder.
    """

    reads_source = True

    def __init__(
        self,
        frame: Frame,
        rng: torch.Generator,
        vocabulary: Vocabulary,
        path: str,
        lora: int = 0,
        dtype: torch.dtype = torch.float32,
        label_names: Sequence[str] = (),
    ) -> None:
        """`lora` is the rank of an adapter (LoRA) on all linear layers; 0 learns all weights."""
        super().__init__(frame)
        if not isinstance(vocabulary, ModelVocabulary):
            raise UserError(
                f"setting 'generator': {path} writes tokens of its own: set data.model to its"
                " folder, or name it as --generator hf:PATH"
            )
        if lora < 0:
            raise ValueError(f"lora must be 0 or more, not {lora}")
        self.bos = vocabulary.bos
        self.path = path
        self.dtype = dtype
        named = [LABELLED.format(name) for name in label_names]
        self.labels = vocabulary.encode_prompts(named) if named else None
        causal = load_causal(path)
        _check(causal, path, vocabulary)
        causal.requires_grad_(not lora)
        self.network: Any = _adapted(causal, lora, rng) if lora else causal
        # Attention drops within itself, so what counts is the mode of each layer.
        for layer in self.network.modules():
            setattr(layer, DROPS, True)
        self._learned = frozenset(
            name for name, value in self.named_parameters() if value.requires_grad
        )
        never = torch.zeros(self.vocabulary_size)
        never[vocabulary.forbidden] = -torch.inf
        self.never: Tensor
        self.register_buffer("never", never, persistent=False)
        self.train()

    @property
    def causal(self) -> Any:
        """The model itself, whose layers hold the adapter where there is one."""
        is_adapted = hasattr(self.network, "get_base_model")
        return self.network.get_base_model() if is_adapted else self.network

    @property
    def output_weight(self) -> Tensor:
        weight: Tensor = self.causal.get_output_embeddings().weight
        return weight

    @property
    def bias(self) -> Tensor:  # type: ignore[override]
        """What the model adds, and minus infinity for what is never written."""
        own = self.causal.get_output_embeddings().bias
        return self.never if own is None else self.never + own

    def start(self, n: int, context: Context | None = None) -> State:
        tokens, padding = self._first_tokens(n, context)
        layers: tuple[Memory, ...] = ()
        if tokens.shape[1] > 1:
            # Each prompt is read once, however many sentences follow on it.
            distinct, places = torch.unique(tokens, dim=0, return_inverse=True)
            pads = padding.new_zeros(len(distinct), padding.shape[1])
            pads[places] = padding
            _, read = self._read(distinct[:, :-1], (), pads)
            layers = cast(tuple[Memory, ...], select(read, places))
        return layers, padding, tokens[:, -1:]

    def advance(self, state: State, tokens: Tensor) -> tuple[Tensor, State]:
        layers, padding, first = cast(tuple[tuple[Memory, ...], Tensor, Tensor], state)
        hidden, after = self._read(first if first.shape[1] else tokens[:, None], layers, padding)
        return hidden[:, -1], (after, padding, first[:, :0])

    def hidden_states(self, sentences: Sentences) -> Tensor:
        if torch.is_grad_enabled():
            return self._hidden(sentences)
        width = max(1, sentences.tokens.shape[1])
        rows = max(1, READ_AT_ONCE // width)
        parts = range(0, max(1, len(sentences)), rows)
        return torch.cat([self._hidden(sentences[first : first + rows]) for first in parts])

    def _hidden(self, sentences: Sentences) -> Tensor:
        first, padding = self._first_tokens(len(sentences), sentences.context)
        mask = sentences.mask
        if not mask.numel():
            return self.output_weight.new_zeros(0, self.output_weight.shape[1])
        hidden, _ = self._read(torch.cat((first, sentences.tokens[:, :-1]), 1), (), padding)
        return hidden[:, first.shape[1] - 1 :][mask]

    def _first_tokens(self, n: int, context: Context | None) -> tuple[Tensor, Tensor]:
        """(n, P) what is read before the first word, in front of which (n, 1) are padding; (n, 0)
        where none is."""
        if self.labels is not None:
            # Those of all labels, so that the state of a row does not depend on other rows.
            first, padding = self._before(self.labels)
            rows = labels_of(context).to(self.device)
            return first[rows], padding[rows]
        if context is None or context.source is None:
            first = torch.full((n, 1), self.bos, device=self.device)
            return first, first[:, :0]
        return self._before(context.source)

    def _before(self, prompts: Sentences) -> tuple[Tensor, Tensor]:
        """The same of (n,) prompts: the start symbol and their tokens."""
        prompts = prompts.to(self.device).trimmed()
        width = prompts.tokens.shape[1]
        padding = width - prompts.lengths[:, None]
        # The start symbol is at place -1, and padding before it.
        places = torch.arange(-1, width, device=self.device) - padding
        tokens = torch.nn.functional.pad(prompts.tokens, (1, 0), value=self.bos)
        tokens = tokens.gather(1, (places + 1).clamp(min=0))
        return tokens, padding if bool(padding.any()) else padding[:, :0]

    def _read(
        self, tokens: Tensor, layers: tuple[Memory, ...], padding: Tensor
    ) -> tuple[Tensor, tuple[Memory, ...]]:
        """What the layers make (B, T, H) of tokens (B, T), and the memories after the last."""
        before = layers[0][0].shape[2] if layers else 0
        more: dict[str, Tensor] = {}
        if padding.shape[1]:
            places = torch.arange(before + tokens.shape[1], device=tokens.device) - padding
            more["attention_mask"] = (places >= 0).long()
            more["position_ids"] = places[:, before:].clamp(min=0)
        with computed_in(self.dtype, self.device):
            found = self.causal.base_model(
                input_ids=tokens, past_key_values=_cache(layers), use_cache=True, **more
            )
        after = tuple((layer.keys, layer.values) for layer in found.past_key_values.layers)
        return found.last_hidden_state.float(), after

    def given(self) -> Iterator[Tensor]:
        """The weights that are found again in the folder."""
        own = self._learned
        yield from (value for name, value in self.named_parameters() if name not in own)
        yield from self.buffers()

    def state_dict(  # type: ignore[override]
        self,
        *,
        destination: dict[str, Tensor] | None = None,
        prefix: str = "",
        keep_vars: bool = False,
    ) -> dict[str, Tensor]:
        """The weights that are learned, each once where layers share it."""
        found: dict[str, Tensor] = {} if destination is None else destination
        for name, value in self.named_parameters():
            if name in self._learned:
                found[prefix + name] = value if keep_vars else value.detach()
        return found

    @torch.no_grad()
    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> Any:
        own = self.state_dict(keep_vars=True)
        if own.keys() != state_dict.keys():
            name = next(iter(own.keys() ^ state_dict.keys()))
            raise RuntimeError(f"{name} is on one side only")
        for name, value in own.items():
            value.copy_(state_dict[name])

    def __deepcopy__(self, memo: dict[int, Any]) -> PretrainedGenerator:
        """What never changes is shared by all copies."""
        for name, value in self.named_parameters():
            if name not in self._learned:
                memo[id(value)] = value
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        made.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return made


def _adapted(causal: Any, rank: int, rng: torch.Generator) -> Any:
    """The model with an adapter on all linear layers but the output, which does nothing yet."""
    peft = peft_library()
    config = peft.LoraConfig(
        r=rank, lora_alpha=ALPHA * rank, target_modules="all-linear", task_type="CAUSAL_LM"
    )
    with torch.random.fork_rng(devices=()):
        adapted = peft.get_peft_model(causal, config)
    # As the package draws them, but from the random numbers of the run.
    for name, value in adapted.named_parameters():
        if "lora_A" in name:
            nn.init.kaiming_uniform_(value, a=math.sqrt(5), generator=rng)
    return adapted


def _cache(layers: tuple[Memory, ...]) -> Any:
    """The memories as the package has them; what it adds is in new tensors."""
    library = transformers_library()
    cache = library.DynamicCache()
    for keys, values in layers:
        layer = library.cache_utils.DynamicLayer()
        layer.lazy_initialization(keys, values)
        layer.keys, layer.values = keys, values
        cache.layers.append(layer)
    return cache


@torch.no_grad()
def _check(causal: Any, path: str, vocabulary: ModelVocabulary) -> None:
    """The model is one whose next token is read off its last layer, and remembered by attention."""
    head = causal.get_output_embeddings()
    if head is None or len(head.weight) != len(vocabulary):
        size = "no output layer" if head is None else f"{len(head.weight)} outputs"
        raise UserError(
            f"{path}: the model has {size}, and its tokens are {len(vocabulary)} (vocab_size)"
        )
    tokens = torch.tensor([[vocabulary.bos, vocabulary.eos]])
    causal.eval()
    try:
        found = causal.base_model(input_ids=tokens, past_key_values=_cache(()), use_cache=True)
        memories = [(layer.keys, layer.values) for layer in found.past_key_values.layers]
        is_plain = torch.allclose(
            head(found.last_hidden_state), causal(input_ids=tokens).logits, atol=1e-4
        )
    # A model of another build may fail in any way.
    except Exception as error:
        raise UserError(
            f"{path}: not a model that remembers by keys and values, which alone can be branched"
            f" ({type(error).__name__}: {error})"
        ) from None
    if not memories or not is_plain:
        raise UserError(
            f"{path}: its tokens are not read off its last layer by a linear layer alone (a cap or"
            " a scale of logits comes after it), which is not supported"
        )
