"""What a page or a document about a publisher's net says first: parameters, table and reading."""

import hashlib
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from kproof.datasets.shipped import SHIPPED
from kproof.errors import DataError, show
from kproof.models.base.missing import MISSING
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
    """Return where a table comes from, with its hash; DataError if the file cannot be read.

    >>> source_of("table-1a").sha256[:12]
    'e4e2a406343f'
    """
    if name in SHIPPED:
        return TableSource(name, hashlib.sha256(SHIPPED[name].text.encode()).hexdigest())
    try:
        return TableSource(name, hashlib.sha256(Path(name).read_bytes()).hexdigest())
    except OSError as error:
        raise DataError(f"{show(name)}: {error.strerror or 'cannot be read'}") from error


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
    def facts(self) -> tuple[tuple[str, str], ...]:
        """Names and values, in the order in which they are told."""
        publisher = self.net.publisher
        formed, options = publisher.formed, publisher.options
        threshold = publisher.threshold
        facts = [("k", str(publisher.k))]
        if threshold is not None and publisher.theta is not None:
            own = threshold.per_class
            facts.append(("μ", exactly(threshold.mu)))
            name = "θ for a class of k rows" if own else "θ = μ(k² − 1)/12"
            facts.append((name, exactly(publisher.theta)))
            facts += [("θ for a class of m rows", "μ(m² − 1)/12")] if own else []
        if "p" in options:
            facts.append(("p", str(options["p"])))
        if (source := self.source) is not None:
            facts += [("Table", source.name), ("SHA-256 of the table", source.sha256)]
        facts.append(("Rows", f"{publisher.rows:,}"))
        facts.append(("Classes", f"{len(formed.values):,}"))
        facts.append(("Sensitive values", f"{len(formed.domain):,}"))
        if any(value is MISSING for value in formed.domain):
            judged = f"exchanged like any other; in what is judged {formed.missing_as.sentence}"
            facts.append(("Missing sensitive values", judged))
        if formed.table is not None and (identifiers := formed.table.quasi_identifiers):
            facts.append(("Quasi-identifiers", ", ".join(column.name for column in identifiers)))
        if "reading" in options:
            facts.append(("Reading", f"as {options['reading']}"))
            facts.append(("Transitions", _CUTS[str(options["cut"])]))
        facts.append(("Tokens", _TOKENS[str(options["tokens"])]))
        if MASKED in self.net.net.place:
            facts.append(("Labels", "generalized in the net"))
        if options.get("padding") == "noise":
            facts.append(("Classes below k rows", "filled up with noise"))
        if self.attackers:
            facts.append(("Attacks", "; ".join(map(_attack, self.attackers))))
        return tuple(facts)

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form; exact numbers as strings."""
        publisher = self.net.publisher
        formed, threshold = publisher.formed, publisher.threshold
        source, theta, table = self.source, publisher.theta, formed.table
        identifiers = () if table is None else table.quasi_identifiers
        return {
            "net": publisher.name,
            "k": publisher.k,
            "mu": None if threshold is None else str(threshold.mu),
            "theta": None if theta is None else str(theta),
            "table": source and {"name": source.name, "sha256": source.sha256},
            "rows": publisher.rows,
            "classes": len(formed.values),
            "domain": [str(value) for value in formed.domain],
            "quasi_identifiers": [column.name for column in identifiers],
            # Fractions as text, since a JSON number is read as a float.
            "options": {
                name: option if isinstance(option, (bool, int)) else str(option)
                for name, option in publisher.options.items()
            },
            "attackers": [_attack(adversary) for adversary in self.attackers],
        }


def exactly(number: Fraction) -> str:
    """Return a number exactly and, if that is another text, in decimals.

    >>> exactly(Fraction(3, 5)), exactly(Fraction(2, 3)), exactly(Fraction(1))
    ('3/5 = 0.6', '2/3 ≈ 0.666667', '1')
    """
    if number.denominator == 1:
        return str(number)
    text = decimal(number, 6)
    # By the fraction that the text stands for: floats of both may be equal where they are not.
    return f"{number} {'=' if Fraction(text) == number else '≈'} {text}"


def _attack(adversary: Attacker) -> str:
    knows = adversary.background
    knowledge = " with background knowledge" if knows.victims or knows.members else ""
    return f"{adversary.attack}{knowledge}" + (
        "" if adversary.tau == 1 else f", tau = {adversary.tau}"
    )


def decimal(number: Fraction, digits: int = 4) -> str:
    """Return a number in decimals, as many as it needs up to so many after the point.

    >>> decimal(Fraction(11, 16)), decimal(Fraction(2, 3)), decimal(Fraction(3))
    ('0.6875', '0.6667', '3')
    """
    text = f"{float(number):.{digits}f}".rstrip("0").rstrip(".")
    # What is small must not be shown as nothing.
    return f"{float(number):.2g}" if number and text == "0" else text
