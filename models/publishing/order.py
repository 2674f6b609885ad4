"""The order in which rows are published: drawn from the randomness of the system."""

from __future__ import annotations

import os

import numpy as np

from kproof.models.base.arrays import Codes
from kproof.theory.exact.typed import Number, integer


def order_of(rows: int, seed: Number | None = None) -> Codes:
    """Return an order of rows, from the system's randomness unless there is a seed.

    >>> order_of(4, 1).tolist()
    [0, 1, 2, 3]
    """
    if seed is not None:
        rng = np.random.default_rng(integer("seed", seed, least=0))
        return rng.permutation(rows).astype(np.int64)
    # Ranks of 64 random bits each: every order is as likely, but for a chance of rows squared in
    # 2^65 that two are equal. A generator with a state could be followed from the order itself.
    keys = np.frombuffer(os.urandom(8 * rows), dtype=np.uint64)
    return np.argsort(keys).astype(np.int64)
