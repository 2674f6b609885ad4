"""Models that count: k-anonymity and (alpha, k)-anonymity."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from kproof.models.base.arrays import Flags
from kproof.models.base.classes import Classes
from kproof.models.base.parameters import SHARE, K
from kproof.models.base.verdict import Figure, RowsKnown, Verdict
from kproof.models.privacy.base import (
    ConcentrationModel,
    Joined,
    above,
    class_flags,
    extreme,
    fewest,
    short_text,
    value_name,
)
from kproof.theory.exact.typed import Number


@dataclass(frozen=True, init=False)
class KAnonymity(ConcentrationModel):
    """Every class has at least k people, k >= 1 (Samarati and Sweeney 1998).

    Noise rows do not count: they hide nobody. Several rows of one person count once. The verdict's
    figures give rows as well as people.

    Args:
        k: At least 1.

    >>> import numpy as np
    >>> classes = Classes(np.array([0, 0, 0, 1, 1]), 2, real=np.array([1, 1, 0, 1, 1]) == 1)
    >>> print(KAnonymity(2).check(classes))
    k-anonymity(k=2): holds (fewest people in a class: 2, class 0)
    """

    title: ClassVar[str] = "k-anonymity"
    meaning: ClassVar[str] = "largest k"
    """The fewest people in a class."""

    k: int

    needs_sensitive: ClassVar[bool] = False
    joined: ClassVar[Joined] = Joined.ANY

    def __init__(self, k: Number) -> None:
        vars(self).update(k=K.read(k))

    def _flag_failing(self, classes: Classes) -> Flags:
        return np.asarray(classes.real_sizes < self.k)

    def _check(self, classes: Classes) -> Verdict:
        index, fewest_people = fewest(classes.real_sizes)
        published = int(classes.sizes.min())
        noise = f" ({published} rows with noise)" if published != fewest_people else ""
        people: dict[str, int] = {}
        if classes.person is not None:
            noise = f" ({int(classes.sizes[index])} rows)" if published != fewest_people else ""
            people = {"most_rows_of_one": int(classes.people.most(classes.count)[index])}
        figures = {"published": int(classes.sizes[index]), "least_published": published, **people}
        reason, holds = f"fewest people in a class: {fewest_people}{noise}", fewest_people >= self.k
        return self._verdict(classes, index, holds, fewest_people, reason, **figures)


@dataclass(frozen=True, init=False)
class AlphaK(ConcentrationModel):
    """Classes of k people, no sensitive value with more than a share alpha of one, 0 < alpha <= 1.

    Args:
        alpha: 0 < alpha <= 1.
        k: At least 1.

    Source: Wong, Li, Fu and Wang, KDD 2006, with every sensitive value protected.

    >>> import numpy as np
    >>> classes = Classes(np.array([0, 0, 0, 0]), 1, np.array([0, 0, 1, 2]), ("a", "b", "c"))
    >>> print(AlphaK("0.5", 4).check(classes))
    (alpha,k)-anonymity(alpha=0.5, k=4): holds (largest share of a value: 0.5 (a), class 0)
    """

    title: ClassVar[str] = "(alpha,k)-anonymity"
    rows_known: ClassVar[RowsKnown] = RowsKnown.ALL_BUT_ONE
    meaning: ClassVar[str] = "least alpha"
    """The largest share of a value in a class."""

    alpha: Fraction
    k: int

    joined: ClassVar[Joined] = Joined.ALIKE

    def __init__(self, alpha: Number, k: Number) -> None:
        vars(self).update(alpha=SHARE.read(alpha), k=K.read(k))

    def _flag_failing(self, classes: Classes) -> Flags:
        histogram = classes.histogram
        common = above(histogram.counts, histogram.sizes[histogram.classes], self.alpha)
        return (classes.real_sizes < self.k) | class_flags(histogram.classes[common], classes.count)

    def _check(self, classes: Classes) -> Verdict:
        histogram = classes.histogram
        sizes = histogram.sizes[histogram.classes]
        entry, share = extreme(
            histogram.counts / sizes,
            lambda entry: Fraction(int(histogram.counts[entry]), int(sizes[entry])),
            [histogram.counts, sizes],
            largest=True,
        )
        value = value_name(classes, int(histogram.values[entry]))
        reason = f"largest share of a value: {short_text(share, up=True)} ({value})"
        figures: dict[str, Figure] = {"share": share, "value": value}
        index, holds = int(histogram.classes[entry]), share <= self.alpha
        return self._verdict(classes, index, holds, share, reason, k=self.k, **figures)
