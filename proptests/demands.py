"""Which parameters promises are about, and who sets them: a case, or the user who says what holds.

A promise whose parameter nobody sets cannot be judged: k-anonymity without a k is true of every
table. So a method takes the parameter and the suite varies it, or it keeps to one value and the
user fixes that, or the promise is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from kproof.errors import InvalidArgument, KProofError, one_of
from kproof.models.base.parameters import ALPHA, BETA, MU, SHARE, K, L, P, Parameter, T
from kproof.models.moving.terms import AGE, SESSION
from kproof.models.registry import Promise, by_name
from kproof.proptests.contract import Check, Subject

_OF_K = frozenset(
    {Promise.K_ANONYMITY, Promise.DEGREE, Promise.CLUSTER_SIZE, Promise.THETA_SENSITIVITY}
)
_GROUP_SIZES = ("k", "min_k")
_DRAWN = by_name(K, K.but(name="min_k"), P, L, MU, ALPHA, T, BETA, AGE, SESSION)


class NotDriven(KProofError, ValueError):
    """A promise is about a parameter that the method does not take and nobody has fixed."""

    def __init__(self, promise: Promise, parameter: str) -> None:
        self.promise = promise
        self.parameter = parameter
        value = _DRAWN[parameter].example
        super().__init__(
            f"{promise.value}: the method has no argument that sets {parameter}; "
            f"say --fixed {parameter}={value} (fixed={{'{parameter}': '{value}'}}) "
            "if it always keeps to that"
        )

    def __reduce__(self) -> tuple[type[NotDriven], tuple[Promise, str]]:
        """Be made again in another process."""
        return type(self), (self.promise, self.parameter)


def parameters_about(promises: Iterable[Promise]) -> dict[str, Promise]:
    """Return the parameters besides k that promises are about, with one of the promises for each.

    >>> parameters_about([Promise.K_ANONYMITY, Promise.L_DIVERSITY])
    {'l': <Promise.L_DIVERSITY: 'l-diversity'>}
    """
    return {name: promise for promise in sorted(promises) for name in sorted(promise.about)}


def require_driven(promises: Iterable[Promise], parameters: Collection[str]) -> None:
    """Refuse, with NotDriven, a promise about a parameter that no case sets and nobody has fixed.

    >>> require_driven([Promise.K_ANONYMITY], ["k"])
    >>> require_driven([Promise.K_ANONYMITY], ["seed"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    kproof.proptests.demands.NotDriven: k-anonymity: the method has no argument that sets k; say
    --fixed k=5 (fixed={'k': '5'}) if it always keeps to that
    """
    for promise in sorted(promises):
        # k goes by two names, and one of them is enough.
        if promise in _OF_K and not any(name in parameters for name in _GROUP_SIZES):
            raise NotDriven(promise, "k")
        for name in sorted(promise.about):
            if name not in parameters:
                raise NotDriven(promise, name)


def is_drawn(parameter: Parameter[Any]) -> bool:
    """Say whether cases have values for a parameter of a privacy model.

    A share and a weight are both called alpha, and cases have weights.
    """
    return parameter.name in _DRAWN and parameter != SHARE


def values_of_fixed(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of parameters that are not varied, as cases have them.

    >>> values_of_fixed({"k": "5", "t": 0.2})
    {'k': 5, 't': '1/5'}
    """
    fixed: dict[str, Any] = {}
    for name, value in values.items():
        if name not in _DRAWN:
            raise InvalidArgument("fixed", name, one_of(name, _DRAWN))
        read = _DRAWN[name].read(value)
        fixed[name] = read if isinstance(read, int) else str(read)
    return fixed


def texts_of_fixed(typed: Iterable[str]) -> dict[str, str]:
    """Return values by name from texts ``NAME=VALUE``.

    >>> texts_of_fixed(["k=5"])
    {'k': '5'}
    >>> texts_of_fixed(["k"])
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: fixed = k: need NAME=VALUE, such as k=5
    """
    return _texts_by_name("fixed", typed, "NAME=VALUE, such as k=5")


def failures_expected(typed: Iterable[str]) -> dict[str, str]:
    """Return the reason for each check, from texts ``NAME=REASON``.

    >>> failures_expected(["k-anonymity=issue 12"])
    {'k-anonymity': 'issue 12'}
    """
    return _texts_by_name("xfail", typed, "NAME=REASON")


def _texts_by_name(argument: str, typed: Iterable[str], need: str) -> dict[str, str]:
    """Return texts by the names that stand before an equals sign, neither of them empty."""
    texts = {}
    for text in typed:
        name, _, value = map(str.strip, text.partition("="))
        if not (name and value):
            raise InvalidArgument(argument, text, need)
        texts[name] = value
    return texts


def judgeable(subject: Subject, checks: Iterable[Check]) -> None:
    """Refuse a promise that no check of this kind of data, of all there are, is about."""
    every = tuple(checks)
    for promise in sorted(subject.promises):
        if not any(check.answers_for(promise) for check in every):
            names = ", ".join(
                judged.value for judged in Promise if any(c.answers_for(judged) for c in every)
            )
            raise InvalidArgument(
                "promises", promise.value, f"what is checked of a {subject.kind}: {names}"
            )
