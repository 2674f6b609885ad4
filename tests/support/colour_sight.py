"""Colours as others see them: without the green cones, and on paper without colours.

Deuteranopia after Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of
color vision deficiency", IEEE TVCG 15 (2009), table 1, severity 1.0, on linear RGB. Differences are
CIE 1976 (L*a*b*, D65): 2.3 is just noticeable (Mahy et al. 1994); lines need several times that.
"""

from collections.abc import Callable

import numpy as np
from matplotlib.colors import to_rgb
from numpy.typing import NDArray

Colour = NDArray[np.float64]
"""Linear red, green and blue, from 0 to 1."""

_DEUTERANOPIA = np.array(
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]
)
# sRGB to XYZ and its white point, IEC 61966-2-1.
_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
_WHITE = _XYZ.sum(axis=1)


def linear(name: str) -> Colour:
    """The light of a colour as matplotlib or CSS writes it."""
    coded = np.array(to_rgb(name))
    return np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)


def plainly(name: str) -> Colour:
    return linear(name)


def deuteranopia(name: str) -> Colour:
    return np.clip(_DEUTERANOPIA @ linear(name), 0, 1)


def greyscale(name: str) -> Colour:
    return np.full(3, luminance(name))


SIGHTS = {"plainly": plainly, "deuteranopia": deuteranopia, "greyscale": greyscale}


def luminance(name: str) -> float:
    return float(_XYZ[1] @ linear(name))


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2.2, 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def lab(colour: Colour) -> Colour:
    share = _XYZ @ colour / _WHITE
    bent = np.where(share > (6 / 29) ** 3, np.cbrt(share), share / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = bent
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def apart(one: str, other: str, sight: Callable[[str], Colour]) -> float:
    """How far two colours are apart to somebody's eyes."""
    return float(np.linalg.norm(lab(sight(one)) - lab(sight(other))))
