"""What several publications leave of a person's secret when they are read together.

k-anonymity does not compose: an adversary who knows that somebody is in two publications keeps
what fits both, and that may be one value even where each publication leaves several. No method
that looks at one table, or at one moment, prevents it. What is counted here is therefore a finding
about the promise; the checks of the suite are what an anonymizer answers for.

Source: Ganta, Kasiviswanathan, Smith, "Composition attacks and auxiliary information in data
privacy", KDD 2008.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import reduce

import numpy as np

from kproof.proptests.contract import TableCase, TablePublication
from kproof.proptests.labels.cells import loose
from kproof.proptests.labels.matching import fits


@dataclass(frozen=True)
class Candidates:
    """What an adversary has on one person."""

    person: int
    """A number that only the oracle knows."""
    truth: Hashable
    """What is to be kept secret: a sensitive value, or who it is that asks."""
    sets: tuple[frozenset[Hashable], ...]
    """By publication that concerns the person: what it leaves."""

    @property
    def left(self) -> frozenset[Hashable]:
        """What all of them leave; empty if there are none, or if they contradict each other."""
        return reduce(frozenset.intersection, self.sets) if self.sets else frozenset()

    @property
    def disclosed(self) -> bool:
        """Whether the truth alone is left, though every publication leaves more.

        >>> Candidates(0, "Flu", (frozenset({"Flu", "HIV"}), frozenset({"Flu", "Cold"}))).disclosed
        True
        >>> Candidates(0, "Flu", (frozenset({"Flu", "HIV"}), frozenset({"Flu"}))).disclosed
        False
        """
        return self.left == {self.truth} and all(len(candidates) > 1 for candidates in self.sets)


class Composed(AssertionError):
    """Publications that keep their promises one by one disclose something together.

    Attributes:
        candidates: Whose secret it is, and what each publication left of it.
        history: Every request up to then.
    """

    def __init__(self, candidates: Candidates, history: Iterable[object]) -> None:
        self.candidates = candidates
        self.history = tuple(history)
        sets = [f"{{{', '.join(sorted(map(str, names)))}}}" for names in candidates.sets]
        lines = [
            f"person {candidates.person}: {' and '.join(sets)} leave {candidates.truth} alone",
            *(f"request {number}: {request}" for number, request in enumerate(self.history, 1)),
        ]
        super().__init__("\n".join(lines))


def values_left(case: TableCase, publication: TablePublication) -> list[frozenset[Hashable]]:
    """Return for each record the sensitive values of the rows whose labels cover it.

    The adversary knows the quasi-identifiers of a person, and that the person is in the table.

    >>> case = TableCase({"age": (25, 26, 40), "s": ("Flu", "HIV", "Flu")}, ("age",), "s")
    >>> made = TablePublication({"age": ("25-26", "25-26", "40"), "s": ("HIV", "Flu", "Flu")})
    >>> [sorted(one) for one in values_left(case, made)]
    [['Flu', 'HIV'], ['Flu', 'HIV'], ['Flu']]
    """
    if case.sensitive is None or case.sensitive not in publication.everything:
        return [frozenset()] * case.rows
    possible, _ = fits(case, publication)
    values = [loose(value) for value in publication.everything[case.sensitive]]
    return [
        frozenset(values[row] for row in np.flatnonzero(possible[:, record]).tolist())
        for record in range(case.rows)
    ]
