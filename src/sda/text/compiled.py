"""A typed door to numba, so that compiled functions keep their signatures."""

from collections.abc import Callable
from typing import TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

# What compiled functions take and give.
Ids = NDArray[np.int32]
Numbers = NDArray[np.int64]
Weights = NDArray[np.float64]

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """The function compiled to machine code on its first call, and kept on disk after that."""
    return cast(Function, numba.njit(cache=True, nogil=True)(function))
