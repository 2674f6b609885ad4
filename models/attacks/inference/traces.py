"""MLE and BAS on mobility traces: where a victim was seen against traces without names.

This is what the attacks were made for. Traces are published under pseudonyms, positions rounded to
cells of a grid that is there whatever the data (:mod:`kproof.models.places.globe_grid`) and times
to periods. Side information is where and when the victim was seen, up to a normal error that is cut
off at three standard deviations. A trace contradicts it that is farther away at that time, or
nowhere; without an error, one whose cell is another. Distances are metres on an equal-area map.

Of Section II of Zhao et al. levels III and IV apply: the traces of a share of users are known and
nobody else's. Who met whom under pseudonyms, which levels II and IV have, the published traces
show already, so that it changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from kproof.errors import InvalidArgument, TooLarge
from kproof.forms import JsonForm
from kproof.models.attacks.inference.base import Background, Flags, Floats, Scoring, best, shares
from kproof.models.attacks.inference.fu import FU
from kproof.models.base.arrays import Codes
from kproof.models.base.parameters import SEED
from kproof.models.base.verdict import SCHEMA
from kproof.models.places.globe_grid import GlobeGrid
from kproof.models.places.log import read_log
from kproof.models.places.plane import plane_around
from kproof.models.places.points import Points
from kproof.theory.exact.typed import Number, integer, rational

FINEST = 0.001
"""Least side of a cell in metres."""

REACH = 3
"""Standard deviations at which the error of an observation is cut off."""

_SLACK = 1e-6
"""Metres by which a position on the edge of a cell may be misplaced by rounding."""


@dataclass(frozen=True, eq=False)
class Traces:
    """Who was where and when; built by :meth:`of` or :func:`read_traces`."""

    points: Points
    """Positions and whose they are."""
    seconds: Codes = field(repr=False)
    """Shape (points,): times in whole seconds."""

    @classmethod
    def of(
        cls, lat: ArrayLike, lon: ArrayLike, *, users: Iterable[object], seconds: ArrayLike
    ) -> Traces:
        """Return the traces of four columns: every point is somebody's, times are whole seconds.

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
        """Return the index of a user by name."""
        try:
            return self._places[name]
        except (KeyError, TypeError):
            raise InvalidArgument("user", name, f"one of the {self.users} users") from None

    @cached_property
    def _places(self) -> dict[object, int]:
        return {name: place for place, name in enumerate(self.points.names)}


@dataclass(frozen=True, eq=False)
class TraceRelease:
    """Published traces; built by :func:`publish_traces`."""

    traces: Traces
    """What they were made of."""
    lat: Floats = field(repr=False)
    lon: Floats = field(repr=False)
    """Shape (users, periods): the published position in degrees, NaN where there is none. That
    row i is user i is the account; a reader sees rows in no order."""
    areas: Codes = field(repr=False)
    """Same shape: number of the published cell, or of the published position where there are no
    cells; -1 where there is none. Positions of one number are alike to a reader."""
    x: Floats = field(repr=False)
    y: Floats = field(repr=False)
    """Same shape: the published position in metres on the map with which the attacks measure."""
    half: Floats = field(repr=False)
    south: Floats = field(repr=False)
    north: Floats = field(repr=False)
    """Same shape: half the width of the cell and its sides on that map, in metres."""
    exact_x: Floats = field(repr=False)
    exact_y: Floats = field(repr=False)
    """Same shape: the position before it was rounded, on that map."""
    around: float
    """Metres around that map."""
    cell: float
    """Side of the cells in metres, 0 for none."""
    period: int
    """Length of the periods in seconds."""

    @property
    def periods(self) -> int:
        """Number of periods."""
        return int(self.areas.shape[1])

    to_dict = JsonForm(
        "users=traces.users points=traces.points.count periods cell period", schema=SCHEMA
    )


def publish_traces(traces: Traces, *, cell: Number = 0, period: Number = 60) -> TraceRelease:
    """Publish traces without names: one position in each period, rounded to a cell.

    The first point of a user in a period, of at least one second, is published. Positions are the
    middles of cells with sides of at least a millimetre, which are there whoever is in them; with 0
    they are published as they are. A table of more than :data:`MOST` users times periods is a
    TooLarge.

    >>> traces = Traces.of([52, 52], [13, 13], users=["ada", "bob"], seconds=[0, 60])
    >>> release = publish_traces(traces, cell=100)
    >>> release.periods, release.areas[0, 0].item() == release.areas[1, 1].item()
    (2, True)
    """
    points, width = traces.points, float(rational("cell", cell, least=0))
    if 0 < width < FINEST:
        raise InvalidArgument("cell", cell, f"0, or {FINEST} metres or more")
    step = integer("period", period, least=1)
    if points.users is None or not points.count:
        raise InvalidArgument("traces", "no points", "at least one")
    turn = traces.seconds // step
    first = int(turn.min())
    periods = int(turn.max()) - first + 1
    if traces.users * periods > MOST:
        raise TooLarge(f"{traces.users} users times {periods} periods; use longer periods")
    rows = np.full((traces.users, periods), -1, dtype=np.int64)
    # Written backwards in time, so that the first point of a period stays.
    order = np.lexsort((-np.arange(points.count), -traces.seconds))
    rows[points.users[order], turn[order] - first] = order
    return _release(traces, rows, width, step)


def _release(traces: Traces, rows: Codes, width: float, step: int) -> TraceRelease:
    """Return the release in which these points stand for their users in each period."""
    present = rows >= 0
    lat, lon = traces.points.lat[rows[present]], traces.points.lon[rows[present]]
    plane = plane_around(traces.points)
    west, south, east, north = sides = lon, lat, lon, lat
    if width:
        grid = GlobeGrid(width)
        west, south, east, north = sides = grid.boxes(*grid.cells(lat, lon))
    numbers = np.unique(np.column_stack(sides), axis=0, return_inverse=True)[1]
    middle = (south + north) / 2, (west + east) / 2
    x, y = plane.metres(*middle)
    exact_x, exact_y = plane.metres(lat, lon)
    _, low = plane.metres(south, west)
    _, high = plane.metres(north, west)
    around = 2 * np.pi * plane.parallel
    areas = np.full(rows.shape, -1, dtype=np.int64)
    # Some versions of NumPy return this in two dimensions.
    areas[present] = numbers.reshape(-1)

    def spread(values: Floats) -> Floats:
        by_period = np.full(rows.shape, np.nan)
        by_period[present] = values
        return by_period

    return TraceRelease(
        traces=traces,
        lat=spread(middle[0]),
        lon=spread(middle[1]),
        areas=areas,
        x=spread(x),
        y=spread(y),
        # Around the map are 360 degrees; half of the width is over twice as many.
        half=spread(around * (east - west) / 720),
        south=spread(low),
        north=spread(high),
        exact_x=spread(exact_x),
        exact_y=spread(exact_y),
        around=float(around),
        cell=width,
        period=step,
    )


MOST = 100_000_000
"""Most positions, users times periods, that are published."""


def trace(
    attack: Scoring,
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

    Each victim was seen ``observations`` times, each time in another period, or less often if they
    have positions in fewer; ``noise`` is the standard deviation along each axis, in metres, and
    ``seed`` decides times and errors.
    """
    sigma = float(rational("noise", noise, least=0))
    if not 0 <= observations <= release.periods:
        admissible = f"0 <= observations <= {release.periods}, the number of periods"
        raise InvalidArgument("observations", observations, admissible)
    victims = np.flatnonzero(~background.known)
    rng = np.random.default_rng((4, SEED.read(seed)))
    # Against traces of victims alone: those of known users are nobody else's.
    score = np.zeros((len(victims), len(victims)))
    against = np.zeros(score.shape, dtype=np.bool_)
    present = ~np.isnan(release.exact_x[victims])
    # A random order of the periods in which a user has a position, the others after them.
    order = np.argsort(np.where(present, rng.random(present.shape), 2), axis=1)
    for turn in range(observations):
        when = order[:, turn]
        observed = present[np.arange(len(victims)), when]
        across, up = _errors(rng, len(victims), sigma)
        x, y = release.exact_x[victims, when] + across, release.exact_y[victims, when] + up
        agrees, log = _compare(release, victims, when, x, y, sigma)
        against |= ~agrees & observed[:, None]
        score += np.where(observed[:, None], agrees if attack is Scoring.BAS else log, 0)
    top = best(attack, score, against)
    # Row i of the release is user i, so that the diagonal has everybody's own.
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


def read_traces(path: str | Path, *, user: str | None = None) -> Traces:
    """Read traces from a file of a format that :func:`~kproof.read_log` reads.

    ``user`` names the column of users, if it has another name.
    """
    log = read_log(path, user=user)
    points = Points(
        log.lat, log.lon, log.person, log.names, apart=log.apart, recognised=log.recognised
    )
    return Traces(points, log.time)


def _compare(
    release: TraceRelease, victims: Codes, when: Codes, x: Floats, y: Floats, sigma: float
) -> tuple[Flags, Floats]:
    """Return which traces agree with one observation of each victim, and squares as scores."""
    across = release.x[victims][:, when].T - x[:, None]
    # The map is cut somewhere; the shorter way round counts.
    across -= release.around * np.round(across / release.around)
    up = release.y[victims][:, when].T - y[:, None]
    # 0 for no position: NaN would spread over the sum, and such a trace agrees with nothing anyway.
    squares = -np.nan_to_num(across**2 + up**2)
    if not sigma:
        # Exactly seen is seen in one cell: on a line between two, in the one it belongs to.
        area = release.areas[victims, when]
        in_one_cell: Flags = area[:, None] == release.areas[victims][:, when].T
        return in_one_cell, squares
    beside = np.abs(across) - release.half[victims][:, when].T
    below = release.south[victims][:, when].T - y[:, None]
    above = y[:, None] - release.north[victims][:, when].T
    outside = np.hypot(np.maximum(beside, 0), np.maximum(np.maximum(below, above), 0))
    # Nothing is as near as NaN, which stands for no position.
    agrees: Flags = outside <= REACH * sigma + _SLACK
    return agrees, squares


def _errors(rng: np.random.Generator, count: int, sigma: float) -> tuple[Floats, Floats]:
    """Return normal errors along both axes, cut off at REACH standard deviations."""
    # The squared distance is exponential; its law is inverted below the cut.
    uniform = rng.random(count) * -np.expm1(-(REACH**2) / 2)
    distance = sigma * np.sqrt(-2 * np.log1p(-uniform))
    angle = 2 * np.pi * rng.random(count)
    return distance * np.cos(angle), distance * np.sin(angle)
