"""Inference attacks MLE and BAS: which published place is whose, by what is known beforehand.

Both attacks compare what is known of a victim with what is published at each place (a vertex, a
member of a cluster, a trace). **MLE** takes the places that make the knowledge most likely and
drops a place at once when the two contradict each other. **BAS** counts agreements, all with equal
weight, and drops nothing. Here is what they share; what counts as knowledge and agreement is in
:mod:`kproof.models.attacks.inference.friends` and :mod:`kproof.models.attacks.inference.traces`.

Source: C. Y. T. Ma, D. K. Y. Yau, N. K. Yip, N. S. V. Rao, "Privacy Vulnerability of Published
Anonymous Mobility Traces", IEEE/ACM Trans. Networking 21(3), 2013, given as recalled; levels I to
IV and the share of users known in Section IV of Zhao et al., IEEE Internet of Things J. 2019.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from kproof.errors import InvalidArgument
from kproof.models.base.parameters import SEED
from kproof.theory.exact.typed import Number, choice
from kproof.theory.theorems.adversary import Adversary

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

TOLERANCE = 1e-9
"""Logarithms of likelihoods that differ by no more, as a share of the larger one, are a tie."""


class Scoring(StrEnum):
    """How places are compared."""

    MLE = "mle"
    """The places under which what is known is most likely; a contradiction excludes."""
    BAS = "bas"
    """The places that agree most often; a contradiction is one agreement less."""


class Level(StrEnum):
    """What the adversary has beside the release (Table II of the paper)."""

    INDEPENDENT = "I"
    """Nothing."""
    DEPENDENT = "II"
    """Friendships among some users, by pseudonym."""
    KNOWN = "III"
    """The exact data of some users, by name."""
    DEPENDENT_KNOWN = "IV"
    """Both."""

    @property
    def links(self) -> bool:
        """Whether friendships are seen, for a share lambda1 of the users."""
        return self in (Level.DEPENDENT, Level.DEPENDENT_KNOWN)

    @property
    def knows(self) -> bool:
        """Whether exact data are known, of a share lambda2 of the users."""
        return self in (Level.KNOWN, Level.DEPENDENT_KNOWN)


class Prior(StrEnum):
    """Among which places the adversary looks for a victim."""

    CLASS = "class"
    """Those of the victim's class: what k-anonymity takes for granted, and where 1/k comes from."""
    ALL = "all"
    """All that are published."""


@dataclass(frozen=True, eq=False)
class Background:
    """What an adversary drew: whose data she has, and whose pseudonyms she sees joined."""

    adversary: Adversary
    """The shares behind it."""
    known: Flags = field(repr=False)
    """Shape (users,): whose exact data she has, by name; levels III and IV."""
    linked: Flags = field(repr=False)
    """Shape (users,): among whom she sees the true friendships, by pseudonym; levels II and IV."""

    @classmethod
    def draw(cls, users: int, adversary: Adversary, *, seed: Number = 0) -> Background:
        """Draw ``ceil(lambda2 users)`` known and ``ceil(lambda1 users)`` linked users.

        With one seed, a larger share draws the same users and more. Somebody must be left to be
        found.

        >>> drawn = Background.draw(10, Adversary.of(lambda1="0.5", lambda2="0.25"), seed=1)
        >>> int(drawn.linked.sum()), int(drawn.known.sum())
        (5, 3)
        """
        adversary.unknown(users)
        rng = np.random.default_rng((3, SEED.read(seed)))
        # Both are drawn whatever the level is: who is known does not change with who is linked.
        first, second = rng.permutation(users), rng.permutation(users)
        known = np.zeros(users, dtype=np.bool_)
        linked = np.zeros(users, dtype=np.bool_)
        if adversary.known is not None:
            known[list(adversary.known)] = True
        elif adversary.lambda2 is not None:
            known[first[: ceil(adversary.lambda2 * users)]] = True
        if adversary.lambda1 is not None:
            linked[second[: ceil(adversary.lambda1 * users)]] = True
        return cls(adversary, known, linked)


def adversary_at(
    level: str | None,
    *,
    lambda1: Number | None = None,
    lambda2: Number | None = None,
    known: Iterable[int] | None = None,
    s: Number = 1,
) -> Adversary:
    """Return the adversary of a level from I to IV, whose shares must be those that the level has.

    ``lambda1`` is the share of users whose friendships among one another are known by pseudonym,
    from 0 to 1; ``lambda2`` that of users whose exact data are known, below 1, unless ``known``
    says which users. Every level knows the shift ``s``; neither attack has a use for it.

    >>> adversary_at("IV", lambda1="0.2", lambda2="0.2").theorem
    5
    """
    adversary = Adversary.of(s=s, lambda1=lambda1, lambda2=lambda2, known=known)
    if level is None:
        return adversary
    chosen = choice("level", level, Level)
    records = ("lambda2", lambda2) if known is None else ("known", known)
    for name, value, due in (("lambda1", lambda1, chosen.links), (*records, chosen.knows)):
        if due and value is None:
            raise InvalidArgument(name, value, f"a share at level {chosen}")
        if value is not None and not due:
            raise InvalidArgument(name, value, f"none at level {chosen}")
    return adversary


def best(attack: Scoring, score: Floats, excluded: Flags) -> Flags:
    """Say which places rank first for each victim; none if MLE excludes all.

    All arrays have the shape (victims, places). ``score`` is the logarithm of the likelihood, or
    the number of agreements; ``excluded`` says where knowledge and publication contradict each
    other, which MLE leaves out.
    """
    scores = np.where(excluded, -np.inf, score) if attack is Scoring.MLE else score
    top = scores.max(axis=1, keepdims=True, initial=-np.inf)
    # Sums in another order differ in their last digits: what is equal in truth has to tie.
    near = TOLERANCE * np.maximum(1, np.abs(np.where(np.isfinite(top), top, 0)))
    # Where every place is excluded the top is minus infinity, and none ranks first.
    first: Flags = (scores >= top - near) & np.isfinite(scores)
    return first


def shares(adversary: Adversary) -> dict[str, str]:
    """Return the level and its shares as texts, for the parameters of a result."""
    return {name: value for name, value in adversary.parameters().items() if name != "s"}


def sanity_bound(parameters: Mapping[str, object]) -> Fraction | None:
    """Return 1/k if the parameters of a release name a k."""
    k = parameters.get("k")
    return Fraction(1, k) if isinstance(k, int) and k > 0 else None
