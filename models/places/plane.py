"""A map of the globe in metres on which areas are true, and rectangles on it.

The cylindrical equal-area projection: a degree of longitude has one length, that of the standard
parallel; latitudes are spread so that areas are kept. A Web-Mercator map shows areas too large by
1 / cos²(latitude), which makes densities wrong by the same factor. The globe is a sphere here:
against the ellipsoid of WGS 84, areas are from 0.45 % too large at the equator to 0.9 % too small
at the poles.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from kproof.errors import InvalidArgument
from kproof.models.base.arrays import Codes, Floats
from kproof.models.places.points import Points

EARTH_RADIUS = 6_371_007.2
"""Metres; of the sphere with the area of the WGS 84 ellipsoid."""

DECIMALS = 7
"""Of coordinates in degrees on disk; the last one is a centimetre."""

STEEPEST = 89.0
"""The highest standard parallel; nearer the poles the map would have no width."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle with an inside and sides along the axes: metres on a plane, or degrees.

    >>> Box(0, 0, 512, 256).quarters()[0]
    Box(west=0, south=0, east=256.0, north=128.0)
    """

    west: float
    south: float
    east: float
    north: float
    """Its sides."""

    def __post_init__(self) -> None:
        """Refuse what has no inside."""
        finite = all(map(math.isfinite, self.sides))
        if not (finite and self.west < self.east and self.south < self.north):
            raise InvalidArgument("box", self.sides, "finite west < east and south < north")

    @property
    def sides(self) -> tuple[float, float, float, float]:
        """West, south, east, north, in the order of GeoJSON."""
        return self.west, self.south, self.east, self.north

    @property
    def width(self) -> float:
        """From west to east."""
        return self.east - self.west

    @property
    def height(self) -> float:
        """From south to north."""
        return self.north - self.south

    def quarters(self) -> tuple[Self, Self, Self, Self]:
        """Return its four equal parts: south-west, south-east, north-west, north-east."""
        # The middle is one pair of floats for all four, so that nothing is between them.
        x, y = (self.west + self.east) / 2, (self.south + self.north) / 2
        make = type(self)
        return (
            make(self.west, self.south, x, y),
            make(x, self.south, self.east, y),
            make(self.west, y, x, self.north),
            make(x, y, self.east, self.north),
        )


@dataclass(frozen=True, slots=True)
class Plane:
    """The equal-area map around a place.

    >>> x, y = Plane(60, 0).metres([60, 60], [0, 0.001])
    >>> round(float(x[1]), 3)
    55.598
    >>> Plane(90, 0)
    Traceback (most recent call last):
    kproof.errors.InvalidArgument: latitude = 90: need -89 <= latitude <= 89
    """

    latitude: float
    """The parallel along which lengths are true, -89 to 89 degrees."""
    longitude: float
    """The meridian in the middle, -180 to 180 degrees; the map is cut opposite to it, so that
    points on both sides of the antimeridian can be neighbours."""

    def __post_init__(self) -> None:
        """Refuse a standard parallel or meridian out of range."""
        # Written so that NaN is refused as well.
        if not abs(self.latitude) <= STEEPEST:
            raise InvalidArgument("latitude", self.latitude, "-89 <= latitude <= 89")
        if not abs(self.longitude) <= 180:
            raise InvalidArgument("longitude", self.longitude, "-180 <= longitude <= 180")

    @property
    def parallel(self) -> float:
        """Radius in metres of the parallel along which lengths are true."""
        return EARTH_RADIUS * math.cos(math.radians(self.latitude))

    @property
    def pole(self) -> float:
        """How far the north pole is from the middle of the map, in metres."""
        return EARTH_RADIUS**2 / self.parallel

    def metres(self, lat: ArrayLike, lon: ArrayLike) -> tuple[Floats, Floats]:
        """Return east and north of the map's middle, of points in degrees."""
        # Differences of longitude in (-180, 180]: the way round that is shorter.
        away = 180 - np.mod(180 - (np.asarray(lon, dtype=np.float64) - self.longitude), 360)
        east = self.parallel * np.radians(away)
        north = self.pole * np.sin(np.radians(np.asarray(lat, dtype=np.float64)))
        return np.asarray(east), np.asarray(north)

    def degrees(self, x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
        """Return latitudes and longitudes, -180 to 180, of points; beyond the map the pole."""
        # By the number that metres() multiplies with: next to one, an arc sine makes of the last
        # bit of its argument a decimetre.
        sine = np.clip(np.asarray(y, dtype=np.float64) / self.pole, -1, 1)
        east = np.degrees(np.asarray(x, dtype=np.float64) / self.parallel)
        lon = 180 - np.mod(180 - (east + self.longitude), 360)
        return np.degrees(np.arcsin(sine)), np.asarray(lon)

    def area(self, box: Box) -> float:
        """Return the square metres of the globe in a rectangle of the map.

        A map ends at the poles and half way round from its middle; what is beyond is nowhere.

        >>> round(Plane(0, 0).area(Box(0, 6_000_000, 1000, 7_000_000)))
        371007200
        """
        wide, high = math.pi * self.parallel, self.pole
        across = min(box.east, wide) - max(box.west, -wide)
        up = min(box.north, high) - max(box.south, -high)
        return max(0.0, across) * max(0.0, up)


def globe_area(box: Box) -> float:
    """Return the area in square metres of a rectangle given in degrees.

    >>> round(globe_area(Box(-180, -90, 180, 90)) / 1e12, 1)  # 510 million km²
    510.1
    """
    sines = math.sin(math.radians(box.north)) - math.sin(math.radians(box.south))
    return EARTH_RADIUS**2 * math.radians(box.width) * sines


def plane_around(points: Points) -> Plane:
    """Return a map around some points that tells little of any of them.

    Its parallel is the mean of their latitudes, both rounded to whole degrees. It is cut in the
    middle of the widest stretch of whole degrees without points, or at the antimeridian.

    >>> plane_around(Points.of([-17.2, -16.9], [179.9, -179.8]))
    Plane(latitude=-17, longitude=-180.0)
    """
    # Sums of whole numbers are exact, so that the order of the points does not matter.
    mean = Fraction(int(np.rint(points.lat).sum()), points.count)
    latitude = round(min(max(mean, Fraction(-STEEPEST)), Fraction(STEEPEST)))
    # The remainder, since 180 and -180 degrees are one meridian.
    by_degree = np.bincount(np.floor(points.lon + 180).astype(np.int64) % 360, minlength=360)
    occupied = np.flatnonzero(by_degree)
    gaps = np.diff(occupied, append=occupied[0] + 360) - 1
    widest = int(np.argmax(gaps))
    if not gaps[widest]:
        return Plane(latitude, 0)
    # The middle of the map is half the way round from the middle of the gap.
    opposite = occupied[widest] + 1 + gaps[widest] / 2 + 180
    return Plane(latitude, float((opposite % 360) - 180))


def next_places(
    places_lat: Floats, places_lon: Floats, lat: Floats, lon: Floats
) -> tuple[Codes, Floats]:
    """Return the place next to each position, all in degrees, and the metres to it."""
    from scipy.spatial import KDTree

    def vectors(north: Floats, east: Floats) -> Floats:
        up, turn = np.radians(north), np.radians(east)
        return np.column_stack([np.cos(up) * np.cos(turn), np.cos(up) * np.sin(turn), np.sin(up)])

    # Chords of the globe order as its great circles do, across the antimeridian too.
    chords, nearest = KDTree(vectors(places_lat, places_lon)).query(vectors(lat, lon))
    # Rounding can make a chord longer than the diameter, whose arc sine would be NaN.
    metres = 2 * EARTH_RADIUS * np.arcsin(np.clip(np.asarray(chords) / 2, 0, 1))
    return np.asarray(nearest, dtype=np.int64), metres
