"""One line that says how anonymous a release is: the parameters it attains of each model."""

from dataclasses import dataclass, field
from fractions import Fraction

from kproof.forms import JsonForm
from kproof.models.base.classes import Classes
from kproof.models.base.verdict import SCHEMA, RowsKnown, Scope
from kproof.models.privacy.base import short_text
from kproof.models.privacy.closeness import TCloseness
from kproof.models.privacy.counting import AlphaK, KAnonymity
from kproof.models.privacy.diversity import DistinctL, EntropyL
from kproof.models.privacy.likeness import BasicBeta
from kproof.models.privacy.theta import ThetaSensitivity


@dataclass(frozen=True, slots=True)
class Summary:
    """What a release attains, exactly unless it says otherwise."""

    classes: int
    rows: int
    """How many are published."""
    k: int | None = None
    """Fewest people in a class; None, as below, if nothing is published."""
    ell: int | None = None
    """Fewest distinct values in a class; None, as below, without a sensitive attribute."""
    entropy_ell: float | None = None
    """Exponential of the least entropy of a class, rounded down."""
    alpha: Fraction | None = None
    """Largest share of a value in a class."""
    t: Fraction | None = None
    """Largest total variation between a class and the table."""
    beta: Fraction | None = None
    """Largest gain of a value in a class."""
    mu: Fraction | None = None
    """Largest mu of theta-sensitivity for this k; None if k < 2."""
    scope: Scope = field(default_factory=Scope)
    """What the figures do not speak of."""

    def __str__(self) -> str:
        """Return one readable line, such as ``k=4, l=3, t=0.31, theta up to mu=0.55``."""
        if self.k is None:
            return "nothing is published"
        parts = [f"k={self.k}"]
        if self.ell is not None:
            parts.append(f"l={self.ell}")
        if self.t is not None:
            parts.append(f"t={short_text(self.t, up=True)}")
        if self.mu is not None:
            parts.append(f"theta up to mu={short_text(self.mu, up=False)}")
        return ", ".join(parts)

    to_dict = JsonForm(
        "classes rows k l=ell entropy_l=entropy_ell alpha t beta mu *scope", schema=SCHEMA
    )


def summary(classes: Classes) -> Summary:
    """Return the parameters that classes attain.

    >>> import numpy as np
    >>> of_row = np.repeat([0, 1], 4)
    >>> print(summary(Classes(of_row, 2, np.array([0, 1, 2, 2, 0, 1, 2, 3]), tuple("abcd"))))
    k=4, l=3, t=0.125, theta up to mu=0.55
    """
    if classes.count == 0:
        return Summary(classes=0, rows=0)
    k = int(KAnonymity(1).check(classes).value)
    scope = Scope.of(classes, sensitive=True, rows=RowsKnown.MIXED)
    if classes.sensitive is None:
        return Summary(classes=classes.count, rows=classes.rows, k=k, scope=scope)
    # With the weakest of each parameter a check cannot fail: its value is what is attained.
    mu = ThetaSensitivity(k, 0).check(classes).value if k > 1 else None
    return Summary(
        classes=classes.count,
        rows=classes.rows,
        k=k,
        ell=int(DistinctL(1).check(classes).value),
        entropy_ell=float(EntropyL(1).check(classes).value),
        alpha=Fraction(AlphaK(1, 1).check(classes).value),
        t=Fraction(TCloseness(1).check(classes).value),
        beta=Fraction(BasicBeta(1).check(classes).value),
        mu=None if mu is None else Fraction(mu),
        scope=scope,
    )
