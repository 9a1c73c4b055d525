"""Sizes of which no generator can be made are refused, and said."""

import pytest
from fakes import seeded

from sda.models.causal_cnn import CnnGenerator
from sda.models.generator import Frame, Generator
from sda.models.rnn import RnnGenerator
from sda.models.transformer import TransformerGenerator

OF_TRANSFORMER = "layers, heads and feedforward must be 1 or more, not"


@pytest.mark.parametrize(
    ("kind", "sizes", "message"),
    [
        (RnnGenerator, {"hidden": 0}, "sizes must be 1 or more, not 32 and 0"),
        (RnnGenerator, {"hidden": 4, "tied": True}, "embedding = hidden, not 32 and 4"),
        (RnnGenerator, {"layers": 0}, "layers must be 1 or more, not 0"),
        (CnnGenerator, {"layers": 0}, "layers and width must be 1 or more, not 0 and 3"),
        (CnnGenerator, {"width": 0}, "layers and width must be 1 or more, not 4 and 0"),
        (TransformerGenerator, {"width": 9}, "width must be a multiple of heads, not 9 of 4"),
        (
            TransformerGenerator,
            {"width": 12},
            "rotary positions need an even width of a head, not 3",
        ),
        (TransformerGenerator, {"layers": 0}, f"{OF_TRANSFORMER} 0, 4 and 512"),
        (TransformerGenerator, {"heads": 0}, f"{OF_TRANSFORMER} 2, 0 and 512"),
        (TransformerGenerator, {"feedforward": 0}, f"{OF_TRANSFORMER} 2, 4 and 0"),
    ],
)
def test_sizes_that_do_not_fit(kind: type[Generator], sizes: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kind(Frame(9, None, 24), seeded(0), **sizes)  # type: ignore[call-arg]
