"""θ-sensitive classes that withstand whoever knows how they were made.

Algorithm 1 repairs a class that lacks variety, and the repair gives it away: a value that was added
occurs once (T62 of the ledger). Here such a class is withheld, and so is every other one by a coin
of chance ρ. Of a class that is shown, who knows all this believes what everybody believes who sees
it. Of one that is withheld, she believes hardly more than before: the odds of any event rise by a
factor of 1/ρ at most.

Source: our own; the theorems are ``withheld_odds``, ``withheld_belief``, ``withheld_attained`` and
``published_same`` of ``theory/rocq/Withheld.v``.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from kproof.errors import DataError, Infeasible, show
from kproof.models.base.arrays import Codes
from kproof.models.base.classes import histogram
from kproof.models.base.missing import MISSING, text
from kproof.models.base.parameters import REACHABLE_MU, SEED, WITHHOLD
from kproof.models.tables.axes import group_size
from kproof.models.tables.encoding import is_number
from kproof.models.tables.release import Release
from kproof.models.tables.sealing import seal
from kproof.models.tables.table import Table
from kproof.models.tables.theta.forming import compact
from kproof.models.tables.theta.moves import Threshold, require_feasible
from kproof.models.tables.theta.options import Remainder
from kproof.theory.exact.coins import CoinSource
from kproof.theory.exact.typed import Number, rational


def theta_withheld(
    table: Table, *, k: int, mu: Number = "3/5", withhold: Number = "1/5", seed: int | None = None
) -> Release:
    """Publish the classes of at least k people with V ≥ θ, but each of them only by a coin.

    The sensitive column is one of texts, and each cell is shown as it stands: how a column of
    numbers is written depends on all of its cells, also on withheld ones. The table, its rows
    shuffled, is halved along its widest quasi-identifier without a look at any
    sensitive value (:func:`~kproof.models.tables.theta.forming.compact`); classes with equal labels
    are one. Then a coin is tossed for every class. It is withheld, all of its rows left out, if V <
    θ or if the coin says so, which it does with chance ``withhold``. No record is moved, and none
    is added.

    Run it once. Whoever runs it again, until the outcome pleases or as nothing was published,
    chooses by what was withheld; a class that several runs withhold is known by each of them.

    Args:
        table: With a sensitive column and at least k rows, each of another person.
        k: Least number of people in a class, k ≥ 2.
        mu: Share of the variance of a fully diverse class of k rows that is asked for, 0 < μ ≤ 1.
        withhold: ρ, 0 < ρ < 1: the chance with which a class that passes is withheld. Somebody in
            a withheld class who has a value with chance s beforehand has it with chance
            s/(s + ρ(1 − s)) at most; see :func:`largest_belief`.
        seed: For tests. Coins are the operating system's unless there is a seed, and whoever knows
            the seed knows every coin, so that nothing made with one is fit to be published.

    Raises:
        DataError: If there is no sensitive column, or it is not one of texts; if a known column is
            sensitive, too.
        Infeasible: If the sensitive values are too few for θ, or every class is withheld.

    >>> import pandas as pd
    >>> ages, illness = range(12), [*"FFFH", *"FHCA", *"FHCA"]
    >>> frame = pd.DataFrame({"age": ages, "illness": illness})
    >>> roles = {"quasi_identifiers": ["age"], "sensitive": "illness"}
    >>> release = theta_withheld(Table.from_frame(frame, **roles), k=4, seed=3)
    >>> release.count, release.suppressed.tolist()
    (2, [0, 1, 2, 3])
    """
    k = group_size(table, k)
    threshold = Threshold(REACHABLE_MU.read(mu), k)
    chance = WITHHOLD.read(withhold)
    seed = None if seed is None else SEED.read(seed)
    if (secret := table.only_secret("theta-withheld")) is None:
        raise DataError("theta-withheld: the table has no sensitive column; name one")
    if table.both:
        names = ", ".join(map(show, table.both))
        raise DataError(
            f"theta-withheld: known and sensitive: {names}, but classes are formed without a look "
            "at any secret; name a column one of both"
        )
    if secret.numeric or not all(
        value is MISSING or isinstance(value, str) for value in secret.values
    ):
        raise _not_texts(secret.name)
    require_feasible(threshold, len(secret.values), f"column {show(secret.name)}")
    parameters = {"k": k, "mu": str(threshold.mu), "withhold": str(chance), "seed": seed}
    coins = CoinSource.of_system() if seed is None else CoinSource.of_seed(seed)
    formed = _form(table, k, coins)
    count = int(formed.max()) + 1
    entries = histogram(formed, secret.codes.astype(np.int64), count, len(secret.values))
    number_of = np.full(count, -1, dtype=np.int64)
    shown = 0
    for number, start in enumerate(entries.starts[:-1].tolist()):
        # Every class has its coin, failing or not, so that the number of coins tells nothing.
        withheld = coins.toss(chance)
        counts = entries.counts[start : entries.starts[number + 1]].tolist()
        if threshold.passes(dict(enumerate(counts))) and not withheld:
            number_of[number] = shown
            shown += 1
    # An error and no empty release: that nothing is shown is an outcome as well, and
    # must not be tried away.
    if not shown:
        raise Infeasible(
            f"theta-withheld: all {count} classes are withheld, and nothing is published; that is "
            "the outcome, and another run would choose by it"
        )
    shown_codes = np.unique(secret.codes[number_of[formed] >= 0]).tolist()
    if all(is_number(text(secret.values[code])) for code in shown_codes):
        # Numbers that are shown as texts would say that some withheld cell is none.
        raise _not_texts(secret.name)
    return seal(table, number_of[formed], method="theta-withheld", parameters=parameters)


def largest_belief(share: Number, withhold: Number) -> Fraction:
    """Return the largest chance that somebody in a withheld class has a value.

    It is attained where just the classes with that value fail (``withheld_attained``). ``share`` is
    the chance that somebody has it before anything is published, ``withhold`` is ρ.

    >>> largest_belief("1/5", withhold="1/5")
    Fraction(5, 9)
    """
    before, coin = rational("share", share, least=0, most=1), WITHHOLD.read(withhold)
    return before / (before + coin * (1 - before))


def _not_texts(name: str) -> DataError:
    return DataError(
        f"theta-withheld: column {show(name)} is not one of texts that are no numbers, and how it "
        "is written would depend on cells that are withheld; put numbers into named ranges"
    )


def _form(table: Table, k: int, coins: CoinSource) -> Codes:
    """Return classes of k rows, no two with equal labels, from what is known of everybody."""
    # Rows that are equal but for the secret may stand in its order, which classes would follow.
    order = list(range(table.rows))
    coins.shuffle(order)
    class_of = np.empty(table.rows, dtype=np.int64)
    class_of[order] = compact(table.of_rows(np.array(order)), k, Remainder.MERGE)
    # Over and over: classes that are joined show wider labels, which others may show as well.
    while True:
        shown = seal(table, class_of, method="theta-withheld", parameters={})
        if shown.count == shown.groups:
            return class_of
        class_of = shown.class_of
