"""Which parameters claims are about, and who sets them: a case, or the user who says what holds.

A claim whose parameter nobody sets cannot be judged: k-anonymity without a k is true of every
table. So a method takes the parameter and the suite varies it, or it keeps to one value and the
user fixes that, or the claim is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from kproof.errors import InvalidArgument, KProofError
from kproof.models.registry import Claim
from kproof.proptests.contract import Check, Subject
from kproof.theory.exact.typed import integer, rational

_ABOUT: Mapping[Claim, tuple[str, ...]] = {
    Claim.L_DIVERSITY: ("l",),
    Claim.T_CLOSENESS: ("t",),
    Claim.P_SENSITIVITY: ("p",),
    Claim.P_PLUS_SENSITIVITY: ("p",),
    Claim.P_ALPHA_SENSITIVITY: ("p", "alpha"),
    Claim.THETA_SENSITIVITY: ("mu",),
}
_OF_K = frozenset({Claim.K_ANONYMITY, Claim.DEGREE, Claim.CLUSTER_SIZE, Claim.THETA_SENSITIVITY})
_GROUP_SIZES = ("k", "min_k")
_WHOLE = {"k": 1, "min_k": 1, "p": 1, "l": 1}
_EXACT = {"mu": "1/2", "alpha": "1", "t": "1/5", "beta": "1"}
_SUCH_AS = {"k": "5", "p": "2", "l": "2", **_EXACT}


class NotDriven(KProofError, ValueError):
    """A claim is about a parameter that the method does not take and nobody has fixed.

    Parameters
    ----------
    claim
        The claim.
    parameter
        What it is about.
    """

    def __init__(self, claim: Claim, parameter: str) -> None:
        self.claim = claim
        self.parameter = parameter
        value = _SUCH_AS[parameter]
        super().__init__(
            f"{claim.value}: the method has no argument that sets {parameter}; "
            f"say --fixed {parameter}={value} (fixed={{'{parameter}': '{value}'}}) "
            "if it always keeps to that"
        )


def needed(claims: Iterable[Claim]) -> dict[str, Claim]:
    """Return the parameters besides k that claims are about, with one of the claims for each.

    Examples
    --------
    >>> needed([Claim.K_ANONYMITY, Claim.L_DIVERSITY])
    {'l': <Claim.L_DIVERSITY: 'l-diversity'>}
    """
    return {name: claim for claim in sorted(claims) for name in _ABOUT.get(claim, ())}


def driven(claims: Iterable[Claim], parameters: Collection[str]) -> None:
    """Refuse a claim that is about a parameter nobody sets.

    Parameters
    ----------
    claims
        What is promised.
    parameters
        What a case sets and what is fixed.

    Raises
    ------
    NotDriven
        If there is such a claim.

    Examples
    --------
    >>> driven([Claim.K_ANONYMITY], ["k"])
    >>> driven([Claim.K_ANONYMITY], ["seed"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    kproof.proptests.demands.NotDriven: k-anonymity: the method has no argument that sets k; say
    --fixed k=5 (fixed={'k': '5'}) if it always keeps to that
    """
    for claim in sorted(claims):
        if claim in _OF_K and not any(name in parameters for name in _GROUP_SIZES):
            raise NotDriven(claim, "k")
        for name in _ABOUT.get(claim, ()):
            if name not in parameters:
                raise NotDriven(claim, name)


def fixed_values(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of parameters that are not varied, as cases have them.

    Parameters
    ----------
    given
        By name: ``k``, ``min_k``, ``p`` and ``l``, whole numbers of at least 1; ``mu``, ``alpha``,
        ``t`` and ``beta``, numbers of at least 0.

    Raises
    ------
    InvalidArgument
        If a name or a value is another.

    Examples
    --------
    >>> fixed_values({"k": "5", "t": 0.2})
    {'k': 5, 't': '1/5'}
    >>> fixed_values({"width": 3})
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: fixed = width: need one of k, min_k, p, l, mu, alpha, t, beta
    """
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name in _WHOLE:
            found[name] = integer(name, value, least=_WHOLE[name])
        elif name in _EXACT:
            found[name] = str(rational(name, value, least=0))
        else:
            raise InvalidArgument("fixed", name, f"one of {', '.join((*_WHOLE, *_EXACT))}")
    return found


def fixed_texts(typed: Iterable[str]) -> dict[str, str]:
    """Return values by name from texts ``NAME=VALUE``.

    Examples
    --------
    >>> fixed_texts(["k=5"])
    {'k': '5'}
    >>> fixed_texts(["k"])
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: fixed = k: need NAME=VALUE, such as k=5
    """
    found = {}
    for text in typed:
        name, equals, value = text.partition("=")
        if not (name.strip() and equals and value.strip()):
            raise InvalidArgument("fixed", text, "NAME=VALUE, such as k=5")
        found[name.strip()] = value.strip()
    return found


def judgeable(subject: Subject, checks: Iterable[Check]) -> None:
    """Refuse a claim that no check of this kind of data is about.

    Parameters
    ----------
    subject
        Whose claims they are.
    checks
        All there are for its kind of data.

    Raises
    ------
    InvalidArgument
        If there is such a claim.
    """
    every = tuple(checks)
    for claim in sorted(subject.claims):
        if not any(check.answers_for(claim) for check in every):
            names = ", ".join(one.value for one in Claim if any(c.answers_for(one) for c in every))
            raise InvalidArgument(
                "claims", claim.value, f"what is checked of a {subject.kind}: {names}"
            )
