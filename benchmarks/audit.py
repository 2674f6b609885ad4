"""What the audit costs: derivations, certificates, their recheck, evidence, and the searches.

Run ``python benchmarks/audit.py``; with cvc5 installed, the recheck asks it too. Each job runs in
an order in which nothing is remembered from the one before, except that certificates are made from
derivations just judged.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from common import Row, machine, told, with_json

from kproof.report.ledgers import documents
from kproof.theory.audit import run_rows, write_certificates
from kproof.theory.derivations.evidence import judge_derivations
from kproof.theory.falsify.api import falsify
from kproof.theory.papers.claims import BOUNDS_PAPER
from kproof.theory.recheck import recheck


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true", help="the evidence of every document")
    parser.add_argument("--searches", action="store_true", help="the searches alone")
    arguments = with_json(parser).parse_args()
    rows = [*([] if arguments.searches else audit(arguments.all)), *searches()]
    told(arguments, rows, machine(["z3-solver", "sympy", "python-flint"]))


def audit(everything: bool) -> Iterator[Row]:
    """Yield the parts of an audit from scratch."""
    total = time.perf_counter()
    start = total
    derived = judge_derivations()
    steps = sum(len(one.judgements) for one in derived)
    yield _since(f"{len(derived)} derivations, {steps} steps", start)
    with tempfile.TemporaryDirectory() as name:
        start = time.perf_counter()
        files = write_certificates(Path(name))
        yield _since(f"{len(files)} certificates written", start)
        start = time.perf_counter()
        ledger = BOUNDS_PAPER.claims
        stand = sum(row.stands for row in run_rows(ledger))
        yield _since(
            f"evidence of {len(ledger)} rows of the bounds paper", start, note=f"{stand} stand"
        )
        yield _since("full audit of the bounds paper", total, 180)
        if everything:
            start = time.perf_counter()
            rest = [claim for one in documents()[1:] for claim in one.ledger.claims]
            stand = sum(row.stands for row in run_rows(rest))
            yield _since(
                f"evidence of {len(rest)} rows of the others", start, note=f"{stand} stand"
            )
        for solver in ("z3", *(("both",) if find_spec("cvc5") else ())):
            start = time.perf_counter()
            accepted = sum(recheck(path, solver=solver).accepted for path in files)
            limit = 60 if solver == "z3" else None
            yield _since(f"recheck, {solver}", start, limit, f"{accepted} accepted")


def searches() -> Iterator[Row]:
    """Yield a search for a witness against each theorem, and against its correction."""
    for theorem in range(1, 6):
        for reading in ("printed", "corrected"):
            start = time.perf_counter()
            found = falsify(theorem, reading=reading)
            note = "witness" if found.witness else f"none in {found.cases} cases"
            yield _since(f"search, theorem {theorem}, {reading}", start, 20, note)


def _since(job: str, start: float, limit: float | None = None, note: str = "") -> Row:
    return Row(job, time.perf_counter() - start, limit, note=note)


if __name__ == "__main__":
    main()
