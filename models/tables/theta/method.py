"""θ-sensitive k-anonymity: the anonymizer and its options.

The moves it is made of are in :mod:`kproof.models.tables.theta.moves`, the run in plain Python in
:mod:`kproof.models.tables.theta.runs`, the same run compiled in
:mod:`kproof.models.tables.theta.kernel`.

Source: Khan et al., "θ-Sensitive k-Anonymity", Electronics 2020, 9(5), 716, Section 5.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kproof.errors import DataError, InvalidArgument, show
from kproof.models.base.arrays import Codes
from kproof.models.base.parameters import REACHABLE_MU, SEED
from kproof.models.tables.axes import group_size
from kproof.models.tables.release import Release
from kproof.models.tables.sealing import seal
from kproof.models.tables.table import Table
from kproof.models.tables.theta.alike import join_groups
from kproof.models.tables.theta.forming import classes_of, forms_of, read_classes
from kproof.models.tables.theta.kernel import adjust
from kproof.models.tables.theta.moves import Threshold, require_feasible
from kproof.models.tables.theta.options import Exhausted, Form, Noise, Remainder
from kproof.models.tables.theta.runs import adjust_printed, form_classes
from kproof.models.tables.utility import loss_of
from kproof.theory.exact.typed import Number, choice
from kproof.theory.reading import PRINTED_OR_CORRECTED, Reading


def theta_sensitive(
    table: Table,
    *,
    k: int,
    mu: Number = "3/5",
    reading: Reading | str = Reading.CORRECTED,
    form: Form | str | None = None,
    classes: Iterable[int] | None = None,
    remainder: Remainder | str | None = None,
    noise: Noise | str = Noise.FREQUENT,
    exhausted: Exhausted | str = Exhausted.REPEAT,
    per_class_theta: bool = False,
    seed: int | None = None,
) -> Release:
    """Publish a table so that each class has at least k people and V ≥ θ.

    Classes are formed first. Then, class by class, while V < θ a most frequent value is exchanged
    with a value absent from the class, taken from the first later class with V ≥ θ that has one;
    the last class does so with the one before it. When no exchange is possible, noise rows with
    absent values are added. Whole records move, and quasi-identifiers are generalized afterwards.

    *Why every class reaches θ, and why it ends.* A class with V < θ has a repeated value, since a
    class of N ≥ k distinct values has V = (N² − 1)/12 ≥ θ. Exchanging a repeated most frequent
    value for an absent one raises the number of distinct values by one, so a class of d values
    takes part as receiver at most D − d times and then gets at most D noise rows, D being the
    size of the domain. An exchange touches the class at hand and a later one, whose turn is still
    to come, so a finished class stays as it is; only the last class reaches back, and the move it
    makes gives the class before it an absent value for one of its most frequent ones. That move
    never lowers a variance: with weight t for the last of the most frequent values, d for the
    rarest and mean weight w ≤ (d + 1)/2, it changes V by s/N·(d + 1 + t − 2w − s/N), s = d + 1 − t,
    which is positive if the value repeats (then N > d, so s/N < 1 ≤ t); if none repeats, V stays.

    *Classes that look alike.* To a reader, classes with equal labels are one, and V of several
    together may be below θ though each reaches it. Such classes are formed as one and the run
    begins anew; with every time there are fewer classes, so this ends, too.

    Args:
        table: With a sensitive column and at least k rows.
        k: Least number of people in a class, k ≥ 2.
        mu: Share of the variance of a fully diverse class of k rows that is asked for, 0 < μ ≤ 1.
        reading: ``"corrected"``, or ``"printed"`` for Algorithm 1 as it stands: one step for each
            class there is, donors looked for in the next class only and judged by their first
            variance, and θ to be exceeded. Its releases may have classes below θ.
        form: How rows become classes of k. ``"least-loss"`` cuts the table apart where labels lose
            least, as long as both sides reach θ, so that hardly a row is exchanged or added; for
            ``remainder="merge"``, and for tables that reach θ as a whole. ``"diverse"`` halves the
            table again and again along its widest quasi-identifier while the rows of each half can
            be dealt out into classes that pass; ``"compact"`` halves it down to k rows, which takes
            far more swaps and noise; ``"sorted"`` orders rows by the quasi-identifiers; ``"order"``
            takes them as they come. ``"best"`` does what ``"diverse"`` and, if it can,
            ``"least-loss"`` do and publishes what loses less (NCP), a row that is added or left out
            losing everything. By default ``"order"`` in the printed reading and ``"best"`` in the
            corrected one.
        classes: Class number of each row, instead of ``form``; each class needs at least k rows.
        remainder: ``"merge"``, ``"noise"`` or ``"suppress"`` for the rows % k last rows; by default
            ``"noise"`` in the printed reading and ``"merge"`` in the corrected one.
        noise: The value of a noise row, absent from its class: ``"frequent"`` in the table,
            ``"first"`` in the order of the values, or ``"random"``.
        exhausted: What to do if every value is in a class already: ``"repeat"`` values or
            ``"refuse"``.
        per_class_theta: Whether θ is taken at each class's published size instead of k.
        seed: Required by ``noise="random"``, at least 0.

    Returns:
        With every swap and noise row accounted for. Among equals the lowest code is exchanged; of
        its records the one that came last by an exchange, else the first in the table, moves.

    Raises:
        DataError: If there is no sensitive column.
        Infeasible: If the sensitive values are too few for θ; names the largest μ and the largest k
            they allow.

    The twelve patients of Table 1a in their order, by age:

    >>> import pandas as pd
    >>> from kproof.models.tables.table import Table
    >>> patients = pd.DataFrame({
    ...     "age": [34, 40, 26, 25, 40, 48, 45, 40, 40, 37, 36, 35],
    ...     "disease": ["HIV", "HIV", "Cancer", "Cancer", "Hepatitis", "Phthisis", "Asthma",
    ...                 "Obesity", "Flu", "Flu", "Flu", "Indigestion"],
    ... })
    >>> table = Table.from_frame(patients, quasi_identifiers=["age"], sensitive="disease")
    >>> release = theta_sensitive(table, k=4, form="order")
    >>> release.count, len(release.swaps), len(release.noise_class)
    (3, 3, 1)
    >>> few = Table.from_frame(patients[8:], quasi_identifiers=["age"], sensitive="disease")
    >>> theta_sensitive(few, k=4)
    Traceback (most recent call last):
    kproof.errors.Infeasible: column disease: 2 distinct values cannot reach theta = 3/4
    (k = 4, mu = 3/5); need mu at most 1/5 or k at most 2
    """
    k = group_size(table, k)
    threshold = Threshold(REACHABLE_MU.read(mu), k, per_class_theta)
    reading = choice("reading", reading, PRINTED_OR_CORRECTED)
    printed = reading is Reading.PRINTED
    form = choice("form", form or (Form.ORDER if printed else Form.BEST), Form)
    remainder = remainder or (Remainder.NOISE if printed else Remainder.MERGE)
    remainder = choice("remainder", remainder, Remainder)
    noise = choice("noise", noise, Noise)
    exhausted = choice("exhausted", exhausted, Exhausted)
    if seed is not None:
        seed = SEED.read(seed)
    if noise is Noise.RANDOM and seed is None:
        raise InvalidArgument("seed", seed, 'a whole number seed >= 0 with noise="random"')
    if (secret := table.only_secret("theta-sensitive")) is None:
        raise DataError("theta-sensitive: the table has no sensitive column; name one")
    codes = secret.codes.astype(np.int64)
    domain, name = len(secret.values), secret.name
    require_feasible(threshold, domain, f"column {show(name)}")

    parameters: dict[str, object] = {
        "k": k,
        "mu": str(threshold.mu),
        "reading": reading.value,
        "form": "given",
        "remainder": remainder.value,
        "noise": noise.value,
        "exhausted": exhausted.value,
        "per_class_theta": per_class_theta,
        "seed": seed,
    }

    def release_of(class_of: Codes, form: str) -> Release:
        settings = parameters | {"form": form}
        while True:
            start = form_classes(codes, class_of, domain, threshold, noise=noise, seed=seed)
            adjusted = adjust_printed(start) if printed else adjust(start)
            adjusted = adjusted.reinforce(start, exhausted, column=name)
            release = seal(
                table,
                adjusted.class_of,
                method="theta-sensitive",
                parameters=settings,
                noise_class=adjusted.noise_class,
                noise_value=adjusted.noise_value,
                swaps=adjusted.swaps,
                formed_as=class_of,
            )
            # The printed algorithm is studied with its defects, of which this is one.
            into = None if printed else join_groups(release, threshold)
            if into is None:
                return release
            # Formed anew and not adjusted further: what was exchanged and added
            # was for other classes.
            class_of = np.where(class_of < 0, -1, into[class_of])

    if classes is not None:
        return release_of(read_classes(classes, rows=table.rows, k=k), "given")
    releases = [
        release_of(classes_of(table, option, remainder, threshold), option.value)
        for option in forms_of(form, remainder, table, threshold)
    ]
    # The loss of a release takes a pass over its labels: one alone is spared it.
    return releases[0] if len(releases) == 1 else min(releases, key=loss_of)
