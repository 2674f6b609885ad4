"""What a run by day leaves to the night, ``nox -s nightly``, which sets ``KPROOF_EXAMPLES``."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TypeVar

import pytest

from kproof.proptests.profiles import PROFILES

Amount = TypeVar("Amount")


def by_day(few: Amount, *, at_night: Amount) -> Amount:
    """Return how much a run tries: few by day, more at night."""
    return at_night if "KPROOF_EXAMPLES" in os.environ else few


def limit_finite_sources(monkeypatch: pytest.MonkeyPatch, cases: int) -> None:
    """Have every profile of the suite look at so many cases of a finite source by day."""
    for name, profile in PROFILES.items():
        most = by_day(min(profile.finite, cases), at_night=profile.finite)
        monkeypatch.setitem(PROFILES, name, replace(profile, finite=most))
