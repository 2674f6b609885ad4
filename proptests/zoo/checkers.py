"""Broken checkers: privacy models that decide something else than their definitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from kproof.models import privacy
from kproof.models.base.classes import Classes
from kproof.models.base.verdict import Verdict
from kproof.models.registry import PrivacyModel
from kproof.proptests.checkers import checker_subject
from kproof.proptests.zoo.base import Member
from kproof.theory.exact.typed import rational

_BRUTE_FORCE = "agrees with brute force"


def _checker(
    name: str,
    definition: str,
    story: str,
    factory: Callable[..., PrivacyModel],
    caught_by: str = _BRUTE_FORCE,
) -> Member:
    subject = checker_subject(definition, factory, name=name)
    return Member(name, subject, caught_by, story)


def _rounding_model(k: int, mu: object) -> PrivacyModel:
    tenths = max(1, round(10 * float(rational("mu", mu))))
    return privacy.ThetaSensitivity(k, f"{tenths}/10")


class _InFloats:
    """Compares variances with theta in single precision."""

    def __init__(self, k: int, mu: object) -> None:
        self.k, self.theta = k, np.float32(float(rational("mu", mu)) * (k * k - 1) / 12)

    def check(self, classes: Classes) -> Verdict:
        """Subtract the square of the mean from the mean of the squares."""
        holds = bool((classes.real_sizes >= self.k).all())
        for index in range(classes.count):
            counts = sorted(self._counts(classes, index).values(), reverse=True)
            ranks = np.repeat(np.arange(1, len(counts) + 1, dtype=np.float32), counts)
            holds = holds and bool(np.mean(ranks**2) - np.mean(ranks) ** 2 >= self.theta)
        return Verdict("theta-sensitivity", holds, "", "", None, "")

    def _counts(self, classes: Classes, index: int) -> Counter[int]:
        sensitive: Any = classes.sensitive
        return Counter(sensitive[classes.of_row == index].tolist())


class _Forgetful:
    """Adds up the sizes of classes, and forgets them after a table that passes."""

    sizes: ClassVar[Counter[str]] = Counter()

    def __init__(self, k: int) -> None:
        self.k = k

    def check(self, classes: Classes) -> Verdict:
        """Add the table at hand to what is there."""
        for index, size in enumerate(classes.sizes.tolist()):
            self.sizes[classes.label(index)] += size
        holds = all(self.sizes[classes.label(index)] >= self.k for index in range(classes.count))
        if holds:
            self.sizes.clear()
        return Verdict("k-anonymity", holds, "", "", None, "")


MEMBERS: tuple[Member, ...] = (
    _checker(
        "checker of k minus one",
        "k-anonymity",
        "The comparison is one off.",
        lambda k: privacy.KAnonymity(max(1, k - 1)),
    ),
    _checker(
        "checker that counts rows for values",
        "l-diversity",
        "Rows of a class are counted, not distinct values.",
        privacy.KAnonymity,
    ),
    _checker(
        "checker of theta, rounded",
        "theta-sensitivity",
        "mu is rounded to the one decimal that is shown.",
        _rounding_model,
    ),
    _checker(
        "checker of entropy by counting",
        "entropy l-diversity",
        "l values are taken for an entropy of log l, however uneven they are.",
        privacy.DistinctL,
    ),
    _checker(
        "checker of the basic beta",
        "enhanced beta-likeness",
        "The bound for frequent values is left out.",
        privacy.BasicBeta,
    ),
    _checker(
        "checker of theta in floats",
        "theta-sensitivity",
        "V and theta are computed in floats, of which V = theta may come out as V < theta.",
        _InFloats,
    ),
    _checker(
        "checker with a memory",
        "k-anonymity",
        "Sizes are cleared at the end of a table that passes; one that fails leaves them behind.",
        _Forgetful,
        "checker idempotent",
    ),
)
"""Every broken checker."""
