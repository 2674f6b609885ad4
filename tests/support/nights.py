"""What a run by day leaves to the night, ``nox -s nightly``, which sets ``KPROOF_EXAMPLES``."""

from __future__ import annotations

import os
from typing import TypeVar

Amount = TypeVar("Amount")


def by_day(few: Amount, *, at_night: Amount) -> Amount:
    """Return how much a run tries: few by day, more at night."""
    return at_night if "KPROOF_EXAMPLES" in os.environ else few
