"""Models of p-sensitivity: distinct values, distinct categories, weight of categories.

Sources: Truta and Vinay, "Privacy Protection: p-Sensitive k-Anonymity Property", ICDE Workshops
2006; Sun, Sun and Wang, "Extended k-anonymity models against sensitive attribute disclosure",
Computer Communications 34 (2011), for p+ and (p, alpha). The weights of categories are given as
recalled from the latter: category i of m, the most sensitive first, weighs (i - 1)/(m - 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, lcm
from typing import ClassVar

import numpy as np

from kproof.errors import DataError, InvalidArgument
from kproof.models.base.arrays import Codes, Flags
from kproof.models.base.classes import Classes, histogram
from kproof.models.base.missing import MISSING
from kproof.models.base.parameters import ALPHA, K, P
from kproof.models.base.verdict import Figure, RowsKnown, Verdict
from kproof.models.privacy.base import CountModel, Joined, Model, fewest, short_text, values_of
from kproof.models.privacy.completions import KnownValues, commonest
from kproof.theory.exact.typed import Number, rational


@dataclass(frozen=True, init=False)
class PSensitive(CountModel):
    """Classes of k people with at least p distinct sensitive values; both at least 1.

    Args:
        p, k: At least 1.

    >>> classes = Classes(np.array([0, 0, 0]), 1, np.array([0, 0, 1]), ("HIV", "Cancer"))
    >>> print(PSensitive(2, 3).check(classes))
    p-sensitive k-anonymity(p=2, k=3): holds (fewest distinct values in a class: 2, class 0)
    """

    title: ClassVar[str] = "p-sensitive k-anonymity"
    rows_known: ClassVar[RowsKnown] = RowsKnown.ALL_BUT_ONE
    meaning: ClassVar[str] = "largest p"
    """The fewest distinct values in a class."""

    counted: ClassVar[str] = "distinct values"
    reads: ClassVar[str] = "p"

    p: int
    k: int

    def __init__(self, p: Number, k: Number) -> None:
        vars(self).update(p=P.read(p), k=K.read(k))

    def counts(self, classes: Classes) -> Codes:
        """Return the number of distinct values of each class."""
        return values_of(classes)


@dataclass(frozen=True, init=False)
class PPlusSensitive(PSensitive):
    """Classes of k people with values of at least p distinct categories; both at least 1.

    Args:
        p, k: At least 1.

    >>> classes = Classes(
    ...     np.array([0, 0, 0]), 1, np.array([0, 0, 1]), ("HIV", "Cancer"),
    ...     category=np.array([0, 0]), categories=("1",),
    ... )
    >>> print(PPlusSensitive(2, 3).check(classes))
    p+-sensitive k-anonymity(p=2, k=3): fails (fewest distinct categories in a class: 1, class 0)
    """

    title: ClassVar[str] = "p+-sensitive k-anonymity"
    rows_known: ClassVar[RowsKnown] = RowsKnown.NONE
    counted: ClassVar[str] = "distinct categories"

    def counts(self, classes: Classes) -> Codes:
        """Return the number of distinct categories of each class."""
        entries, category = classes.histogram, _category(self, classes)
        kinds = histogram(
            entries.classes, category[entries.values], classes.count, len(classes.categories)
        )
        return np.diff(kinds.starts)


@dataclass(frozen=True, init=False)
class PAlphaSensitive(Model):
    """Classes of k people with at least p distinct values that together weigh at least alpha >= 0.

    Each distinct value of a class weighs once, as much as its category; the published account
    leaves open whether repeated values weigh again, and this reading is the stricter. Without
    ``weights`` category i of m in the table's order, most sensitive first, weighs (i - 1)/(m - 1)
    (0 if m = 1); values without a category weigh 0.

    Args:
        p, k: At least 1.
        alpha: At least 0.
        weights: Weight of each category, at least 0. By default (i - 1)/(m - 1) for category i of m
            in the table's order, most sensitive first (0 if m = 1); values without a category weigh
            0.

    >>> classes = Classes(
    ...     np.array([0, 0, 0, 0]), 1, np.array([0, 0, 1, 2]), ("HIV", "Cancer", "Flu"),
    ...     category=np.array([0, 0, 1]), categories=("grave", "mild"),
    ... )
    >>> print(PAlphaSensitive(3, 1, 4).check(classes))
    (p,alpha)-sensitive k-anonymity(p=3, alpha=1, k=4): holds (least weight of a class: 1, class 0)
    """

    title: ClassVar[str] = "(p,alpha)-sensitive k-anonymity"
    meaning: ClassVar[str] = "largest alpha"
    """The least total weight of the distinct values of a class."""

    joined: ClassVar[Joined] = Joined.ANY

    p: int
    alpha: Fraction
    k: int
    weights: Mapping[object, Fraction] | None = field(hash=False)

    def __init__(
        self, p: Number, alpha: Number, k: Number, *, weights: Mapping[object, Number] | None = None
    ) -> None:
        vars(self).update(p=P.read(p), alpha=ALPHA.read(alpha), k=K.read(k))
        exact = weights and {
            category: rational(f"weight of {category}", weight, least=0)
            for category, weight in weights.items()
        }
        vars(self).update(weights=exact)

    @property
    def fewest_rows(self) -> int:
        """Distinct values are in distinct rows."""
        return max(self.p, self.k)

    def _flag_failing(self, classes: Classes) -> Flags:
        sums, common = self._sums(classes)
        # Rounded up: sums are whole, and less than this is less than alpha.
        light = np.array(sums < ceil(self.alpha * common), dtype=np.bool_)
        return light | (values_of(classes) < self.p) | (classes.real_sizes < self.k)

    def _sums(self, classes: Classes) -> tuple[Codes, int]:
        """Return the weight of each class as a whole number, and what it has to be divided by."""
        histogram, category = classes.histogram, _category(self, classes)
        weights = self._weights(classes)
        common = lcm(*(weight.denominator for weight in weights))
        scaled = np.array([int(weight * common) for weight in weights], dtype=object)
        # Room for the weights of all values together.
        if max(scaled) * len(classes.values) < 1 << 62:
            scaled = scaled.astype(np.int64)
        return np.add.reduceat(scaled[category[histogram.values]], histogram.starts[:-1]), common

    def _check(self, classes: Classes) -> Verdict:
        sums, common = self._sums(classes)
        index = int(np.argmin(sums))
        lightest = Fraction(int(sums[index]), common)
        heavy = lightest >= self.alpha
        place, values = fewest(values_of(classes))
        if heavy and values < self.p:
            index, reason = place, f"fewest distinct values in a class: {values}"
        else:
            reason = f"least weight of a class: {short_text(lightest, up=False)}"
        index_values, weight = int(values_of(classes)[index]), Fraction(int(sums[index]), common)
        figures: dict[str, Figure] = {"weight": weight, "values": index_values}
        holds = heavy and values >= self.p
        return self._verdict(classes, index, holds, lightest, reason, k=self.k, **figures)

    def _worst(self, classes: Classes) -> Classes:
        """Return the worst completion: no value that a class lacks, and the lightest elsewhere."""
        weights, category = self._weights(classes), _category(self, classes)
        occurring = KnownValues.of(classes).domain.tolist()
        lightest = min(occurring, key=lambda code: weights[int(category[code])])
        return commonest(classes, otherwise=lightest)

    def _weights(self, classes: Classes) -> list[Fraction]:
        """Return the weight of each category code."""
        if (weights := self.weights) is None:
            last = sum(category is not MISSING for category in classes.categories) - 1
            return [
                Fraction(code, last) if last > 0 and category is not MISSING else Fraction(0)
                for code, category in enumerate(classes.categories)
            ]
        for category in classes.categories:
            if category not in weights and category is not MISSING:
                raise InvalidArgument("weights", list(weights), f"a weight of category {category}")
        return [weights.get(category, Fraction(0)) for category in classes.categories]


def _category(model: Model, classes: Classes) -> Codes:
    if classes.category is None:
        raise DataError(f"{model.name} needs categories: give each sensitive value one")
    return classes.category
