"""Checks of diversity: what the sensitive values of each class must be, counted in fractions.

Values are those of all published rows of a class, noise included, as an adversary sees them.
Classes are looked at as they were formed and as a reader can tell them apart: those with equal
labels are one to whoever reads the release, and V of both may be less than V of each. A check
does not apply to a case without the model's parameters, sensitive values or categories.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from kproof.models.base.missing import MISSING
from kproof.models.registry import Promise
from kproof.proptests import oracles
from kproof.proptests.checks.grouping import Group, View
from kproof.proptests.contract import Check, Trial, check_of
from kproof.proptests.judgement import (
    UNPUBLISHED,
    Judgement,
    NotApplicable,
    Violation,
    keep_if_compared,
)
from kproof.theory.exact.typed import integer, rational


def theta(trial: Trial) -> Judgement:
    """Compare V of each class with θ = μ(k² − 1)/12; equality passes."""
    view = _view(trial, "k", "mu")
    if isinstance(view, NotApplicable):
        return view
    k = integer("k", trial.case.parameters["k"])
    mu = rational("mu", trial.case.parameters["mu"])
    threshold = oracles.theta(k, mu)
    return _least(
        view,
        lambda group: oracles.variance(group.rows.values),
        threshold,
        f"V = {{}} < theta = {threshold} (k = {k}, mu = {mu})",
    )


def p_sensitivity(trial: Trial) -> Judgement:
    """Count the distinct values of each class."""
    return _distinct(trial, "p")


def l_diversity(trial: Trial) -> Judgement:
    """Count the distinct values of each class."""
    return _distinct(trial, "l")


def p_plus_sensitivity(trial: Trial) -> Judgement:
    """Count the distinct categories of each class."""
    view = _view(trial, "p")
    if isinstance(view, NotApplicable):
        return view
    if view.case.categories is None:
        return _UNRANKED
    p = integer("p", trial.case.parameters["p"])
    return _least(
        view,
        lambda group: Fraction(oracles.kinds(group.rows.values, view.categories)),
        Fraction(p),
        f"{{}} distinct categories, p = {p}",
    )


def p_alpha_sensitivity(trial: Trial) -> Judgement:
    """Count the distinct values of each class and weigh them."""
    view = _view(trial, "p", "alpha")
    if isinstance(view, NotApplicable):
        return view
    if view.case.categories is None:
        return _UNRANKED
    alpha = rational("alpha", trial.case.parameters["alpha"])
    distinct = _distinct(trial, "p")
    if isinstance(distinct, Violation):
        return distinct
    return _least(
        view,
        lambda group: oracles.weight(group.rows.values, view.categories),
        alpha,
        f"total weight {{}} of its distinct values, alpha = {alpha}",
    )


def t_closeness(trial: Trial) -> Judgement:
    """Measure how far the values of each class are from those of all published rows.

    Numbers are as far apart as their ranks, other values all equally far.
    """
    view = _view(trial, "t")
    if isinstance(view, NotApplicable):
        return view
    if view.original_values is None:
        return _VALUELESS
    t = rational("t", trial.case.parameters["t"])
    table = [value for group in view.groups for value in group.rows.values]
    ordered = all(isinstance(value, Fraction) for value in view.original_values)
    distance = oracles.ordered_distance if ordered else oracles.equal_distance
    return _least(
        view,
        lambda group: -distance(group.rows.values, table),
        -t,
        f"distance {{}} from the table, t = {t}",
        largest=True,
    )


_UNRANKED = NotApplicable("the sensitive values have no categories")
_VALUELESS = NotApplicable("no sensitive value was published")


def _view(trial: Trial, *parameters: str) -> View | NotApplicable:
    """Return the view of a publication with sensitive values if the case has the parameters."""
    view = View.of(trial)
    if view is None:
        return UNPUBLISHED
    for name in parameters:
        if name not in trial.case.parameters:
            return NotApplicable(f"the case has no {name}")
    return view if view.groups and view.groups[0].rows.values else _VALUELESS


def _distinct(trial: Trial, parameter: str) -> Judgement:
    view = _view(trial, parameter)
    if isinstance(view, NotApplicable):
        return view
    minimum = integer(parameter, trial.case.parameters[parameter])
    return _least(
        view,
        lambda group: Fraction(len(set(group.rows.values))),
        Fraction(minimum),
        f"{{}} distinct values, {parameter} = {minimum}",
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
    groups = view.groups if view.release is None else (*view.groups, *view.seen)
    worst = min(groups, key=figure)
    attained = figure(worst)
    if attained >= minimum:
        return keep_if_compared(len(groups), "no class was published")
    value, bound = (-attained, -minimum) if largest else (attained, minimum)
    values = ", ".join("?" if value is MISSING else str(value) for value in worst.rows.values)
    return Violation(
        f"class {worst.label}: {comparison.format(value)}; its values are {values}",
        str(value),
        f"{'<=' if largest else '>='} {bound}",
        worst.input_rows,
        worst.output_rows,
    )


_SUN = "Sun, Sun, Wang, Computer Communications 34 (2011) 526-535"

CHECKS: tuple[Check, ...] = (
    check_of(
        "theta",
        "The variance of the ranks of the values of every class is at least theta.",
        "V(C) = sum f x^2 / N - (sum f x / N)^2 >= mu (k^2 - 1) / 12",
        "Khan et al., Theta-Sensitive k-Anonymity, Electronics 2020, 9(5), 716, Definition 10",
        theta,
        Promise.THETA_SENSITIVITY,
    ),
    check_of(
        "p-sensitivity",
        "Every class has at least p distinct sensitive values.",
        "|values(C)| >= p",
        "Truta and Vinay, p-Sensitive k-Anonymity Property, ICDE Workshops 2006",
        p_sensitivity,
        Promise.P_SENSITIVITY,
    ),
    check_of(
        "p+-sensitivity",
        "The sensitive values of every class are of at least p distinct categories.",
        "|categories(C)| >= p",
        _SUN,
        p_plus_sensitivity,
        Promise.P_PLUS_SENSITIVITY,
    ),
    check_of(
        "(p,alpha)-sensitivity",
        "Every class has at least p distinct sensitive values of total weight alpha or more.",
        "|values(C)| >= p and sum of (i - 1)/(m - 1) over values(C) >= alpha",
        _SUN,
        p_alpha_sensitivity,
        Promise.P_ALPHA_SENSITIVITY,
    ),
    check_of(
        "l-diversity",
        "Every class has at least l distinct sensitive values.",
        "|values(C)| >= l",
        "Machanavajjhala et al., l-Diversity: Privacy beyond k-Anonymity, ICDE 2006",
        l_diversity,
        Promise.L_DIVERSITY,
    ),
    check_of(
        "t-closeness",
        "The values of every class are no further than t from those of the table.",
        "EMD(C, table) <= t",
        "Li, Li, Venkatasubramanian, t-Closeness, ICDE 2007",
        t_closeness,
        Promise.T_CLOSENESS,
    ),
)
