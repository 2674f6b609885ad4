"""Checks of truth: labels cover the originals, no record is lost or invented, none is altered."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from kproof.models.base.missing import MISSING
from kproof.models.registry import Kind, Promise
from kproof.models.tables.release import Release
from kproof.proptests.checks.grouping import View
from kproof.proptests.contract import Check, Declarations, Severity, Trial
from kproof.proptests.judgement import (
    InDoubt,
    Judgement,
    NotApplicable,
    Violation,
    keep_if_compared,
)
from kproof.proptests.labels.cells import loose, same
from kproof.proptests.labels.labels import own_covering
from kproof.proptests.labels.matching import Unreadable, fits, rows_unmatched, with_sensitive

_check = Declarations(frozenset({Kind.TABLE}), Severity.TRUTH)


@_check(
    "truthful labels",
    "maximum matching of rows with originals >= rows - noise rows",
    "Samarati, Protecting Respondents' Identities in Microdata Release, TKDE 2001",
    Promise.TRUTHFUL,
)
def truthful_labels(trial: Trial) -> Judgement:
    """The published rows can be given distinct originals that their labels cover."""
    view = View.of(trial)
    if view.release is not None:
        violation = _outside_its_class(view, view.release)
        if violation is not None:
            return violation
    possible, unreadable = fits(view.case, view.publication)
    for entry in unreadable if view.release is not None else ():
        sentence = (
            f"column {entry.column}: label {_text(entry.label)} cannot be read, with an account"
        )
        return Violation(
            sentence, _text(entry.label), "a label as kproof writes it", (), entry.rows
        )
    values_stay = Promise.SENSITIVE_KEPT in trial.subject.promises
    if values_stay:
        # Where values stay with their people, a row's value narrows down whose row it can be.
        possible = with_sensitive(possible, view.case, view.publication)
    alone = rows_unmatched(possible)
    noise = 0 if view.release is None else len(view.release.noise_class)
    # Noise rows are nobody's, so that as many rows may be without an original, whichever they are.
    if len(alone) <= noise:
        return _in_doubt(view, unreadable) or keep_if_compared(
            view.publication.rows if view.names else 0,
            "no row with a quasi-identifier was published",
        )
    row = alone[0]
    value = ""
    if values_stay and view.values_published is not None and view.case.sensitive is not None:
        cell = view.columns[view.case.sensitive][row]
        value = f" and {view.case.sensitive}={_text(cell)}"
    besides = f"; {noise} noise rows are accounted for" if noise else ""
    sentence = (
        f"{len(alone)} of {view.publication.rows} published rows have no original of their own, "
        f"such as the one with {view.describe(row)}{value}{besides}"
    )
    rows = tuple(np.flatnonzero(possible[row]).tolist()), alone
    return Violation(sentence, f"{len(alone)} without an original", f"<= {noise}", *rows)


def _in_doubt(view: View, unreadable: Sequence[Unreadable]) -> InDoubt | None:
    """Return why nobody can say that the labels are true although nothing shows that they are not.

    The reason names no label, so that a reader is told once of all of them.
    """
    if unreadable:
        columns = ", ".join(dict.fromkeys(entry.column for entry in unreadable))
        return InDoubt(f"labels of {columns} cannot be read")
    # A column that is missing may be there under a name that nobody knows, with values of its own.
    absent = [name for name in view.case.quasi_identifiers if name not in view.columns]
    strange = [
        name
        for name in view.besides
        if name not in view.case.columns and name not in view.publication.index
    ]
    if absent and strange:
        return InDoubt(
            f"{', '.join(absent)} is not published, and {', '.join(strange)} is no column of the "
            "source: what it is about is not said"
        )
    return None


@_check(
    "records accounted for",
    "published = original - suppressed + noise",
    "the account of a release; without one, the number of records",
    Promise.RECORDS_KEPT,
)
def records_accounted_for(trial: Trial) -> Judgement:
    """No record is lost or invented beyond suppressed records and noise rows."""
    view = View.of(trial)
    lengths = {name: len(cells) for name, cells in view.publication.columns.items()}
    if len(set(lengths.values())) > 1:
        sentence = f"published columns differ in length: {lengths}"
        return Violation(sentence, str(sorted(set(lengths.values()))), "one length")
    rows, published = view.case.rows, view.publication.rows
    release = view.release
    if release is not None:
        return (
            _another_table(view, release)
            or _unequal(
                published,
                rows - int(np.count_nonzero(release.group_of < 0)) + len(release.noise_class),
                f"{rows} records, {len(release.suppressed)} suppressed, "
                f"{len(release.noise_class)} noise rows",
                tuple(release.suppressed.tolist()),
            )
            or keep_if_compared(rows, "there are no records")
        )
    if published > rows or (published < rows and not trial.subject.suppresses):
        sentence = f"{published} rows published of {rows} records"
        return Violation(
            sentence, str(published), f"<= {rows}" if trial.subject.suppresses else str(rows)
        )
    return keep_if_compared(rows, "there are no records")


@_check(
    "sensitive values kept",
    "values published in C = values of the people in C + noise values of C",
    "the account of a release; without one, the originals",
    Promise.SENSITIVE_KEPT,
)
def sensitive_values_kept(trial: Trial) -> Judgement:
    """Sensitive values are neither altered nor moved between people beyond swaps."""
    view = View.of(trial)
    if view.original_values is None:
        return NotApplicable("the case has no sensitive values")
    if view.values_published is None:
        return NotApplicable("no sensitive values were published")
    violation: Violation | InDoubt | None
    if view.release is None:
        violation = _find_changes(trial, view) or _find_moves(trial, view)
    else:
        violation = _replay(view.release) or _class_by_class(view)
    return violation or keep_if_compared(view.publication.rows, "no row was published")


def _outside_its_class(view: View, release: Release) -> Violation | None:
    """Find an original that the label of its own class does not cover."""
    for recoding in release.recoded:
        name = recoding.column.name
        hierarchy = view.case.hierarchies.get(name, {})
        for index, members in enumerate(view.members):
            reading = own_covering(recoding.label(index), hierarchy=hierarchy)
            outside = [
                row
                for row in members
                if reading is None or not reading(view.case.columns[name][row])
            ]
            if outside:
                value = view.case.columns[name][outside[0]]
                sentence = (
                    f"record {outside[0]} has {name}={_text(value)}, but its class is published "
                    f"as {name}={recoding.label(index)}"
                )
                rows = tuple(outside), view.by_label.get(view.class_labels[index], ())
                return Violation(sentence, _text(value), f"in {recoding.label(index)}", *rows)
    return None


def _another_table(view: View, release: Release) -> Violation | None:
    """Find a record of the account that is not the record it was made of."""
    table = release.table
    if table.rows != view.case.rows:
        sentence = f"the account is of {table.rows} records, the input has {view.case.rows}"
        return Violation(sentence, str(table.rows), str(view.case.rows))
    columns = [*table.quasi_identifiers, *([table.sensitive] if table.sensitive else [])]
    for column in columns:
        for row, code in enumerate(column.codes.tolist()):
            value, original = column.values[code], view.case.columns[column.name][row]
            if not same(None if value is MISSING else value, original):
                sentence = (
                    f"record {row} has {column.name}={_text(original)}, "
                    f"its account has {_text(value)}"
                )
                return Violation(sentence, _text(value), _text(original), (row,))
    return None


def _unequal(count: int, due: int, account: str, input_rows: tuple[int, ...]) -> Violation | None:
    if count == due:
        return None
    return Violation(
        f"{count} rows published; {account} make {due}", str(count), str(due), input_rows
    )


def _replay(release: Release) -> Violation | None:
    """Replay the swaps on the groups as they were formed."""
    start = release.group_of if release.formed_as is None else release.formed_as
    group_of = start.tolist()
    # One after the other, as they were made: a record may move more than once.
    for i, j in release.swaps.tolist():
        group_of[i], group_of[j] = group_of[j], group_of[i]
    astray = tuple(np.flatnonzero(np.array(group_of) != release.group_of).tolist())
    if not astray:
        return None
    row = astray[0]
    sentence = (
        f"record {row} is in group {release.group_of[row]}, but the {len(release.swaps)} accounted "
        f"swaps leave it in group {group_of[row]}"
    )
    return Violation(sentence, f"{len(astray)} records moved without a swap", "0", astray)


def _class_by_class(view: View) -> Violation | None:
    """Compare the values published under each label with those of the classes that bear it."""
    if view.values_published is None:
        return None
    expected: dict[object, Counter[object]] = {}
    members: dict[object, list[int]] = {}
    # Classes with equal labels are put together: which of them a row is of nobody can see.
    for labels, group in zip(view.class_labels, view.groups, strict=True):
        expected.setdefault(labels, Counter()).update(map(loose, _plain(group.rows.values)))
        members.setdefault(labels, []).extend(group.input_rows)
    for labels, rows in view.by_label.items():
        published = Counter(loose(cell) for cell in _plain(view.values_published[r] for r in rows))
        values = expected.get(labels, Counter())
        added, lost = published - values, values - published
        if added or lost:
            sentence = f"class {view.describe(rows[0])}: {_difference(added, lost)}"
            return Violation(
                sentence, _multiset(added), _multiset(lost), tuple(members.get(labels, ())), rows
            )
    return None


def _find_changes(trial: Trial, view: View) -> Violation | None:
    """Compare the values of all published rows with those of all originals."""
    if view.case.sensitive is None:
        return None
    original = [loose(value) for value in view.case.columns[view.case.sensitive]]
    published = [loose(value) for value in view.columns[view.case.sensitive]]
    added = Counter(published) - Counter(original)
    lost = Counter(original) - Counter(published)
    # Whoever may leave records out may lose values, and still may not add any.
    if trial.subject.suppresses:
        lost = Counter()
    if not added and not lost:
        return None
    sentence = f"sensitive values of all rows: {_difference(added, lost)}"
    rows = (
        tuple(row for row, value in enumerate(original) if value in lost),
        tuple(row for row, value in enumerate(published) if value in added),
    )
    return Violation(sentence, _multiset(added), _multiset(lost), *rows)


def _find_moves(trial: Trial, view: View) -> Violation | InDoubt | None:
    """Find values that nobody who fits the labels has, where the labels alone are in order.

    That the same values are there is one half of the promise. Without labels that say whose they
    are nothing tells the other.
    """
    if Promise.TRUTHFUL not in trial.subject.promises:
        return InDoubt(
            "the values are there, but whose they are cannot be told: the labels are not promised "
            "to be true"
        )
    possible, unreadable = fits(view.case, view.publication)
    # Without originals for all rows any value could be blamed: that finding is of another check.
    if rows_unmatched(possible):
        return InDoubt("the labels are not true, so whose values these are cannot be told")
    astray = rows_unmatched(with_sensitive(possible, view.case, view.publication))
    if not astray or view.case.sensitive is None:
        return _in_doubt(view, unreadable)
    value = view.columns[view.case.sensitive][astray[0]]
    sentence = (
        f"{view.case.sensitive}={_text(value)} is published with {view.describe(astray[0])}, "
        "and no record that is left fits"
    )
    rows = tuple(np.flatnonzero(possible[astray[0]]).tolist()), astray
    return Violation(sentence, f"{len(astray)} rows with another person's value", "0", *rows)


def _plain(values: Iterable[object]) -> Iterable[object]:
    return (None if value is MISSING else value for value in values)


def _difference(added: Counter[object], lost: Counter[object]) -> str:
    parts = []
    if added:
        parts.append(f"published without a record: {_multiset(added)}")
    if lost:
        parts.append(f"not published: {_multiset(lost)}")
    return "; ".join(parts)


def _multiset(counts: Counter[object]) -> str:
    # A value in its comparable form is a pair, of which a reader knows the second.
    plain = ((value[1] if isinstance(value, tuple) else value, n) for value, n in counts.items())
    texts = (f"{number} x {_text(value)}" for value, number in plain)
    return ", ".join(sorted(texts)) or "none"


def _text(value: object) -> str:
    return "?" if value is None else str(value)


CHECKS: tuple[Check, ...] = tuple(_check.checks)
