"""anonymity-api's functions, on frames with numbers and text as its docstrings say.

Its README offers k-anonymity, three kinds of l-diversity and t-closeness, and functions that
"say which parameter was used to anonymize the dataset". Errors: ``ValueError`` for k, l out of
range. A publisher of entropy or recursive diversity or of t-closeness that finds nothing returns
an empty frame, which counts as a refusal. The docstring of the recursive kind says r1 < c(rl + …).
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from anonymity_api import anonymity, verify
from peers.holding import DECIDING, Method, beyond, checker, documented, main, publisher

from kproof.proptests.contract import Subject, TableCase
from kproof.proptests.strategies.values import Values

PROMISE = "README, Anonymity; the function's docstring"
BASIC = ("truthful", "records-kept", "sensitive-kept")
PROMISES = {
    "k_anonymity": ((*BASIC, "k-anonymity"), ("k",)),
    "distinct_l_diversity": ((*BASIC, "l-diversity"), ("l",)),
    "t_closeness": ((*BASIC, "t-closeness"), ("t",)),
    "t_closeness, numeric": ((*BASIC, "t-closeness"), ("t",)),
}


def publish(name: str, frame: Any, case: TableCase) -> Any:
    """Return what a function of ``anonymity`` publishes."""
    method = name.partition(",")[0]
    names = list(case.quasi_identifiers)
    hidden = list(case.identifiers)
    if method == "k_anonymity":
        return anonymity.k_anonymity(frame, names, case.parameters["k"], idents=hidden)
    if method == "distinct_l_diversity":
        return anonymity.distinct_l_diversity(
            frame, names, [case.sensitive], case.parameters["l"], idents=hidden
        )
    t = float(Fraction(case.parameters["t"]))
    return anonymity.t_closeness(frame, names, [case.sensitive], t, idents=hidden)


def subject(name: str) -> Subject:
    """Return a publisher as a subject."""
    promises, parameters = PROMISES[name]
    return publisher(
        partial(publish, name),
        promises=promises,
        parameters=parameters,
        recipe=("peers.anonymity_api:subject", name),
    )


def _k(frame: Any, case: TableCase) -> tuple[bool, Mapping[str, Any]]:
    found = verify.k_anonymity(frame, list(case.quasi_identifiers))
    return found >= case.parameters["k"], {"k": case.parameters["k"]}


def _l(frame: Any, case: TableCase) -> tuple[bool, Mapping[str, Any]]:
    found = verify.distinct_l_diversity(frame, list(case.quasi_identifiers), [case.sensitive])
    return found >= case.parameters["l"], {"l": case.parameters["l"]}


def _entropy(frame: Any, case: TableCase) -> tuple[bool, Mapping[str, Any]]:
    found = verify.entropy_l_diversity(frame, list(case.quasi_identifiers), [case.sensitive])
    # A float may be off by a rounding error, which is no fault of a checker.
    return found >= case.parameters["l"] - 1e-9, {"l": case.parameters["l"]}


def _recursive(frame: Any, case: TableCase) -> tuple[bool, Mapping[str, Any]]:
    c, ell = verify.recursive_cl_diversity(frame, list(case.quasi_identifiers), [case.sensitive])
    return True, {"c": int(c), "l": int(ell)}


def _t(frame: Any, case: TableCase) -> tuple[bool, Mapping[str, Any]]:
    found = verify.t_closeness(frame, list(case.quasi_identifiers), [case.sensitive])
    asked = case.parameters["t"]
    return found <= float(Fraction(asked)) + 1e-9, {"t": asked}


CHECKERS: Mapping[str, tuple[str, Callable[..., Any], tuple[Values, ...]]] = {
    "verify.k_anonymity": ("k-anonymity", _k, (Values.LETTERS,)),
    "verify.distinct_l_diversity": ("l-diversity", _l, (Values.LETTERS,)),
    "verify.entropy_l_diversity": ("entropy l-diversity", _entropy, (Values.LETTERS,)),
    "verify.recursive_cl_diversity": ("recursive (c,l)-diversity", _recursive, (Values.LETTERS,)),
    "verify.t_closeness": ("t-closeness", _t, (Values.LETTERS,)),
    "verify.t_closeness, numeric": ("ordered t-closeness", _t, (Values.INTEGERS,)),
}


def checking(name: str) -> Subject:
    """Return a checker as a subject."""
    definition, decide, _ = CHECKERS[name]
    return checker(definition, decide, recipe=("peers.anonymity_api:checking", name))


def _secret(name: str) -> dict[str, Any]:
    numeric = name.endswith("numeric")
    return {"sensitive_kinds": (Values.INTEGERS,) if numeric else (Values.LETTERS,)}


METHODS = [
    *(
        Method(
            name,
            subject(name),
            PROMISE,
            documented(identifiers=True, finite=not name.endswith("numeric"), **_secret(name)),
            beyond(**_secret(name)),
        )
        for name in PROMISES
    ),
    *(
        Method(
            name,
            checking(name),
            "README, Verifier",
            documented(finite=not name.endswith("numeric"), **_secret(name)),
            beyond(**_secret(name)),
            DECIDING,
        )
        for name in CHECKERS
    ),
]

if __name__ == "__main__":
    main("anonymity-api", METHODS)
