"""``kproof audit``: every claim of the papers, what becomes of it, and its evidence, run again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Group, Parameter

from kproof.cli.base.common import JSON
from kproof.cli.base.printing import (
    ExitStatus,
    console,
    write_json,
    write_line,
    write_lines,
    write_result,
    write_table,
)
from kproof.errors import InvalidArgument, did_you_mean
from kproof.outputs import Folder, check_outputs
from kproof.schemas.printed_bounds import Audited, Rechecked
from kproof.stages import stage

if TYPE_CHECKING:
    from kproof.theory.audit import AuditedClaim
    from kproof.theory.derivations.evidence import Derived
    from kproof.theory.ledger import Claim
    from kproof.theory.recheck import CertificateReport

_ROWS = Group("Rows", sort_key=2)
_EVIDENCE = Group("Evidence", sort_key=3)

_Which = Annotated[str | None, Parameter(group=_ROWS)]
_Files = Annotated[tuple[str, ...], Parameter(group=_EVIDENCE, consume_multiple=True, negative=())]
_Folder = Annotated[str | None, Parameter(group=_EVIDENCE)]


def audit(
    *ids: Annotated[str, Parameter(group=_ROWS)],
    paper: _Which = None,
    theorem: _Which = None,
    verdict: _Which = None,
    run: Annotated[bool, Parameter(group=_EVIDENCE, negative=())] = False,
    certificates: _Folder = None,
    recheck: _Files | None = None,
    kernel: Annotated[bool, Parameter(group=_EVIDENCE, negative=())] = False,
    figures: _Folder = None,
    json: JSON = False,
) -> ExitStatus:
    """Show the claims of the papers with their verdicts and evidence.

    With --run the status is 1 if a line of evidence has another value now or a step is not decided,
    and 4 if no claim was chosen; with --recheck it is 1 if a certificate is rejected and 4 if one
    that the manifest names was not judged, with --kernel it is 1 if Rocq does not accept a theorem,
    or it is not the one that is pinned.

    Args:
        ids: Rows to show in full, such as Z6.
        paper: One of bounds, theta, density, graphs, ...; by default all of them.
        theorem: Rows that belong to this theorem of the bounds paper, 1 to 5.
        verdict: proved, typo, unsound, loose, ambiguous, assumed or refuted.
        run: Judge every derivation, or those that the named rows cite, and run the evidence of the
            rows again.
        certificates: Judge every derivation and write its certificate and SMT-LIB files to this
            folder; rows are shown only if asked for.
        recheck: Check certificates against the manifest of statements, with code that shares
            nothing with what wrote them; no rows are shown.
        kernel: Let Rocq check the theorems that come with kproof, and that they say what is pinned;
            no rows are shown. Needs coqc, and says how it is installed.
        figures: A folder for Figures 2 to 5, as printed and as they should be.
    """
    if recheck is not None:
        return _recheck(recheck, json)
    if kernel:
        from kproof.theory.kernel.checking import check_kernel

        checked = check_kernel()
        write_result("audit-kernel", checked, json=json)
        return ExitStatus.DONE if checked.accepted else ExitStatus.VIOLATED
    rows = _choose(ids, paper, theorem, verdict)
    folders = {"certificates": Folder(certificates), "figures": Folder(figures)}
    written: dict[str, int] = {}
    with check_outputs({}, folders=folders).together():
        if certificates is not None:
            from kproof.theory.audit import write_certificates

            written["certificates"] = len(write_certificates(Path(certificates)))
        if figures is not None:
            from kproof.report.paper_figures import write_figures

            with stage("drawing figures"):
                written["figures"] = len(write_figures(figures))
    audited: tuple[AuditedClaim, ...] = ()
    derived: tuple[Derived, ...] = ()
    if run:
        from kproof.theory.audit import run_rows
        from kproof.theory.derivations.evidence import judge_derivations

        derived = judge_derivations(rows if ids else None)
        audited = run_rows(rows)
    if json:
        failed = {row.claim.id: row.failures for row in audited if not row.stands}
        # Rows that cite no derivation were run as well: what failed is said of them, too.
        judged = Audited(tuple(rows), derived if run else None, failed if run else None, written)
        write_json("audit", judged)
    elif ids:
        _write_full(rows)
    elif run or not written:
        _write_table(rows)
    if run and not json:
        _write_audited(audited, derived)
    for kind, count in () if json else written.items():
        write_lines(f"written: {count} {kind}")
    if not (all(row.stands for row in audited) and all(step.stands for step in derived)):
        return ExitStatus.VIOLATED
    return ExitStatus.OPEN if run and not rows else ExitStatus.DONE


def _choose(
    ids: tuple[str, ...], paper: str | None, theorem: str | None, verdict: str | None
) -> list[Claim]:
    from kproof.report.ledgers import document, documents
    from kproof.theory.exact.typed import choice
    from kproof.theory.ledger import Ruling
    from kproof.theory.theorems.registry import OwnBound, find_bound

    papers = documents() if paper is None else (document(paper),)
    rows = [claim for document_ in papers for claim in document_.ledger.claims]
    if verdict is not None:
        ruling = choice("verdict", verdict, Ruling)
        rows = [claim for claim in rows if claim.ruling == ruling]
    if theorem is not None:
        entry = find_bound(theorem)
        if isinstance(entry, OwnBound):
            rows = [claim for claim in rows if claim in entry.ledger.target.claims]
        else:
            rows = [claim for claim in rows if entry.number in claim.theorems]
    if ids:
        listed_ids = [claim.id for claim in rows]
        for name in ids:
            if name not in listed_ids:
                listed = f"the id of a row; kproof audit lists them{did_you_mean(name, listed_ids)}"
                raise InvalidArgument("id", name, listed)
        rows = [claim for claim in rows if claim.id in ids]
    return rows


def _write_table(rows: list[Claim]) -> None:
    cells = [(claim.id, claim.place, claim.ruling, claim.corrected) for claim in rows]
    write_table(("id", "place", "verdict", "what is true"), cells)
    counts = Counter(str(claim.ruling) for claim in rows)
    tally = ", ".join(f"{count} {name}" for name, count in counts.most_common())
    write_line(console(), f"{len(rows)} claims: {tally}" if rows else "no claims")


def _write_full(rows: list[Claim]) -> None:
    out = console()
    for claim in rows:
        write_line(out, f"{claim.id}, {claim.place}: {claim.ruling}")
        write_line(out, f'  "{claim.statement}"')
        write_line(out, f"  {claim.corrected}")
        printed: set[str] = set()
        for evidence in claim.evidence:
            # An import that several examples begin with is printed once.
            lines = [line for line in evidence.example.splitlines() if line not in printed]
            printed.update(line for line in lines if " import " in line)
            for line in lines:
                out.print(f"  {line}", markup=False)
        if claim.kernel:
            write_line(out, f"  kernel, see kproof audit --kernel: {', '.join(claim.kernel)}")


def _write_audited(audited: tuple[AuditedClaim, ...], derived: tuple[Derived, ...]) -> None:
    failed = [row for row in audited if not row.stands]
    standing = f"evidence holds for {len(audited) - len(failed)} of {len(audited)} claims"
    lines = [
        *map(str, derived),
        *(
            f"{row.claim.id} does not stand: {' '.join(row.failures) or 'no evidence'}"
            for row in failed
        ),
        standing if audited else "no evidence was run: no claim was chosen",
    ]
    for line in lines:
        write_line(console(), line)


def _recheck(files: tuple[str, ...], json: bool) -> ExitStatus:
    from kproof.theory.recheck import MANIFEST, manifest_difference, recheck, statements

    if not files:
        raise InvalidArgument("recheck", "", "one certificate or more")
    reports: list[CertificateReport] = []
    manifests: dict[str, str] = {}
    for name in files:
        with stage(f"rechecking {name}"):
            if Path(name).name == MANIFEST.name:
                manifests[name] = manifest_difference(Path(name))
            else:
                reports.append(recheck(Path(name)))
    stated = statements(MANIFEST)
    missing = [name for name in stated if name not in {report.name for report in reports}]
    tied = [report.name for report in reports if any(c.evaluated for c in report.conclusions)]
    changed: tuple[str, ...] = ()
    if tied:
        from kproof.theory.audit import formula_changes

        with stage("comparing with the formulas that kproof evaluates"):
            changed = formula_changes({name: stated[name] for name in tied})
    unchanged = "the manifest that certificates are held against"
    text = [f"{name}: {difference or unchanged}" for name, difference in manifests.items()]
    text += [*map(str, reports), *changed, _summary(reports, changed)]
    text += [f"not judged: {', '.join(missing)}"] if missing else []
    rechecked = Rechecked(tuple(reports), changed, manifests, tuple(missing))
    write_result("audit-recheck", rechecked, json=json, text="\n".join(text))
    if changed or any(manifests.values()) or not all(report.accepted for report in reports):
        return ExitStatus.VIOLATED
    return ExitStatus.OPEN if missing else ExitStatus.DONE


def _summary(reports: list[CertificateReport], changed: tuple[str, ...]) -> str:
    accepted = [report for report in reports if report.accepted]
    assumed = sorted({step.id for report in accepted for step in report.assumptions})
    formulas = sum(len(c.evaluated) for report in accepted for c in report.conclusions)
    line = (
        f"{len(accepted)} of {len(reports)} certificates accepted; "
        f"assumed: {', '.join(assumed) or 'nothing'}"
    )
    if formulas and not changed:
        line += f"; {formulas} formulas are those that kproof evaluates"
    return line
