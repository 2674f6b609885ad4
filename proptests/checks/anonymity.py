"""Checks of anonymity: how many people are in each class, and whether it looks like one class.

A class is what a reader cannot tell apart: rows that are equal in every published column but the
sensitive one, whatever the columns are called, and in the index of a frame. The order of the rows
is no column; who promises that it says nothing is held to that by another check.
"""

from collections import Counter

import numpy as np

from kproof.models.registry import Kind, Promise
from kproof.proptests.checks.grouping import Group, View
from kproof.proptests.contract import Check, Declarations, Trial
from kproof.proptests.judgement import Judgement, NotApplicable, Violation, keep_if_compared
from kproof.proptests.labels.matching import fits
from kproof.theory.exact.typed import integer

_check = Declarations(frozenset({Kind.TABLE}))
_SWEENEY = "Samarati and Sweeney, Protecting Privacy when Disclosing Information, 1998"


@_check(
    "k-anonymity",
    "|{r in C : r is a person's}| >= k",
    _SWEENEY,
    Promise.K_ANONYMITY,
    claim=(
        "Every class of rows that differ in no published column but the sensitive one, nor "
        "in the index, has at least k people; noise rows are no people, and the order of the rows "
        "is a promise of its own."
    ),
)
def k_anonymity(trial: Trial) -> Judgement:
    """Count the people in each class, and in each group of rows that a reader cannot tell apart."""
    view = View.of(trial)
    k = integer("k", trial.parameter("k"))
    for group in view.groups:
        if group.rows.people < k:
            noise = len(group.rows.values) - group.rows.people
            padded = f" and {_count(noise, 'noise row')}" if noise > 0 else ""
            sentence = (
                f"class {group.label}: {_count(group.rows.people, 'real record')}{padded}, "
                f"k = {k}{_what_cuts(view, group, k)}"
            )
            return Violation(
                sentence, str(group.rows.people), f">= {k}", group.input_rows, group.output_rows
            )
    if view.release is not None:
        # The groups above are counted as the account says. What is published is counted as well, as
        # an account may be silent about rows and columns that a reader has.
        violation = _by_label(view, k) or _by_cells(view, k)
    else:
        violation = _candidates(trial, view, k)
    return violation or keep_if_compared(len(view.groups), "no class was published")


@_check(
    "shared labels",
    "|{rows published with label L}| = sum of |C| over classes C labelled L",
    _SWEENEY,
    Promise.K_ANONYMITY,
    decides=frozenset(),
)
def label_sharing(trial: Trial) -> Judgement:
    """The rows of a class are published with the labels of the class, all of them."""
    view = View.of(trial)
    if view.release is None:
        return NotApplicable("there is no account of which record is in which class")
    expected: Counter[object] = Counter()
    for labels, members, noise in zip(view.class_labels, view.members, view.noise, strict=True):
        expected[labels] += len(members) + len(noise)
    for labels, rows in view.by_label.items():
        if len(rows) > expected[labels]:
            sentence = (
                f"{_count(len(rows), 'published row')} with {view.describe(rows[0])}, "
                f"but classes with these labels have {expected[labels]}"
            )
            return Violation(sentence, str(len(rows)), str(expected[labels]), (), rows)
    for labels, members in zip(view.class_labels, view.members, strict=True):
        published = len(view.by_label.get(labels, ()))
        if published < expected[labels]:
            title = ", ".join(
                f"{name}={label}" for name, label in zip(view.names, labels, strict=True)
            )
            sentence = f"class {title}: {published} of its {expected[labels]} rows bear its labels"
            marked = members, view.by_label.get(labels, ())
            return Violation(sentence, str(published), str(expected[labels]), *marked)
    return keep_if_compared(len(view.by_label), "no class was published")


def _by_label(view: View, k: int) -> Violation | None:
    """Count the published rows of each label that are not noise."""
    noise: Counter[object] = Counter()
    for labels, values in zip(view.class_labels, view.noise, strict=True):
        # Several classes may bear one label: to a reader they are one.
        noise[labels] += len(values)
    for labels, rows in view.by_label.items():
        people = len(rows) - noise[labels]
        if people < k:
            sentence = (
                f"{_count(len(rows), 'published row')} with {view.describe(rows[0])}, "
                f"{noise[labels]} of them noise, k = {k}"
            )
            return Violation(sentence, str(people), f">= {k}", (), rows)
    return None


def _by_cells(view: View, k: int) -> Violation | None:
    """Count the rows that look alike where more is published than the account speaks of."""
    for group in view.reader_groups if view.besides else ():
        # Noise is among these rows, as no account says which of them it is: too few are too few
        # even so.
        if len(group.output_rows) < k:
            sentence = (
                f"{_count(len(group.output_rows), 'published row')} with {group.label}, k = {k}"
                f"{_what_cuts(view, group, k)}"
            )
            return Violation(
                sentence, str(len(group.output_rows)), f">= {k}", (), group.output_rows
            )
    return None


def _what_cuts(view: View, group: Group, k: int) -> str:
    """Return what to say of a class that only columns besides the quasi-identifiers cut up."""
    if not view.besides or group.input_rows:
        return ""
    besides = ", ".join(view.besides)
    if not view.names:
        return f"; {besides} is published, and no quasi-identifier under its own name"
    row = group.output_rows[0]
    alike = next(rows for rows in view.by_label.values() if row in rows)
    if len(alike) < k:
        return ""
    return f"; {len(alike)} rows have these quasi-identifiers, but {besides} is published, too"


def _candidates(trial: Trial, view: View, k: int) -> Violation | None:
    """Count the originals that can be in each class; more people than those it cannot hold.

    A label that is in doubt can be anybody's. One that covers nobody is not true, which another
    check says; how many people hide behind it cannot be told.
    """
    if Promise.TRUTHFUL not in trial.subject.promises:
        return None
    possible, _ = fits(view.case, view.publication)
    values = view.values_published if Promise.SENSITIVE_KEPT in trial.subject.promises else None
    for group in view.groups:
        # One row speaks for all of its group: they have the same labels, and so the same originals.
        fitting = tuple(np.flatnonzero(possible[group.output_rows[0]]).tolist())
        people = min(len(group.output_rows), len(fitting))
        if values is not None and view.original_values is not None:
            published = Counter(group.rows.values)
            # Of each value there are at most as many people as rows show it and as originals have
            # it.
            people = (published & Counter(view.original_values[row] for row in fitting)).total()
        if fitting and people < k:
            sentence = (
                f"class {group.label}: {_count(len(group.output_rows), 'row')}, but the original "
                f"records that fit account for at most {people}, k = {k}"
            )
            return Violation(sentence, f"<= {people}", f">= {k}", fitting, group.output_rows)
    return None


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


CHECKS: tuple[Check, ...] = tuple(_check.checks)
