"""Random walks in a town, and the cell of the globe that a point is in, from the definition."""

import math
from fractions import Fraction

import numpy as np

from kproof.models.attacks.inference.traces import Traces
from kproof.models.places.plane import EARTH_RADIUS


def walks(users: int, times: int, seed: int, name: str = "cab {}") -> Traces:
    """Return random walks in a town, a point every 30 seconds, some missing."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(0, 0.002, (users, times, 2)).cumsum(axis=1)
    kept = rng.random((users, times)) < 0.8
    kept[:, 0] = True
    who, when = np.nonzero(kept)
    lat, lon = 37.7 + steps[..., 0][kept], -122.4 + steps[..., 1][kept]
    return Traces.of(lat, lon, users=[name.format(user) for user in who], seconds=30 * when)


def cell_of(lat: float, lon: float, side: float) -> tuple[int, int]:
    """Return the row and column of a point, in rationals.

    As many rows as fit between the poles, as many columns as fit along the middle of a row; a line
    belongs to the cell south or west of it.
    """
    rows = math.floor(math.pi * EARTH_RADIUS / side)
    north = math.ceil((Fraction(float(lat)) + 90) * rows / 180) - 1
    middle = math.radians(-90 + 180 * (north + 0.5) / rows)
    wide = math.floor(2 * math.pi * EARTH_RADIUS * math.cos(middle) / side)
    return north, math.ceil((Fraction(float(lon)) + 180) * wide / 360) - 1
