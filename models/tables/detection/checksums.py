"""Numbers of people and things that carry a check digit, told from numbers that pass by chance.

One random number in ten passes the check of a credit card, and a number is not one because it
does. A format is named only if nearly all values of a column pass, and random values of the same
shape would not: how many of these pass is measured, by a fixed seed. python-stdnum has the checks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from random import Random
from string import ascii_lowercase, ascii_uppercase, digits

from kproof.models.tables.detection.headings import words

FORMATS: Mapping[str, str] = words()["check digits"]
"""Module of each format by what it is called; those without a check digit are not among them."""

SAMPLE = 200
"""Values that are held against each format: enough to tell nine in ten from one in ten."""

LEAST = 5
"""Fewer values are not judged: one in a hundred times two random ones pass a check."""

_NEEDED = (9, 10)
_CHANCE = 1e-6


def check_digits(texts: Sequence[str]) -> str | None:
    """Return what values are by their check digits, as a phrase with the chance; None if nothing.

    >>> numbers = ["7903345311", "6744776746", "5674765456", "7183652505", "6883690328"]
    >>> check_digits([*numbers, "4133194446"])
    'an NHS number by its check digit: 6 of 6 pass, of random ones 10 %'
    >>> check_digits([str(10**9 + 7 * i) for i in range(50)]) is None
    True
    """
    if len(texts) < LEAST:
        return None
    sample = texts[:: -(-len(texts) // SAMPLE)]
    plain = ["".join(sign for sign in text if sign.isalnum()) for text in sample]
    if not all(8 <= len(text) <= 34 for text in plain):
        return None
    in_digits = 2 * sum(text[1:-1].isdigit() for text in plain) >= len(plain)
    if not in_digits and not all(text[:2].isalpha() for text in plain):
        return None
    part, total = _NEEDED
    for name, module in FORMATS.items():
        valid: Callable[[str], bool] = import_module(module).is_valid
        if module == "stdnum.luhn" and not all(12 <= len(text) <= 19 for text in plain):
            continue
        if 2 * sum(map(valid, sample[:20])) < len(sample[:20]):
            continue
        passed = sum(map(valid, sample))
        if passed * total < part * len(sample):
            continue
        by_chance = _by_chance(valid, sample)
        if by_chance**passed < _CHANCE:
            share = f"{100 * by_chance:.0f} %" if by_chance >= 0.005 else "none"
            return (
                f"{name} by its check digit: {passed} of {len(sample)} pass, of random ones {share}"
            )
    return None


def _by_chance(valid: Callable[[str], bool], sample: Sequence[str]) -> float:
    """Return the share of random texts of the same shapes that pass, none counted as half a one."""
    random, kinds = Random(0), (digits, ascii_uppercase, ascii_lowercase)

    def redraw(text: str) -> str:
        return "".join(
            next((random.choice(kind) for kind in kinds if sign in kind), sign) for sign in text
        )

    draws = 5 * SAMPLE
    passed = sum(valid(redraw(sample[index % len(sample)])) for index in range(draws))
    return max(passed, 0.5) / draws
