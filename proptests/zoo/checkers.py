"""Broken checkers: privacy models that decide something else than their definitions."""

from collections import Counter
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from kproof.models import privacy
from kproof.models.base.classes import Classes
from kproof.models.base.verdict import Verdict
from kproof.models.registry import PrivacyModel
from kproof.proptests.checkers import checker_subject
from kproof.proptests.zoo.base import Member, story_of
from kproof.theory.exact.typed import rational

_BRUTE_FORCE = "agrees with brute force"


_MEMBERS: list[Member] = []


def _checker(
    name: str, definition: str, caught_by: str = _BRUTE_FORCE
) -> Callable[[Callable[..., PrivacyModel]], Callable[..., PrivacyModel]]:
    """Return a decorator that takes in what makes a model of another definition than it says."""

    def collect(factory: Callable[..., PrivacyModel]) -> Callable[..., PrivacyModel]:
        subject = checker_subject(definition, factory, name=name)
        _MEMBERS.append(Member(name, subject, caught_by, story_of(factory)))
        return factory

    return collect


@_checker("checker of k minus one", "k-anonymity")
def _without_one(k: int) -> PrivacyModel:
    """The comparison is one off."""
    return privacy.KAnonymity(max(1, k - 1))


@_checker("checker that counts rows for values", "l-diversity")
def _rows_for_values(ell: Any) -> PrivacyModel:
    """Rows of a class are counted, not distinct values."""
    return privacy.KAnonymity(ell)


@_checker("checker of theta, rounded", "theta-sensitivity")
def _round_mu(k: int, mu: object) -> PrivacyModel:
    """Mu is rounded to the one decimal that is shown."""
    tenths = max(1, round(10 * float(rational("mu", mu))))
    return privacy.ThetaSensitivity(k, f"{tenths}/10")


@_checker("checker of entropy by counting", "entropy l-diversity")
def _count_for_entropy(ell: Any) -> PrivacyModel:
    """L values are taken for an entropy of log l, however uneven they are."""
    return privacy.DistinctL(ell)


@_checker("checker of the basic beta", "enhanced beta-likeness")
def _basic_beta(beta: Any) -> PrivacyModel:
    """The bound for frequent values is left out."""
    return privacy.BasicBeta(beta)


@_checker("checker of theta in floats", "theta-sensitivity")
class _InFloats:
    """V and theta are computed in floats, of which V = theta may come out as V < theta."""

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


@_checker("checker with a memory", "k-anonymity", "checker idempotent")
class _Forgetful:
    """Sizes are cleared at the end of a table that passes; one that fails leaves them behind."""

    # Of the class: a model is made for each table, and what one leaves behind must outlive it.
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


MEMBERS: tuple[Member, ...] = tuple(_MEMBERS)
"""Every broken checker."""
