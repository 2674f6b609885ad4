"""What must not be published beside a sample, or done with it, and what it would cost (R10).

Each of these leaves a δ that no ε brings down, in place of that of
:func:`~kproof.theory.theorems.releases.sampled.release_bound`. The values are suprema over tables,
attained or approached as the entry says; ``at least`` marks one that is a witness only.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from kproof.errors import InvalidArgument
from kproof.registry import Registry
from kproof.theory.exact import Enclosure, Number, as_arb, integer, rational, use_bits
from kproof.theory.paragraphs import read_statements
from kproof.theory.profiles.binomial_tails import mass_at
from kproof.theory.profiles.sampled import MOST_K


def _merge_rest(k: int, beta: Fraction) -> Enclosure:
    """Return β max f_n(k - 1), f_n the masses of Bin(n, β)."""
    # The mass of k - 1 rises with n while n <= (k - 1)/β, and is at its largest there.
    n = (k - 1) * beta.denominator // beta.numerator
    with use_bits(128 + 2 * k.bit_length()):
        return Enclosure.from_arb(as_arb(beta) * mass_at(n, beta, k - 1), low=0, high=1)


@dataclass(frozen=True)
class RefusedRule:
    """Something that is not done to a sample."""

    name: str
    what: str
    """What would be published or done, as a phrase."""
    why: str
    """The pair of tables that tells, as a clause."""
    delta: Callable[[int, Fraction], Enclosure]
    """``delta(k, beta)``: δ at every ε."""
    at_least: bool = False
    """Whether it is a witness, and the supremum may be larger."""


_DELTAS: dict[str, Callable[[int, Fraction], Enclosure]] = {
    "beta": lambda _, beta: Enclosure.exactly(beta),
    "1": lambda _, __: Enclosure.exactly(1),
    "merged": _merge_rest,
}


def _read_rules() -> tuple[RefusedRule, ...]:
    text = Path(__file__).with_name("refused.statements").read_text(encoding="utf-8")
    labels = ("why", "delta")
    return tuple(
        RefusedRule(
            name, question, texts["why"], _DELTAS[texts["delta"]], texts["delta"] == "merged"
        )
        for name, question, texts in read_statements(text, labels, needs=labels)
    )


REFUSED_RULES: Registry[RefusedRule] = Registry("also", _read_rules())
"""Every rule of R10 by name."""


def delta_of_refused(name: str, *, k: Number, beta: Number) -> Enclosure:
    """Return the δ that a rule of :data:`REFUSED_RULES` has at every ε; k and β of the sample.

    >>> print(delta_of_refused("merged-rest", k=5, beta="1/10"))
    0.0205887
    """
    threshold = integer("k", k, least=1, most=MOST_K)
    return REFUSED_RULES.entry(name).delta(threshold, rational("beta", beta, above=0, below=1))


def require_nothing_beside(names: Sequence[str], *, k: Number, beta: Number) -> None:
    """Refuse whatever else would be published of a sample, with its δ.

    >>> require_nothing_beside(["sample-size"], k=5, beta="1/10")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: ... with the size of the sample delta is 0.1 at every ...
    """
    for name in names:
        rule = REFUSED_RULES.entry(name)
        cost = f"{'at least ' if rule.at_least else ''}{delta_of_refused(name, k=k, beta=beta)}"
        need = f"nothing beside the rows: with {rule.what} delta is {cost} at every epsilon, since"
        raise InvalidArgument("also", name, f"{need} {rule.why} (R10)")
