"""All kinds of attack, by name."""

from __future__ import annotations

from .all_doors import DOORS
from .command_lines import CommandLines
from .crash_points import CrashPoints
from .damaged import SORTS
from .forms import Forms
from .kills import Kills
from .limits import Limits
from .oracles import Oracles
from .settings_values import SettingsValues
from .texts import Texts
from .together import Together
from .worker import Kind

_ALL: tuple[Kind, ...] = (
    *(Kills(), CrashPoints(), Limits(), Together()),
    *SORTS,
    *DOORS,
    *(Texts(), SettingsValues(), CommandLines(), Oracles(), Forms()),
)
KINDS: dict[str, Kind] = {kind.name: kind for kind in _ALL}
