"""Self Data Augmentation for text generators.

`train`, `resume` and `evaluate` do what the commands do, `Run` is a run folder, and `Generator`,
`Discriminator` and `ReferenceMetric` are there to be subclassed. All names are imported on first
use, so that `import sda` stays light.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
LARGEST_SEED = 2**63 - 1  # what torch takes
__all__ = [
    "Alarm",
    "Augmented",
    "Context",
    "Discriminator",
    "Evaluation",
    "Frame",
    "Generator",
    "Options",
    "ReferenceMetric",
    "Run",
    "Score",
    "Sentences",
    "TransferRun",
    "UserError",
    "__version__",
    "augment",
    "evaluate",
    "resume",
    "train",
    "train_transfer",
]

if TYPE_CHECKING:
    from sda.api import augment, evaluate, resume, train, train_transfer
    from sda.errors import UserError
    from sda.evaluation.alarms import Alarm
    from sda.evaluation.evaluator import Evaluation, Options
    from sda.evaluation.score import Score
    from sda.labelled.augmented_rows import Augmented
    from sda.models.discriminator import Discriminator
    from sda.models.generator import Frame, Generator
    from sda.reference.metric import ReferenceMetric
    from sda.runs.run import Run
    from sda.text.context import Context
    from sda.text.sentences import Sentences
    from sda.transfer.transfer_run import TransferRun

_HOMES = {
    "train": "sda.api",
    "resume": "sda.api",
    "evaluate": "sda.api",
    "Run": "sda.runs.run",
    "Evaluation": "sda.evaluation.evaluator",
    "Score": "sda.evaluation.score",
    "Alarm": "sda.evaluation.alarms",
    "Options": "sda.evaluation.evaluator",
    "Generator": "sda.models.generator",
    "Frame": "sda.models.generator",
    "Discriminator": "sda.models.discriminator",
    "ReferenceMetric": "sda.reference.metric",
    "Sentences": "sda.text.sentences",
    "Context": "sda.text.context",
    "UserError": "sda.errors",
    "train_transfer": "sda.api",
    "augment": "sda.api",
    "Augmented": "sda.labelled.augmented_rows",
    "TransferRun": "sda.transfer.transfer_run",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sda' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """What there is to use; names that were not used yet are not in the module's dictionary."""
    return sorted(__all__)
