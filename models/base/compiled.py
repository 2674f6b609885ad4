"""Compiling inner loops: the one place that knows Numba.

Kernels are plain typed Python functions on NumPy arrays, so that they can be read, type-checked
and run without a compiler; ``compiled`` turns one into machine code at its first call and keeps it
on disk. Modules that use it are imported inside the functions that need them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from numba import njit

P = ParamSpec("P")
R = TypeVar("R")


def compiled(kernel: Callable[P, R]) -> Callable[P, R]:
    """Return the kernel compiled to machine code, with strict IEEE arithmetic.

    The uncompiled function stays reachable as ``py_func`` of the result.
    """
    fast: Callable[P, R] = njit(cache=True)(kernel)
    return fast
