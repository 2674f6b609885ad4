"""The bound beside the attack: what (ε, δ) of Theorems 2 to 5 would mean for FU, class by class.

A user's record is what BE takes it for (:mod:`kproof.models.graphs.baseline.method`): a coin that
says whether a stranger is a friend. For a class of a release, its members' records and an
adversary, the corrected theorem of that level gives δ at each ε. If what the adversary sees were
(ε, δ)-close whichever of m members she does not know the victim is, she would be right with
probability at most e^ε / m + δ. Where that is 1 or more at every ε, the bound says nothing about
the attack.

The theorems are about the sum of the records and not about the graph that is published. So even a
cap below 1 is one on adversaries who see that sum; the attack beside it sees more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from kproof.errors import InvalidArgument
from kproof.forms import JsonForm
from kproof.models.attacks.inference.base import Background
from kproof.models.attacks.inference.friends import Places
from kproof.models.base.parameters import EPSILON
from kproof.models.base.verdict import SCHEMA
from kproof.models.graphs.baseline.method import Setting, certify_bound
from kproof.models.graphs.release import GraphRelease
from kproof.theory.exact.typed import Number
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.bounds import Bound

EPSILONS = tuple(Fraction(tenth, 10) for tenth in range(51))
"""Where e^ε / m + δ is looked for: 0, 0.1, ..., 5."""


@dataclass(frozen=True)
class ClassBound:
    """What the bound comes to for one class."""

    members: tuple[int, ...] = field(repr=False)
    """Users of the class, by index."""
    known: frozenset[int] = field(repr=False)
    """Those whose records the adversary has."""
    epsilon: Fraction
    """Where the cap is least."""
    delta: float
    """The corrected δ there, before it is cut at 1; infinite if no record varies."""
    cap: float
    """e^ε / m + δ, cut at 1, with m the members who are not known."""

    @property
    def unknown(self) -> int:
        """Number of members whose records the adversary does not have."""
        return len(self.members) - len(self.known)

    @property
    def _delta(self) -> float | None:
        """The corrected δ there; None where it is infinite."""
        return None if math.isinf(self.delta) else self.delta

    to_dict = JsonForm("size=len(members) known=len(known) epsilon delta=_delta cap")


@dataclass(frozen=True, eq=False)
class BoundBeside:
    """What the bound says about an attack on a release; built by :func:`bound_beside`."""

    release: GraphRelease = field(repr=False)
    """What was published."""
    adversary: Adversary
    """What is known beforehand."""
    classes: tuple[ClassBound, ...] = field(repr=False)
    """One for each class with somebody to be found, as published."""

    @property
    def cap(self) -> float:
        """What FU would be at most: the mean cap over victims."""
        total = sum(bound.unknown for bound in self.classes)
        weighted = math.fsum(bound.unknown * bound.cap for bound in self.classes)
        return weighted / total if total else 1.0

    @property
    def telling(self) -> int:
        """Classes about which the bound says something: the cap is below 1."""
        return sum(bound.cap < 1 for bound in self.classes)

    @property
    def says_something(self) -> bool:
        """Whether there is any such class."""
        return self.telling > 0

    @property
    def best(self) -> ClassBound:
        """The class with the least cap; the first among equals has most members."""
        return min(self.classes, key=lambda bound: (bound.cap, bound.delta, -len(bound.members)))

    @cached_property
    def bound(self) -> Bound:
        """The certified bound of that class, from :func:`kproof.theory.theorems.api.bound`."""
        best, setting = self.best, _describe_adversary(self.adversary, self.best.epsilon)
        known_members = best.known if self.adversary.knows_records else None
        return certify_bound(self.release.graph, best.members, setting, known_members)

    @property
    def verdict(self) -> str:
        """One sentence on whether the bound says anything."""
        count, adversary = len(self.classes), self.adversary
        bound = f"the bound of Theorem {adversary.theorem} (level {adversary.level}) says"
        if not self.says_something:
            return f"{bound} nothing: in none of {count} classes is exp(epsilon)/m + delta below 1"
        about = f"{bound} something about {self.telling} of {count} classes"
        return f"{about}; by it FU would be at most {self.cap:.4f}"

    to_dict = JsonForm(
        "level=adversary.level theorem=adversary.theorem classes=len(classes) telling cap best",
        "verdict",
        schema=SCHEMA,
    )


def bound_beside(
    release: GraphRelease, background: Background, *, epsilons: Sequence[Number] = EPSILONS
) -> BoundBeside:
    """Return what the theorem of the adversary's level says about an attack on a release.

    The release names somebody in some class, the shift is a whole number, and ``epsilons`` say
    where δ is taken, each from 0 to 700.

    >>> from kproof.models.graphs.kdegree.method import k_degree
    >>> from kproof.models.graphs.social import SocialGraph
    >>> ring = SocialGraph.from_edges([(user, (user + 1) % 12) for user in range(12)])
    >>> found = bound_beside(k_degree(ring, k=3), Background.draw(12, Adversary.of()))
    >>> found.says_something, found.best.epsilon, round(found.cap, 3)
    (True, Fraction(1, 10), 0.803)
    """
    places = Places.of(release)
    graph = release.graph
    if background.adversary.s.denominator != 1:
        raise InvalidArgument("s", background.adversary.s, "a whole number")
    # From 710 on exp overflows a float.
    points = [EPSILON.but(most=700).read(epsilon) for epsilon in epsilons]
    if not points:
        raise InvalidArgument("epsilons", epsilons, "at least one")
    share = graph.degrees / max(graph.users - 1, 1)
    variance = share * (1 - share)
    # Of a coin: p q (p² + q²), where p² + q² is 1 - 2 p q.
    third = variance * (1 - 2 * variance)
    bounds = []
    for kind in np.unique(places.classes).tolist():
        owners = np.unique(places.owner[places.classes == kind])
        owners = owners[owners >= 0]
        unknown = owners[~background.known[owners]]
        if not len(unknown):
            continue
        # Rounded once: the order of users must not show in a digit.
        v, a = math.fsum(variance[unknown]), math.fsum(third[unknown])
        alike = len(np.unique(graph.degrees[unknown])) == 1
        setting = _describe_adversary(background.adversary, points[0])
        near = setting.neighbourhood(len(owners), len(owners) - len(unknown))
        caps = []
        for epsilon in points:
            delta = _describe_adversary(background.adversary, epsilon).delta(v, a, near, alike)
            caps.append((math.exp(epsilon) / len(unknown) + delta, epsilon, delta))
        # Of equal caps the one of least ε.
        cap, epsilon, delta = min(caps)
        known_owners = frozenset(owners[background.known[owners]].tolist())
        members = tuple(owners.tolist())
        bounds.append(ClassBound(members, known_owners, epsilon, delta, min(cap, 1.0)))
    if not bounds:
        raise InvalidArgument("release", "no victims", "at least one")
    return BoundBeside(release, background.adversary, tuple(bounds))


def _describe_adversary(adversary: Adversary, epsilon: Fraction) -> Setting:
    """Return the adversary as BE has it; whose records are known is told by class."""
    return Setting(epsilon, adversary.s.numerator, adversary.lambda1, frozenset())
