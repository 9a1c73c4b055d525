"""An axis is called after its score, says which way is good, and runs that way."""

from typing import Any

import pytest

from sda.errors import UserError
from sda.reproduction.definitions import experiment, experiment_names
from sda.reproduction.panels import panels_of
from sda.reproduction.quantity import Quantity


@pytest.mark.parametrize(
    ("given", "label", "is_turned"),
    [
        ("bleu-5", "BLEU-5 (higher is better)", False),
        ("self-bleu-5", "self-BLEU-5 (lower is more varied)", True),
        ("nll-oracle", "NLL_oracle (lower is better)", True),
        ("my-score", "my-score", False),
        ({"score": "self-bleu-5", "label": "likeness"}, "likeness", True),
        (
            {"score": "self-bleu-5", "is_turned": False},
            "self-BLEU-5 (lower is more varied)",
            False,
        ),
    ],
)
def test_label_and_direction(given: Any, label: str, is_turned: bool) -> None:
    found = Quantity.model_validate(given)

    assert (found.label, found.is_turned) == (label, is_turned)


def test_the_difference_from_one() -> None:
    assert Quantity.model_validate({"score": "a", "from_one": True}).of({"a": 0.25}) == 0.75


@pytest.mark.parametrize("name", experiment_names())
def test_every_experiment_has_panels(name: str) -> None:
    assert panels_of(experiment(name))


@pytest.mark.parametrize(
    ("panel", "words"),
    [
        ({"kind": "pie"}, "'panels.0': "),
        ({"kind": "bars"}, "'panels.0.bars.y': "),
        ({"kind": "bars", "y": {"label": "x"}}, "'panels.0.bars.y.score': "),
        ({"kind": "points", "x": "a", "y": "b", "z": "c"}, "'panels.0.points.z': "),
    ],
)
def test_mistakes_in_panels_name_file_and_key(panel: dict[str, Any], words: str) -> None:
    wrong = experiment("coco").model_copy(update={"panels": [panel]})
    with pytest.raises(UserError) as caught:
        panels_of(wrong)

    assert str(caught.value).startswith(f"experiments/coco.toml: {words}")
