"""The checks: what must hold of whatever an anonymizer publishes, as frozen records.

Each module holds the checks of one idea in a tuple ``CHECKS``; :func:`checks` collects them.
"""

from importlib import import_module

from kproof.errors import InvalidArgument, one_of
from kproof.models.registry import Kind
from kproof.proptests.contract import Check

_TABLES = frozenset({Kind.TABLE})
_MODULES = {
    "anonymity": _TABLES,
    "diversity": _TABLES,
    "truth": _TABLES,
    "conduct": _TABLES,
    "elsewhere": frozenset(Kind),
    "verdicts": _TABLES,
    "places": frozenset({Kind.CITY, Kind.POINTS}),
    "graphs": frozenset({Kind.GRAPH}),
    "logs": frozenset({Kind.LOG}),
    "releases": frozenset(Kind) - _TABLES,
}
"""The kinds of data that the checks of each module are for: no other module is imported for one."""


def checks(kind: Kind | None = None) -> tuple[Check, ...]:
    """Return the checks for one kind of data, or all of them; guarantees come first.

    >>> [check.name for check in checks(Kind.TABLE)][:3]
    ['k-anonymity', 'shared labels', 'theta']
    """
    collected: list[Check] = []
    for name, kinds in _MODULES.items():
        if kind is None or kind in kinds:
            collected.extend(import_module(f"{__name__}.{name}").CHECKS)
    return tuple(check for check in collected if kind is None or kind in check.kinds)


def by_name(name: str, kind: Kind = Kind.TABLE) -> Check:
    """Return a check by name; kinds of data have checks of one name each.

    >>> by_name("theta").claim
    'The variance of the ranks of the values of every class is at least theta.'
    >>> by_name("beta")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: check = beta: need one of k-anonymity, shared labels, ...
    """
    of_kind = {check.name: check for check in checks(kind)}
    if name not in of_kind:
        raise InvalidArgument("check", name, one_of(name, of_kind))
    return of_kind[name]
