"""MLE and BAS on mobility traces: where a victim was seen against traces without names.

This is what the attacks were made for. Traces are published under pseudonyms, positions rounded to
cells of a grid and times to periods. Side information is where and when the victim was seen, up
to a normal error that is cut off at three standard deviations. A trace contradicts it that is
farther away at that time, or nowhere. Distances are metres on an equal-area map around the
traces.

Of Section II of Zhao et al. levels III and IV apply: the traces of a share of users are known and
nobody else's. Who met whom under pseudonyms, which levels II and IV have, the published traces
show already, so that it changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from kproof.errors import DataError, InvalidArgument, TooLarge, shown
from kproof.models.fu import FU
from kproof.models.inference import Attack, Background, Flags, Floats, best, shares
from kproof.models.plane import Plane
from kproof.models.points import Points
from kproof.models.table import Codes
from kproof.models.verdict import SCHEMA
from kproof.theory.numbers import Number, integer, rational

REACH = 3
"""Standard deviations at which the error of an observation is cut off."""

_SLACK = 1e-6
"""Metres by which a position on the edge of a cell may be misplaced by rounding."""

_NAMES = {
    "latitude": ("lat", "latitude"),
    "longitude": ("lon", "lng", "longitude"),
    "time": ("timestamp", "time", "datetime"),
    "user": ("user", "user_id", "trajectory_id"),
}
"""What columns may be called."""


@dataclass(frozen=True, eq=False)
class Traces:
    """Who was where and when; built by :meth:`of` or :func:`read_traces`.

    Attributes
    ----------
    points
        Positions and whose they are.
    seconds
        Shape (points,): times in whole seconds.
    """

    points: Points
    seconds: Codes = field(repr=False)

    @classmethod
    def of(
        cls, lat: ArrayLike, lon: ArrayLike, *, users: Iterable[object], seconds: ArrayLike
    ) -> Traces:
        """Return the traces of four columns.

        Raises
        ------
        DataError
            If a point is not on the globe or nobody's.
        InvalidArgument
            If the columns do not fit together, or times are not whole seconds.

        Examples
        --------
        >>> Traces.of([52, 52], [13, 13], users=["ada", "bob"], seconds=[0, 60]).users
        2
        """
        points = Points.of(lat, lon, users=users)
        times = np.asarray(seconds)
        if times.shape != (points.count,):
            raise InvalidArgument("seconds", times.shape, f"shape ({points.count},)")
        if times.dtype.kind not in "iu":
            raise InvalidArgument("seconds", times.dtype, "whole numbers")
        frozen = times.astype(np.int64)
        frozen.flags.writeable = False
        return cls(points, frozen)

    @property
    def users(self) -> int:
        """Number of users."""
        return len(self.points.names)

    def index(self, name: object) -> int:
        """Return the index of a user by name.

        Raises
        ------
        InvalidArgument
            If there is no such user.
        """
        try:
            return self._places[name]
        except (KeyError, TypeError):
            raise InvalidArgument("user", name, f"one of the {self.users} users") from None

    @cached_property
    def _places(self) -> dict[object, int]:
        return {name: place for place, name in enumerate(self.points.names)}


@dataclass(frozen=True, eq=False)
class TraceRelease:
    """Published traces; built by :func:`publish_traces`.

    Attributes
    ----------
    traces
        What they were made of.
    x, y
        Shape (users, periods): the published position in metres, NaN where there is none. That
        row i is user i is the account; a reader sees rows in no order.
    exact_x, exact_y
        Same shape: the position before it was rounded.
    cell
        Side of the cells in metres, 0 for none.
    period
        Length of the periods in seconds.
    """

    traces: Traces
    x: Floats = field(repr=False)
    y: Floats = field(repr=False)
    exact_x: Floats = field(repr=False)
    exact_y: Floats = field(repr=False)
    cell: float
    period: int

    @property
    def periods(self) -> int:
        """Number of periods."""
        return int(self.x.shape[1])

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form: figures, no positions."""
        return {
            "schema": SCHEMA,
            "users": self.traces.users,
            "points": self.traces.points.count,
            "periods": self.periods,
            "cell": self.cell,
            "period": self.period,
        }


def publish_traces(traces: Traces, *, cell: Number = 0, period: Number = 60) -> TraceRelease:
    """Publish traces without names: one position in each period, rounded to a cell.

    Parameters
    ----------
    traces
        At least one point. The first one of a user in a period is published.
    cell
        Side of the cells in metres, 0 or more; positions are the middles of cells. 0 publishes
        positions as they are.
    period
        In seconds, from 1.

    Raises
    ------
    InvalidArgument
        If a value is out of range or there are no points.
    TooLarge
        If users times periods are more than a table of them can hold.

    Examples
    --------
    >>> traces = Traces.of([52, 52], [13, 13], users=["ada", "bob"], seconds=[0, 60])
    >>> publish_traces(traces, cell=100).periods
    2
    """
    points, width = traces.points, float(rational("cell", cell, least=0))
    step = integer("period", period, least=1)
    if points.users is None or not points.count:
        raise InvalidArgument("traces", "no points", "at least one")
    turn = traces.seconds // step
    first = int(turn.min())
    periods = int(turn.max()) - first + 1
    if traces.users * periods > MOST:
        raise TooLarge(f"{traces.users} users times {periods} periods; use longer periods")
    middle = float(np.median(points.lat)), float(np.median(points.lon))
    x, y = Plane(min(max(middle[0], -89), 89), middle[1]).metres(points.lat, points.lon)
    shape = (traces.users, periods)
    exact_x, exact_y = np.full(shape, np.nan), np.full(shape, np.nan)
    # Written backwards in time, so that the first point of a period stays.
    order = np.lexsort((-np.arange(points.count), -traces.seconds))
    where = points.users[order], turn[order] - first
    exact_x[where], exact_y[where] = x[order], y[order]
    return TraceRelease(
        traces,
        _rounded(exact_x, width),
        _rounded(exact_y, width),
        exact_x,
        exact_y,
        width,
        step,
    )


MOST = 100_000_000
"""Most positions, users times periods, that are published."""


def trace(
    attack: Attack,
    release: TraceRelease,
    background: Background,
    *,
    observations: int = 0,
    noise: Number = 0,
    seed: Number = 0,
) -> FU:
    """Look for every user whose trace is not known, and return how many are identified.

    The likelihood of normal errors is largest for the trace with the least sum of squared distances
    between where the victim was seen and the position published at that time: that is MLE. BAS
    counts the times at which the victim may have been where the trace was.

    Parameters
    ----------
    attack
        MLE or BAS.
    release
        Published traces.
    background
        Whose traces the adversary has.
    observations
        How often each victim was seen, each time in another period; less often if the victim has
        positions in fewer.
    noise
        Standard deviation along each axis of where they were seen, in metres, 0 or more.
    seed
        Of times and errors.

    Raises
    ------
    InvalidArgument
        If there are more observations than periods, or the noise is negative.
    """
    sigma = float(rational("noise", noise, least=0))
    if not 0 <= observations <= release.periods:
        admissible = f"0 <= observations <= {release.periods}, the number of periods"
        raise InvalidArgument("observations", observations, admissible)
    victims = np.flatnonzero(~background.known)
    rng = np.random.default_rng((4, integer("seed", seed, least=0)))
    score = np.zeros((len(victims), len(victims)))
    against = np.zeros(score.shape, dtype=np.bool_)
    there = ~np.isnan(release.exact_x[victims])
    # A random order of the periods in which a user has a position, the others after them.
    order = np.argsort(np.where(there, rng.random(there.shape), 2), axis=1)
    for turn in range(observations):
        when = order[:, turn]
        seen = there[np.arange(len(victims)), when]
        error = _errors(rng, len(victims), sigma)
        given = _Given(
            release.exact_x[victims, when] + error[0], release.exact_y[victims, when] + error[1]
        )
        agrees, log = _compared(release, victims, when, given, sigma)
        against |= ~agrees & seen[:, None]
        score += np.where(seen[:, None], agrees if attack is Attack.BAS else log, 0)
    top = best(attack, score, against)
    right = top.diagonal().astype(np.int64)
    tied = top.sum(axis=1)
    right.flags.writeable = tied.flags.writeable = victims.flags.writeable = False
    return FU(
        attack=str(attack),
        parameters={
            **shares(background.adversary),
            "observations": observations,
            "noise": sigma,
            "cell": release.cell,
            "period": release.period,
        },
        victims=victims,
        right=right,
        tied=tied,
        known=int(np.count_nonzero(background.known)),
        sanity=None,
    )


def read_traces(path: str | Path) -> Traces:
    """Read traces from a CSV file with columns for latitude, longitude, time and user.

    Times are whole seconds, or dates with times of day such as ``2008/06/08 07:14:47``; without a
    time zone they are taken as UTC.

    Raises
    ------
    DataError
        If the file cannot be read, a column is missing, or a cell is not what it should be.
    """
    from kproof.datasets import read_table

    table = read_table(path)
    spelled = {name.strip().lower(): place for place, name in enumerate(table.names)}
    columns = {}
    for meaning, names in _NAMES.items():
        places = [spelled[name] for name in names if name in spelled]
        if not places:
            raise DataError(f"{path}: no column for the {meaning}; need {' or '.join(names)}")
        columns[meaning] = table.cells[places[0]]
    numbers = {}
    for meaning in ("latitude", "longitude"):
        numbers[meaning] = [
            _number(path, line, meaning, cell)
            for line, cell in zip(table.lines, columns[meaning], strict=True)
        ]
    seconds = [
        _second(path, line, cell) for line, cell in zip(table.lines, columns["time"], strict=True)
    ]
    users = columns["user"]
    return Traces.of(
        numbers["latitude"],
        numbers["longitude"],
        users=users,
        seconds=np.array(seconds, dtype=np.int64),
    )


@dataclass(frozen=True, eq=False)
class _Given:
    """Where each victim was seen."""

    x: Floats
    y: Floats


def _compared(
    release: TraceRelease, victims: Codes, when: Codes, given: _Given, sigma: float
) -> tuple[Flags, Floats]:
    """Return which traces agree with one observation of each victim, and squares as scores."""
    across = release.x[victims][:, when].T - given.x[:, None]
    up = release.y[victims][:, when].T - given.y[:, None]
    half = release.cell / 2
    outside = np.hypot(np.maximum(np.abs(across) - half, 0), np.maximum(np.abs(up) - half, 0))
    # Nothing is as near as NaN, which stands for no position.
    agrees: Flags = outside <= REACH * sigma + _SLACK
    return agrees, -np.nan_to_num(across**2 + up**2)


def _errors(rng: np.random.Generator, count: int, sigma: float) -> tuple[Floats, Floats]:
    """Return normal errors along both axes, cut off at REACH standard deviations."""
    # The squared distance is exponential; its law is inverted below the cut.
    inside = rng.random(count) * -np.expm1(-(REACH**2) / 2)
    distance = sigma * np.sqrt(-2 * np.log1p(-inside))
    angle = 2 * np.pi * rng.random(count)
    return distance * np.cos(angle), distance * np.sin(angle)


def _rounded(metres: Floats, cell: float) -> Floats:
    return (np.floor(metres / cell) + 0.5) * cell if cell else metres


def _number(path: str | Path, line: int, meaning: str, cell: str) -> float:
    try:
        return float(rational(meaning, cell.strip()))
    except InvalidArgument:
        raise DataError(f"{path}, line {line}: {meaning} {shown(cell)} is not a number") from None


def _second(path: str | Path, line: int, cell: str) -> int:
    written = cell.strip()
    if written.lstrip("-").isdecimal() and len(written) < 16:
        return int(written)
    try:
        moment = datetime.fromisoformat(written.replace("/", "-"))
    except ValueError:
        admissible = "whole seconds, or a date and a time of day"
        raise DataError(f"{path}, line {line}: time {shown(cell)}; need {admissible}") from None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return int(aware.timestamp())
