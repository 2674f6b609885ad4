"""What a page or a document about a publisher's net says first: parameters, table and reading."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from kproof.datasets.shipped import SHIPPED
from kproof.errors import DataError, shown
from kproof.models.base.missing import MISSING
from kproof.petri.papers.account import decimal
from kproof.petri.papers.api import TableNet
from kproof.petri.papers.attackers import Attacker
from kproof.petri.papers.masking import MASKED

_CUTS = {
    "moves": "one transition for each move of Algorithm 1",
    "rules": "one transition for each branch of Rules (2) to (8)",
}
_TOKENS = {
    "values": "classes as multisets of sensitive values",
    "records": "classes as sets of records",
}


@dataclass(frozen=True)
class TableSource:
    """Where a table comes from."""

    name: str
    """As the user gave it: a file, or a shipped table."""
    sha256: str
    """Of the file's bytes, or of the shipped table as CSV in UTF-8."""


def source_of(name: str) -> TableSource:
    """Return where a table comes from, with its hash.

    Raises
    ------
    DataError
        If the file cannot be read.

    Examples
    --------
    >>> source_of("table-1a").sha256[:12]
    'e4e2a406343f'
    """
    if name in SHIPPED:
        return TableSource(name, hashlib.sha256(SHIPPED[name].text.encode()).hexdigest())
    try:
        return TableSource(name, hashlib.sha256(Path(name).read_bytes()).hexdigest())
    except OSError as error:
        raise DataError(f"{shown(name)}: {error.strerror or 'cannot be read'}") from error


@dataclass(frozen=True)
class NetHead:
    """What was asked of a publisher's net."""

    net: TableNet
    """The net."""
    source: TableSource | None
    """Where its table comes from; None if it was given as values."""
    attackers: tuple[Attacker, ...] = ()
    """Those who attack what is published."""

    @property
    def theta(self) -> Fraction | None:
        """θ of a class of k rows; None for a publisher without one."""
        threshold = self.net.publisher.threshold
        return None if threshold is None else threshold.at(threshold.k)

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """Names and values, in the order in which they are told."""
        publisher = self.net.publisher
        formed, options = publisher.formed, publisher.options
        threshold = publisher.threshold
        found = [("k", str(publisher.k))]
        if threshold is not None and self.theta is not None:
            found.append(("μ", exactly(threshold.mu)))
            found.append(
                ("θ for a class of k rows", exactly(self.theta))
                if threshold.per_class
                else ("θ = μ(k² − 1)/12", exactly(self.theta))
            )
            if threshold.per_class:
                found.append(("θ for a class of m rows", "μ(m² − 1)/12"))
        if "p" in options:
            found.append(("p", str(options["p"])))
        if self.source is not None:
            found.append(("Table", self.source.name))
            found.append(("SHA-256 of the table", self.source.sha256))
        found.append(("Rows", f"{sum(map(len, formed.values)):,}"))
        found.append(("Classes", f"{len(formed.values):,}"))
        found.append(("Sensitive values", f"{len(formed.domain):,}"))
        if any(value is MISSING for value in formed.domain):
            found.append(("Missing sensitive values", "taken for one more value"))
        if formed.table is not None and (own := formed.table.quasi_identifiers):
            found.append(("Quasi-identifiers", ", ".join(one.name for one in own)))
        if "reading" in options:
            found.append(("Reading", f"as {options['reading']}"))
            found.append(("Transitions", _CUTS[str(options["cut"])]))
        found.append(("Tokens", _TOKENS[str(options["tokens"])]))
        if MASKED in self.net.net.place:
            found.append(("Labels", "generalized in the net"))
        if options.get("padding") == "noise":
            found.append(("Classes below k rows", "filled up with noise"))
        if self.attackers:
            found.append(("Attacks", "; ".join(map(_attack, self.attackers))))
        return tuple(found)

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form; exact numbers as strings."""
        publisher = self.net.publisher
        formed, threshold = publisher.formed, publisher.threshold
        source = self.source
        table = formed.table
        return {
            "net": publisher.name,
            "k": publisher.k,
            "mu": None if threshold is None else str(threshold.mu),
            "theta": None if self.theta is None else str(self.theta),
            "table": source and {"name": source.name, "sha256": source.sha256},
            "rows": sum(map(len, formed.values)),
            "classes": len(formed.values),
            "domain": [str(value) for value in formed.domain],
            "quasi_identifiers": []
            if table is None
            else [one.name for one in table.quasi_identifiers],
            "options": {
                name: one if isinstance(one, (bool, int)) else str(one)
                for name, one in publisher.options.items()
            },
            "attackers": [_attack(one) for one in self.attackers],
        }


def exactly(number: Fraction) -> str:
    """Return a number exactly and, if that is another text, in decimals.

    Examples
    --------
    >>> exactly(Fraction(3, 5)), exactly(Fraction(2, 3)), exactly(Fraction(1))
    ('3/5 = 0.6', '2/3 ≈ 0.666667', '1')
    """
    if number.denominator == 1:
        return str(number)
    text = decimal(number, 6)
    return f"{number} {'=' if Fraction(text) == number else '≈'} {text}"


def _attack(one: Attacker) -> str:
    knows = one.background
    known = " with background knowledge" if knows.victims or knows.members else ""
    return f"{one.attack}{known}" + ("" if one.tau == 1 else f", tau = {one.tau}")
