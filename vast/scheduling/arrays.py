"""Array types of the engine: 64-bit integers and booleans, nothing that rounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def ints(values: Iterable[int]) -> Ints:
    return np.fromiter(values, dtype=np.int64)


def bools(values: Iterable[bool]) -> Bools:
    return np.fromiter(values, dtype=np.bool_)


def spans(bounds: Sequence[int], chosen: Sequence[int]) -> Ints:
    """The integers of the ranges ``bounds[i]..bounds[i+1]`` for the chosen i, one range after the other."""
    return np.concatenate([np.arange(bounds[i], bounds[i + 1], dtype=np.int64) for i in chosen])
