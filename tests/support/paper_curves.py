"""The printed panels of Figures 2 to 5 written out once more, in mpmath and from the captions.

c' is found by solving the printed inequality, not by Lambert's function.
"""

from functools import cache
from typing import Any

import mpmath as mp

SIGMA = mp.mpf(50)
TENTH = mp.mpf(1) / 10


@cache
def least_c(n: Any) -> Any:
    def gap(c: Any) -> Any:
        left = mp.log((2 * c**2 - 1) / (2 * c)) + (4 * c**4 - 4 * c**2 + 1) / (8 * c**2)
        return left - mp.log(mp.sqrt(n) / mp.sqrt(2 * mp.pi))

    return mp.findroot(gap, (mp.mpf("0.72"), mp.mpf(9)), solver="anderson", tol=1e-40)


def c_prime(n: Any, k: Any, s: Any) -> Any:
    return max(least_c(n), mp.sqrt(TENTH * (k / mp.mpf(s) + mp.mpf(1) / 2)))


def berry_esseen(n: Any, s: Any, variance: Any, third: Any, cubes: Any) -> Any:
    left_over = mp.exp(mp.sqrt(s**2 * mp.log(n) / variance))
    return mp.mpf("1.1182") * third / cubes * (1 + left_over) + 1 / mp.sqrt(n)


def stein(n: Any, share: Any, variance: Any, third: Any, fourth_root: Any, *, factor: Any) -> Any:
    """Return the printed delta of Theorems 3 and 5 but for where 1 + e^epsilon stands."""
    inner, outer = factor
    second = share**3 * mp.sqrt(26) / (variance * mp.sqrt(mp.pi)) * fourth_root * mp.sqrt(inner)
    root = mp.sqrt(share**2 / variance ** mp.mpf("1.5") * third + second)
    return 2 * (2 / mp.pi) ** mp.mpf("0.25") * root * outer + 1 / mp.sqrt(n)


def fig_3(n: Any, share: Any, epsilon: Any) -> Any:
    return stein(n, share, SIGMA**2, 5, 1, factor=(1 + mp.exp(epsilon), 1))


def fig_5(n: Any, share: Any, known: Any, left: Any) -> Any:
    m = n * (1 - known)
    factor = (1, 1 + mp.exp(c_prime(m, 20, 1) / mp.sqrt(1000 * left)))
    return stein(m, share, 1000 * left, 5 * left, 5 * left, factor=factor)


def fig_4a(n: Any, known: Any, left: Any) -> Any:
    return berry_esseen(n * (1 - known), 1, 10 * left, 10 * left, 100 * left)


def known_epsilon(n: Any, known: Any, variance: Any, k: int) -> Any:
    return c_prime(n * (1 - known), k, 1) / mp.sqrt(variance)


PRINTED = {
    "2a": lambda n, x: c_prime(n, 10, x) * x / SIGMA,
    "2b": lambda n, x: berry_esseen(n, x, SIGMA**2, 1, 100),
    "2c": lambda n, x: c_prime(n, x, 1) / SIGMA,
    "3a": lambda n, x: fig_3(n, x, TENTH),
    "3b": lambda n, x: fig_3(n, mp.mpf(2) / 10, x),
    "3c": lambda n, x: c_prime(n, 10, x) * x / SIGMA,
    "4a": lambda n, x: fig_4a(n, x, x),
    "4b": lambda n, x: known_epsilon(n, x, 10 * x, 10),
    "5a": lambda n, x: fig_5(n, TENTH, x, x),
    "5b": lambda n, x: fig_5(n, x, TENTH, TENTH),
    "5c": lambda n, x: known_epsilon(n, x, 1000 * x, 20),
}

SHRINKING = {
    "4a": lambda n, x: fig_4a(n, x, 1 - x),
    "4b": lambda n, x: known_epsilon(n, x, 10 * (1 - x), 10),
    "5a": lambda n, x: fig_5(n, TENTH, x, 1 - x),
    "5c": lambda n, x: known_epsilon(n, x, 1000 * (1 - x), 20),
}
