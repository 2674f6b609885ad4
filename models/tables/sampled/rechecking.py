"""Judge a certificate again: from the file and the certificate alone, by arithmetic of its own.

Nothing of :mod:`kproof.theory` is used. Binomial tails are sums of integers, e^ε is taken from
``decimal`` between two rationals, and the supremum over tables is looked for on both sides of where
the theorem has it.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from io import StringIO
from itertools import pairwise
from math import comb, factorial
from typing import Any

from kproof.errors import DataError, show
from kproof.forms import JsonForm

_FIELDS = (
    "schema", "document", "sha256", "k", "beta", "levels", "choice", "bounds", "fit", "cells"
)  # fmt: skip
_OF_LEVEL = {"column", "rule", "labels"}
_OF_BOUND = {"neighbours", "sample_epsilon", "epsilon", "delta"}
_OF_CHOICE = {"epsilon", "beta", "levels"}
# Few digits, above all in exponents: Fraction would write 1e999999999 out.
_NUMBER = re.compile(r"-?\d{1,40}(\.\d{1,40})?([eE]-?\d{1,3})?|-?\d{1,40}/\d{1,40}")
_RANGE = re.compile(r"range:([^;]*);origin=(.*)")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_CELL = re.compile(r"c([01]{0,52})")
_UNKNOWN = "unknown"
"""What a sequence has in place of a cell."""
_DIGITS = 120
_SLACK = Fraction(1, 10**18)
"""How much larger than it must be, relatively, a stated number may be: it was rounded up."""
_SPLITS = 64
_UNLIKELY = Fraction(1, 10**9)
_MOST_K = 1000
_MOST_BOUNDS = 64
_MOST_WORK = 1 << 27
"""Bits of all terms of a tail."""
_STAMP, _STAMPED = "unfit to publish", "coins of a seed"
"""The last column of a test's release, and what stands in each of its rows."""
_MOST_EPSILON, _MOST_DELTA = 10, Fraction(1, 2)
"""Beyond either a bound protects nobody: with e^10 to 1 whatever is believed is certain, and δ is a
chance that all is told."""


WORTHLESS = "they give no protection: need delta below 1/2 at an epsilon of at most 10"
"""What is said of bounds of which none is worth anything."""


@dataclass(frozen=True)
class CertificateCheck:
    """What was found when a certificate was judged again."""

    wrong: tuple[str, ...]
    """What does not follow, or does not fit the file, one sentence each."""
    rows: int
    """Rows of the file."""
    cells: int
    """Distinct rows."""
    bounds: tuple[Mapping[str, str], ...]
    """The bounds as the certificate has them."""
    fit: bool
    """Whether the coins are said to be the operating system's."""

    @property
    def against(self) -> tuple[str, ...]:
        """Why it is refused, one sentence each; none if it is not."""
        test = "the coins came from a seed: the release is a test's, unfit to publish"
        return self.wrong if self.fit else (test, *self.wrong)

    @property
    def protects(self) -> bool:
        """Whether a bound is worth anything: for both kinds of neighbours δ < 1/2, ε ≤ 10."""
        return is_worth_something(self.bounds)

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong, the coins are no test's, and a bound is worth anything."""
        return not self.against and self.protects

    @property
    def sentence(self) -> str:
        """The outcome in words."""
        if self.against:
            return "the certificate is refused: nothing follows from it"
        if not self.protects:
            return f"every number follows, and {WORTHLESS}"
        return (
            "holds against everyone, whatever they know of other rows, if the table was made as "
            "the certificate says; on the publisher's word: coins were tossed, levels were written "
            "down beforehand, nothing else was published"
        )

    to_dict = JsonForm("holds against rows cells bounds fit sentence", schema=1)


def is_worth_something(bounds: Sequence[Mapping[str, Any]]) -> bool:
    """Say whether each kind of neighbours has a bound that protects somebody."""
    kinds = {
        bound["neighbours"]
        for bound in bounds
        if Fraction(bound["epsilon"]) <= _MOST_EPSILON and Fraction(bound["delta"]) < _MOST_DELTA
    }
    return kinds == {"add", "replace"}


def recheck(certificate: bytes, release: bytes, cells: bytes | None = None) -> CertificateCheck:
    """Judge a certificate and its file, without the data that they came from.

    ``cells`` is what the file of cells holds, of a certificate that names one.
    """
    document = _document(certificate)
    names, rows = _rows(release)
    sizes = Counter(rows)
    fit = document["fit"]
    if document["cells"] is not None and cells is None:
        raise DataError(
            f"the certificate names a file of cells, SHA-256 {document['cells'][:16]}…: it is"
            " judged with that file (--cells FILE)"
        )
    wrong = (
        *_of_file(document, names, rows, sizes, release),
        *_of_cells(document, sizes, cells),
        *_of_bounds(document),
    )
    return CertificateCheck(wrong, len(rows), len(sizes), tuple(document["bounds"]), fit)


def _document(content: bytes) -> dict[str, Any]:
    """Read a certificate, every field of it checked for its form."""
    try:
        # Numbers stand as texts: a float would be rounded before it is judged.
        fields: Any = json.loads(
            content.decode(), object_pairs_hook=_once, parse_int=_short_int, parse_float=_refuse
        )
    except (ValueError, RecursionError):
        raise DataError(
            "no certificate: not JSON in UTF-8, a name is there twice, or a number is no text"
        ) from None
    # No field more, either: what is not judged must not stand in a certificate as if it had been.
    if not isinstance(fields, dict) or set(fields) != set(_FIELDS):
        raise DataError(f"no certificate: need an object with {', '.join(_FIELDS)}")
    levels, bounds, choice = fields["levels"], fields["bounds"], fields["choice"]
    fits = {
        # By the exact type, as True is an int and equals 1.
        "schema": type(fields["schema"]) is int and fields["schema"] == 1,
        "document": fields["document"] == "sampled-certificate",
        "sha256": isinstance(fields["sha256"], str),
        "k": type(fields["k"]) is int and 1 <= fields["k"] <= _MOST_K,
        "beta": _is_number(fields["beta"]),
        "levels": _objects(levels, _OF_LEVEL)
        and all(isinstance(level["column"], str) and _is_rule(level) for level in levels),
        "choice": choice is None
        or (
            _objects([choice], _OF_CHOICE)
            and all(_is_number(choice[name]) for name in ("epsilon", "beta"))
            and type(choice["levels"]) is int
        ),
        "bounds": _objects(bounds, _OF_BOUND)
        and len(bounds) <= _MOST_BOUNDS
        and all(
            bound["neighbours"] in ("add", "replace")
            and all(_is_number(bound[name]) for name in _OF_BOUND - {"neighbours"})
            for bound in bounds
        ),
        "fit": isinstance(fields["fit"], bool),
        "cells": fields["cells"] is None
        or (isinstance(fields["cells"], str) and _DIGEST.fullmatch(fields["cells"]) is not None),
    }
    for name, right in fits.items():
        if not right:
            raise DataError(f"no certificate: {name} = {show(fields[name])} is no {name} of one")
    return fields


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    # Of a name that is there twice, another reader may take the other value.
    if len(fields) < len(pairs):
        raise ValueError
    return fields


def _short_int(text: str) -> int:
    # Python reads a number of a million digits in minutes.
    return int(text) if len(text) <= 9 else _refuse(text)


def _refuse(text: str) -> Any:
    raise ValueError(text)


def _objects(value: object, names: set[str]) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(entry, dict) and set(entry) == names for entry in value)
    )


def _is_number(value: object) -> bool:
    return (
        isinstance(value, str)
        and _NUMBER.fullmatch(value) is not None
        # A denominator of 0 fits the pattern, and Fraction would divide by it.
        and not re.search(r"/0+$", value)
    )


def _is_rule(level: Mapping[str, Any]) -> bool:
    rule, labels = level["rule"], level["labels"]
    if rule == "hierarchy":
        return isinstance(labels, list) and all(isinstance(label, str) for label in labels)
    if labels is not None or not isinstance(rule, str):
        return False
    match = _RANGE.fullmatch(rule)
    if match is None:
        return rule == "value"
    return all(map(_is_number, match.groups())) and Fraction(match[1]) > 0


def _rows(content: bytes) -> tuple[list[str], list[tuple[str, ...]]]:
    try:
        lines = list(csv.reader(StringIO(content.decode(), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error):
        raise DataError("no release: not CSV in UTF-8") from None
    if not lines:
        raise DataError("no release: no header")
    return lines[0], [tuple(line) for line in lines[1:]]


def _of_file(
    document: Mapping[str, Any],
    names: Sequence[str],
    rows: Sequence[tuple[str, ...]],
    sizes: Mapping[tuple[str, ...], int],
    release: bytes,
) -> Iterator[str]:
    """Say what is wrong with the file beside its certificate."""
    levels = document["levels"]
    if sha256(release).hexdigest() != document["sha256"]:
        yield "the file is another one than the certificate is of"
    stamp = [] if document["fit"] else [_STAMP]
    if list(names) != [*(_inert(level["column"]) for level in levels), *stamp]:
        yield "the columns of the file are not those of the certificate"
        return
    if any(len(row) != len(names) for row in rows):
        yield "a row has more or fewer cells than there are columns"
        return
    # Anywhere in the file: a test's release with its columns in another order is still a test's.
    cells = {*names, *(text for row in sizes for text in row)}
    if document["fit"] and not cells.isdisjoint({_STAMP, _STAMPED}):
        yield "the file says of itself that its coins came from a seed: unfit to publish"
    if stamp and any(row[-1] != _STAMPED for row in sizes):
        yield "a row lacks the stamp of a test"
    if (small := min(sizes.values(), default=document["k"])) < document["k"]:
        yield f"a cell has {small} rows, and k = {document['k']}"
    for place, level in enumerate(levels):
        for text in {row[place] for row in sizes}:
            if not _is_label(level, text):
                yield f"column {show(level['column'])}: {show(text)} is no label of its level"
                break
    if rows and _in_blocks(rows):
        yield "rows are sorted, which a shuffle leaves with a chance below 1e-9"


def _of_cells(
    document: Mapping[str, Any], sizes: Mapping[tuple[str, ...], int], cells: bytes | None
) -> Iterator[str]:
    """Say what is wrong with the file of cells, and with the cells of the file."""
    if cells is None:
        return
    if document["cells"] is None:
        yield "the certificate names no file of cells"
        return
    if sha256(cells).hexdigest() != document["cells"]:
        yield "the cells are another file than the certificate names"
    columns = len(document["levels"])
    texts = {text for row in sizes for text in row[:columns]} - {_UNKNOWN}
    if strange := sorted(text for text in texts if not _CELL.fullmatch(text)):
        yield f"{show(strange[0])} is neither a cell nor {_UNKNOWN}"
    elif len(set(map(len, texts))) > 1:
        yield "cells are of several depths: which one a person has would hang on the data"


def _inert(text: str) -> str:
    return f"'{text}" if text.lstrip("'").startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _is_label(level: Mapping[str, Any], text: str) -> bool:
    if level["rule"] == "value":
        return True
    if level["labels"] is not None:
        return text in {_inert(label) for label in level["labels"]}
    match = _RANGE.fullmatch(level["rule"])
    ends = re.fullmatch(r"\[(-?[\d./]+?)-(-?[\d./]+)\)", text)
    if text == "*" or match is None or ends is None:
        return text == "*"
    try:
        low, high, width, origin = map(Fraction, (ends[1], ends[2], match[1], match[2]))
    except (ValueError, ZeroDivisionError):
        return False
    # Both: a range of the right width that begins anywhere would tell where values lie.
    return high - low == width and ((low - origin) / width).denominator == 1


def _in_blocks(rows: Sequence[tuple[str, ...]]) -> bool:
    """Say whether equal rows, or equal texts of a column, all stand together against the odds."""
    views: list[Sequence[Hashable]] = [rows, *zip(*rows, strict=True)]
    for view in views:
        counts = Counter(view)
        runs = 1 + sum(first != second for first, second in pairwise(view))
        if runs == len(counts) and _chance_of_blocks([*counts.values()]) < _UNLIKELY:
            return True
    return False


def _chance_of_blocks(counts: Sequence[int]) -> Fraction:
    """Return the chance that a shuffle leaves each kind in one block."""
    ways, total = Fraction(factorial(len(counts))), 0
    for count in counts:
        total += count
        ways /= comb(total, count)
        # What it is still divided by makes it smaller, and as a fraction it would grow to
        # a great many digits.
        if ways < _UNLIKELY / factorial(len(counts)):
            return Fraction(0)
    return ways


def _of_bounds(document: Mapping[str, Any]) -> Iterator[str]:
    """Say what is wrong with the numbers."""
    k, beta = document["k"], Fraction(document["beta"])
    choice = document["choice"]
    if not 0 < beta < 1:
        yield "beta is no chance between 0 and 1: without coins delta is 1 (R0)"
        return
    if choice is not None and (
        Fraction(choice["beta"]) != beta
        or Fraction(choice["epsilon"]) <= 0
        or Fraction(choice["epsilon"]) > 700
        or choice["levels"] < 2
    ):
        yield "the choice of levels is none: need epsilon above 0, several levels, the same beta"
        return
    stated = [(bound["neighbours"], bound["sample_epsilon"]) for bound in document["bounds"]]
    kinds = {neighbours for neighbours, _ in stated}
    if len(set(stated)) < len(stated) or kinds != {"add", "replace"}:
        yield "each epsilon needs one bound for each kind of neighbours"
    if {e for kind, e in stated if kind == "add"} != {e for kind, e in stated if kind != "add"}:
        yield "each epsilon needs one bound for each kind of neighbours"
    for bound in document["bounds"]:
        epsilon = Fraction(bound["sample_epsilon"])
        if not 0 <= epsilon <= 700:
            yield f"epsilon = {bound['sample_epsilon']} is out of range"
            continue
        total = epsilon if choice is None else _with_choice(epsilon, choice)
        adding = max(_up(k, beta, epsilon), _down(k, beta, epsilon))
        delta = adding
        if bound["neighbours"] == "replace":
            delta = max(adding, _replacement_delta(k, beta, epsilon))
        for name, least in (("epsilon", total), ("delta", delta)):
            # Too large is refused as well: it was not worked out as the certificate says.
            if not least <= Fraction(bound[name]) <= least * (1 + _SLACK):
                yield (
                    f"{name} = {bound[name]} ({bound['neighbours']}) does not follow: it is "
                    f"{float(least):.7g}"
                )


def _powers(exponent: Fraction) -> tuple[Fraction, Fraction]:
    """Return rationals on both sides of e^exponent."""
    if not exponent:
        return Fraction(1), Fraction(1)
    with localcontext() as context:
        context.prec = _DIGITS
        power = (Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp()
    # exp is right to its last digit; the quotient before it is off by 1e-120 of at most 700, for
    # which five digits are left.
    value, error = Fraction(power), Fraction(1, 10 ** (_DIGITS - 5))
    return value * (1 - error), value * (1 + error)


def _with_choice(epsilon: Fraction, choice: Mapping[str, Any]) -> Fraction:
    """Return ε + ln(1 + β(e^ε₁ - 1)), up to what 110 digits round away."""
    beta, power = Fraction(choice["beta"]), _powers(Fraction(choice["epsilon"]))[0]
    inner = 1 + beta * (power - 1)
    with localcontext() as context:
        context.prec = _DIGITS
        cost = (Decimal(inner.numerator) / Decimal(inner.denominator)).ln()
    return epsilon + Fraction(cost) * (1 - Fraction(1, 10 ** (_DIGITS - 10)))


@lru_cache(maxsize=8)
def _fewer(n: int, beta: Fraction, k: int) -> tuple[Fraction, Fraction]:
    """Return rationals on both sides of Pr[Bin(n, β) < k], as a sum of integers."""
    hit, miss = beta.numerator, beta.denominator - beta.numerator
    term = below = miss**n
    for count in range(min(k - 1, n)):
        # Each term is a whole number, C(n, count) hit^count miss^(n - count), and so no remainder.
        term = term * (n - count) * hit // ((count + 1) * miss)
        below += term
    # A fraction in lowest terms would take a common divisor of numbers of a million bits. No gain
    # is below β^k, whose bits these are, and 400 more.
    scale = k * (beta.denominator // beta.numerator).bit_length() + 400
    parts = (below << scale) // beta.denominator**n
    return Fraction(parts, 1 << scale), Fraction(parts + (parts < 1 << scale), 1 << scale)


def _is_long(k: int, beta: Fraction, rows: int) -> bool:
    """Say whether a tail of so many rows would take minutes."""
    return rows * k * beta.denominator.bit_length() > _MOST_WORK


def _peak(k: int, share: Fraction) -> int:
    """Return ⌊(k - 1)/share⌋ + 1, the rows of a cell at which a gain is at its peak."""
    return (k - 1) * share.denominator // share.numerator + 1


@lru_cache(maxsize=256)
def _up(k: int, beta: Fraction, epsilon: Fraction) -> Fraction:
    """Return the supremum where the row is there, less what 100 digits round away.

    Where the event is "the cell is shown" its gain rises to the peak and falls beyond; neighbours
    of the peak would show one that is wrong.
    """
    # Each rounding makes a gain smaller: what is called wrong is wrong for certain.
    power = _powers(epsilon)[1]
    peak = _peak(k, 1 - (1 - beta) / power)
    if _is_long(k, beta, peak):
        raise DataError(
            "no certificate that can be judged again: beta is too small for k, or has too many "
            "digits"
        )

    def gain(rows: int) -> Fraction:
        return (1 - _fewer(rows, beta, k)[1]) - power * (1 - _fewer(rows - 1, beta, k)[0])

    return max(gain(rows) for rows in (max(peak - 1, 1), peak, peak + 1))


@lru_cache(maxsize=256)
def _down(k: int, beta: Fraction, epsilon: Fraction) -> Fraction:
    """Return the supremum where the row is not there, less what 80 digits round away."""
    power = _powers(epsilon)[1]
    share = 1 - (1 - beta) * power
    # Where share is nearly 0, as at ε = -ln(1 - β), the peak is at billions of rows. Of 200 k/β
    # rows fewer than k are kept with a chance of e^-194k, and of more rows with a smaller one.
    if share <= 0 or (peak := _peak(k, share)) > 200 * k / beta:
        return Fraction(0)

    def gain(rows: int) -> Fraction:
        return _fewer(rows - 1, beta, k)[0] - power * _fewer(rows, beta, k)[1]

    return max(Fraction(0), *(gain(rows) for rows in (max(peak - 1, 1), peak, peak + 1)))


@lru_cache(maxsize=64)
def _replacement_delta(k: int, beta: Fraction, epsilon: Fraction) -> Fraction:
    """Return the least sum of both directions over shares of ε: R9 without its search."""
    shares = [epsilon * part / _SPLITS for part in range(_SPLITS + 1)]
    sums = [_up(k, beta, share) + _down(k, beta, epsilon - share) for share in {*shares}]
    return min(Fraction(1), *sums)
