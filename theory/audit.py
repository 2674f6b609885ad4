"""The audit: every derivation judged, every certificate made, every row's evidence run again.

A row stands if each line of its evidence still has the value that is written there. Evidence is
run as what it is, a line of an interactive session with its output.
"""

import doctest
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kproof.outputs import together, write_folder
from kproof.stages import count_parts
from kproof.theory.derivations.certificate import Certificate, certificate
from kproof.theory.derivations.evaluated import by_conclusion
from kproof.theory.derivations.evidence import judge_all
from kproof.theory.derivations.manifest import FILE, manifest, to_json
from kproof.theory.derivations.proofs.catalogue import derivations
from kproof.theory.ledger import Claim, Evidence


@dataclass(frozen=True)
class AuditedClaim:
    """What became of a ledger's row when its evidence was run."""

    claim: Claim
    failures: tuple[str, ...]
    """One text for each line of evidence that has another value now; empty if the row stands."""

    @property
    def stands(self) -> bool:
        """Whether there is evidence, and all of it holds."""
        return bool(self.claim.evidence) and not self.failures


def certificates() -> tuple[Certificate, ...]:
    """Return the certificates of all derivations."""
    every = count_parts("judging derivations", derivations())
    return tuple(certificate(derivation, judge_all(derivation.name)) for derivation in every)


def write_certificates(folder: Path) -> list[Path]:
    """Write the certificates, their SMT-LIB files and the manifest, all of them or none.

    Returns the certificates; ``manifest.json`` lies beside them. Raises DataError if the folder
    cannot be made or a file not be written; those that were there before are then unchanged.
    """
    all_certificates = certificates()
    with together():
        write_folder(folder, {FILE: to_json(manifest(all_certificates, by_conclusion()))})
        return [certificate.write(folder) for certificate in all_certificates]


def formula_changes(expected: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """Compare what is computed now with what the manifest says is computed.

    A recheck sees that the manifest's formulas are those of the conclusions; this sees that they
    are those that the library evaluates. ``expected``: entries of a manifest, by name: what
    :func:`kproof.theory.recheck.statements` returns. Returns one text for each conclusion whose
    formulas differ; empty if none does.

    >>> from kproof.theory.recheck import MANIFEST, statements
    >>> formula_changes(statements(MANIFEST))
    ()
    """
    now = by_conclusion()
    return tuple(
        f"{name}, {step}: not the formula that is evaluated"
        for name, entry in expected.items()
        for step, conclusion in entry["conclusions"].items()
        if conclusion["evaluated"] != now.get((name, step), [])
    )


def run_rows(claims: Iterable[Claim]) -> tuple[AuditedClaim, ...]:
    """Run the evidence of rows of a ledger again.

    >>> from math import gcd
    >>> from kproof.theory.ledger import Ruling
    >>> from kproof.theory.quoting import quote
    >>> claim = Claim("X1", "", "", Ruling.PROVED, (Evidence(quote(gcd)(4, 6), "2"),), "")
    >>> run_rows([claim])[0].stands
    True
    """
    rows: list[AuditedClaim] = []
    for claim in count_parts("running the evidence of claims", tuple(claims)):
        failures = tuple(filter(None, (run(evidence) for evidence in claim.evidence)))
        rows.append(AuditedClaim(claim, failures))
    return tuple(rows)


def run(evidence: Evidence) -> str:
    """Run one line of evidence; return what differs, or nothing."""
    differences: list[str] = []
    # Without globals: evidence has no names but those that it imports, as for a reader who types
    # it.
    example = doctest.DocTestParser().get_doctest(evidence.example, {}, evidence.call, None, None)
    doctest.DocTestRunner(verbose=False).run(example, out=differences.append)
    return "".join(differences)
