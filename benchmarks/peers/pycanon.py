"""pycanon's checkers, on published frames as its documentation describes them.

Each function "calculates" the parameter of a model: for k-anonymity "k value for k-anonymity".
A verdict follows: the table keeps the model for the parameters that are asked of it if the value
is on the right side of them; of recursive (c,l)-diversity, what is returned is held to the
definition as it stands. Of l = 1 the documentation says that c is not calculated. A float may be
off by a rounding error, which is no fault of a checker.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from math import isnan
from typing import Any

from peers.holding import DECIDING, Method, beyond, checker, documented, main
from pycanon import anonymity

from kproof.proptests.contract import Subject, TableCase
from kproof.proptests.strategies.values import Values

NOISE = 1e-9

Verdict = tuple[bool, Mapping[str, Any]]


def _at_least(
    measure: Callable[..., Any], name: str, frame: Any, case: TableCase, *sensitive: Any
) -> Verdict:
    asked = case.parameters[name]
    return measure(frame, list(case.quasi_identifiers), *sensitive) >= asked, {name: asked}


def _k(frame: Any, case: TableCase) -> Verdict:
    return _at_least(anonymity.k_anonymity, "k", frame, case)


def _l(measure: Callable[..., Any], frame: Any, case: TableCase) -> Verdict:
    return _at_least(measure, "l", frame, case, [case.sensitive])


def _alpha_k(frame: Any, case: TableCase) -> Verdict:
    alpha, k = anonymity.alpha_k_anonymity(frame, list(case.quasi_identifiers), [case.sensitive])
    asked = {"alpha": "1/2", "k": case.parameters["k"]}
    return alpha <= 0.5 + NOISE and k >= asked["k"], asked


def _recursive(frame: Any, case: TableCase) -> Verdict:
    c, ell = anonymity.recursive_c_l_diversity(
        frame, list(case.quasi_identifiers), [case.sensitive]
    )
    if isnan(c):
        raise ValueError("c is not calculated for l = 1")
    return True, {"c": int(c), "l": int(ell)}


def _at_most(
    measure: Callable[..., Any], name: str, fixed: str | None, frame: Any, case: TableCase
) -> Verdict:
    asked = fixed or case.parameters[name]
    found = measure(frame, list(case.quasi_identifiers), [case.sensitive])
    return found <= float(Fraction(asked)) + NOISE, {name: asked}


TEXT, WHOLE = (Values.LETTERS,), (Values.INTEGERS,)

CHECKERS: Mapping[str, tuple[str, Callable[..., Verdict], tuple[Values, ...]]] = {
    "k_anonymity": ("k-anonymity", _k, TEXT),
    "alpha_k_anonymity": ("(alpha,k)-anonymity", _alpha_k, TEXT),
    "l_diversity": ("l-diversity", partial(_l, anonymity.l_diversity), TEXT),
    "entropy_l_diversity": (
        "entropy l-diversity",
        partial(_l, anonymity.entropy_l_diversity),
        TEXT,
    ),
    "recursive_c_l_diversity": ("recursive (c,l)-diversity", _recursive, TEXT),
    "t_closeness": ("t-closeness", partial(_at_most, anonymity.t_closeness, "t", None), TEXT),
    "t_closeness, numeric": (
        "ordered t-closeness",
        partial(_at_most, anonymity.t_closeness, "t", None),
        WHOLE,
    ),
    "basic_beta_likeness": (
        "basic beta-likeness",
        partial(_at_most, anonymity.basic_beta_likeness, "beta", None),
        TEXT,
    ),
    "enhanced_beta_likeness": (
        "enhanced beta-likeness",
        partial(_at_most, anonymity.enhanced_beta_likeness, "beta", None),
        TEXT,
    ),
    "delta_disclosure": (
        "delta-disclosure",
        partial(_at_most, anonymity.delta_disclosure, "delta", "1"),
        TEXT,
    ),
}


def checking(name: str) -> Subject:
    """Return a checker as a subject."""
    definition, decide, _ = CHECKERS[name]
    return checker(definition, decide, recipe=("peers.pycanon:checking", name))


METHODS = [
    Method(
        name,
        checking(name),
        "Documentation, Description",
        documented(finite=kinds is TEXT, sensitive_kinds=kinds),
        beyond(sensitive_kinds=kinds),
        DECIDING,
    )
    for name, (_, _, kinds) in CHECKERS.items()
]

if __name__ == "__main__":
    main("pycanon", METHODS)
