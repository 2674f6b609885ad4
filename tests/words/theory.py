"""Positive words of the theory: bounds and designs, proofs and certificates, ledgers."""

import io
import json
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from math import gcd
from pathlib import Path

import sympy as sp
from positive import Positive, either
from shell import kproof

from kproof.cli.bounds.audit import _summary, _write_audited
from kproof.report.wording import explain
from kproof.theory.audit import run_rows
from kproof.theory.derivations.certificate import Certificate, certificate
from kproof.theory.derivations.deciders import judge
from kproof.theory.derivations.derivation import Derivation, Step
from kproof.theory.derivations.formulas import at_most
from kproof.theory.derivations.manifest import manifest, to_json
from kproof.theory.derivations.methods import Arithmetic, Assumed
from kproof.theory.kernel.checking import CheckedStatement, KernelReport
from kproof.theory.kernel.statements import STATEMENTS
from kproof.theory.laws import IndependentBlocks, PoissonBinomial
from kproof.theory.ledger import Claim, Evidence, Ruling
from kproof.theory.quoting import quote
from kproof.theory.reading import Reading
from kproof.theory.recheck import CertificateReport, Conclusion, recheck
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.api import bound
from kproof.theory.theorems.bounds import Bound
from kproof.theory.theorems.comparison import Comparison, compare
from kproof.theory.theorems.moments import Moments
from kproof.theory.theorems.record_moments import RecordMoments

_AGES = ("bound", "2", "--data", "table-1a", "--column", "Age", "--shift", "1")
_COIN = ("--mean", "0.5", "--second", "0.5", "--third", "0.5", "--fourth", "0.5")
_DESIGN = ("design", "n", "--epsilon", "0.5", "--delta", "0.01", *_COIN)
_COUNT = ("design", "n", "--theorem", "1", "--p", "0.3", "--k", "10", "--epsilon", "0.2")
_AT = ("--epsilon", "0.1")
_BLOCKS = (
    "bound",
    "blocks",
    "--n",
    "40",
    "--block-mass",
    "0.8",
    "--block",
    "4",
    "--epsilon",
    "0.1",
)
_NOISY = ("bound", "noisy", "--records", "9", "--mass", "1/2", "--laplace", "1", "--epsilon", "1")
_SAMPLED = ("bound", "release", "--k", "5", "--epsilon", "1")
_ASSUME = ("--assume", "independence")
_XOR = {(0, 0, 0): "1/4", (0, 1, 1): "1/4", (1, 0, 1): "1/4", (1, 1, 0): "1/4"}
_X = sp.Symbol("x", real=True)


def _said(*words: str) -> str:
    ran = kproof(*words)
    return ran.out + ran.err


def _accounted(claimed: str) -> str:
    Path("run.json").write_text('{"history": [[1, 1, 1]]}', "utf-8")
    return _said("account", "run.json", "--claim", f"{claimed},1e-5")


def _document(claim: Bound) -> str:
    return json.dumps(claim.to_dict())


def _independent() -> Bound:
    return bound(2, moments=Moments.from_law(PoissonBinomial(["1/2"] * 9)), epsilon=1)


def _xor() -> Bound:
    law = IndependentBlocks([_XOR], counts=[3])
    return bound(2, moments=Moments.from_law(law), epsilon=1)


def _owed(n: int) -> Comparison:
    return compare(2, moments=RecordMoments.of(*["1/2"] * 4), n=n, epsilon="0.5")


def _read(found: Callable[[], Comparison]) -> str:
    return " ".join(explain(found()))


def _lawful() -> Comparison:
    return compare(2, moments=Moments.from_law(PoissonBinomial(["1/2"] * 10_000)))


def _derived(least: int, *, assumed: bool = False) -> Derivation:
    """Return that a square is at least a number, resting on an assumed step if so asked."""
    first = Step("first", "", at_most(0, _X**4), Assumed("nobody") if assumed else Arithmetic(), "")
    last = Step("last", "", at_most(least, _X**2), Arithmetic(), "", ("first",))
    return Derivation("squares", "Squares", (first, last), ("last",))


def _standing(least: int, *, assumed: bool = False) -> str:
    return str(judge(_derived(least, assumed=assumed))[-1].standing)


def _rechecked(*, forged: bool) -> CertificateReport:
    made = _derived(0)
    return _held(certificate(made, judge(made)), forged=forged)


def _held(written: Certificate, *, forged: bool = False) -> CertificateReport:
    path = written.write(Path("certificates"))
    expected = path.with_name("manifest.json")
    expected.write_text(to_json(manifest([written])), "utf-8")
    if forged:
        path.write_text(path.read_text(encoding="utf-8").replace("Squares", "Cubes"), "utf-8")
    return recheck(path, solver="z3", manifest=expected)


def _report(*, forged: bool) -> str:
    return str(_rechecked(forged=forged))


def _last_line(*changed: str) -> str:
    said = Conclusion("small", "", "proved", (), "", ("delta of kproof bound 2",))
    report = CertificateReport("", "squares", True, 1, {}, {}, conclusions=(said,))
    return _summary([report], changed)


def _counted(*, forged: bool) -> str:
    return _summary([_rechecked(forged=forged)], ())


def _kernel(*axioms: str, changed: tuple[str, ...] = (), modelled: str = "") -> str:
    checked = tuple(
        CheckedStatement(known.name, known.file, axioms, changed, modelled, "")
        for known in STATEMENTS
    )
    found = KernelReport("8.16.1", {}, checked, ())
    return f"{found}\n{found.to_dict()['accepted']}"


def _concluding(most: int) -> str:
    given = (at_most(_X**2, most),)
    step = Step("small", "", at_most(_X**2, most + 1), Arithmetic(), "", given=given)
    made = Derivation("squares", "Squares", (step,), ("small",))
    return str(_held(certificate(made, judge(made))))


def _counts(*, forged: bool) -> str:
    return ", ".join(f"{solver} {n}" for solver, n in _rechecked(forged=forged).confirmed.items())


def _ran(value: str) -> str:
    claim = Claim("X1", "", "", Ruling.PROVED, (Evidence(quote(gcd)(4, 6), value),), "")
    out = io.StringIO()
    with redirect_stdout(out):
        _write_audited(run_rows([claim]), ())
    return out.getvalue()


def _row(ruling: Ruling) -> str:
    return str(Claim("X1", "here", "", ruling, (), "so it is"))


ROWS = (
    Positive(
        word="sound here",
        printed_by="kproof bound, compare, the report",
        modules=("kproof.theory.theorems.comparison",),
        judged="Every hypothesis was decided by code and holds, and the claim is not below the "
        "exact value over all events.",
        mutant="a hypothesis that no input shows, such as independent rows of a column",
        holds=lambda: _said(
            "bound", "1", "--n", "60", "--p", "0.71", "--k", "33", "--epsilon", "1"
        ),
        turns=lambda: _said(*_AGES),
    ),
    Positive(
        word="sound, assumed",
        printed_by="kproof bound, compare, the report",
        modules=("kproof.theory.theorems.comparison", "kproof.cli.bounds.comparisons"),
        judged="The same was judged as for *sound here*, but the caller answered for the "
        "hypotheses that are named with it.",
        mutant="the same question without --assume",
        **either(_said, (*_AGES, *_ASSUME), (*_AGES,)),
    ),
    Positive(
        word='"holds": true',
        printed_by="kproof bound --json, kproof design --json",
        modules=("kproof.theory.theorems.bounds", "kproof.theory.theorems.design"),
        judged="No hypothesis of the statement fails and none is owed. Code decided each, or the "
        "caller answered for it; `assumed` has the caller's words.",
        mutant="the same question without --assume",
        **either(_said, (*_DESIGN, *_ASSUME, "--json"), (*_DESIGN, "--json")),
    ),
    Positive(
        word='"status": "holds"',
        printed_by="a hypothesis in kproof bound --json",
        modules=("kproof.theory.theorems.bounds",),
        judged="Code decided this hypothesis from a law of the records, from moments that are "
        "known exactly, or from enclosures of the two sides of an inequality.",
        mutant="records in threes, the third being the xor of the other two",
        holds=lambda: json.dumps(_independent().hypotheses[0].to_dict()),
        turns=lambda: json.dumps(_xor().hypotheses[0].to_dict()),
    ),
    Positive(
        word='"holds": true',
        printed_by="kproof bound blocks --json",
        modules=("kproof.theory.theorems.blocks.bound",),
        judged="No hypothesis of the statement on blocks is owed: the law in a file shows it, or "
        "the caller answers for it; `assumed` has the caller's words, the typed block masses among "
        "them.",
        mutant="the same beliefs without --assume",
        **either(_said, (*_BLOCKS, *_ASSUME, "--json"), (*_BLOCKS, "--json")),
    ),
    Positive(
        word="holds against everyone",
        printed_by="kproof bound release, kproof design release",
        modules=("kproof.theory.theorems.releases.sampled",),
        judged="delta is the supremum over all tables and events for rows that independent coins "
        "of that chance chose, in cells fixed beforehand, with nothing else published; it is about "
        "the method, and the next lines say what it rests on.",
        mutant="all rows are published: a chance of 1",
        **either(_said, (*_SAMPLED, "--beta", "1/10"), (*_SAMPLED, "--beta", "1")),
        adversary="knows all other rows and the method; not the coins, which are not used again",
    ),
    Positive(
        word="on your word: belief",
        printed_by="kproof bound table, kproof bound sum, kproof bound noisy",
        modules=("kproof.theory.theorems.releases.believed",),
        judged="Somebody answers for the belief and for independence; delta is then a certified "
        "upper bound, over all events, of the worst pair of cells, or of the sum with its noise.",
        mutant="the same without --assume: conditional",
        **either(_said, (*_NOISY, "--assume", "belief"), (*_NOISY,)),
        adversary="believes in the law that was given, knows as many rows as was said and the "
        "method; nothing holds against who knows the other rows, and the line beside says so",
    ),
    Positive(
        word="every hypothesis was checked",
        printed_by="a bound in a notebook",
        modules=("kproof.theory.theorems.bounds",),
        judged="Each hypothesis was decided by code and holds; the caller answered for none.",
        mutant="moments of one record, which do not show independence",
        holds=lambda: _independent()._repr_html_(),
        turns=lambda: _owed(9).bounds[Reading.CORRECTED]._repr_html_(),
    ),
    Positive(
        word="met",
        printed_by="kproof design",
        modules=("kproof.cli.bounds.design",),
        judged="The upper end of the enclosure of the corrected delta is at most the target, under "
        "the hypotheses that the first line names.",
        mutant="a target that no number of records meets",
        **either(_said, (*_DESIGN,), (*_DESIGN, "--s", "1000000000")),
        absent=" met",
    ),
    Positive(
        word="certified to miss; proved for the count without truncation",
        printed_by="kproof design n --theorem 1",
        modules=("kproof.theory.theorems.design",),
        judged="For one tuple fewer than the answer, the lower end of delta is above the target. "
        "It is proved only without truncation that no smaller number meets the target.",
        mutant="theorems 2 to 5, where every term of the bound falls as records are added",
        **either(_said, (*_COUNT, "--delta", "0.01"), (*_DESIGN,)),
        absent="certified to miss",
    ),
    Positive(
        word="can be proved for",
        printed_by="the report, kproof bound's heading (as proved)",
        modules=("kproof.report.wording", "kproof.cli.bounds.comparisons"),
        judged="The corrected delta at that epsilon is below 1 and no hypothesis fails. The same "
        "sentence names the hypotheses it is conditional on.",
        mutant="one record, for which the corrected delta is 1",
        holds=lambda: _read(lambda: _owed(10_000)),
        turns=lambda: _read(lambda: _owed(1)),
    ),
    Positive(
        word="Block masses prove",
        printed_by="the report",
        modules=("kproof.report.wording", "kproof.report.templates.bounds"),
        judged="The upper end of the block bound at that epsilon is below 1. The same sentence "
        "names the hypotheses it is conditional on.",
        mutant="records of which two may be one person's, so that none is known to be independent",
        holds=lambda: _read(lambda: _owed(100)),
        turns=lambda: _read(
            lambda: compare(
                3,
                moments=RecordMoments.of(*["1/2"] * 4),
                n=100,
                epsilon="0.5",
                adversary=Adversary.of(neighbourhood=2),
            )
        ),
    ),
    Positive(
        word="That is true here",
        printed_by="the report",
        modules=("kproof.report.wording",),
        judged="Every hypothesis of the printed theorem was decided by code, and its delta is not "
        "below the exact value.",
        mutant="moments of single records, which do not show independence",
        holds=lambda: _read(_lawful),
        turns=lambda: _read(lambda: _owed(10_000)),
    ),
    Positive(
        word="That is true if what you confirm is; nobody checked",
        printed_by="the report",
        modules=("kproof.report.wording",),
        judged="The printed delta is not below the exact value for a law that has the hypotheses. "
        "Nobody judged whether the data have them.",
        mutant="a law that decides the hypotheses",
        holds=lambda: _read(lambda: compare(2, moments=RecordMoments.of(*["1/2"] * 4), n=10_000)),
        turns=lambda: _read(_lawful),
        absent="that is true if",
    ),
    Positive(
        word="proved",
        printed_by="a step of a derivation, in kproof audit --run and in certificates",
        modules=("kproof.theory.derivations.derivation", "kproof.theory.recheck"),
        judged="The step and every step that it follows from were decided by their deciders.",
        mutant="a step that is false: every square is at least 1",
        holds=partial(_standing, 0),
        turns=partial(_standing, 1),
    ),
    Positive(
        word="proved from assumptions",
        printed_by="a step of a derivation, in kproof audit --run and in certificates",
        modules=("kproof.theory.derivations.derivation", "kproof.theory.recheck"),
        judged="The step was decided, but it follows from assumed steps, which are listed.",
        mutant="the same step with the one before it false",
        holds=partial(_standing, 0, assumed=True),
        turns=partial(_standing, 1, assumed=True),
    ),
    Positive(
        word="accepted",
        printed_by="kproof audit --recheck",
        modules=("kproof.theory.recheck",),
        judged="The certificate says what the manifest of statements expects; every step of it, at "
        "least one, was decided by code that shares nothing with what wrote it; values were found "
        "at which the hypotheses of each conclusion hold; and all digests agree.",
        mutant="one word of the certificate changed",
        holds=partial(_report, forged=False),
        turns=partial(_report, forged=True),
        absent=": accepted",
    ),
    Positive(
        word="confirmed",
        printed_by="kproof audit --recheck --json",
        modules=("kproof.theory.recheck",),
        judged="Each solver answered the stated number of questions with unsat.",
        mutant="one word of the certificate changed: nothing was asked",
        holds=partial(_counts, forged=False),
        turns=partial(_counts, forged=True),
        absent="z3 2",
    ),
    Positive(
        word="1 of 1 certificates accepted",
        printed_by="kproof audit --recheck, last line",
        modules=("kproof.cli.bounds.audit",),
        judged="So many of the files were accepted, each as its own line says. What any of them "
        "assumes is named.",
        mutant="one word of the certificate changed",
        holds=partial(_counted, forged=False),
        turns=partial(_counted, forged=True),
    ),
    Positive(
        word="formulas are those that kproof evaluates",
        printed_by="kproof audit --recheck, last line",
        modules=("kproof.cli.bounds.audit",),
        judged="So many formulas of conclusions were taken from the library anew, and are those of "
        "the manifest, which the recheck found in the conclusions.",
        mutant="a conclusion whose formula is another one now",
        holds=_last_line,
        turns=partial(_last_line, "theorem-2: not the formula that is evaluated"),
    ),
    Positive(
        word="checked, no axiom, as pinned, its hypotheses have a model",
        printed_by="kproof audit --kernel",
        modules=("kproof.theory.kernel.checking",),
        judged="Rocq compiled the file from its source and says that the theorem is closed: it "
        "needs no axiom, and nothing in its proof was admitted. What Rocq prints of its statement "
        "and of every definition that it rests on is the pinned text, and Rocq accepts values for "
        "which all of its hypotheses hold.",
        mutant="a theorem that says `True` instead",
        holds=_kernel,
        turns=partial(_kernel, changed=("statement: pinned `A`, Rocq prints `True`",)),
    ),
    Positive(
        word="checked by Rocq",
        printed_by="kproof audit --kernel, last line",
        modules=("kproof.theory.kernel.checking",),
        judged="So many of the listed theorems need no axiom, say what is pinned and have a model "
        "of their hypotheses.",
        mutant="theorems whose hypotheses contradict each other",
        holds=_kernel,
        turns=partial(_kernel, modelled="no value"),
        absent=f"{len(STATEMENTS)} of {len(STATEMENTS)} theorems checked by Rocq",
    ),
    Positive(
        word="accepted",
        printed_by="kproof audit --kernel --json",
        modules=("kproof.theory.kernel.checking",),
        judged="Every listed theorem is there, and of each Rocq says that it is closed, prints "
        "what is pinned, and accepts a model of its hypotheses.",
        mutant="a theorem that needs an axiom",
        holds=_kernel,
        turns=partial(_kernel, "Small.odd"),
        absent="True",
    ),
    Positive(
        word="its hypotheses are met at",
        printed_by="a conclusion of a certificate, in kproof audit --recheck",
        modules=("kproof.theory.recheck",),
        judged="All hypotheses of the conclusion were evaluated at these values of its symbols and "
        "functions, and hold there. That is shown so that nothing follows from a contradiction.",
        mutant="a hypothesis that no value meets: a square below 0",
        holds=partial(_concluding, 1),
        turns=partial(_concluding, -1),
    ),
    Positive(
        word="evidence holds for",
        printed_by="kproof audit --run",
        modules=("kproof.cli.bounds.audit",),
        judged="Every line of evidence of the counted rows was run and had the recorded value. The "
        "number of rows that were run is beside it.",
        mutant="a line of evidence with another value",
        holds=partial(_ran, "2"),
        turns=partial(_ran, "3"),
        absent="evidence holds for 1 of 1",
    ),
    Positive(
        word="proved",
        printed_by="a row of a ledger, in kproof audit and on the pages of the papers",
        modules=("kproof.theory.ledger",),
        judged="The word is the row's ruling as written; --run runs the evidence beside it.",
        mutant="a row with another ruling",
        holds=partial(_row, Ruling.PROVED),
        turns=partial(_row, Ruling.LOOSE),
    ),
    Positive(
        word="upheld: the claim",
        printed_by="kproof account",
        modules=("kproof.theory.losses.run_account",),
        judged="The larger of epsilon with a record added and removed was enclosed at the delta of "
        "the claim, for the worst pair of laws of each event, and no number of the enclosure "
        "exceeds the claim. Whether the run was as its file says was not judged.",
        mutant="a claim below the enclosure",
        holds=partial(_accounted, "4.4"),
        turns=partial(_accounted, "4.3"),
    ),
)
