"""Self Data Augmentation for text generators.

`train`, `Run` and `evaluate` are the whole public API; they are imported on first use.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
LARGEST_SEED = 2**63 - 1  # what torch takes
__all__ = ["Run", "UserError", "__version__", "evaluate", "train"]

if TYPE_CHECKING:
    from sda.api import evaluate, train
    from sda.errors import UserError
    from sda.runs.run import Run

_HOMES = {
    "train": "sda.api",
    "evaluate": "sda.api",
    "Run": "sda.runs.run",
    "UserError": "sda.errors",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sda' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
