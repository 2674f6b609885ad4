"""Checks of diversity: what the sensitive values of each class must be, counted in fractions.

Values are those of all published rows of a class, noise included, as an adversary sees them.
Classes are looked at as they were formed and as a reader can tell them apart: those with equal
labels are one to whoever reads the release, and V of both may be less than V of each. A check
does not apply to a case without the model's parameters, sensitive values or categories.
"""

from collections.abc import Callable
from fractions import Fraction

from kproof.models.base.missing import MISSING
from kproof.models.registry import Kind, Promise
from kproof.proptests import oracles
from kproof.proptests.checks.grouping import Group, View
from kproof.proptests.contract import Check, Declarations, Trial
from kproof.proptests.judgement import (
    Judgement,
    NotApplicable,
    Unjudged,
    Violation,
    keep_if_compared,
)
from kproof.theory.exact.typed import integer, rational

_check = Declarations(frozenset({Kind.TABLE}))
_KHAN = "Khan et al., Theta-Sensitive k-Anonymity, Electronics 2020, 9(5), 716, Definition 10"
_LI = "Li, Li, Venkatasubramanian, t-Closeness, ICDE 2007"
_MACHANAVAJJHALA = "Machanavajjhala et al., l-Diversity: Privacy beyond k-Anonymity, ICDE 2006"
_TRUTA = "Truta and Vinay, p-Sensitive k-Anonymity Property, ICDE Workshops 2006"
_SUN = "Sun, Sun, Wang, Computer Communications 34 (2011) 526-535"


@_check(
    "theta",
    "V(C) = sum f x^2 / N - (sum f x / N)^2 >= mu (k^2 - 1) / 12",
    _KHAN,
    Promise.THETA_SENSITIVITY,
)
def theta(trial: Trial) -> Judgement:
    """The variance of the ranks of the values of every class is at least theta."""
    view = _view(trial, "k", "mu")
    k, mu = integer("k", trial.parameter("k")), rational("mu", trial.parameter("mu"))
    threshold = oracles.theta(k, mu)
    # The figure is filled in by _least, when it is known whose it is.
    text = f"V = {{}} < theta = {threshold} (k = {k}, mu = {mu})"
    return _least(view, lambda group: oracles.variance(group.rows.values), threshold, text)


@_check("p-sensitivity", "|values(C)| >= p", _TRUTA, Promise.P_SENSITIVITY)
def p_sensitivity(trial: Trial) -> Judgement:
    """Every class has at least p distinct sensitive values."""
    return _distinct(trial, "p")


@_check("p+-sensitivity", "|categories(C)| >= p", _SUN, Promise.P_PLUS_SENSITIVITY)
def p_plus_sensitivity(trial: Trial) -> Judgement:
    """The sensitive values of every class are of at least p distinct categories."""
    view, p = _view(trial, "p", ranked=True), integer("p", trial.parameter("p"))

    def kinds(group: Group) -> Fraction:
        return Fraction(oracles.kinds(group.rows.values, view.categories))

    return _least(view, kinds, Fraction(p), f"{{}} distinct categories, p = {p}")


@_check(
    "(p,alpha)-sensitivity",
    "|values(C)| >= p and sum of (i - 1)/(m - 1) over values(C) >= alpha",
    _SUN,
    Promise.P_ALPHA_SENSITIVITY,
)
def p_alpha_sensitivity(trial: Trial) -> Judgement:
    """Every class has at least p distinct sensitive values of total weight alpha or more."""
    view = _view(trial, "p", "alpha", ranked=True)
    alpha = rational("alpha", trial.parameter("alpha"))
    distinct = _distinct(trial, "p")
    if isinstance(distinct, Violation):
        return distinct
    text = f"total weight {{}} of its distinct values, alpha = {alpha}"
    return _least(
        view, lambda group: oracles.weight(group.rows.values, view.categories), alpha, text
    )


@_check("l-diversity", "|values(C)| >= l", _MACHANAVAJJHALA, Promise.L_DIVERSITY)
def l_diversity(trial: Trial) -> Judgement:
    """Every class has at least l distinct sensitive values."""
    return _distinct(trial, "l")


@_check("t-closeness", "EMD(C, table) <= t", _LI, Promise.T_CLOSENESS)
def t_closeness(trial: Trial) -> Judgement:
    """The values of every class are no further than t from those of the table."""
    view, t = _view(trial, "t"), rational("t", trial.parameter("t"))
    if view.original_values is None:
        return _VALUELESS
    table = [value for group in view.groups for value in group.rows.values]
    # By the originals, as what is published of numbers may be text.
    ordered = all(isinstance(value, Fraction) for value in view.original_values)
    distance = oracles.rank_distance if ordered else oracles.equal_distance
    text = f"distance {{}} from the table, t = {t}"
    return _least(view, lambda group: -distance(group.rows.values, table), -t, text, largest=True)


_UNRANKED = NotApplicable("the sensitive values have no categories")
_VALUELESS = NotApplicable("no sensitive value was published")


def _view(trial: Trial, *parameters: str, ranked: bool = False) -> View:
    """Return the view of a publication if the case has the parameters, and values or categories."""
    view = View.of(trial)
    for name in parameters:
        trial.parameter(name)
    if not (view.groups and view.groups[0].rows.values):
        raise Unjudged(_VALUELESS)
    if ranked and view.case.categories is None:
        raise Unjudged(_UNRANKED)
    return view


def _distinct(trial: Trial, parameter: str) -> Judgement:
    view, minimum = _view(trial, parameter), integer(parameter, trial.parameter(parameter))
    text = f"{{}} distinct values, {parameter} = {minimum}"
    return _least(
        view, lambda group: Fraction(len(set(group.rows.values))), Fraction(minimum), text
    )


def _least(
    view: View,
    figure: Callable[[Group], Fraction],
    minimum: Fraction,
    comparison: str,
    *,
    largest: bool = False,
) -> Judgement:
    """Compare the class whose figure is smallest; it is the violation if it is too small.

    Where a model has a largest figure instead, both sides come negated.
    """
    groups = view.groups if view.release is None else (*view.groups, *view.reader_groups)
    worst = min(groups, key=figure)
    attained = figure(worst)
    if attained >= minimum:
        return keep_if_compared(len(groups), "no class was published")
    value, bound = (-attained, -minimum) if largest else (attained, minimum)
    values = ", ".join("?" if value is MISSING else str(value) for value in worst.rows.values)
    sentence = f"class {worst.label}: {comparison.format(value)}; its values are {values}"
    wanted = f"{'<=' if largest else '>='} {bound}"
    return Violation(sentence, str(value), wanted, worst.input_rows, worst.output_rows)


CHECKS: tuple[Check, ...] = tuple(_check.checks)
