"""Which argument of somebody else's function stands for what.

The suite knows what a case has: columns by role and the parameters of one request. Libraries name
these in many ways; an argument whose name is listed in :data:`ALIASES` is given what it stands
for. What is required and not listed is an error that names it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from inspect import Parameter, signature
from math import inf, nextafter
from typing import Any

from kproof.errors import InvalidArgument
from kproof.proptests.contract import TableCase

ALIASES: Mapping[str, tuple[str, ...]] = {
    meaning: tuple(names.split())
    for meaning, names in {
        "quasi_identifiers": "quasi_identifier quasi_ident quasi_idents quasi_ids "
        "quasi_identifier_columns quasi_columns qi qis qid qids qi_columns qi_cols feature_columns "
        "features columns",
        "sensitive": "sensitive_column sensitive_attribute sensitive_attr sensitive_att sens_att "
        "sens_attr sens sa target",
        "sensitives": "sensitive_columns sensitive_attributes sensitive_attrs sensitive_atts "
        "sens_atts sas",
        "identifiers": "identifier ident idents ids id_columns direct_identifiers",
        "categories": "sensitive_categories",
        "hierarchies": "",
        "k": "k_value k_anonymity k_anon min_k min_size K",
        "mu": "",
        "p": "p_value p_sensitive",
        "alpha": "",
        "l": "ell l_value l_div l_diversity min_l",
        "t": "t_value t_clos t_closeness max_t",
        "beta": "",
        "seed": "random_state random_seed rng_seed",
    }.items()
}
"""By what the suite calls it: the other names an argument for it may have."""

ROLES = frozenset({"quasi_identifiers", "sensitive", "sensitives", "identifiers"})
"""What every case has, and no parameter of a request."""

OF_LOGS = frozenset({"age", "session", "deadline", "widest"})
"""Parameters that requests for cloaked logs have; they mean nothing to a table."""

_MEANING = {
    name.lower(): meaning for meaning, names in ALIASES.items() for name in (meaning, *names)
}
_LEAST = frozenset({"mu", "alpha", "p", "l", "k"})
_OPEN = ("quasi_identifiers", "sensitive")


def describe_argument(name: str) -> str | None:
    """Return what an argument of this name stands for, None if that is not known."""
    return _MEANING.get(name.lower())


@dataclass(frozen=True)
class Binding:
    """What each argument of a function is given."""

    arguments: Mapping[str, str]
    """What each stands for, by name."""
    required: frozenset[str]
    """Names of those without a default."""

    @property
    def parameters(self) -> frozenset[str]:
        """The parameters of a request that it takes from a case."""
        return frozenset(self.arguments.values()) - ROLES - {"categories", "hierarchies"}

    def of(self, case: TableCase) -> dict[str, Any]:
        """Return the arguments for a case; one that is required has to have a value."""
        values: dict[str, Any] = {}
        for name, meaning in self.arguments.items():
            value = _value(meaning, case)
            if value is not None:
                values[name] = value
            # An argument with a default keeps that where the case has nothing for it.
            elif name in self.required:
                raise InvalidArgument(name, None, "a table that has one")
        return values


def bind(
    function: Callable[..., Any], *, named: str, skip: int = 1, wanted: Iterable[str] = ("k",)
) -> Binding:
    """Find out what each argument of a function stands for.

    Its first ``skip`` positional arguments, the frame unless it is 0, are supplied otherwise. If it
    takes any keyword, it is given the wanted parameters by their own names.

    >>> def publish(data, qi, k, partitioning="strict"): ...
    >>> dict(bind(publish, named="publish").arguments)
    {'qi': 'quasi_identifiers', 'k': 'k'}
    >>> def other(data, qi, level): ...
    >>> bind(other, named="other")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: anonymizer = other: need call= to supply level, which the suite
    does not know
    """
    try:
        parameters = list(signature(function).parameters.values())
    except (TypeError, ValueError):
        raise InvalidArgument("anonymizer", named, "call=, as it shows no signature") from None
    first = [
        parameter for parameter in parameters[:skip] if parameter.kind is not Parameter.KEYWORD_ONLY
    ]
    if len(first) < skip or (first and first[0].kind is Parameter.VAR_KEYWORD):
        raise InvalidArgument("anonymizer", named, "a function whose first argument is a frame")
    remaining = parameters[skip:]
    arguments: dict[str, str] = {}
    required: set[str] = set()
    for parameter in remaining:
        if parameter.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD):
            continue
        meaning = describe_argument(parameter.name)
        is_required = parameter.default is Parameter.empty
        if meaning is None or parameter.kind is Parameter.POSITIONAL_ONLY:
            if is_required:
                need = f"call= to supply {parameter.name}, which the suite does not know"
                raise InvalidArgument("anonymizer", named, need)
            continue
        arguments[parameter.name] = meaning
        if is_required:
            required.add(parameter.name)
    if any(parameter.kind is Parameter.VAR_KEYWORD for parameter in remaining):
        # What an alias has already is not given twice, under its own name as well.
        bound = set(arguments.values())
        arguments |= {name: name for name in (*_OPEN, *wanted) if name not in bound}
    return Binding(arguments, frozenset(required))


def bind_names(names: Iterable[str]) -> Binding:
    """Return the binding of settings that all have a value already, such as an estimator's."""
    meanings = {name: describe_argument(name) for name in names}
    return Binding({name: meaning for name, meaning in meanings.items() if meaning}, frozenset())


def _value(meaning: str, case: TableCase) -> Any:
    if meaning == "quasi_identifiers":
        return list(case.quasi_identifiers)
    if meaning == "sensitive":
        return case.sensitive
    if meaning == "sensitives":
        return None if case.sensitive is None else [case.sensitive]
    if meaning == "identifiers":
        return list(case.identifiers)
    if meaning == "categories":
        return None if case.categories is None else dict(case.categories)
    if meaning == "hierarchies":
        return {name: dict(tree) for name, tree in case.hierarchies.items()}
    value = case.parameters.get(meaning)
    return _number(value, upwards=meaning in _LEAST) if isinstance(value, str) else value


def _number(text: str, *, upwards: bool) -> Any:
    """Return a number for foreign code, rounded to the side on which more is asked for.

    >>> _number("3/5", upwards=True), _number("2/3", upwards=True) > Fraction(2, 3)
    (0.6, True)
    """
    try:
        exact = Fraction(text)
    except ValueError:
        return text
    if exact.denominator == 1:
        return exact.numerator
    near = float(exact)
    # 0.1 is what is meant by 1/10; only what has no short decimal is moved.
    if Fraction(repr(near)) == exact or (near > exact) == upwards:
        return near
    return nextafter(near, inf if upwards else -inf)
