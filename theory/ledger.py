"""The ledger: each claim of a paper, what becomes of it, and the call that shows it.

A row is data. Its evidence is one line of Python and the value that line has; nothing here runs
it. The test suite and the audit run every line as a doctest, so that a row whose evidence no
longer holds is noticed. The paper map in the docs and ``kproof audit`` are views of
these rows.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from kproof.errors import InvalidArgument, one_of
from kproof.forms import JsonForm
from kproof.theory.kernel.statements import theorems_for_row
from kproof.theory.quoting import Quoted, import_lines, imports_of, quote, text_of

SCHEMA = 1
"""Version of the JSON form."""


class Ruling(StrEnum):
    """What becomes of a claim."""

    PROVED = "proved"
    """True as printed, up to the rounding that print brings."""
    TYPO = "typo"
    """Wrong as printed; the text around it says what is meant, and that is right."""
    UNSOUND = "unsound"
    """The step or method does not deliver what it is used for; something like it does."""
    LOOSE = "loose"
    """True in a weaker form, or under a condition that is not stated."""
    AMBIGUOUS = "ambiguous"
    """Its readings differ in whether it is true."""
    ASSUMED = "assumed"
    """Stated without a reason and not decided here."""
    REFUTED = "refuted"
    """False; the evidence is a counterexample."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One line of Python and its value.

    >>> from kproof.theory.quoting import quote
    >>> from kproof.theory.theorems.theta import theta
    >>> shown = Evidence(quote(theta)(4, "0.6"), "Fraction(3, 4)")
    >>> shown.example.splitlines()
    ['>>> from kproof.theory.theorems.theta import theta', ">>> theta(4, '0.6')", 'Fraction(3, 4)']
    """

    quoted: Quoted
    """An expression made with :func:`kproof.theory.quoting.quote`."""
    value: str
    """What it evaluates to, as Python writes it."""

    @property
    def call(self) -> str:
        """The expression as text."""
        return text_of(self.quoted)

    @property
    def imports(self) -> tuple[str, ...]:
        """The import statements that the text needs."""
        return tuple(import_lines(imports_of(self.quoted).items()))

    @property
    def example(self) -> str:
        """The evidence as a doctest."""
        return "\n".join([*(f">>> {line}" for line in (*self.imports, self.call)), self.value])

    to_dict = JsonForm("imports call value")


def prints(quoted: Quoted, text: str) -> Evidence:
    """Return the evidence that the value of an expression prints as a text.

    >>> from kproof.theory.quoting import quote
    >>> from kproof.theory.theorems.theta import theta
    >>> prints(quote(theta)(4, "0.6"), "3/4")
    Evidence(quoted=str(theta(4, '0.6')), value="'3/4'")
    """
    return Evidence(quote(str)(quoted), repr(text))


@dataclass(frozen=True, slots=True)
class Claim:
    """One row of the ledger."""

    id: str
    """Unique over all papers: a letter for the paper and a number."""
    place: str
    """Section, table, figure or line of the paper."""
    statement: str
    """As printed, quoted or closely so."""
    ruling: Ruling
    evidence: tuple[Evidence, ...]
    corrected: str
    """What is true instead; for a claim that stands, what exactly was shown."""
    theorems: tuple[int, ...] = ()
    """Numbers of the theorems it belongs to, where the paper numbers them."""

    def __str__(self) -> str:
        return f"{self.id} ({self.place}) {self.ruling}: {self.corrected}"

    @property
    def kernel(self) -> tuple[str, ...]:
        """Theorems among the evidence that Rocq has checked; ``kproof audit --kernel`` does."""
        return theorems_for_row(self.id)

    to_dict = JsonForm("id place statement verdict=ruling evidence kernel corrected theorems")


@dataclass(frozen=True)
class Ledger:
    """The claims of one paper or of several.

    >>> row = Claim("X1", "Section 1", "1 + 1 = 3", Ruling.REFUTED, (), "1 + 1 = 2")
    >>> print(Ledger((row,))["X1"])
    X1 (Section 1) refuted: 1 + 1 = 2
    """

    claims: tuple[Claim, ...]
    """In the order in which the paper makes them; ids are unique."""

    def __post_init__(self) -> None:
        for name, times in Counter(claim.id for claim in self.claims).items():
            if times > 1:
                raise InvalidArgument("claims", name, "ids that occur once")

    def __getitem__(self, name: str) -> Claim:
        for claim in self.claims:
            if claim.id == name:
                return claim
        raise InvalidArgument("id", name, one_of(name, (claim.id for claim in self.claims)))

    def __add__(self, other: Ledger) -> Ledger:
        return Ledger(self.claims + other.claims)

    @property
    def rulings(self) -> dict[Ruling, int]:
        """How many claims have each ruling, those that occur."""
        counts = Counter(claim.ruling for claim in self.claims)
        return {ruling: counts[ruling] for ruling in Ruling if counts[ruling]}

    to_dict = JsonForm("claims", schema=SCHEMA)

    def to_json(self) -> str:
        """Return the JSON form as text that ends with a line break."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2) + "\n"

    def to_markdown(self) -> str:
        """Return the rows as a Markdown table."""
        lines = ["| id | place | claim | verdict | what is true | evidence |"]
        lines += ["|---|---|---|---|---|---|"]
        for claim in self.claims:
            evidence = [f"`{item.call}` → `{item.value}`" for item in claim.evidence]
            evidence += [f"Rocq: `{name}`" for name in claim.kernel]
            cells = (claim.id, claim.place, claim.statement, str(claim.ruling), claim.corrected)
            row = " | ".join(cell.replace("|", "\\|") for cell in (*cells, "<br>".join(evidence)))
            lines.append(f"| {row} |")
        return "\n".join(lines) + "\n"
