"""Positive words of the theory: bounds and designs, proofs and certificates, ledgers."""

import io
import json
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from math import gcd
from pathlib import Path

import sympy as sp
from positive import either, rows
from shell import kproof, typed

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
_BLOCKS = typed("bound blocks --n 40 --block-mass 0.8 --block 4 --epsilon 0.1")
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


ROWS = rows(
    "theory",
    sound_here=either(
        _said, ("bound", "1", "--n", "60", "--p", "0.71", "--k", "33", "--epsilon", "1"), _AGES
    ),
    sound_assumed=either(_said, (*_AGES, *_ASSUME), _AGES),
    bound_holds=either(_said, (*_DESIGN, *_ASSUME, "--json"), (*_DESIGN, "--json")),
    status_holds=(
        lambda: json.dumps(_independent().hypotheses[0].to_dict()),
        lambda: json.dumps(_xor().hypotheses[0].to_dict()),
    ),
    blocks_hold=either(_said, (*_BLOCKS, *_ASSUME, "--json"), (*_BLOCKS, "--json")),
    holds_against_everyone=either(_said, (*_SAMPLED, "--beta", "1/10"), (*_SAMPLED, "--beta", "1")),
    belief_on_your_word=either(_said, (*_NOISY, "--assume", "belief"), _NOISY),
    every_hypothesis_checked=(
        lambda: _independent()._repr_html_(),
        lambda: _owed(9).bounds[Reading.CORRECTED]._repr_html_(),
    ),
    met=either(_said, _DESIGN, (*_DESIGN, "--s", "1000000000")),
    certified_to_miss=either(_said, (*_COUNT, "--delta", "0.01"), _DESIGN),
    can_be_proved=(lambda: _read(lambda: _owed(10_000)), lambda: _read(lambda: _owed(1))),
    block_masses_prove=(
        lambda: _read(lambda: _owed(100)),
        lambda: _read(
            lambda: compare(
                3,
                moments=RecordMoments.of(*["1/2"] * 4),
                n=100,
                epsilon="0.5",
                adversary=Adversary.of(neighbourhood=2),
            )
        ),
    ),
    true_here=(lambda: _read(_lawful), lambda: _read(lambda: _owed(10_000))),
    true_if=(
        lambda: _read(lambda: compare(2, moments=RecordMoments.of(*["1/2"] * 4), n=10_000)),
        lambda: _read(_lawful),
    ),
    step_proved=either(_standing, (0,), (1,)),
    proved_from_assumptions=(
        partial(_standing, 0, assumed=True),
        partial(_standing, 1, assumed=True),
    ),
    recheck_accepted=(partial(_report, forged=False), partial(_report, forged=True)),
    confirmed=(partial(_counts, forged=False), partial(_counts, forged=True)),
    certificates_accepted=(partial(_counted, forged=False), partial(_counted, forged=True)),
    formulas_of_kproof=(
        _last_line,
        partial(_last_line, "theorem-2: not the formula that is evaluated"),
    ),
    no_axiom=(_kernel, partial(_kernel, changed=("statement: pinned `A`, Rocq prints `True`",))),
    checked_by_rocq=(_kernel, partial(_kernel, modelled="no value")),
    kernel_accepted=(_kernel, partial(_kernel, "Small.odd")),
    hypotheses_met=either(_concluding, (1,), (-1,)),
    evidence_holds=either(_ran, ("2",), ("3",)),
    row_proved=either(_row, (Ruling.PROVED,), (Ruling.LOOSE,)),
    upheld=either(_accounted, ("4.4",), ("4.3",)),
)
