"""What can be asked of a table: requests that nobody can serve, and those that anybody can.

Nothing is said of what lies between. A request can be served if publishing the whole table as one
class serves it, since an anonymizer that forms classes has that way out.
"""

from collections.abc import Hashable
from datetime import date, datetime
from fractions import Fraction

from kproof.models.registry import Promise
from kproof.proptests import oracles
from kproof.proptests.contract import Subject, TableCase
from kproof.proptests.labels.cells import canonical, is_missing
from kproof.theory.exact.typed import integer, rational

_LARGEST_WHOLE = 2**53


def impossible(case: TableCase, subject: Subject) -> str | None:
    """Return why no publication can keep what a subject promises, or None if one might.

    >>> from kproof.models.registry import Kind
    >>> subject = Subject("s", Kind.TABLE, frozenset({Promise.K_ANONYMITY}), publish=print)
    >>> impossible(TableCase({"age": (34,)}, ("age",), None, parameters={"k": 2}), subject)
    '1 record, k = 2'
    """
    params, promises = case.parameters, subject.promises
    if Promise.K_ANONYMITY in promises and "k" in params and case.rows < integer("k", params["k"]):
        return f"{case.rows} record{'' if case.rows == 1 else 's'}, k = {params['k']}"
    if case.sensitive is None:
        return None
    values = _values(case)
    distinct = len(set(values))
    for promise, name in _DISTINCT.items():
        if promise in promises and name in params and distinct < integer(name, params[name]):
            return f"{distinct} distinct sensitive values, {name} = {params[name]}"
    if case.categories is not None and "p" in params:
        categories = {canonical(value): category for value, category in case.categories.items()}
        kinds = oracles.kinds(values, categories)
        if Promise.P_PLUS_SENSITIVITY in promises and kinds < integer("p", params["p"]):
            return f"{kinds} categories, p = {params['p']}"
        weight = oracles.weight(values, categories)
        heavy = Promise.P_ALPHA_SENSITIVITY in promises and "alpha" in params
        if heavy and weight < rational("alpha", params["alpha"]):
            return f"all values weigh {weight} together, alpha = {params['alpha']}"
    theta = _theta(case, subject)
    if theta is not None and theta > oracles.largest_variance(distinct):
        # Noise repeats values and swaps move them, and neither makes a new one.
        return f"V of {distinct} distinct values stays below theta = {theta}"
    return None


def possible(case: TableCase, subject: Subject) -> bool:
    """Say whether a request can certainly be served, all parameters being in their ranges.

    Nothing may be missing, each column must be of one type, and hierarchies and categories must
    be complete: a subject may well document that it takes nothing else. A subject that adds noise
    reaches each θ that the values allow, unless it is asked to refuse rather than repeat them.
    """
    if not case.quasi_identifiers or impossible(case, subject) or not _in_range(case):
        return False
    if subject.hierarchies and not case.hierarchies.keys() >= set(case.quasi_identifiers):
        return False
    names = (*case.quasi_identifiers, *((case.sensitive,) if case.sensitive else ()))
    if not all(_clean(case.columns[name]) for name in names):
        return False
    for name, hierarchy in case.hierarchies.items():
        nodes = {*hierarchy, *hierarchy.values()}
        if not all(_text(value) in nodes for value in case.columns.get(name, ())):
            return False
    asks = subject.promises & _SENSITIVE
    if not asks:
        return True
    if case.sensitive is None:
        return False
    values = _values(case)
    if asks & {Promise.P_PLUS_SENSITIVITY, Promise.P_ALPHA_SENSITIVITY} and not {
        canonical(value) for value in case.categories or ()
    }.issuperset(values):
        return False
    theta = _theta(case, subject)
    if theta is None or oracles.variance(values) >= theta:
        return theta is None or not prefers_refusal(case)
    return subject.pads and not prefers_refusal(case)


def prefers_refusal(case: TableCase) -> bool:
    """Say whether a request prefers a refusal to values repeated by noise."""
    return case.parameters.get("exhausted") == "refuse"


def _in_range(case: TableCase) -> bool:
    params = case.parameters
    # k = 1 asks for nothing, and a subject may well say that it is out of range.
    if "k" not in params or integer("k", params["k"]) < 2:
        return False
    if "p" in params and not 1 <= integer("p", params["p"]) <= integer("k", params["k"]):
        return False
    if "l" in params and integer("l", params["l"]) < 1:
        return False
    if "mu" in params and not 0 < rational("mu", params["mu"]) <= 1:
        return False
    if "alpha" in params and rational("alpha", params["alpha"]) < 0:
        return False
    return "t" not in params or 0 <= rational("t", params["t"]) <= 1


def _theta(case: TableCase, subject: Subject) -> Fraction | None:
    params = case.parameters
    if Promise.THETA_SENSITIVITY not in subject.promises or not {"k", "mu"} <= params.keys():
        return None
    return oracles.theta(integer("k", params["k"]), rational("mu", params["mu"]))


def _values(case: TableCase) -> list[Hashable]:
    return (
        [] if case.sensitive is None else [canonical(cell) for cell in case.columns[case.sensitive]]
    )


def _clean(values: tuple[object, ...]) -> bool:
    """Say whether a column holds values of one plain type, none missing, none out of range."""
    kinds = set(map(type, values))
    if len(kinds) != 1 or not kinds <= {int, float, str, bool, date, datetime}:
        return False
    numbers = [value for value in values if isinstance(value, (int, float))]
    # Beyond 2^53 whole numbers are no floats, and who computes in floats may refuse them.
    return not any(is_missing(value) or abs(value) > _LARGEST_WHOLE for value in numbers)


def _text(value: object) -> str:
    return value.isoformat() if isinstance(value, date) else str(value)


_DISTINCT = {Promise.L_DIVERSITY: "l", Promise.P_SENSITIVITY: "p", Promise.P_ALPHA_SENSITIVITY: "p"}
_SENSITIVE = frozenset(
    {*_DISTINCT, Promise.P_PLUS_SENSITIVITY, Promise.THETA_SENSITIVITY, Promise.T_CLOSENESS}
)
