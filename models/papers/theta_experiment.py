"""Section 6 of Khan et al., Electronics 2020, 9(5), 716, run again on UCI Adult.

Adult is resampled to the paper's 160,150 tuples and anonymized for each k of Table 11. Everything
but the times follows from the file and the seed; what Figures 3 to 7 and Table 11 show is written
by :mod:`kproof.models.papers.theta_experiment_files`.

What differs from the paper, as it does not say enough to do otherwise: Adult has 32,561 (or
48,842) records, so 160,150 are drawn from those with a known occupation, with replacement;
``fnlwgt`` stands in for a zip code, which Adult does not have, and ``income`` is its salary;
occupations get the four categories of :data:`CATEGORIES`; p is 2, as in Table 4a.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from kproof.errors import DataError, Infeasible
from kproof.models.base.classes import Classes
from kproof.models.base.parameters import SEED
from kproof.models.papers.theta_results import ROWS, K, least_noise
from kproof.models.privacy.theta import Widths
from kproof.models.tables.mondrian.method import mondrian
from kproof.models.tables.readers import read_table
from kproof.models.tables.release import Release
from kproof.models.tables.table import Table
from kproof.models.tables.theta.method import theta_sensitive
from kproof.models.tables.topdown.method import p_plus_sensitive
from kproof.models.tables.utility import Utility, utility
from kproof.theory.exact.typed import integer
from kproof.theory.theorems.theta import theta

QUASI_IDENTIFIERS = ("age", "fnlwgt", "income")
SENSITIVE = "occupation"
_GROUPS = {
    "professional": ("Exec-managerial", "Prof-specialty", "Tech-support"),
    "office": ("Adm-clerical", "Sales"),
    "manual": (
        *("Craft-repair", "Farming-fishing", "Handlers-cleaners", "Machine-op-inspct"),
        "Transport-moving",
    ),
    "service": ("Armed-Forces", "Other-service", "Priv-house-serv", "Protective-serv"),
}
CATEGORIES: dict[object, object] = {job: group for group, jobs in _GROUPS.items() for job in jobs}
"""Category of each occupation; the paper has none for Adult."""


class ComparedMethod(StrEnum):
    """What is compared."""

    THETA = "theta-sensitive"
    """As a user gets it: classes formed so that exchanges are seldom needed."""
    THETA_ORDER = "theta-sensitive, rows in order"
    """Classes cut from the table as it comes, as Algorithm 1 is fed; exchanges do the work."""
    THETA_PRINTED = "theta-sensitive, as printed"
    """The same by the letter of Algorithm 1, a short last class filled with noise."""
    P_PLUS = "p+-sensitive"
    MONDRIAN = "mondrian"
    """k-anonymity alone, strict, for comparison."""


@dataclass(frozen=True, kw_only=True)
class ExperimentSetting:
    """What an experiment depends on besides the data."""

    rows: int = ROWS
    seed: int = 0
    """Records drawn, and the seed of NumPy's PCG64 for them and for the queries."""
    k: tuple[int, ...] = K
    """Class sizes."""
    mu: str = "3/5"
    p: int = 2
    """Parameters of the models."""
    queries: int = 1000
    """COUNT queries for each release, over all three quasi-identifiers."""
    selectivity: str = "0.05"
    """Of the queries by k."""
    selectivities: tuple[str, ...] = ("0.01", "0.02", "0.05", "0.1", "0.2", "0.4")
    selectivity_k: int = 10
    """Of the queries by selectivity, and the class size they are asked at."""
    repeats: int = 3
    """Runs that the shortest time is taken of."""


@dataclass(frozen=True, kw_only=True)
class ReleaseCost:
    """A release and what it costs; None where there is none."""

    method: ComparedMethod
    k: int
    """What was run."""
    classes: int | None = None
    noise: int | None = None
    """Number of classes and of noise rows."""
    least_noise: int = 0
    """Noise rows that no release in ``rows // k`` classes above θ can do without."""
    below_theta: int | None = None
    """Classes with V < θ."""
    discernibility: int | None = None
    baseline: int = 0
    """DCP, and the paper's baseline k · rows."""
    average_class_size: Fraction | None = None
    """C_AVG."""
    uniform_error: float | None = None
    intersecting_error: float | None = None
    """Mean relative errors of an analyst who spreads a class evenly over its labels, and of one
    who counts every row whose labels meet the query, as the paper does."""


@dataclass(frozen=True, kw_only=True)
class QueryPoint:
    """Mean relative query errors at one selectivity; see :class:`ReleaseCost`."""

    method: ComparedMethod
    k: int
    selectivity: str
    attained: float
    uniform_error: float
    intersecting_error: float


@dataclass(frozen=True, kw_only=True)
class Timing:
    """The shortest of some runs, in seconds on one machine; None if there is no release."""

    method: ComparedMethod
    k: int
    seconds: float | None


@dataclass(frozen=True)
class ThetaExperiment:
    """What an experiment measured."""

    setting: ExperimentSetting
    """What it was run with."""
    counts: dict[str, int]
    """Records with each occupation."""
    measures: tuple[ReleaseCost, ...]
    queries: tuple[QueryPoint, ...]
    times: tuple[Timing, ...]
    """One row for each method and k, or selectivity."""


def adult(source: str | Path) -> Table:
    """Read Adult's records with a known occupation from a file, with or without a header."""
    table = read_table(source, quasi_identifiers=QUASI_IDENTIFIERS, sensitive=SENSITIVE)
    column = table.sensitive
    if column is None or not set(column.values) & set(CATEGORIES):
        raise DataError(f"{source}: column {SENSITIVE} has none of Adult's occupations")
    has_category = np.array([value in CATEGORIES for value in column.values])
    rows = np.flatnonzero(has_category[column.codes])
    return rows_of(replace(table, categories=CATEGORIES), rows)


def resample(table: Table, rows: int, *, seed: int) -> Table:
    """Draw records with replacement, at least one, by NumPy's PCG64."""
    count = integer("rows", rows, least=1)
    generator = np.random.Generator(np.random.PCG64(SEED.read(seed)))
    return rows_of(table, generator.integers(0, table.rows, count))


def rows_of(table: Table, rows: np.ndarray[Any, np.dtype[np.int64]]) -> Table:
    """Return the given rows of a table as a table; values that no longer occur leave it."""

    def select(column: Any) -> Any:
        # In ascending order, so that the values that remain keep theirs.
        codes, place = np.unique(column.codes[rows], return_inverse=True)
        values = tuple(column.values[code] for code in codes)
        return replace(column, codes=place.reshape(-1).astype(np.int32), values=values)

    return replace(
        table,
        rows=len(rows),
        quasi_identifiers=tuple(select(column) for column in table.quasi_identifiers),
        sensitive=None if table.sensitive is None else select(table.sensitive),
        source=None,
    )


def run(
    table: Table,
    setting: ExperimentSetting | None = None,
    *,
    progress: Callable[[str], None] | None = None,
) -> ThetaExperiment:
    """Resample a table, anonymize it for each k and measure the releases.

    The setting is the paper's unless given; ``progress`` is called with a line before each release.
    """
    settings = setting or ExperimentSetting()
    sample = resample(table, settings.rows, seed=settings.seed)
    if (column := sample.sensitive) is None:
        raise DataError("the experiment needs a sensitive column")
    counts = np.bincount(column.codes, minlength=len(column.values))
    measures, queries, times = [], [], []
    for k in settings.k:
        # Of the table alone, so that it stands beside every method, and where there is no release.
        fewest = least_noise(tuple(counts.tolist()), k=k, mu=settings.mu)
        for method in ComparedMethod:
            if progress is not None:
                progress(f"k = {k}: {method}")
            release, seconds = _time(sample, method, k, settings)
            times.append(Timing(method=method, k=k, seconds=seconds))
            blank = ReleaseCost(method=method, k=k, least_noise=fewest, baseline=k * settings.rows)
            measures.append(blank if release is None else _measure(release, blank, settings))
            if release is not None and k == settings.selectivity_k:
                queries += _query(release, method, k, settings)
    by_name = {str(v): int(n) for v, n in zip(column.values, counts, strict=True)}
    return ThetaExperiment(settings, by_name, tuple(measures), tuple(queries), tuple(times))


def below(classes: Classes, threshold: Fraction) -> int:
    """Return how many classes have V below a threshold.

    >>> rows = Classes(np.array([0, 0, 1, 1]), 2, np.array([0, 0, 0, 1]), ("Flu", "HIV"))
    >>> below(rows, Fraction(3, 20))
    1
    """
    # Classes of a few thousand rows over a few dozen values: far below 2^63.
    sizes, first, second = Widths.of(classes.histogram).keys
    scaled = sizes * second - first * first
    limit = threshold.numerator * sizes**2
    return int(np.count_nonzero(scaled * threshold.denominator < limit))


def _time(
    table: Table, method: ComparedMethod, k: int, setting: ExperimentSetting
) -> tuple[Release | None, float | None]:
    theta_for_k = partial(theta_sensitive, table, k=k, mu=setting.mu)
    ways: dict[ComparedMethod, Callable[[], Release]] = {
        ComparedMethod.THETA: partial(theta_for_k, form="diverse"),
        ComparedMethod.THETA_ORDER: partial(theta_for_k, form="order"),
        ComparedMethod.THETA_PRINTED: partial(theta_for_k, reading="printed"),
        ComparedMethod.P_PLUS: partial(p_plus_sensitive, table, p=setting.p, k=k),
        ComparedMethod.MONDRIAN: partial(mondrian, table, k=k, cuts="median"),
    }
    release, seconds = None, []
    for _ in range(setting.repeats):
        start = perf_counter()
        try:
            release = ways[method]()
        except Infeasible:
            return None, None
        seconds.append(perf_counter() - start)
    # The shortest: what else a machine does only ever adds to a time.
    return release, min(seconds)


def _cost(release: Release, k: int, selectivity: str, setting: ExperimentSetting) -> Utility:
    over = {"dimension": len(QUASI_IDENTIFIERS), "queries": setting.queries, "seed": setting.seed}
    return utility(release, k=k, selectivity=selectivity, **over)


def _measure(release: Release, blank: ReleaseCost, setting: ExperimentSetting) -> ReleaseCost:
    cost = _cost(release, blank.k, setting.selectivity, setting)
    error = cost.query_error
    return replace(
        blank,
        classes=cost.classes,
        noise=cost.noise,
        below_theta=below(release.classes(), theta(blank.k, setting.mu)),
        discernibility=cost.discernibility,
        average_class_size=cost.average_class_size,
        uniform_error=None if error is None else error.uniform_mean,
        intersecting_error=None if error is None else error.intersecting_mean,
    )


def _query(
    release: Release, method: ComparedMethod, k: int, setting: ExperimentSetting
) -> list[QueryPoint]:
    points = []
    for selectivity in setting.selectivities:
        if (error := _cost(release, k, selectivity, setting).query_error) is not None:
            point = QueryPoint(
                method=method,
                k=k,
                selectivity=selectivity,
                attained=error.attained,
                uniform_error=error.uniform_mean,
                intersecting_error=error.intersecting_mean,
            )
            points.append(point)
    return points
