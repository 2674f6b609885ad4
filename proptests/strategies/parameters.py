"""Strategies for the parameters of a request, mostly such that some publication can meet them.

What can be met depends on the table, so these strategies ask for its facts: the number of rows, the
sensitive values and their categories. One request in eight or so asks for a little too much.
"""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from hypothesis import strategies as st

from kproof.models.base.parameters import K
from kproof.theory.exact.typed import integer
from kproof.theory.theorems import theta

Value = TypeVar("Value")

OPTIONS: Mapping[str, tuple[str, ...]] = {
    "clustering": ("partition", "k-means"),
    "exhausted": ("repeat", "refuse"),
    "form": ("diverse", "compact", "sorted", "order"),
    "partitioning": ("strict", "relaxed"),
    "remainder": ("merge", "suppress"),
    "weights": ("uniform", "height"),
}
"""Choices of kproof's own methods under which they keep their promises, the default first."""

_MUS = tuple(Fraction(tenth, 10) for tenth in range(1, 11))
_DISTANCES = ("1/2", "3/10", "1/5", "1/10", "0", "1")
_BETAS = ("1", "2", "1/2")
_NOISE = ("frequent", "first", "random")


def group_sizes(rows: int, *, most: int = 6) -> st.SearchStrategy[int]:
    """Draw k for a table: from 2 to the number of its rows, at most ``most``; always at least 2.

    >>> from hypothesis import find
    >>> find(group_sizes(12), lambda k: k > 3)
    4
    """
    return st.integers(2, max(2, min(rows, integer("most", most, least=2))))


def draw_mu(k: int, counts: Iterable[int]) -> st.SearchStrategy[str]:
    """Draw μ for a table: tenths, and the values at which θ-sensitivity is decided by equality.

    These are the largest that the values allow, the one for which the table as a whole has V = θ,
    and the one for which k rows with a single repetition have. Some draws are just infeasible.
    ``counts`` says how often each sensitive value occurs. Fractions are texts, 0 < μ ≤ 1.

    >>> from hypothesis import find
    >>> find(draw_mu(4, [2, 1, 1]), lambda mu: mu not in ("1/10", "1/5", "3/10"))
    '2/5'
    """
    counts = tuple(counts)
    size = K.read(k)
    best, exact = Fraction(1), []
    if size > 1:
        unit = Fraction(size * size - 1, 12)
        best = min(best, theta.largest_feasible_mu(size, len(counts)))
        exact = [best, theta.variance(counts) / unit, theta.mu_for_full_diversity(size)]
    feasible = [mu for mu in (*_MUS, *exact) if 0 < mu <= best]
    beyond = [mu for mu in _MUS if mu > best][:1]
    return _mostly(list(dict.fromkeys(map(str, feasible))), list(map(str, beyond)))


def theta_parameters(
    values: int, *, k: st.SearchStrategy[int] | None = None
) -> st.SearchStrategy[dict[str, Any]]:
    """Draw ``{"k": …, "mu": …}`` that some class over a domain of so many values can meet.

    They are at least 2, for no class of one value has V > 0. By default k is from 2 to the largest
    one that μ = 1/10 allows, at most 8.

    >>> from hypothesis import find
    >>> find(theta_parameters(3), lambda request: request["k"] == 4)
    {'k': 4, 'mu': '1/10'}
    >>> theta_parameters(1)
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: values = 1: need a whole number values >= 2
    """
    domain = integer("values", values, least=2)
    sizes = st.integers(2, min(8, theta.largest_feasible_k("1/10", domain))) if k is None else k

    def feasible(size: int) -> st.SearchStrategy[dict[str, Any]]:
        best = min(Fraction(1), theta.largest_feasible_mu(size, domain))
        mus = dict.fromkeys(str(mu) for mu in (*_MUS, best) if mu <= best)
        return st.fixed_dictionaries({"k": st.just(size), "mu": st.sampled_from(list(mus))})

    return sizes.flatmap(feasible)


@st.composite
def requests(
    draw: st.DrawFn,
    names: Collection[str],
    *,
    rows: int,
    sensitive: Sequence[Hashable] = (),
    categories: Mapping[Any, Any] | None = None,
    k: Callable[[int], st.SearchStrategy[int]] = group_sizes,
) -> dict[str, Any]:
    """Draw values for the named parameters of one request for a table.

    Args:
        names: Any of ``k``, ``mu``, ``p``, ``l``, ``t``, ``alpha``, ``beta``, ``seed``, ``noise``
            and :data:`OPTIONS`; for others nothing is drawn, so that they keep their defaults.
            Of μ, α, t and β the values are fractions as text.
        sensitive: The sensitive value of each row, None if missing.
        categories: Of the sensitive values; they rank by first appearance.
        k: Returns the strategy of k for a number of rows.

    >>> from hypothesis import find
    >>> find(requests({"k", "l"}, rows=6, sensitive="aabbcc"), lambda request: request["l"] > 2)
    {'k': 2, 'l': 3}
    """
    size = draw(k(rows))
    # Without a sensitive column as if all had one value, so that there is something to draw from.
    counts = Counter(sensitive) or Counter([None])
    kinds, weight = _variety(counts, categories)
    # Only what is asked for is built: tables are drawn by the thousand.
    strategies: dict[str, Callable[[], st.SearchStrategy[Any]]] = {
        "k": lambda: st.just(size),
        "mu": lambda: draw_mu(size, counts.values()),
        "p": lambda: _least(min(size, kinds)),
        "l": lambda: _least(len(counts)),
        "t": lambda: st.sampled_from(_DISTANCES),
        "alpha": lambda: _weights(weight),
        "beta": lambda: st.sampled_from(_BETAS),
        "seed": lambda: st.integers(0, 2**32 - 1),
        # Random noise is refused without a seed.
        "noise": lambda: st.sampled_from(_NOISE if "seed" in names else _NOISE[:-1]),
    }
    values = {name: draw(strategy()) for name, strategy in strategies.items() if name in names}
    options = {name: choices for name, choices in OPTIONS.items() if name in names}
    return values | {name: draw(st.sampled_from(choices)) for name, choices in options.items()}


def _variety(
    counts: Mapping[Any, int], categories: Mapping[Any, Any] | None
) -> tuple[int, Fraction]:
    """Return how many categories occur and what the distinct values weigh together."""
    if categories is None:
        return len(counts), Fraction(0)
    ranks = {name: rank for rank, name in enumerate(dict.fromkeys(categories.values()))}
    # A missing value is a category of its own that weighs nothing.
    kinds = {categories.get(value) for value in counts}
    total = sum(ranks[categories[value]] for value in counts if value in categories)
    return len(kinds), Fraction(total, max(len(ranks) - 1, 1))


def _least(largest: int) -> st.SearchStrategy[int]:
    return _mostly(range(min(2, largest), largest + 1), [largest + 1])


def _weights(largest: Fraction) -> st.SearchStrategy[str]:
    feasible = [weight for weight in (Fraction(1, 2), Fraction(1), largest) if weight <= largest]
    return _mostly(list(dict.fromkeys(map(str, feasible))), [str(largest + Fraction(1, 2))])


def _mostly(feasible: Sequence[Value], beyond: Sequence[Value]) -> st.SearchStrategy[Value]:
    """Draw what is feasible, if anything is, seven times as often as what is not, or oftener."""
    times = -(-7 * len(beyond) // len(feasible)) if feasible and beyond else 1
    return st.sampled_from((*tuple(feasible) * times, *beyond))
