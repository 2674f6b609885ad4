"""Which releases are tried: every method with every k and every budget, as far as it can be asked.

A method has to be able to take the table, and to be given what it requires. What is asked of all
methods, such as ``l=2``, is passed to those that can promise it; whether the others' releases have
it anyway is found out when they are judged.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from kproof.errors import InvalidArgument, one_of
from kproof.models.base.parameters import GROUP_K, SUPPRESS
from kproof.models.judgement.thresholds import Audience
from kproof.models.methods import METHODS
from kproof.models.privacies import MODELS, options_of
from kproof.models.registry import Kind, Method, Needs, PrivacyModel, Promise
from kproof.models.tables.table import Table

_TYPED = {Promise.P_PLUS_SENSITIVITY: {"p": "p_plus"}}
"""Parameters that a model calls otherwise than the methods that promise it."""


@dataclass(frozen=True)
class Attempt:
    """A release to try."""

    method: str
    k: int
    suppress: Fraction
    """The method, the fewest people in a class, and the largest share of rows left out."""
    parameters: Mapping[str, Any]
    """What the method is asked for, k included."""
    models: tuple[PrivacyModel, ...]
    """What its release has to satisfy besides k-anonymity."""
    audience: Audience = Audience.PUBLIC
    """Whom its release is judged for."""

    @property
    def name(self) -> str:
        """The method with k and the budget."""
        return attempt_name(self.method, self.k, self.suppress)

    @property
    def request(self) -> tuple[str, int, Fraction, dict[str, Any]]:
        """What a Candidate says of it."""
        return self.method, self.k, self.suppress, dict(self.parameters)


def attempt_name(method: str, k: int, suppress: Fraction) -> str:
    """Return how an attempt is called, such as ``mondrian, k=5, up to 5 % suppressed``."""
    budget = f", up to {float(100 * suppress):g} % suppressed" if suppress else ""
    return f"{method}, k={k}{budget}"


def there_in(table: Table) -> frozenset[Needs]:
    """Return what a table has of what methods, models and attacks may need."""
    has = {
        Needs.SENSITIVE: table.sensitive is not None,
        Needs.CATEGORIES: table.categories is not None,
        # Whatever is made of it may leave rows out.
        Needs.SUPPRESSED: True,
    }
    return frozenset(need for need, present in has.items() if present)


def unmet(method: Method, present: frozenset[Needs], options: Iterable[str]) -> str:
    """Say why a method cannot be asked for a release of a table that has what is ``present``.

    Empty if it can, with values for the parameters that ``options`` names.

    >>> unmet(METHODS["p-plus-sensitive"], frozenset(Needs), ["k"])
    'it requires p, fewest distinct categories in a class'
    >>> unmet(METHODS["density"], frozenset(), ["k"])
    'it takes a city'
    """
    if method.kind is not Kind.TABLE:
        return f"it takes a {method.kind}"
    if missing := [str(need) for need in Needs if need in method.needs - present]:
        return f"it needs {' and '.join(missing)}"
    lacking = [
        f"{name}, {parameter.help}"
        for name, parameter in method.parameters.items()
        if parameter.required and name not in options
    ]
    return f"it requires {'; '.join(lacking)}" if lacking else ""


def attempts(
    table: Table,
    *,
    methods: Iterable[str] | None,
    k: Iterable[int],
    suppress: Iterable[Fraction],
    settings: Mapping[str, Mapping[str, Any]],
    demands: Mapping[str, Any],
) -> tuple[tuple[Attempt, ...], dict[str, str]]:
    """Return what is tried, in order, and why methods are left out, by name.

    ``methods`` are names, None for every method that takes tables; each k is tried with each share
    of rows to ``suppress``. ``settings`` are parameters by method and name, ``demands`` is what
    every release has to satisfy, by the option of its model, such as ``{"l": 2}``.
    """
    repeatable = [name for name, method in METHODS.items() if not method.once]
    chosen = [name for name in repeatable if METHODS[name].kind is Kind.TABLE]
    if methods is not None:
        chosen = list(dict.fromkeys(METHODS.entry(name).name for name in methods))
        for name in chosen:
            if name not in repeatable:
                raise InvalidArgument("methods", name, "methods of which several runs may be tried")
        if not chosen:
            raise InvalidArgument("methods", "none", "at least one method")
    for name, of_method in settings.items():
        if METHODS.entry(name).name not in chosen:
            raise InvalidArgument("set", name, one_of(name, chosen, first="one of the methods:"))
        for shared in (GROUP_K.name, SUPPRESS.name):
            if shared in of_method:
                raise InvalidArgument("set", f"{name}.{shared}", f"{shared} for all methods alike")
    sizes, shares = sorted(set(k)), sorted(set(suppress))
    entries = [entry for entry in MODELS.values() if entry.key in demands]
    names = options_of(MODELS)
    for option in demands:
        if option == "k" or option not in names:
            raise InvalidArgument(option, demands[option], one_of(option, sorted(names)))
    present, tries, left_out = there_in(table), [], {}
    for name in chosen:
        method = METHODS[name]
        typed = {name: name for name in method.parameters}
        for promise in method.promises & _TYPED.keys():
            typed |= _TYPED[promise]
        # What is said of one method goes before what is asked of all.
        options = {
            parameter: demands[option] for parameter, option in typed.items() if option in demands
        } | dict(settings.get(name, {}))
        if reason := unmet(method, present, {*options, "k"}):
            left_out[name] = reason
            continue
        for share in shares:
            for size in sizes:
                models = tuple(entry.of({**demands, "k": size}) for entry in entries)
                parameters: dict[str, Any] = {"k": size} | options
                if models and "models" in method.parameters:
                    parameters["models"] = models
                # What is wrong with a value is one refusal, not that of every attempt.
                method.complete_arguments(parameters)
                tries.append(Attempt(name, size, share, parameters, models))
    return tuple(tries), left_out
