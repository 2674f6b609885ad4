"""Tuples that keep their hash, for tokens that are large and looked up often."""

from __future__ import annotations

from typing import Any


class Hashed(tuple[Any, ...]):
    """A tuple that works its hash out once; it equals the plain tuple and has the same hash.

    The hash of a plain tuple is worked out at every look-up, from all that is in it.

    >>> Hashed((1, 2)) == (1, 2), hash(Hashed((1, 2))) == hash((1, 2))
    (True, True)
    """

    _hash: int

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            self._hash = super().__hash__()
            return self._hash
