"""Check a certificate again, trusting nobody: this file imports no other module of its package.

It is written from the format (``docs/theory/certificates.md``), with a reader of formulas, a writer
of SMT-LIB, an evaluator and a normaliser of its own, and runs alone: ``python recheck.py FILE...``.
It needs SymPy, z3 and python-flint; cvc5, where it is installed, answers every question a second
time. SymPy orders terms and puts values in; what it returns is held against the plain tree.

A certificate is accepted if it says what the manifest beside this file expects of it, and each step
is decided here once more, by the method that it names, and what is written down of it is what was
found. Everything read is data: nothing in a file is run.
"""

from __future__ import annotations

import sys

if __name__ == "__main__" and __package__ is None and not sys.flags.safe_path:
    del sys.path[0]  # Run as a script: the folder's numbers.py would stand for Python's.

import argparse
import atexit
import hashlib
import json
import math
import operator
import os
import re
import signal
import stat
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from functools import lru_cache
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import sympy as sp
from flint import Ordering, arb, ctx, fmpq, fmpq_mpoly_ctx, fmpz
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

MOST_BYTES = 8 << 20
"""Longest document that is read."""
MOST_NESTED = 64
"""Brackets within brackets."""
MOST_DIGITS = 80
"""Characters of a number."""
MOST_POWER = 64
"""Largest exponent of a number or a sum; products are written out up to 24."""
MOST_TERMS = 20_000
"""Terms of a sum that is added up, and the largest n of a binomial coefficient at a point."""
MOST_POINTS = 1 << 20
MOST_PIECES = 1 << 18
MOST_HALVINGS = 64
MOST_TRIED = 20_000
"""Formulas evaluated in search of values at which hypotheses hold."""
SECONDS = 300
"""Processor time for one file; like the two efforts, no matter what else the machine does."""
CLOCK_SECONDS = 1800
"""Time by the clock for one file, for what waits and uses no processor."""
FIRST_EFFORT = 200_000_000
"""Steps of z3 for one question, about a minute of them."""
SECOND_SECONDS = 3
"""Processor time of cvc5 for one question."""

MANIFEST = Path(__file__).with_name("manifest.json")
"""What certificates are expected to say."""

_SOLVERS = ("z3", "cvc5")
Tree: TypeAlias = "str | list[Tree]"
Number: TypeAlias = "Fraction | arb"

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_']*\Z")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(/[1-9][0-9]*)?\Z")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*\Z")
_SHA = re.compile(r"[0-9a-f]{64}\Z")


class UnreadableError(OSError):
    """A file that is no certificate at all; ``filename`` and ``strerror`` say which and why."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(None, why, str(path))


class _RejectedError(Exception):
    """The certificate, or a step of it, does not hold."""


class _UnclearError(Exception):
    """Balls are too wide to tell, or there is no value."""


class _TooLongError(BaseException):
    """Time is up; not an Exception, so that no library takes it for one of its own."""


@dataclass(frozen=True)
class Conclusion:
    """A conclusion as it was decided."""

    id: str
    """Of the step."""
    says: str
    """The statement with its hypotheses."""
    standing: str
    """What it is worth."""
    rests_on: tuple[str, ...]
    """Ids of the assumed steps that it depends on."""
    met: str
    """Values at which all its hypotheses hold; empty if it has none."""
    evaluated: tuple[str, ...] = ()
    """What is computed for users by formulas that occur in it."""

    def __str__(self) -> str:
        """Return one line, and one more for where the hypotheses are met."""
        rests = ", ".join(self.rests_on) or "no assumption"
        lines = [f"  {self.id}: {self.standing}, rests on {rests}: {self.says}"]
        if self.met:
            lines.append(f"    its hypotheses are met at {self.met}")
        lines += [f"    its formula is {_one_line(formula)}" for formula in self.evaluated]
        return "\n".join(lines)


@dataclass(frozen=True)
class AssumedStep:
    """A step that nothing decides."""

    id: str
    """Of the step."""
    says: str
    """What is assumed."""
    source: str
    """Where its proof stands."""

    def __str__(self) -> str:
        """Return one line."""
        return f"  assumed, {self.id}: {self.says} ({_one_line(self.source)})"


@dataclass(frozen=True)
class CertificateReport:
    """What became of one certificate."""

    file: str
    """The document that was read."""
    name: str
    """Of the derivation."""
    accepted: bool
    """Whether every step was decided here as the certificate says."""
    steps: int
    """How many steps were confirmed."""
    standings: Mapping[str, int]
    """How many of them stand how."""
    confirmed: Mapping[str, int]
    """How many questions each solver found to be unsatisfiable."""
    unconfirmed: tuple[str, ...] = ()
    """Questions that the second solver did not answer in its time; the first did."""
    step: str = ""
    """Where it was rejected: the id of a step, or ``document``; empty if it was accepted."""
    reason: str = ""
    """Why."""
    conclusions: tuple[Conclusion, ...] = ()
    """What it proves, if it was accepted."""
    assumptions: tuple[AssumedStep, ...] = ()
    """What it takes from elsewhere, if it was accepted."""

    def __str__(self) -> str:
        """Return a line, then conclusions, assumptions, and what the second solver left open."""
        file = _one_line(self.file)
        if not self.accepted:
            return f"{file}: rejected at {self.step}: {self.reason}"
        stand = ", ".join(f"{count} {standing}" for standing, count in self.standings.items())
        questions = ", ".join(f"{count} by {solver}" for solver, count in self.confirmed.items())
        lines = [f"{file}: accepted, {self.steps} steps: {stand}; questions: {questions}"]
        lines += [str(statement) for statement in (*self.conclusions, *self.assumptions)]
        if self.unconfirmed:
            lines.append(f"  not confirmed by the second solver: {', '.join(self.unconfirmed)}")
        return "\n".join(lines)

    to_dict = asdict


def recheck(
    path: Path, *, solver: str | None = None, manifest: Path = MANIFEST
) -> CertificateReport:
    """Check a certificate and the SMT-LIB files beside it.

    Args:
        path: The JSON document; the files are looked for in the folder next to it.
        solver: ``z3``, ``cvc5`` or ``both``; None stands for both where cvc5 is installed.
        manifest: What the certificate is expected to say; by default what lies beside this file.

    Raises:
        OSError: If a file cannot be read, is no JSON object, or is too long or too deeply nested.
        ValueError: If there is no such solver.
        ImportError: If cvc5 is asked for and is not installed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "empty.json")
    ...     _ = path.write_text("{}")
    ...     found = recheck(path)
    >>> found.accepted, found.step, found.reason
    (False, 'document', "its fields are not those of format 1: '' is not 'kproof derivation'")
    >>> recheck(Path("no-such.json"))
    Traceback (most recent call last):
        ...
    FileNotFoundError: [Errno 2] No such file or directory: 'no-such.json'
    """
    if solver not in (None, *_SOLVERS, "both"):
        raise ValueError(f"solver = {solver}: need z3, cvc5 or both")
    if solver in ("cvc5", "both") and not find_spec("cvc5"):
        raise ImportError("solver cvc5 is not installed: pip install cvc5")
    solvers = (solver,) if solver in _SOLVERS else _SOLVERS
    if solver is None and not find_spec("cvc5"):
        solvers = ("z3",)
    document = _read(path)
    checker = _Checker(path, solvers, statements(manifest))
    step, reason = "", ""
    try:
        with _deadline():
            checker.run(document)
    except _RejectedError as failure:
        step, reason = checker.at, str(failure)
    except _TooLongError as failure:
        step, reason = checker.at, f"not decided within {failure}"
    # Whatever a library raises over a hostile formula is a rejection: no error accepts anything.
    except (_UnclearError, RecursionError, MemoryError, ArithmeticError, ValueError) as failure:
        step, reason = checker.at, f"cannot be evaluated: {failure or type(failure).__name__}"
    finally:
        _APART.close()
    name = document.get("name")
    return CertificateReport(
        str(path),
        name if isinstance(name, str) and _ID.match(name) else "",
        not reason,
        len(checker.steps) - bool(reason and checker.at in checker.steps),
        checker.standings,
        checker.confirmed,
        tuple(checker.unconfirmed),
        _one_line(step),
        _one_line(reason)[:400],
        () if reason else tuple(checker.conclusions),
        () if reason else tuple(checker.assumptions),
    )


def _one_line(text: str) -> str:
    """Return a text as one line in which nothing is left that a terminal would obey.

    Else the id of a step that is rejected could end in a line that says "accepted".
    """
    line = " ".join(text.split())
    return "".join(x if x.isprintable() else x.encode("unicode_escape").decode() for x in line)


def main(words: Sequence[str] | None = None) -> int:
    """Check the files named on the command line; 0 if all are accepted, 1 if not, 2 if unread.

    What is named ``manifest.json`` is compared with what is expected, and is no certificate.
    """
    parser = argparse.ArgumentParser(prog="recheck", description="Check certificates again.")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--solver", choices=(*_SOLVERS, "both"))
    parser.add_argument("--manifest", type=Path, default=MANIFEST, help="what they must say")
    options = parser.parse_args(words)
    status, judged = 0, 0
    for path in options.files:
        try:
            if path.name == MANIFEST.name:
                difference = manifest_difference(path, manifest=options.manifest)
                print(f"{path}: {difference or 'the manifest that certificates are held against'}")
                status |= bool(difference)
                continue
            report = recheck(path, solver=options.solver, manifest=options.manifest)
        except (OSError, ImportError) as failure:
            sys.stderr.write(f"recheck: {failure}\n")
            return 2
        print(report)
        judged += 1
        status |= not report.accepted
    if not judged:
        sys.stderr.write("recheck: nothing is judged: a manifest is no certificate\n")
    return int(status or not judged)


def manifest_difference(path: Path, *, manifest: Path = MANIFEST) -> str:
    """Return where a manifest is not the one that certificates are held against; empty if nowhere.

    Raises:
        OSError: As :func:`recheck`, or if one of them is no manifest.
    """
    entries, expected = _read(path).get("certificates"), statements(manifest)
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise UnreadableError(path, "no manifest")
    entries_here = {str(entry.get("name")): entry for entry in entries}
    for name in sorted({*entries_here, *expected}):
        if entries_here.get(name) != expected.get(name):
            return f"{name[:80]}: not what the manifest of this recheck says"
    return "" if len(entries_here) == len(entries) else "a certificate occurs twice"


@contextmanager
def _deadline() -> Iterator[None]:
    """Stop at the time limits, where the system has timers to do it with."""
    usable = threading.current_thread() is threading.main_thread()
    if not (usable and _TIMERS):
        yield
        return
    limits = (
        (signal.ITIMER_PROF, signal.SIGPROF, SECONDS, "of processor time"),
        (signal.ITIMER_REAL, signal.SIGALRM, CLOCK_SECONDS, "by the clock"),
    )
    # Two limits: what computes without end uses the processor, what waits without end the clock.
    limit_texts: dict[int, str] = {
        number: f"{seconds} seconds {of_what}" for _, number, seconds, of_what in limits
    }

    def stop(number: int, _: object) -> None:
        raise _TooLongError(limit_texts[number])

    # Handlers and timers of whoever called are kept, and put back as they were.
    handlers = [(number, signal.signal(number, stop)) for _, number, _, _ in limits]
    timers = [(timer, signal.setitimer(timer, seconds)) for timer, _, seconds, _ in limits]
    try:
        yield
    finally:
        for timer, before in timers:
            signal.setitimer(timer, *before)
        for number, handler in handlers:
            signal.signal(number, handler)


# Reading -----------------------------------------------------------------------------------------


def _read(path: Path) -> dict[str, Any]:
    """Read a JSON object, having looked at its length and depth before parsing it."""
    data = _bytes(path, MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise UnreadableError(path, f"longer than {MOST_BYTES} bytes")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise UnreadableError(path, "not a text in UTF-8") from None
    # Before anything is parsed: the parser recurses, and no limit on the length bounds the depth.
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", re.sub(r'"(?:[^"\\]|\\.)*"', "", text)):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    if deepest > MOST_NESTED:
        raise UnreadableError(path, f"nested deeper than {MOST_NESTED}")
    try:
        document = json.loads(
            text,
            parse_int=_small,
            parse_float=_no_float,
            parse_constant=_no_float,
            object_pairs_hook=_once,
        )
    except ValueError as failure:
        raise UnreadableError(path, f"not the JSON of a certificate: {failure}") from None
    if not isinstance(document, dict):
        raise UnreadableError(path, "not a JSON object")
    return document


def _bytes(path: Path, size: int) -> bytes:
    """Read the beginning of a regular file; a pipe or a terminal would be waited for."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", getattr(os, "O_BINARY", 0)))
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UnreadableError(path, "no regular file")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(size)
    finally:
        os.close(descriptor)


def _small(digits: str) -> int:
    if len(digits) > 9:
        raise ValueError("a number is too long")
    return int(digits)


def _no_float(text: str) -> float:
    raise ValueError(f"{text[:20]} is no whole number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a key occurs twice")
    return members


def _need(holds: object, reason: str) -> None:
    if not holds:
        raise _RejectedError(reason)


def _fields(value: Any, names: Iterable[str], subject: str) -> dict[str, Any]:
    expected = set(names)
    _need(isinstance(value, dict), f"{subject} is no object")
    odd = sorted(set(value) ^ expected)
    _need(not odd, f"the fields of {subject} are not those of the format: {', '.join(odd)[:80]}")
    return dict(value)


def _is_1(value: Any) -> bool:
    return value == 1 and not isinstance(value, bool)  # To Python, true is 1.


def _texts(value: Any, subject: str) -> list[str]:
    _need(
        isinstance(value, list) and all(isinstance(text, str) for text in value),
        f"{subject}: texts",
    )
    return list(value)


def _text(value: Any, subject: str) -> str:
    _need(isinstance(value, str), f"{subject} is no text")
    return str(value)


def _fraction(value: Any, subject: str) -> Fraction:
    # Before it is a Fraction, which reads signs, blanks and decimals that no certificate may have.
    text = _text(value, subject)
    _need(_NUMBER.match(text) and len(text) <= MOST_DIGITS, f"{subject}: {text[:40]} is no number")
    return Fraction(text)


# Formulas ----------------------------------------------------------------------------------------


class _Phi(sp.Function):
    """The standard normal distribution function."""

    nargs = 1

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        """Return the density."""
        if argindex != 1:
            raise sp.core.function.ArgumentIndexError(self, argindex)
        return sp.exp(-(self.args[0] ** 2) / 2) / sp.sqrt(2 * sp.pi)


# SymPy orders the terms of a sum by the names of their functions: by another one a true formula
# would not be read as it was written.
_Phi.__name__ = "Phi"

_TERMS: Mapping[str, tuple[Any, int, int]] = {
    "+": (sp.Add, 2, 10_000),
    "*": (sp.Mul, 2, 10_000),
    "exp": (sp.exp, 1, 1),
    "log": (sp.log, 1, 1),
    "abs": (sp.Abs, 1, 1),
    "max": (sp.Max, 2, 100),
    "min": (sp.Min, 2, 100),
    "floor": (sp.floor, 1, 1),
    "ceiling": (sp.ceiling, 1, 1),
    "binomial": (sp.binomial, 2, 2),
    "lambertw": (sp.LambertW, 1, 1),
    "Phi": (_Phi, 1, 1),
}
_RELATIONS: Mapping[str, Any] = {"=": sp.Eq, "!=": sp.Ne, "<=": sp.Le, "<": sp.Lt}
_ORDERS = {"=": operator.eq, "!=": operator.ne, "<=": operator.le, "<": operator.lt}
_JOINED: Mapping[str, tuple[Any, int, int]] = {
    "and": (sp.And, 2, 100),
    "or": (sp.Or, 2, 100),
    "not": (sp.Not, 1, 1),
    "implies": (sp.Implies, 2, 2),
}
_SPELLED = {kind: name for name, (kind, _, _) in (*_TERMS.items(), *_JOINED.items())} | {
    kind: name for name, kind in _RELATIONS.items()
}
_READ_AS_KNOWN = re.compile(
    r"(pi|sqrt|cbrt|root|ln|lg|log2|log10|log1p|expm1|(a|arc)?(sin|cos|tan|cot)h?|erfc?|gamma"
    r"|factorial|choose|pow|power|sign|sgn|mod|gcd|lcm|ceil|round|trunc|Exp|Log|Abs|Max|Min|Sum"
    r"|Product|LambertW|if|then|iff|for|from)\Z"
)
"""Names of functions by which a reader of a statement would be deceived."""


class _Reader:
    """Trees to SymPy: only what is listed, each symbol of the kind that the document says."""

    def __init__(self, kinds: Mapping[str, Sequence[str]]) -> None:
        self._symbols = {
            name: sp.Symbol(name, **dict.fromkeys(assumed, True)) for name, assumed in kinds.items()
        }
        self.met: set[str] = set()

    def symbol(self, name: Any) -> sp.Symbol:
        _need(isinstance(name, str) and name in self._symbols, f"{str(name)[:40]} is no symbol")
        self.met.add(name)
        return self._symbols[name]

    def formula(self, node: Any) -> sp.Basic:
        """Read a relation or a combination of some, and see that it is written as we would."""
        return self._same(node, self._formula(node))

    def term(self, node: Any) -> sp.Expr:
        return self._same(node, self._term(node))

    def _same(self, node: Any, expression: sp.Basic) -> sp.Basic:
        _need(
            # SymPy simplifies as it reads. What it changed is another formula than the one written,
            # about which the manifest, the digests and the questions speak.
            tree(expression) == node,
            f"a formula is not in its normal form: {json.dumps(node)[:120]}",
        )
        return expression

    def _formula(self, node: Any) -> sp.Basic:
        name, parts = self._open(node)
        if name in _RELATIONS:
            _need(len(parts) == 2, f"{name} has two sides")
            sides = [self._term(part) for part in parts]
            return _RELATIONS[name](*sides, evaluate=False)
        _need(name in _JOINED, f"{name[:40]} is no relation")
        kind, fewest, largest = _JOINED[name]
        _need(fewest <= len(parts) <= largest, f"{name} has another number of parts")
        return kind(*(self._formula(part) for part in parts), evaluate=False)

    def _term(self, node: Any) -> sp.Expr:
        if isinstance(node, str):
            return self._leaf(node)
        name, parts = self._open(node)
        if name == "apply":
            _need(len(parts) >= 2 and isinstance(parts[0], str), "apply needs a name and arguments")
            _need(_NAME.match(parts[0]), f"{parts[0][:40]} is no name of a function")
            # In the sentence of a statement it would be read as what the word means.
            own = parts[0] not in (*_SPELLED.values(), "sum", "apply")
            own = own and not _READ_AS_KNOWN.match(parts[0])
            _need(own, f"the function {parts[0][:40]} has a name that means something else")
            return sp.Function(parts[0])(*(self._term(part) for part in parts[1:]))
        if name == "sum":
            _need(len(parts) == 4, "a sum has a term, a variable and two ends")
            term, variable, low, high = (self._term(part) for part in parts)
            _need(isinstance(variable, sp.Symbol), "a sum runs over a symbol")
            return sp.Sum(term, (variable, low, high))
        if name == "^":
            _need(len(parts) == 2, "a power has a base and an exponent")
            return self._power(*(self._term(part) for part in parts))
        _need(name in _TERMS, f"{name[:40]} is no operator")
        kind, fewest, largest = _TERMS[name]
        _need(fewest <= len(parts) <= largest, f"{name} has another number of arguments")
        read = [self._term(part) for part in parts]
        # Of numbers SymPy works these out as it reads, however large the numbers are.
        if name in ("binomial", "floor", "ceiling"):
            _need(any(part.free_symbols for part in read), f"{name} of a number")
        return kind(*read)

    def _power(self, base: sp.Expr, exponent: sp.Expr) -> sp.Expr:
        # SymPy works out powers of numbers as it reads: a large exponent would not end.
        if exponent.is_number:
            small = exponent.is_Rational and abs(exponent.p) <= MOST_POWER and exponent.q <= 12
            _need(small, f"the exponent {str(exponent)[:40]} is too large")
        else:
            _need(not base.is_number or base.is_Rational, "a power of an irrational number")
        return sp.Pow(base, exponent)

    def _open(self, node: Any) -> tuple[str, list[Any]]:
        _need(isinstance(node, list) and node and isinstance(node[0], str), "no formula")
        return node[0], node[1:]

    def _leaf(self, text: str) -> sp.Expr:
        if text == "pi":
            return sp.pi
        if text in self._symbols:
            return self.symbol(text)
        value = _fraction(text, "a formula")
        return sp.Rational(value.numerator, value.denominator)


def tree(expression: sp.Basic) -> Tree:
    """Return the tree of an expression or a formula."""
    if isinstance(expression, sp.Rational):
        return str(expression)
    if isinstance(expression, sp.Symbol):
        return str(expression.name)
    if expression is sp.pi:
        return "pi"
    if expression is sp.E:
        return ["exp", "1"]
    if expression in (sp.true, sp.false):
        return ["=", "0", "0" if expression else "1"]
    if isinstance(expression, sp.Ge | sp.Gt):
        name = "<=" if isinstance(expression, sp.Ge) else "<"
        return [name, tree(expression.args[1]), tree(expression.args[0])]
    if isinstance(expression, sp.Pow):
        return ["^", *map(tree, expression.args)]
    if isinstance(expression, AppliedUndef):
        return ["apply", expression.func.__name__, *map(tree, expression.args)]
    if isinstance(expression, sp.Sum):
        _need(len(expression.limits) == 1, "a sum over several variables")
        return ["sum", tree(expression.function), *map(tree, expression.limits[0])]
    name = _SPELLED.get(type(expression), "")
    if not name:  # No text is made of what has a tree: SymPy takes long over it.
        raise _RejectedError(f"no tree of {str(expression)[:60]}")
    return [name, *map(tree, expression.args)]


def _substitute(expression: sp.Basic, values: Mapping[sp.Symbol, sp.Expr]) -> sp.Basic:
    """Put values in, all at once, and see that the result is the plain tree with names replaced."""
    return _substitution(expression, tuple(values.items()))


@lru_cache(maxsize=1 << 13)  # Certificates share half of their steps.
def _substitution(expression: sp.Basic, pairs: tuple[tuple[sp.Symbol, sp.Expr], ...]) -> sp.Basic:
    values = dict(pairs)
    result = _subs(expression, values)
    plain = _replace(tree(expression), {symbol.name: tree(x) for symbol, x in values.items()})
    symbols = _symbols(expression, result, *values, *values.values())
    _need(_same(plain, tree(result), symbols), "what SymPy puts in is not plainly what is put in")
    return result


def _subs(expression: sp.Basic, values: dict[sp.Symbol, sp.Expr]) -> sp.Basic:
    if isinstance(expression, Relational):
        sides = (side.subs(values, simultaneous=True) for side in expression.args)
        return expression.func(*sides, evaluate=False)
    if isinstance(expression, sp.And | sp.Or | sp.Not | sp.Implies):
        parts = [_subs(part, values) for part in expression.args]
        return expression.func(*parts, evaluate=False)
    return expression.subs(values, simultaneous=True)


def _replace(node: Tree, values: Mapping[str, Tree]) -> Tree:
    """Replace names in a tree, and nothing else."""
    if isinstance(node, str):
        return values.get(node, node)
    captured = node[0] == "sum" and any(node[2] in _words([*x]) for x in values.items())
    _need(not captured, "a value is put in for, or with, a summation variable")
    head = 2 if node[0] == "apply" else 1
    return [*node[:head], *(_replace(part, values) for part in node[head:])]


def _words(node: Tree) -> set[str]:
    return {node} if isinstance(node, str) else set().union(*map(_words, node))


def _symbols(*parts: sp.Basic) -> dict[str, sp.Symbol]:
    return {symbol.name: symbol for part in parts for symbol in part.atoms(sp.Symbol)}


def _next(value: sp.Expr) -> sp.Expr:
    result = value + 1
    _need(_same(["+", tree(value), "1"], tree(result), _symbols(value)), "not plainly one more")
    return result


def _slope(function: sp.Expr, symbol: sp.Symbol) -> sp.Expr:
    """Return SymPy's derivative, held against the one by the rules."""
    result, rules = sp.diff(function, symbol), _derivative(tree(function), symbol.name)
    _need(_same(rules, tree(result), _symbols(function, symbol)), "no plain derivative")
    return result


def _derivative(node: Tree, symbol: str) -> Tree:
    if symbol not in _words(node):
        return "0"
    if isinstance(node, str):
        return "1"
    name, parts = node[0], node[1:]
    rises = [_derivative(part, symbol) for part in parts]
    if name == "+":
        return ["+", *rises]
    if name == "*":
        return ["+", *(["*", x, *parts[:i], *parts[i + 1 :]] for i, x in enumerate(rises))]
    if name == "^" and rises[1] == "0":
        return ["*", parts[1], ["^", parts[0], ["+", parts[1], "-1"]], rises[0]]
    outer: Mapping[str, Callable[[Any], Tree]] = {
        "exp": lambda x: ["exp", x],
        "log": lambda x: ["^", x, "-1"],
        "Phi": lambda x: ["*", ["exp", ["*", "-1/2", x, x]], ["^", ["*", "2", "pi"], "-1/2"]],
    }
    if name == "^":  # a^b = exp(b log a)
        return ["*", node, _derivative(["*", parts[1], ["log", parts[0]]], symbol)]
    _need(name in outer, f"{name} need not have a derivative")
    return ["*", outer[str(name)](parts[0]), *rises]


def _all(parts: Sequence[sp.Basic]) -> sp.Basic:
    return sp.And(*parts, evaluate=False) if len(parts) > 1 else parts[0]


def _if(known: Sequence[sp.Basic], claim: sp.Basic) -> sp.Basic:
    return sp.Implies(_all(known), claim, evaluate=False) if known else claim


def _le(left: object, right: object) -> sp.Basic:
    return sp.Le(left, right, evaluate=False)


def _lt(left: object, right: object) -> sp.Basic:
    return sp.Lt(left, right, evaluate=False)


def _bound(expression: sp.Basic) -> set[sp.Symbol]:
    return {sum_.limits[0][0] for sum_ in expression.atoms(sp.Sum)}


def _unbound(parts: Iterable[sp.Basic], values: Mapping[sp.Symbol, sp.Expr]) -> None:
    moved = {symbol for pair in values.items() for side in pair for symbol in side.free_symbols}
    _need(
        not any(_bound(part) & moved for part in parts),
        "a value is put in for, or with, a summation variable",
    )


def _require_apart(parts: Iterable[sp.Basic], supposed: Iterable[sp.Basic]) -> None:
    """See that nothing is supposed of a summation variable.

    The conditions of a term of a sum are asked with its variable free: what is supposed of a symbol
    of that name would take places out of the range.
    """
    spoken = {symbol for part in supposed for symbol in part.free_symbols}
    for part in parts:
        _need(not _bound(part) & spoken, "a summation variable is spoken of outside its sum")


def _under(known: Sequence[sp.Basic], node: sp.Basic) -> list[sp.Basic]:
    """Return what must hold for a formula to be defined where something is known."""
    required = _conditions(node)
    if required:
        _require_apart([node], known)
    return [_if(known, condition) for condition in required]


def _conditions(node: sp.Basic) -> list[sp.Basic]:
    """Return what must hold for a formula to be defined; conclusions under their hypotheses."""
    if isinstance(node, sp.Implies):
        before, after = node.args
        return [*_conditions(before), *_under([before], after)]
    if isinstance(node, sp.Sum):
        _need(len(node.limits) == 1, "a sum over several variables")
        name, low, high = node.limits[0]
        _need(all(map(_whole_term, (name, low, high))), "a sum runs over whole numbers")
        _need(name not in low.free_symbols | high.free_symbols, f"{name} is in its own range")
        within = _under([_le(low, name), _le(name, high)], node.function)
        # More may be assumed of the variable than its range keeps.
        return [*_conditions(low), *_conditions(high), *_sign(name, low), *within]
    required = [condition for part in node.args for condition in _conditions(part)]
    if isinstance(node, sp.log):
        required += _above(node.args[0])
    elif isinstance(node, sp.binomial):
        # Beyond -1 it is continuous in both arguments, and its rules hold without exception.
        required += _above(node.args[0] + 1)
    elif isinstance(node, sp.LambertW):
        required.append(_le(-1, sp.E * node.args[0]))
    elif isinstance(node, sp.Pow):
        base, exponent = node.args
        if _whole_term(exponent):
            if not (_at_least_0(exponent) or _above_0(base)):
                required.append(sp.Ne(base, 0, evaluate=False))
        elif not (exponent.is_Rational and exponent > 0):
            required += _above(base)
        elif not _at_least_0(base):
            required.append(_le(0, base))
    return list(dict.fromkeys(required))


def _above(value: sp.Expr) -> list[sp.Basic]:
    return [] if _above_0(value) else [_lt(0, value)]


def _kept_signs(values: Mapping[sp.Symbol, sp.Expr]) -> list[sp.Basic]:
    """Return the signs that values must have to stand for symbols, but those that they show."""
    required: list[sp.Basic] = []
    for symbol, value in values.items():
        whole = not symbol.is_integer or _whole_term(value)
        _need(whole, f"{symbol} is an integer, {value} need not be")
        shown = _above_0(value) if symbol.is_positive else _at_least_0(value)
        required += [] if shown else _sign(symbol, value)
    return required


def _sign(symbol: sp.Symbol, value: sp.Expr) -> list[sp.Basic]:
    if symbol.is_positive:
        return [_lt(0, value)]
    return [_le(0, value)] if symbol.is_nonnegative else []


# What the form of a term shows of it. SymPy is asked about symbols and numbers only.


def _whole_term(node: sp.Expr) -> bool:
    if isinstance(node, sp.Symbol | sp.Rational):
        return bool(node.is_integer)
    if isinstance(node, sp.Pow):
        times = node.exp
        return bool(times.is_Integer and times >= 0) and _whole_term(node.base)
    if isinstance(node, sp.Add | sp.Mul | sp.Max | sp.Min | sp.Abs):
        return all(map(_whole_term, node.args))
    return isinstance(node, sp.floor | sp.ceiling)


def _above_0(node: sp.Expr) -> bool:
    if isinstance(node, sp.Symbol | sp.Rational):
        return bool(node.is_positive)
    if isinstance(node, sp.Add):
        return all(map(_at_least_0, node.args)) and any(map(_above_0, node.args))
    if isinstance(node, sp.Mul | sp.Min):
        return all(map(_above_0, node.args))
    if isinstance(node, sp.Max):
        return any(map(_above_0, node.args))
    if isinstance(node, sp.Pow):
        return _above_0(node.base)
    return node is sp.pi or node is sp.E or isinstance(node, sp.exp | _Phi)


def _at_least_0(node: sp.Expr) -> bool:
    if _above_0(node):
        return True
    if isinstance(node, sp.Symbol | sp.Rational):
        return bool(node.is_nonnegative)
    if isinstance(node, sp.Add | sp.Mul | sp.Min):
        return all(map(_at_least_0, node.args))
    if isinstance(node, sp.Max):
        return any(map(_at_least_0, node.args))
    if isinstance(node, sp.Pow):
        times = node.exp
        even = times.is_Rational and (times.q > 1 or times.p % 2 == 0)
        return bool(even) or _at_least_0(node.base)
    return isinstance(node, sp.Abs)


def _alike(left: sp.Basic, right: sp.Basic) -> bool:
    """Whether two formulas differ in nothing but the form of their terms."""
    return _same(tree(left), tree(right), _symbols(left, right))


def _same(left: Tree, right: Tree, symbols: Mapping[str, sp.Symbol]) -> bool:
    if left == right:
        return True
    name = str(left[0])
    if isinstance(left, str) or name not in (*_RELATIONS, *_JOINED):
        return _Normal(symbols).agree(left, right)
    if isinstance(right, str) or right[0] != name:
        return False
    if name not in ("and", "or"):
        return all(_same(a, b, symbols) for a, b in zip(left[1:], right[1:], strict=True))
    # SymPy sorts the parts and drops doubles. Each part with a partner on the other side, both
    # ways: then both say the same.
    pairs = ((left[1:], right[1:]), (right[1:], left[1:]))
    return all(any(_same(a, b, symbols) for b in pool) for sides, pool in pairs for a in sides)


# Normal forms ------------------------------------------------------------------------------------

MOST_ATOMS = 64
"""Different atoms of one comparison; also the widest shift of a factorial."""

_RING = fmpq_mpoly_ctx.get([f"a{i}" for i in range(MOST_ATOMS)], Ordering.degrevlex)
_UNIT = _RING.constant(1)
Ratio: TypeAlias = "tuple[Any, Any]"


class _AgainError(Exception):
    """Some root or factorial was not fine enough."""


def _ratio(top: Any, bottom: Any = _UNIT) -> Ratio:
    """Return a ratio in lowest terms, the leading coefficient below being 1."""
    _need(bottom, "a division by 0")
    common = top.gcd(bottom)
    lead = bottom.leading_coefficient() / common.leading_coefficient()
    return top / common / lead, bottom / common / lead


def _const(value: Fraction | int) -> Ratio:
    return _RING.constant(fmpq(Fraction(value).numerator, Fraction(value).denominator)), _UNIT


def _sum_of(a: Ratio, b: Ratio) -> Ratio:
    return _ratio(a[0] * b[1] + b[0] * a[1], a[1] * b[1])


def _times(a: Ratio, b: Ratio) -> Ratio:
    return _ratio(a[0] * b[0], a[1] * b[1])


def _to_whole(a: Ratio, times: int) -> Ratio:
    _need(abs(times) <= MOST_POWER, f"the power {times} is too large")
    top, bottom = a if times >= 0 else a[::-1]
    return _ratio(top ** abs(times), bottom ** abs(times))


def _as_number(a: Ratio) -> Fraction | None:
    if not (a[0].is_constant() and a[1].is_constant()):
        return None
    value = a[0].leading_coefficient() if a[0] else fmpq(0)
    return Fraction(int(value.p), int(value.q))


def _spots(powers: Sequence[int]) -> list[int]:
    return [spot for spot, times in enumerate(powers) if times]


def _pieces(a: Ratio) -> Iterator[tuple[Fraction, Ratio]]:
    """Yield each coefficient above with its monomial over the whole of what is below."""
    for powers, number in a[0].terms():
        yield Fraction(int(number.p), int(number.q)), _ratio(_RING.from_dict({powers: 1}), a[1])


@dataclass
class _Atom:
    """What is opaque: a name and what it is applied to; ``base^(power / per)`` of a power."""

    head: str
    of: list[Ratio]
    sure: bool
    """Whether it is never negative."""
    per: int = 1


class _Normal:
    """Terms as ratios of polynomials over the rationals in atoms, which are found by comparing.

    The laws are those of ``docs/theory/certificates.md``; what they cancel is not 0 where all terms
    are defined, and that is asked elsewhere. Sums are opaque.
    """

    def __init__(self, symbols: Mapping[str, sp.Symbol]) -> None:
        self._symbols = symbols
        self._atoms: list[_Atom] = []
        self._slots: list[tuple[str, list[Ratio], list[int]]] = []

    def agree(self, left: Tree, right: Tree) -> bool:
        # Each try has finer roots or later factorials than the one before; the limit is for terms
        # that would ask for finer ones for ever.
        for _ in range(24):
            try:
                minus = _times(_const(-1), self._read(right, []))
                return not self._reduce_roots(_sum_of(self._read(left, []), minus))[0]
            except _AgainError:
                continue
        raise _RejectedError("too many roots and factorials")

    def _slot(self, head: str, of: list[Ratio], first: int) -> list[int]:
        """Return a number that is remembered from one try to the next."""
        for name, parts, number in self._slots:
            if name == head and parts == of:
                return number
        self._slots.append((head, of, [first]))
        return self._slots[-1][2]

    def _atom(self, head: str, of: list[Ratio], *, sure: bool = False, per: int = 1) -> Ratio:
        spots = (i for i, x in enumerate(self._atoms) if (x.head, x.of, x.per) == (head, of, per))
        spot = next(spots, len(self._atoms))
        _need(spot < MOST_ATOMS, f"more than {MOST_ATOMS} different terms")
        if spot == len(self._atoms):
            self._atoms.append(_Atom(head, of, sure, per))
        return _RING.gen(spot), _UNIT

    def _read(self, node: Any, bound: list[str]) -> Ratio:
        return self._reduce_roots(self._term(node, bound))

    def _term(self, node: Any, bound: list[str]) -> Ratio:
        if isinstance(node, str):
            if _NUMBER.match(node):
                return _const(Fraction(node))
            if node in bound:  # It has no sign: the range may begin anywhere.
                return self._atom(f"bound {max(i for i, x in enumerate(bound) if x == node)}", [])
            sure = node == "pi" or bool(self._symbols[node].is_nonnegative)
            return self._atom(f"symbol {node}", [], sure=sure)
        name, parts = str(node[0]), node[1:]
        if name == "sum":
            term = self._read(parts[0], [*bound, parts[1]])
            ends = [self._read(end, bound) for end in parts[2:]]
            return self._atom(f"sum {len(bound)}", [term, *ends])
        if name == "apply":
            name, parts = f"apply {parts[0]}", parts[1:]
        of = [self._read(part, bound) for part in parts]
        if name in ("+", "*"):
            result = of[0]
            for factor in of[1:]:
                result = (_sum_of if name == "+" else _times)(result, factor)
            return result
        if name == "^":
            return self._power(of[0], of[1], integral=self._whole(parts[1]))
        if name == "exp":
            return self._exp(of[0])
        if name == "log":
            return self._log(of[0])
        if name == "binomial":
            difference = self._one_over_factorial(_sum_of(of[0], _times(_const(-1), of[1])))
            above = _to_whole(self._one_over_factorial(of[0]), -1)
            return _times(above, _times(self._one_over_factorial(of[1]), difference))
        if name in ("max", "min"):
            of = [x for i, x in enumerate(of) if x not in of[:i]]
            if len(of) == 1:
                return of[0]
            of.sort(key=str)
        if name == "abs":
            if self._sure(of[0][0]) and self._sure(of[0][1]):
                return of[0]
            if of[0][0].leading_coefficient() < 0:
                of = [_times(_const(-1), of[0])]
        return self._atom(name, of, sure=name in ("abs", "Phi"))

    def _whole(self, node: Any) -> bool:
        if isinstance(node, str):
            if node == "pi" or _NUMBER.match(node):
                return node != "pi" and "/" not in node
            return bool(self._symbols[node].is_integer)
        if node[0] == "^":
            natural = isinstance(node[2], str) and node[2].isdigit()
            return natural and self._whole(node[1])
        joins = node[0] in ("+", "*", "max", "min", "abs")
        return node[0] in ("floor", "ceiling") or (joins and all(map(self._whole, node[1:])))

    def _sure(self, polynomial: Any) -> bool:
        return all(
            number > 0 and all(self._atoms[spot].sure for spot in _spots(powers))
            for powers, number in polynomial.terms()
        )

    def _power(self, base: Ratio, exponent: Ratio, *, integral: bool) -> Ratio:
        number = _as_number(exponent)
        if number is not None and number.denominator == 1:
            return _to_whole(base, int(number))
        _need(base[0], "a power of 0")
        result = _const(1)
        for factor, times in self._factors(base, any_sign=integral):
            raised = self._raise_to(factor, _times(exponent, _const(times)), integral=integral)
            result = _times(result, raised)
        return result

    def _raise_to(self, base: Ratio | None, exponent: Ratio, *, integral: bool = False) -> Ratio:
        """Return a power of one factor, or of e."""
        atom = self._power_of(base)
        if atom is not None:
            inner = _times(_times(exponent, atom.of[0]), _const(Fraction(1, atom.per)))
            return self._raise_to(atom.of[1] if len(atom.of) > 1 else None, inner)
        # Whole powers of what may be negative are other atoms than powers that ask for its sign.
        loose = integral and base is not None and not (self._sure(base[0]) and self._sure(base[1]))
        head, result = "loose power" if loose else "power", _const(1)
        for number, part in _pieces(exponent):
            if base is not None and _as_number(part) == 1 and number.denominator == 1:
                result = _times(result, _to_whole(base, int(number)))
                continue
            of = [part] if base is None else [part, base]
            per = self._slot(head, of, 1)
            if (number * per[0]).denominator > 1:
                per[0] = math.lcm(per[0], number.denominator)
                raise _AgainError
            atom_ = self._atom(head, of, sure=not loose, per=per[0])
            result = _times(result, _to_whole(atom_, int(number * per[0])))
        return result

    def _power_of(self, value: Ratio | None) -> _Atom | None:
        """Return the power that a value is, of what is not negative."""
        atoms = (x for i, x in enumerate(self._atoms) if value == (_RING.gen(i), _UNIT))
        return next((x for x in atoms if x.head == "power"), None)

    def _exp(self, exponent: Ratio) -> Ratio:
        result = _const(1)
        for number, part in _pieces(exponent):
            each = _times(_const(number), part)
            ((powers, _),) = part[0].terms()
            logs = [spot for spot in _spots(powers) if self._atoms[spot].head == "log"]
            if logs:
                remainder = _times(each, (_UNIT, _RING.gen(logs[0])))
                factor = self._power(self._atoms[logs[0]].of[0], remainder, integral=False)
            else:
                factor = self._raise_to(None, each)
            result = _times(result, factor)
        return result

    def _log(self, of: Ratio) -> Ratio:
        _need(of[0], "a logarithm of 0")
        result = _const(0)
        for factor, times in self._factors(of, any_sign=False):
            atom = self._power_of(factor)
            if atom is None:
                each = self._atom("log", [factor])
            else:
                base = self._log(atom.of[1]) if len(atom.of) > 1 else _const(1)
                each = _times(base, _times(atom.of[0], _const(Fraction(1, atom.per))))
            result = _sum_of(result, _times(_const(times), each))
        return result

    def _factors(self, of: Ratio, *, any_sign: bool) -> Iterator[tuple[Ratio, int]]:
        """Yield factors with exponents; only the last is negative, unless any sign will do."""
        remainders = []
        for polynomial, sign in ((of[0], 1), (of[1], -1)):
            numbers = [x for _, x in polynomial.terms()]
            above = math.gcd(*(int(x.p) for x in numbers))
            below = math.lcm(*(int(x.q) for x in numbers))
            for number, way in ((above, sign), (below, -sign)):
                for prime, times in fmpz(number).factor():
                    yield _const(int(prime)), way * times
            cofactor = polynomial * fmpq(below, above)
            common = [min(x) for x in zip(*(powers for powers, _ in cofactor.terms()), strict=True)]
            for spot in _spots(common):
                if any_sign or self._atoms[spot].sure:
                    yield (_RING.gen(spot), _UNIT), sign * int(common[spot])
                    cofactor /= _RING.gen(spot) ** int(common[spot])
            if any_sign and cofactor.leading_coefficient() < 0:
                yield _const(-1), sign
                cofactor = -cofactor
            remainders.append(cofactor)
        if any_sign or self._sure(remainders[1]):
            parts = [((remainders[0], _UNIT), 1), ((remainders[1], _UNIT), -1)]
        else:
            parts = [((remainders[0], remainders[1]), 1)]
        for part, sign in parts:
            if part[0] != part[1]:
                yield _ratio(*part), sign

    def _one_over_factorial(self, of: Ratio) -> Ratio:
        """Return 1/a!, 0 for negative whole a, as a multiple of that of the greatest a + i."""
        # The whole number in the argument is taken off, so that factorials a whole number apart
        # share an atom; a ratio has none to take.
        number = of[0].to_dict().get((0,) * MOST_ATOMS, fmpq(0)) if of[1] == 1 else fmpq(0)
        shift = int(number.p) if number.q == 1 else 0
        _need(abs(shift) <= MOST_ATOMS, f"a factorial moved by {shift}")
        unshifted = _sum_of(of, _const(-shift))
        if not unshifted[0]:
            return _const(Fraction(1, math.factorial(shift)) if shift >= 0 else 0)
        greatest = self._slot("factorial", [unshifted], shift)
        if shift > greatest[0]:
            greatest[0] = shift
            raise _AgainError
        result = self._atom(f"factorial {greatest[0]}", [unshifted])
        for i in range(shift + 1, greatest[0] + 1):
            result = _times(result, _sum_of(unshifted, _const(i)))
        return result

    def _reduce_roots(self, of: Ratio) -> Ratio:
        """Put in the base for full powers of its root, above and below, the last roots first."""
        for spot in reversed(range(len(self._atoms))):
            atom = self._atoms[spot]
            if atom.head != "power" or len(atom.of) < 2 or _as_number(atom.of[0]) != 1:
                continue
            below = min(int(powers[spot]) for powers, _ in of[1].terms())
            # Times a power of the root on both sides, until the power common to all below is full.
            factor = _RING.gen(spot) ** (-below % atom.per)
            of = (of[0] * factor, of[1] * factor)
            if max(0, *(int(x.degrees()[spot]) for x in of if x)) >= atom.per:
                return self._reduce_roots(
                    _times(self._full(of[0], spot), _to_whole(self._full(of[1], spot), -1))
                )
        return _ratio(*of)

    def _full(self, polynomial: Any, spot: int) -> Ratio:
        atom, result = self._atoms[spot], _const(0)
        for powers, number in polynomial.terms():
            times, left = divmod(int(powers[spot]), atom.per)
            term = _RING.from_dict({(*powers[:spot], left, *powers[spot + 1 :]): number})
            result = _sum_of(result, _times(_ratio(term), _to_whole(atom.of[1], times)))
        return result


# SMT-LIB -----------------------------------------------------------------------------------------

# True of the real functions, and of any value where those are not defined (hence the implications):
# a solver that was told more than is true would prove anything.
_FACTS: Mapping[str, Sequence[str]] = {
    "exp": ("(> {t} 0)", "(>= {t} (+ 1 {a}))", "(<= (* {t} (- 1 {a})) 1)"),
    "log": ("(=> (> {a} 0) (and (<= {t} (- {a} 1)) (>= (* {a} {t}) (- {a} 1))))",),
    "sqrt": ("(=> (>= {a} 0) (and (>= {t} 0) (= (* {t} {t}) {a})))",),
    "power": ("(=> (> {a} 0) (> {t} 0))",),
    "floor": ("(<= {t} {a})", "(< {a} (+ {t} 1))"),
    "ceiling": ("(>= {t} {a})", "(> (+ {a} 1) {t})"),
    "Phi": ("(> {t} 0)", "(< {t} 1)"),
    "pi": ("(> {t} 3)", "(< (* 7 {t}) 22)"),
    "inverse": ("(=> (not (= {a} 0)) (= (* {t} {a}) 1))",),
    "": (),
}


@dataclass
class _Question:
    """One question as SMT-LIB: the terms that are no arithmetic become ``t!1``, ``t!2``, ..."""

    known: Sequence[sp.Basic]
    claim: sp.Basic
    lines: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)

    def text(self) -> str:
        formulas = [*self.known, self.claim]
        # Integers are real numbers to the solver: what it proves of all reals holds of them.
        symbols = {symbol for formula in formulas for symbol in formula.atoms(sp.Symbol)}
        self.lines.append("(set-logic QF_NRA)")
        for symbol in sorted(symbols, key=lambda symbol: str(symbol.name)):
            self.lines.append(f"(declare-const {_quote(symbol.name)} Real)")
            if symbol.is_nonnegative:
                sign = ">" if symbol.is_positive else ">="
                self.lines.append(f"(assert ({sign} {_quote(symbol.name)} 0))")
        for formula in self.known:
            assertion = self.say(tree(formula))
            self.lines.append(f"(assert {assertion})")
        assertion = self.say(tree(self.claim))
        return "\n".join([*self.lines, f"(assert (not {assertion}))", "(check-sat)"]) + "\n"

    def say(self, node: Tree) -> str:
        if isinstance(node, str):
            return self.leaf(node)
        name, parts = str(node[0]), node[1:]
        if name in ("apply", "sum", "binomial", "lambertw"):
            return self.opaque(node, "", "")
        if name == "^":
            return self.power(node, node[1], node[2])
        terms = [self.say(part) for part in parts]
        match name:
            case "!=":
                return f"(not (= {terms[0]} {terms[1]}))"
            case "abs":
                return f"(ite (>= {terms[0]} 0) {terms[0]} (- {terms[0]}))"
            case "max" | "min":
                order, result = ">=" if name == "max" else "<=", terms[0]
                for term in terms[1:]:
                    result = f"(ite ({order} {result} {term}) {result} {term})"
                return result
            case "exp" | "log" | "floor" | "ceiling" | "Phi":
                return self.opaque(node, name, terms[0])
        return f"({'=>' if name == 'implies' else name} {' '.join(terms)})"

    def leaf(self, text: str) -> str:
        if text == "pi":
            return self.opaque("pi", "pi", "")
        if not _NUMBER.match(text):
            return _quote(text)
        value = Fraction(text)
        size = str(abs(value.numerator))
        if value.denominator > 1:
            size = f"(/ {size} {value.denominator})"
        return f"(- {size})" if value < 0 else size

    def power(self, node: Tree, base: Tree, exponent: Tree) -> str:
        if isinstance(exponent, str) and _NUMBER.match(exponent):
            value = Fraction(exponent)
            times = abs(value.numerator)
            if value.denominator == 1 and 1 <= times <= 24:
                factor = self.say(base)
                result = f"(* {' '.join([factor] * times)})" if times > 1 else factor
                return result if value > 0 else self.opaque(node, "inverse", result)
            if value == Fraction(1, 2):
                return self.opaque(node, "sqrt", self.say(base))
            if value.denominator == 2:
                root: Tree = ["^", base, "1/2"]
                return self.power(["^", root, str(value * 2)], root, str(value * 2))
        return self.opaque(node, "power", self.say(base))

    def opaque(self, node: Tree, kind: str, argument: str) -> str:
        key = json.dumps(node)
        if key not in self.names:
            name = self.names[key] = f"t!{len(self.names) + 1}"
            self.lines.append(f"(declare-const {name} Real)")
            self.lines += [f"(assert {fact.format(t=name, a=argument)})" for fact in _FACTS[kind]]
        return self.names[key]


def _quote(name: str) -> str:
    return f"|{name}|" if "'" in name else name


@lru_cache(maxsize=4096)
def _answer(solver: str, text: str) -> str:
    """Return what a solver says of a question: ``unsat``, ``sat`` or anything else."""
    return _ask_z3(text) if solver == "z3" else _APART.ask(text)


def _ask_z3(text: str) -> str:
    import z3

    # In a context of its own: what was asked before must change neither the answer nor the steps.
    solver = z3.SolverFor("QF_NRA", ctx=z3.Context())
    solver.set("rlimit", FIRST_EFFORT)
    try:
        solver.from_string(text)
        return str(solver.check())
    except z3.Z3Exception as failure:
        return f"an error: {failure}"


_TIMERS = hasattr(signal, "setitimer")

_CVC5 = """
import json, signal, sys, cvc5
timer = getattr(signal, "setitimer", lambda *_: None)
clock = getattr(signal, "ITIMER_PROF", None)
for line in sys.stdin:
    timer(clock, float(sys.argv[1]))
    solver = cvc5.Solver(cvc5.TermManager())
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, json.loads(line), "question")
    said = ""
    try:
        while not (command := parser.nextCommand()).isNull():
            said = str(command.invoke(solver, parser.getSymbolManager())).strip() or said
    except RuntimeError as failure:
        said = f"an error: {failure}"
    timer(clock, 0)
    print(json.dumps(said), flush=True)
"""
"""cvc5 keeps to no time limit in every theory, so that it runs in a process that its timer ends."""


class _Apart:
    """cvc5 in a process of its own, begun again after a question that took too long."""

    process: subprocess.Popen[str] | None = None

    def ask(self, text: str) -> str:
        if self.process is None:
            self.process = subprocess.Popen(
                # `-P`: else a cvc5.py in the folder that it runs in would stand for the solver.
                [sys.executable, "-P", "-c", _CVC5, str(SECOND_SECONDS)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
            )
            atexit.register(self.process.kill)
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            with self._stop_by_clock():
                stdin.write(json.dumps(text) + "\n")
                stdin.flush()
                line = stdout.readline()
        except BrokenPipeError:
            line = ""
        if line:
            return str(json.loads(line))
        self.close()
        return "unknown"

    @contextmanager
    def _stop_by_clock(self) -> Iterator[None]:
        """Where the system has no timer of processor time, an ordinary clock ends the process."""
        assert self.process is not None
        stop = threading.Timer(SECOND_SECONDS, self.process.kill)
        if not _TIMERS:
            stop.start()
        try:
            yield
        finally:
            stop.cancel()

    def close(self) -> None:
        """End the process, if there is one."""
        if self.process is None:
            return
        atexit.unregister(self.process.kill)
        self.process.kill()
        self.process.communicate()
        self.process = None


_APART = _Apart()


# Numbers -----------------------------------------------------------------------------------------


def _ball(value: Number) -> arb:
    return +value if isinstance(value, arb) else arb(fmpq(value.numerator, value.denominator))


class _Evaluator:
    """A walk over trees in rationals and balls, at the precision that is set."""

    def __init__(self, values: Mapping[str, Number]) -> None:
        self._values = dict(values)

    def holds(self, node: Any) -> bool | None:
        """Return whether a formula holds: true, false, or not certain (None)."""
        name, parts = node[0], node[1:]
        if name in _RELATIONS:
            return self._compare(name, parts)
        answers = [self.holds(part) for part in parts]
        if name == "not":
            return None if answers[0] is None else not answers[0]
        if name == "implies":
            name, answers[0] = "or", None if answers[0] is None else not answers[0]
        # One true part settles `or` and one false part `and`, whatever else cannot be told.
        settled = name == "or"
        if settled in answers:
            return bool(settled)
        return None if None in answers else not settled

    def _compare(self, name: str, parts: Sequence[Any]) -> bool | None:
        try:
            left, right = (self.value(part) for part in parts)
        except _UnclearError:
            return None
        if isinstance(left, Fraction) and isinstance(right, Fraction):
            return bool(_ORDERS[name](left, right))
        gap = _ball(left) - _ball(right)
        if name in ("=", "!="):
            return name == "!=" if gap > 0 or gap < 0 else None
        if gap < 0 or (name == "<=" and gap <= 0):
            return True
        return False if gap > 0 or (name == "<" and gap >= 0) else None

    def value(self, node: Any) -> Number:
        if isinstance(node, str):
            if node == "pi":
                return arb.pi()
            if node in self._values:
                return self._values[node]
            _need(_NUMBER.match(node), f"{node} has no value")
            return Fraction(node)
        name, parts = node[0], node[1:]
        if name == "sum":
            return self._sum(*parts)
        _need(name != "apply", f"{parts[0]} has no value")
        values = [self.value(part) for part in parts]
        match name:
            case "+":
                return _fold(values, operator.add)
            case "*":
                return _fold(values, operator.mul)
            case "^":
                return self._power(*values)
            case "max" | "min":
                return _fold(values, _larger if name == "max" else _smaller)
        return _FUNCTIONS[name](*values)

    def _power(self, base: Number, exponent: Number) -> Number:
        if isinstance(exponent, Fraction) and exponent.denominator == 1:
            times = exponent.numerator
            if times < 0 and (base == 0 or (isinstance(base, arb) and base.contains(0))):
                raise _UnclearError("a division by 0")
            if isinstance(base, Fraction) and abs(times) <= MOST_POWER:
                return Fraction(base**times)
            return _ball(base) ** times
        if base == 0 and isinstance(exponent, Fraction) and exponent > 0:
            return Fraction(0)
        if not base > 0:
            raise _UnclearError("a power of what need not be positive")
        if isinstance(base, Fraction) and isinstance(exponent, Fraction):
            root = Fraction(math.isqrt(base.numerator), math.isqrt(base.denominator))
            small = exponent.denominator == 2 and abs(exponent.numerator) <= MOST_POWER
            if small and root**2 == base:
                return Fraction(root**exponent.numerator)
        if exponent == Fraction(1, 2):
            return _ball(base).sqrt()
        return (_ball(exponent) * _ball(base).log()).exp()

    def _sum(self, term: Any, name: str, low: Any, high: Any) -> Number:
        first, last = (self.value(end) for end in (low, high))
        begin, end = _whole(first), _whole(last)
        if begin is None or end is None:
            raise _UnclearError("a sum without whole ends")
        _need(-1 <= end - begin <= MOST_TERMS, "a sum that is too long, or backwards")
        # The summation variable may have the name of a symbol that has a value outside the sum. A
        # term without a value must not leave its own behind: whoever is asked next, such as a
        # hypothesis on the symbol, would be judged by it.
        before = self._values
        total: Number = Fraction(0)
        try:
            for value in range(begin, end + 1):
                self._values = {**before, name: Fraction(value)}
                total = _fold([total, self.value(term)], operator.add)
        finally:
            self._values = before
        return total


def _fold(numbers: Sequence[Number], operation: Callable[[Any, Any], Any]) -> Number:
    result = numbers[0]
    for number in numbers[1:]:
        exact = isinstance(result, Fraction) and isinstance(number, Fraction)
        result = operation(result, number) if exact else operation(_ball(result), _ball(number))
        # Exact sums of unlike fractions double in length; a ball keeps the time bounded.
        if isinstance(result, Fraction) and result.denominator.bit_length() > 1 << 14:
            result = _ball(result)
    return result


def _larger(a: Any, b: Any) -> Any:
    return max(a, b) if isinstance(a, Fraction) else a.max(b)


def _smaller(a: Any, b: Any) -> Any:
    return -_larger(-a, -b)


def _exp(x: Number) -> Number:
    return Fraction(1) if x == 0 else _ball(x).exp()


def _log(x: Number) -> Number:
    if not x > 0:
        raise _UnclearError("a logarithm of what need not be positive")
    return Fraction(0) if x == 1 else _ball(x).log()


def _floor(x: Number) -> Number:
    if isinstance(x, Fraction):
        return Fraction(math.floor(x))
    ends = (x.lower().floor().unique_fmpz(), x.upper().floor().unique_fmpz())
    if not x.is_finite() or ends[0] is None or ends[0] != ends[1]:
        raise _UnclearError("a whole part that cannot be told")
    return Fraction(int(ends[0]))


def _binomial(n: Number, k: Number) -> Number:
    top, bottom = _whole(n), _whole(k)
    if top is None or bottom is None or not 0 <= top <= MOST_TERMS:
        raise _UnclearError("a binomial coefficient of what is not whole, negative or too large")
    return Fraction(math.comb(top, bottom) if bottom >= 0 else 0)


def _whole(x: Number) -> int | None:
    return int(x) if isinstance(x, Fraction) and x.denominator == 1 else None


_FUNCTIONS: Mapping[str, Callable[..., Number]] = {
    "exp": _exp,
    "log": _log,
    "abs": abs,
    "floor": _floor,
    "ceiling": lambda x: -_floor(-x),
    "binomial": _binomial,
    "lambertw": lambda x: _ball(x).lambertw(),
    "Phi": lambda x: (-_ball(x) / arb(2).sqrt()).erfc() / 2,
}


def _truth(node: Any, point: Mapping[str, Fraction], *, bits: Sequence[int] = (64, 512)) -> bool:
    """Return whether a formula holds at a point of rationals."""
    before = ctx.prec
    try:
        for precision in bits:
            ctx.prec = precision
            answer = _Evaluator(point).holds(node)
            if answer is not None:
                return answer
    finally:
        ctx.prec = before
    raise _RejectedError(f"cannot be told at {_point_text(point)}")


def _point_text(point: Mapping[str, object]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in point.items())[:200]


# Statements --------------------------------------------------------------------------------------

_RANGED = ("induction", "enclosed", "enumerated")
_COMPUTED = ("quantity", "formula", "stated")
_PINNED: Mapping[str, tuple[str, ...]] = {
    "definitions": ("says", "claim"),
    "assumptions": ("says", "source", "constants", "place", "because", "given", "claim"),
    "conclusions": (
        *("says", "standing", "rests_on", "place", "because", "range", "given", "claim"),
        "evaluated",
    ),
    "printed": ("says", "ruling", "at", "place", "given", "relation"),
}
"""The statements of a manifest, and what it has of each."""


def statements(path: Path) -> Mapping[str, Mapping[str, Any]]:
    """Return what a manifest says of each certificate, by name.

    Raises:
        OSError: If it cannot be read, or is no manifest: a digest or a sentence in it is not that
            of the formulas beside it.
    """
    # The cache goes by time and size: a manifest that was written anew is read anew.
    known = path.stat()
    return _statements(path, known.st_mtime_ns, known.st_size)


@lru_cache(maxsize=4)
def _statements(path: Path, *_: int) -> Mapping[str, Mapping[str, Any]]:
    document = _read(path)
    try:
        _fields(document, ("schema", "format", "certificates", "digest"), "the manifest")
        _need(document["format"] == "kproof manifest", "it is no manifest of statements")
        _need(_is_1(document["schema"]), "its schema is not 1")
        _need(document["digest"] == _digest("", document), "the digest is not that of the manifest")
        entries = {entry["name"]: entry for entry in document["certificates"]}
        # Of two entries a reader would see the first, and certificates be held against the last.
        _need(len(entries) == len(document["certificates"]), "a certificate occurs twice")
        for name, entry in entries.items():
            _fields(entry, ("name", "title", "theorem", "symbols", *_PINNED, "digest"), str(name))
            _need(entry["digest"] == _digest("", entry), f"the digest is not that of {name}")
            for part, fields in _PINNED.items():
                for step, statement in entry[part].items():
                    # The sentence is made of what is there: a further field would be in it, and
                    # in nothing that a certificate is held against.
                    _fields(statement, fields, f"{name}: {step}")
                    _need(
                        statement["says"] == _sentence(statement),
                        f"{name}: {step} does not say its formula",
                    )
    except (_RejectedError, LookupError, TypeError, AttributeError) as failure:
        raise UnreadableError(path, f"not a manifest: {failure}") from None
    return entries


def _statement(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a certificate says, in the form of the manifest without its sentences."""
    statement: dict[str, Any] = {
        key: document[key] for key in ("name", "title", "theorem", "symbols")
    }
    statement |= {part: {} for part in _PINNED}
    for step in document["steps"]:
        name, method = _text(step.get("id"), "the id of a step"), step.get("method")
        method = method if isinstance(method, dict) else {}
        plain = {key: step.get(key) for key in ("given", "claim", "place", "because")}
        if method.get("name") == "defined":
            statement["definitions"][name] = {"claim": step.get("claim")}
        if method.get("name") == "assumed":
            constants = list(dict.fromkeys(_constants(step.get("claim"))))
            known = {"source": method.get("source"), "constants": constants}
            statement["assumptions"][name] = plain | known
        if name in document["conclusions"]:
            statement["conclusions"][name] = plain | {
                "standing": step.get("standing"),
                "rests_on": step.get("rests_on"),
                "range": method if method.get("name") in _RANGED else None,
            }
        if isinstance(step.get("printed"), dict):
            fields = ("ruling", "at", "given", "relation")
            printed = {key: step["printed"].get(key) for key in fields}
            statement["printed"][name] = printed | {"place": step.get("place")}
    return statement


def _constants(node: Any) -> list[str]:
    """Return the fractions of a formula, exponents left out."""
    if isinstance(node, str):
        return [node] if "/" in node else []
    if not isinstance(node, list) or not node:
        return []
    return [x for part in node[1 : 2 if node[0] == "^" else None] for x in _constants(part)]


def _sentence(step: Mapping[str, Any]) -> str:
    """Return the sentence of a statement: its hypotheses, those of its range, and its claim."""
    ranged = step.get("range") or {}
    hypotheses = list(step.get("given", []))
    if "base" in ranged:
        hypotheses.append(["<=", ranged["base"], ranged["variable"]])
    for name, ends in ranged.get("box", {}).items():
        hypotheses += [["<=", ends[0], name], ["<=", name, ends[1]]]
    for name, values in ranged.get("grid", {}).items():
        options = [["=", name, value] for value in values]
        hypotheses.append(["or", *options] if len(options) > 1 else options[0])
    claim = _format_tree(step["claim" if "claim" in step else "relation"])
    return (
        f"if {' and '.join(map(_in_brackets, hypotheses))}, then {claim}" if hypotheses else claim
    )


def _format_tree(node: Any) -> str:
    """Return a formula as it would be typed."""
    if isinstance(node, str):
        return str(node)
    name = str(node[0])
    if name == "^":
        simple = (isinstance(x, str) and x.isalnum() for x in node[1:])
        parts = [_format_tree(x) for x in node[1:]]
        return "^".join(x if bare else f"({x})" for x, bare in zip(parts, simple, strict=True))
    if name == "*":
        minus = bool(node[1] == "-1")
        factors = [
            f"({_format_tree(x)})" if isinstance(x, list) and x[0] == "+" else _format_tree(x)
            for x in node[1 + minus :]
        ]
        return "-" * minus + " * ".join(factors)
    if name == "implies":
        return f"if {_in_brackets(node[1])}, then {_in_brackets(node[2])}"
    if name in ("and", "or"):
        return f" {name} ".join(map(_in_brackets, node[1:]))
    parts = [_format_tree(x) for x in node[1:]]
    if name == "+":
        return " + ".join(parts).replace(" + -", " - ")
    if name in _RELATIONS:
        return f" {name} ".join(parts)
    if name == "sum":
        return f"sum({parts[0]} for {parts[1]} from {parts[2]} to {parts[3]})"
    return f"{parts.pop(0) if name == 'apply' else name}({', '.join(parts)})"


def _in_brackets(node: Any) -> str:
    return f"({_format_tree(node)})" if node[0] in ("and", "or", "implies") else _format_tree(node)


def _first_difference(left: Any, right: Any) -> tuple[str, str]:
    """Return both values in short, from a little before the place where they first differ."""
    texts = [x if isinstance(x, str) else json.dumps(x, ensure_ascii=False) for x in (left, right)]
    same = next((i for i, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), 0)
    begin = max(0, same - 40)
    excerpts = [("..." if begin else "") + text[begin : begin + 100] for text in texts]
    first, second = (
        x + "..." * (len(y) > begin + 100) for x, y in zip(excerpts, texts, strict=True)
    )
    return first, second


# Models ------------------------------------------------------------------------------------------

_TRIED = tuple(map(Fraction, ("1", "1/2", "2", "1/4", "3", "4", "1/10", "10", "0", "-1", "1/100")))


class _OpenError(Exception):
    """A symbol or a function has no value yet: its name."""


class _Model(_Evaluator):
    """Values of symbols and functions; what is defined is computed from its definition.

    A function that is not defined has one value wherever a hypothesis does not set another.
    """

    def __init__(self, symbols: Mapping[str, sp.Symbol], meanings: Mapping[str, Any]) -> None:
        super().__init__({})
        self.symbols = symbols
        self.meanings = meanings
        self.functions: dict[str, Fraction] = {}
        self.places: dict[tuple[Any, ...], Number] = {}

    def value(self, node: Any) -> Number:
        if isinstance(node, str) and node in self.symbols and node not in self._values:
            raise _OpenError(node)
        if isinstance(node, list) and node[0] == "apply":
            return self._apply(node[1], [self.value(argument) for argument in node[2:]])
        return super().value(node)

    def _apply(self, name: str, arguments: list[Number]) -> Number:
        place = self.place(name, arguments)
        if place in self.places:
            return self.places[place]
        for names, meaning, low, variable in self.meanings.get(name, ()):
            bound = dict(zip(names, arguments, strict=True))
            # While the meaning is computed the arguments hide symbols of their names.
            before, self._values = self._values, {**self._values, **bound}
            try:
                if variable is None or _ORDERS[variable[0]](
                    self.value(low), self.value(variable[1])
                ):
                    return self.value(meaning)
            finally:
                self._values = before
        if name not in self.functions:
            raise _OpenError(name)
        return self.functions[name]

    def place(self, name: str, arguments: Sequence[Number]) -> tuple[Any, ...]:
        if not all(isinstance(argument, Fraction) for argument in arguments):
            raise _UnclearError("a function at a place that is not told exactly")
        return (name, *arguments)

    def set(self, name: str, value: Number) -> bool:
        """Give a symbol or a function a value, if it is of its kind and sign."""
        symbol = self.symbols.get(name)
        if symbol is None:
            self.functions[name] = Fraction(str(value))
            return True
        integral = not symbol.is_integer or _whole(value) is not None
        sign = (not symbol.is_nonnegative or value >= 0) and (not symbol.is_positive or value > 0)
        if integral and sign:
            self._values[name] = value
        return bool(integral and sign)

    def settle(self, node: Any) -> bool | None:
        """Return whether a hypothesis holds; an equation may say what one of its sides is."""
        if node[0] == "=":
            for side, value in (node[1:], node[:0:-1]):
                if isinstance(side, str) and side in self.symbols and side not in self._values:
                    return self.set(side, self.value(value))
                if side[0] == "apply" and side[1] not in self.meanings:
                    place = self.place(side[1], [self.value(argument) for argument in side[2:]])
                    if place not in self.places and side[1] not in self.functions:
                        self.places[place] = self.value(value)
                        return True
        return self.holds(node)

    def copy(self) -> _Model:
        model = _Model(self.symbols, self.meanings)
        model._values, model.functions = dict(self._values), dict(self.functions)
        model.places = dict(self.places)
        return model

    def __str__(self) -> str:
        """Return all values in one line."""
        texts = [f"{name} = {_digits(value)}" for name, value in self._values.items()]
        texts += [f"{name}(..) = {value}" for name, value in self.functions.items()]
        for (name, *arguments), value in self.places.items():
            texts.append(f"{name}({', '.join(map(str, arguments))}) = {_digits(value)}")
        return ", ".join(texts)


def _digits(value: Number) -> str:
    return str(value) if isinstance(value, Fraction) else f"about {value.str(6, radius=False)}"


def _find_model(hypotheses: Sequence[Any], model: _Model) -> str | None:
    """Return values at which all hypotheses hold, or None if none were found."""
    tried = 0

    def search(model: _Model, left: Sequence[Any]) -> _Model | None:
        nonlocal tried
        for place, hypothesis in enumerate(left):
            tried += 1
            _need(tried <= MOST_TRIED, "given: all hypotheses together fail wherever it was looked")
            # Anew for each value: what was set before the open name was met must not stay.
            before = model.copy()
            try:
                holds = model.settle(hypothesis)
            except _UnclearError:
                return None
            except _OpenError as open_:
                name = str(open_)
                for value in _TRIED:
                    then = before.copy()
                    solution = search(then, left[place:]) if then.set(name, value) else None
                    if solution is not None:
                        return solution
                return None
            if not holds:
                return None
        return model

    # What equations set need not be tried; a function set at one place is set before it is used.
    ordered = sorted(hypotheses, key=lambda node: node[0] != "=")
    solution = search(model, ordered)
    return None if solution is None else str(solution)


def _read_definition(claim: Any) -> tuple[str, list[tuple[Any, ...]]]:
    """Return the name that a definition gives, and its cases: arguments, meaning, condition."""
    if claim[0] == "=":
        return claim[1][1], [(claim[1][2:], claim[2], None, None)]
    base, beyond = sorted(claim[1:], key=lambda node: node[0] == "implies")
    (_, low, variable), (_, name, meaning) = beyond[1:]
    names = name[2:]
    return name[1], [(names, base[2], low, ("=", variable)), (names, meaning, low, ("<", variable))]


# Steps -------------------------------------------------------------------------------------------

_METHODS: Mapping[str, tuple[str, ...]] = {
    "identity": (),
    "arithmetic": (),
    "enclosed": ("box",),
    "enumerated": ("grid",),
    "monotone": ("function", "variable", "low", "high"),
    "induction": ("variable", "base"),
    "instance": ("of", "at"),
    "summed": ("of",),
    "sumrule": ("rule", "function"),
    "defined": (),
    "assumed": ("source",),
}
_DOCUMENT = (
    "schema", "format", "name", "title", "theorem", "symbols", "conclusions", "steps", "digest",
)  # fmt: skip
_STEP = (
    "id", "place", "claim", "given", "follows", "method", "because", "printed", "standing",
    "rests_on", "found", "queries", "digest",
)  # fmt: skip
_KINDS = [
    [kind, *sign] for kind in ("real", "integer") for sign in ([], ["positive"], ["nonnegative"])
]
_RULINGS = ("proved", "typo", "unsound", "loose", "ambiguous", "assumed", "refuted")

Asked: TypeAlias = "list[tuple[str, Sequence[sp.Basic], sp.Basic]]"


@dataclass
class _Step:
    """A step as it was read."""

    id: str
    claim: sp.Basic
    given: list[sp.Basic]
    follows: list[str]
    method: str
    details: dict[str, Any]
    raw: dict[str, Any]
    rests_on: list[str] = field(default_factory=list)

    @property
    def hypotheses(self) -> list[sp.Basic]:
        """What it supposes: what is given, and the range it was shown on."""
        if self.method == "induction":
            return [*self.given, _le(self.details["base"], self.details["variable"])]
        if self.method == "enclosed":
            ends = self.details["box"].items()
            pairs = [(_le(sp.Rational(a), x), _le(x, sp.Rational(b))) for x, (a, b) in ends]
            return [*self.given, *(part for pair in pairs for part in pair)]
        _need(self.method != "enumerated", f"{self.id} is shown on a grid only")
        return self.given

    @property
    def implication(self) -> sp.Basic:
        return _if(self.hypotheses, self.claim)

    def conditions(self) -> list[sp.Basic]:
        """Where all of it is defined, each hypothesis under those before it."""
        parts = [*self.hypotheses, self.claim]
        required = [
            condition
            for place, part in enumerate(parts)
            for condition in _under(parts[:place], part)
        ]
        return list(dict.fromkeys(required))


def _premise_ids(step: _Step) -> list[str]:
    of = [step.details["of"]] if "of" in step.details else []
    return list(dict.fromkeys([*step.follows, *of]))


def _digest(before: str, part: Mapping[str, Any]) -> str:
    plain = {name: value for name, value in part.items() if name != "digest"}
    text = json.dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    # JSON may hold half of a surrogate pair: it has to differ, and not to end in an error.
    return hashlib.sha256((before + text).encode("utf-8", "surrogatepass")).hexdigest()


class _Checker:
    """One certificate, step by step."""

    def __init__(
        self, path: Path, solvers: Sequence[str], expected: Mapping[str, Mapping[str, Any]]
    ) -> None:
        self._path = path
        self._expected = expected
        self.conclusions: list[Conclusion] = []
        self.assumptions: list[AssumedStep] = []
        self._meanings: dict[str, Any] = {}
        self._solvers = solvers
        self.at = "document"
        self.steps: dict[str, _Step] = {}
        self.standings: dict[str, int] = {}
        self.confirmed = dict.fromkeys(solvers, 0)
        self.unconfirmed: list[str] = []
        self._spoken: set[Any] = set()
        self._kinds_of_symbols: dict[str, list[str]] = {}
        self._found = ""

    def run(self, document: dict[str, Any]) -> None:
        kind = str(document.get("format", ""))
        _need(kind != "kproof manifest", "a manifest is no certificate: nothing in it is judged")
        unlike = f"its fields are not those of format 1: {kind[:40]!r} is not 'kproof derivation'"
        _need(kind == "kproof derivation", unlike)
        steps = document.get("steps")
        raws = list(steps) if isinstance(steps, list) else []
        _need(raws, "no steps")
        # First of all: an accident shows at its step, before anything is made of what was changed.
        self._chain([raw for raw in raws if isinstance(raw, dict)])
        self.at = "document"
        _need(all(isinstance(raw, dict) for raw in raws), "a step is no object")
        _fields(document, _DOCUMENT, "the document")
        _need(document["digest"] == _digest("", document), "the digest is not that of the document")
        _need(_is_1(document["schema"]), "its schema is not 1")
        name = _text(document["name"], "name")
        _need(_ID.match(name) and name == self._path.stem, "its name is not that of the file")
        _text(document["title"], "title")
        _need(document["theorem"] in (None, 1, 2, 3, 4, 5), "no such theorem")
        kinds = self._kinds_of_symbols = self._kinds(document["symbols"])
        # Before a step is decided: who states something else is told so without asking a solver.
        self._says_what_is_expected(name, document)
        self._reader = _Reader(kinds)
        for raw in raws:
            self._step(name, raw)
        self.at = "document"
        for id_ in _texts(document["conclusions"], "conclusions"):
            _need(id_ in self.steps, f"the conclusion {id_[:40]} is no step")
        _need(document["conclusions"], "no conclusions")
        spare = sorted(set(document["symbols"]) - self._reader.met)
        _need(not spare, f"symbols that do not occur: {', '.join(spare)[:80]}")

    def _says_what_is_expected(self, name: str, document: dict[str, Any]) -> None:
        """Compare all that a certificate states with the manifest, and name what differs."""
        _need(name in self._expected, f"name: the manifest has no certificate {name}")
        expected = self._expected[name]
        conclusions = _texts(document["conclusions"], "conclusions")
        self._same({"conclusions": conclusions}, {"conclusions": list(expected["conclusions"])})
        statement = _statement(document)
        for field_ in ("title", "theorem", "symbols"):
            self._same({field_: statement[field_]}, expected)
        for part in _PINNED:
            for step in dict.fromkeys([*expected[part], *statement[part]]):
                self.at = str(step)[:80]
                subject = f"{part}: the manifest has"
                _need(step in statement[part], f"{subject} {self.at}, the certificate has not")
                _need(step in expected[part], f"{subject} no {self.at}")
                self._same(statement[part][step], expected[part][step])
        self.at = "document"

    def _same(self, stated: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
        for field_, value in stated.items():
            computed, pinned = (
                json.dumps(x, sort_keys=True) for x in (value, expected.get(field_))
            )
            written, pinned_text = _first_difference(value, expected.get(field_))
            _need(computed == pinned, f"{field_}: {written} where the manifest has {pinned_text}")

    def _conclude(self, step: _Step) -> None:
        """See that the hypotheses of a conclusion can be met together."""
        # Hypotheses that contradict each other imply everything: a conclusion of theirs says
        # nothing.
        if step.method == "enumerated":
            met = next(map(_point_text, _admitted(step)), None)
        else:
            hypotheses = step.hypotheses
            free = {symbol.name: symbol for part in hypotheses for symbol in part.free_symbols}
            met = _find_model([tree(part) for part in hypotheses], _Model(free, self._meanings))
        _need(met is not None, "given: all hypotheses together fail wherever it was looked")
        known = set(self._expected[self._path.stem]["assumptions"])
        strange = [name for name in step.rests_on if name not in known]
        _need(not strange, f"it rests on {', '.join(strange)[:80]}, not in the manifest")
        expected = self._expected[self._path.stem]["conclusions"][step.id]
        self.conclusions.append(
            Conclusion(
                step.id,
                expected["says"],
                step.raw["standing"],
                tuple(step.rests_on),
                str(met),
                tuple(self._check_formula(step, entry) for entry in expected["evaluated"]),
            )
        )

    def _check_formula(self, step: _Step, entry: Mapping[str, Any]) -> str:
        """See that a formula that is computed for users is the one in a conclusion."""
        quantity = _text(_fields(entry, _COMPUTED, "evaluated")["quantity"], "quantity")
        value = sp.Symbol("evaluated", real=True)
        kinds = {**self._kinds_of_symbols, value.name: ["real"]}
        formula = _Reader(kinds).term(entry["formula"])
        stated = _substitute(_Reader(kinds).formula(entry["stated"]), {value: formula})
        defined = (earlier.claim for earlier in self.steps.values() if earlier.method == "defined")
        known = (step.claim, *step.given, *defined)
        _need(
            any(_alike(stated, claim) for claim in known), f"evaluated: it does not say {quantity}"
        )
        return quantity

    def _chain(self, raws: Sequence[dict[str, Any]]) -> None:
        """Follow the chain of digests: a change shows at the step where it was made."""
        before = ""
        for place, raw in enumerate(raws, start=1):
            self.at = str(raw.get("id") or f"step {place}")[:80]
            digest = raw.get("digest")
            _need(isinstance(digest, str) and _SHA.match(digest), "no digest")
            before = _digest(before, raw)
            _need(digest == before, "the digest is not that of the step and those before it")

    def _kinds(self, symbols: Any) -> dict[str, list[str]]:
        _need(isinstance(symbols, dict), "symbols is no object")
        for name, kind in symbols.items():
            _need(_NAME.match(name) and name != "pi" and len(name) <= 40, f"name {name[:40]}")
            _need(kind in _KINDS, f"{name} is neither real nor integer, or of another sign")
        return dict(symbols)

    def _step(self, document: str, raw: dict[str, Any]) -> None:
        self.at = str(raw.get("id"))[:80]
        _fields(raw, _STEP, "the step")
        step = self._open(raw)
        # Only earlier steps are in `self.steps` yet: no proof can rest on itself.
        for id_ in _premise_ids(step):
            _need(id_ in self.steps, f"it follows from {id_[:40]}, which is no earlier step")
        _need(step.id not in self.steps, "its id occurs twice")
        premises = [self.steps[name] for name in _premise_ids(step)]
        if raw["printed"] is not None:
            self._require_false(raw["printed"])
        step.rests_on = list(
            dict.fromkeys(name for premise in premises for name in premise.rests_on)
        )
        if step.id in self._expected[document]["conclusions"]:
            self._conclude(step)
        self._found = "unsat"
        # One of the methods of the format, which `_open` has seen: no other attribute can be named.
        questions: Asked = getattr(self, f"_{step.method}")(step, premises)
        self._questions(document, step, questions)
        self._check_standing(step)
        if step.method == "defined":
            name, cases = _read_definition(tree(step.claim))
            self._meanings[name] = cases
        if step.method == "assumed":
            says = self._expected[document]["assumptions"][step.id]["says"]
            self.assumptions.append(AssumedStep(step.id, says, step.details["source"]))
        # Once it is decided: a definition speaks of the very name that has to be new.
        self._spoken |= _functions([step.claim, *step.given])
        self.steps[step.id] = step

    def _open(self, raw: dict[str, Any]) -> _Step:
        name = _text(raw["id"], "id")
        _need(_ID.match(name) and len(name) <= 80, "its id is not letters, digits and hyphens")
        for field_ in ("place", "because", "standing", "found"):
            _text(raw[field_], field_)
        _need(isinstance(raw["given"], list), "given is no list")
        claim = self._reader.formula(raw["claim"])
        hypotheses = [self._reader.formula(node) for node in raw["given"]]
        _need(isinstance(raw["method"], dict), "method is no object")
        method = str(raw["method"].get("name"))
        _need(method in _METHODS, f"no method {method[:40]}")
        _fields(raw["method"], ("name", *_METHODS[method]), "the method")
        follows = _texts(raw["follows"], "follows")
        details = {field_: raw["method"][field_] for field_ in _METHODS[method]}
        step = _Step(name, claim, hypotheses, follows, method, details, raw)
        self._details(step)
        return step

    def _details(self, step: _Step) -> None:
        details, reader = step.details, self._reader
        match step.method:
            case "monotone" | "induction":
                for field_ in ("function", "low", "high", "base"):
                    if field_ in details:
                        details[field_] = reader.term(details[field_])
                details["variable"] = reader.symbol(details["variable"])
            case "sumrule":
                if details["function"] is not None:
                    details["function"] = reader.term(details["function"])
            case "instance":
                _need(isinstance(details["at"], dict), "at is no object")
                details["at"] = {
                    reader.symbol(name): reader.term(details["at"][name])
                    for name in sorted(details["at"])
                }
            case "enclosed" | "enumerated":
                key = "box" if step.method == "enclosed" else "grid"
                _need(isinstance(details[key], dict), f"{key} is no object")
                details[key] = {
                    reader.symbol(name): [
                        _fraction(number, key) for number in _texts(details[key][name], key)
                    ]
                    for name in sorted(details[key])
                }
        if "of" in details:
            _text(details["of"], "of")

    def _check_standing(self, step: _Step) -> None:
        if step.method == "assumed":
            step.rests_on.append(step.id)
            standing = "assumed"
        elif step.method == "defined":
            standing = "defined"
        else:
            # It follows from what was decided here; what is written down has only to agree.
            standing = "proved from assumptions" if step.rests_on else "proved"
        _need(step.raw["standing"] == standing, f"it stands as {standing}, not as is written")
        _need(step.raw["rests_on"] == step.rests_on, "it rests on other steps than is written")
        _need(
            re.fullmatch(self._found, step.raw["found"]),
            f"what was found is not what is written: {step.raw['found'][:60]}",
        )
        self.standings[standing] = self.standings.get(standing, 0) + 1

    def _questions(self, document: str, step: _Step, questions: Asked) -> None:
        """Compare every question with the file, and put it to the solvers again."""
        written = step.raw["queries"]
        _need(
            isinstance(written, list) and len(written) == len(questions), "it asks other questions"
        )
        texts = [(label, _Question(known, claim).text()) for label, known, claim in questions]
        for (label, text), query in zip(texts, written, strict=True):
            data = text.encode()
            _fields(query, ("label", "file", "sha256"), "a question")
            name = f"{document}/{step.id}.{label}.smt2"
            _need(query["label"] == label and query["file"] == name, f"question {label} is missing")
            digest = hashlib.sha256(data).hexdigest()
            _need(query["sha256"] == digest, f"{label}: the question is not that of the step")
            _need(self._beside(name, len(data)) == data, f"{name} is not the question of the step")
            self._ask(step, label, text)

    def _beside(self, name: str, length: int) -> bytes:
        try:
            # One byte more than the question has, so that a longer file is seen to be another one.
            return _bytes(self._path.parent / name, length + 1)
        except OSError as failure:
            raise _RejectedError(f"{name}: {failure.strerror}") from None

    def _ask(self, step: _Step, label: str, text: str) -> None:
        for place, solver in enumerate(self._solvers):
            answer = _answer(solver, text)
            if answer == "unsat":
                self.confirmed[solver] += 1
            # The first solver has to confirm every question. The second may run out of time, which
            # is reported, but not contradict.
            elif place == 0 or answer == "sat":
                raise _RejectedError(f"{label}: {solver} says {answer}")
            else:
                self.unconfirmed.append(f"{step.id}.{label}")

    def _require_false(self, printed: Any) -> None:
        """See that the paper's relation is false where its hypotheses hold."""
        printed = _fields(printed, ("relation", "given", "ruling", "at"), "printed")
        _need(printed["ruling"] in _RULINGS, "printed: no such ruling")
        _need(
            isinstance(printed["given"], list) and isinstance(printed["at"], dict),
            "printed: no lists",
        )
        formulas = [self._reader.formula(node) for node in (printed["relation"], *printed["given"])]
        self._spoken |= _functions(formulas)
        point = {name: _fraction(value, "printed") for name, value in printed["at"].items()}
        for name, value in point.items():
            _of_its_kind(self._reader.symbol(name), value)
        loose = {symbol.name for part in formulas for symbol in part.free_symbols} - set(point)
        _need(not loose, f"printed: {', '.join(sorted(loose))[:80]} has no value")
        for node in printed["given"]:
            _need(_truth(node, point), f"printed: a hypothesis fails at {_point_text(point)}")
        holds = _truth(printed["relation"], point)
        _need(not holds, f"printed: the relation holds at {_point_text(point)}")

    # The methods: each returns the questions that remain, or rejects.

    def _assumed(self, step: _Step, _: Sequence[_Step]) -> Asked:
        source = _text(step.details["source"], "source")
        _need(source.strip(), "it is assumed from no source")
        # Compared as a pattern, in which a source may have any sign.
        self._found = re.escape(source)
        return []

    def _arithmetic(self, step: _Step, premises: Sequence[_Step]) -> Asked:
        return [
            ("claim", [*(premise.implication for premise in premises), *step.given], step.claim)
        ]

    def _identity(self, step: _Step, premises: Sequence[_Step]) -> Asked:
        _need(isinstance(step.claim, sp.Eq), "an identity is an equation")
        _require_apart([step.claim, *(premise.claim for premise in premises)], step.given)
        sides, defined = list(step.claim.args), _conditions(step.claim)
        plain, symbols = [tree(side) for side in sides], _symbols(step.claim)
        for premise in premises:
            _need(isinstance(premise.claim, sp.Eq), f"{premise.id} is no equation")
            _need(
                set(premise.hypotheses) <= set(step.given), f"{premise.id} has further hypotheses"
            )
            # The equation holds under its hypotheses, all of which are supposed here, too.
            name, meaning = premise.claim.args
            symbols |= _symbols(premise.claim)
            new = premise.method == "defined"
            for i, side in enumerate(sides):
                if new:
                    loose = _bound(meaning) & side.atoms(sp.Symbol)
                    places = [x for x in side.atoms(AppliedUndef) if x.func == name.func]
                    for place in sorted(places, key=str):
                        values = dict(zip(name.args, place.args, strict=True))
                        # The meaning was stated for arguments of their kind and sign alone.
                        defined += _kept_signs(values)
                        defined += [_substitute(x, values) for x in _conditions(meaning)]
                    sides[i] = side.replace(name.func, sp.Lambda(name.args, meaning))
                else:
                    loose = _bound(side) & premise.claim.free_symbols
                    defined += _conditions(premise.claim)
                    sides[i] = side.subs(name, meaning)
                    # A whole power may have become a real one, which has other laws.
                    defined += _conditions(sides[i])
                _need(not loose, f"{premise.id}: a summation variable")
                plain[i] = _unfold(plain[i], tree(name), tree(meaning), new=new)
        _need(_same(plain[0], plain[1], symbols), "both sides differ, or have no normal form")
        self._found = "normal form 0"
        return _definedness("defined", step.given, defined)

    def _sumrule(self, step: _Step, premises: Sequence[_Step]) -> Asked:
        _need(isinstance(step.claim, sp.Eq), "a rule for sums gives an equation")
        known = [*(premise.implication for premise in premises), *step.given]
        _need(not _bound(step.claim) & step.claim.free_symbols, "a summation variable is free")
        function = step.details["function"]
        _require_apart([step.claim, *([] if function is None else [function])], step.given)
        required = _by_rule(step.details["rule"], step.claim, function)
        return [
            *((f"range-{i}", known, condition) for i, condition in enumerate(required, start=1)),
            *_definedness("defined", known, _conditions(step.claim)),
        ]

    def _enclosed(self, step: _Step, premises: Sequence[_Step]) -> Asked:
        _need(not premises, "what is shown on a box follows from nothing else")
        box = {str(name): ends for name, ends in step.details["box"].items()}
        _need(all(len(ends) == 2 and ends[0] <= ends[1] for ends in box.values()), "no such box")
        _require_range(step, box)
        claim, hypotheses = step.raw["claim"], step.raw["given"]
        # Each entry: the ends of a piece, symbol by symbol, and how often it was halved. Both the
        # halvings of one piece and the pieces in all are bounded: a certificate cannot make it run
        # for ever.
        waiting, pieces = [(tuple(map(tuple, box.values())), 0)], 0
        before = ctx.prec
        ctx.prec = 128
        try:
            while waiting:
                piece, halved = waiting.pop()
                values = _Evaluator({n: _between(*e) for n, e in zip(box, piece, strict=True)})
                pieces += 1
                # Where a hypothesis surely fails on the whole piece there is nothing to show.
                if values.holds(claim) or any(values.holds(node) is False for node in hypotheses):
                    continue
                # Pieces that are halved count here as well, which makes twice as many as the writer
                # counts; the rest is for balls of another width.
                stuck = (
                    not box or halved == MOST_HALVINGS or pieces + len(waiting) > 4 * MOST_PIECES
                )
                _need(
                    not stuck, f"not certain on {_point_text(dict(zip(box, piece, strict=True)))}"
                )
                widest = max(range(len(piece)), key=lambda i: piece[i][1] - piece[i][0])
                low, high = piece[widest]
                waiting += [
                    ((*piece[:widest], part, *piece[widest + 1 :]), halved + 1)
                    for part in ((low, (low + high) / 2), ((low + high) / 2, high))
                ]
        finally:
            ctx.prec = before
        self._found = "[1-9][0-9]* pieces"
        return []

    def _enumerated(self, step: _Step, premises: Sequence[_Step]) -> Asked:
        _need(not premises, "what is shown on a grid follows from nothing else")
        admitted = 0
        for point in _admitted(step):
            admitted += 1
            _need(_truth(step.raw["claim"], point), f"false at {_point_text(point)}")
        # Else a claim would be shown by points of which none is meant.
        _need(admitted, "the hypotheses hold at no point")
        size = math.prod(len(values) for values in step.details["grid"].values())
        self._found = f"{admitted} of {size} points"
        return []

    def _monotone(self, step: _Step, premises: Sequence[_Step]) -> Asked:
        function, variable, low, high = (step.details[field_] for field_ in _METHODS["monotone"])
        _need(not variable.is_integer, f"{variable} is an integer: nothing lies between its values")
        known = [*(premise.implication for premise in premises), *step.given]
        _need(
            # The slope has its sign at every value in between: a hypothesis on the variable would
            # leave out some of them.
            not any(variable in term.free_symbols for term in (low, high, *known)),
            f"{variable} is spoken of outside the function",
        )
        for point in (low, high):
            _unbound([function], {variable: point})
        # What has no value at an end may cancel where the end is put in.
        _require_apart([low, high], step.given)
        defined = [*_conditions(low), *_conditions(high)]
        ends = [_substitute(function, {variable: point}) for point in (low, high)]
        sides = tree(step.claim)
        rising = sides == ["<=", *map(tree, ends)]
        falling = sides == ["<=", *map(tree, reversed(ends))]
        _need(rising or falling, "the claim does not compare the function at these points")
        slope = _slope(function, variable)
        sign = _le(sp.S.Zero, slope) if rising else _le(slope, sp.S.Zero)
        between = [*known, _le(low, variable), _le(variable, high)]
        smooth = [
            (f"defined-{i}", between, condition)
            for i, condition in enumerate(_smooth(function), start=1)
        ]
        return [
            ("order", known, _le(low, high)),
            *(("sign", known, condition) for condition in _sign(variable, low)),
            *_definedness("defined", known, defined),
            *smooth,
            ("slope", between, sign),
        ]

    def _induction(self, step: _Step, premises: Sequence[_Step]) -> Asked:
        variable, base = step.details["variable"], step.details["base"]
        _need(variable.is_integer and _whole_term(base), "an induction runs over whole numbers")
        _need(variable not in base.free_symbols, f"{variable} occurs in its base")
        first, following = {variable: base}, {variable: _next(variable)}
        stated = [premise.implication for premise in premises]
        for values in (first, following):
            _unbound([step.implication, *stated], values)
        # What is supposed of the variable need not be true of its base.
        outside = [part for part in step.given if variable not in part.free_symbols]
        _require_apart([step.implication, *stated], outside)
        defined = [condition for source in (step, *premises) for condition in source.conditions()]
        known = [
            *stated,
            *(_substitute(part, following) for part in stated),
            _le(base, variable),
            step.implication,
            *(_substitute(part, following) for part in step.given),
        ]
        return [
            *(("sign", outside, condition) for condition in _sign(variable, base)),
            *_definedness(
                "base-defined",
                outside,
                [*_conditions(base), *(_substitute(x, first) for x in defined)],
            ),
            *_definedness("next-defined", outside, [_substitute(x, following) for x in defined]),
            (
                "base",
                [_substitute(part, first) for part in (*stated, *step.given)],
                _substitute(step.claim, first),
            ),
            ("next", known, _substitute(step.claim, following)),
        ]

    def _instance(self, step: _Step, premises: Sequence[_Step]) -> Asked:
        general, values = self.steps[step.details["of"]], step.details["at"]
        hypotheses = general.hypotheses
        _unbound([general.claim, *hypotheses], values)
        same = _alike(_substitute(general.claim, values), step.claim)
        _need(same, f"the claim is not that of {general.id} at these values")
        required = [_substitute(hypothesis, values) for hypothesis in hypotheses]
        _require_apart([general.claim, *hypotheses, *values.values(), step.claim], step.given)
        for symbol, value in values.items():
            integral = not symbol.is_integer or _whole_term(value)
            _need(integral, f"{symbol} is an integer, {value} need not be")
            # What a symbol is assumed to be was supposed in the general claim: the value must be so
            # as well.
            required += _sign(symbol, value)
        known = [
            *(premise.implication for premise in premises if premise is not general),
            *step.given,
        ]
        defined = [
            *(condition for value in values.values() for condition in _conditions(value)),
            *(_substitute(condition, values) for condition in general.conditions()),
            *_conditions(step.claim),
        ]
        questions = [
            *((f"given-{i}", known, condition) for i, condition in enumerate(required, start=1)),
            *_definedness("defined", known, defined),
        ]
        self._found = "unsat" if questions else "the same relation"
        return questions

    def _summed(self, step: _Step, premises: Sequence[_Step]) -> Asked:
        general, claim = self.steps[step.details["of"]], tree(step.claim)
        _need(claim[0] == "<=" and all(side[0] == "sum" for side in claim[1:]), "no two sums")
        left, right = (list(side)[1] for side in claim[1:])
        limits, right_limits = (list(side)[2:] for side in claim[1:])
        _need(limits == right_limits, "the sums differ in their range")
        _need(tree(general.claim) == ["<=", left, right], f"no summands of {general.id}")
        index, low, high = step.claim.args[0].limits[0]
        _need(all(map(_whole_term, (index, low, high))), "no sum over whole numbers")
        # A hypothesis on the variable would hold at one place of the range, and the sum has them
        # all.
        spoken = any(index in term.free_symbols for term in (low, high, *step.given))
        _need(not spoken, f"{index} is spoken of outside the sums")
        known = [
            *(premise.implication for premise in premises if premise is not general),
            *step.given,
        ]
        in_range = [*known, _le(low, index), _le(index, high)]
        hypotheses = enumerate(general.hypotheses, start=1)
        return [
            # Of a sum that ends earlier than just before its beginning nothing is said.
            ("range", known, _le(low, _next(high))),
            *(("sign", known, condition) for condition in _sign(index, low)),
            *((f"given-{i}", in_range, hypothesis) for i, hypothesis in hypotheses),
        ]

    def _defined(self, step: _Step, _: Sequence[_Step]) -> Asked:
        """See that a name is new, and its meaning one: no value is given twice."""
        _need(not step.given, "a definition has no hypotheses")
        claim = step.claim
        if isinstance(claim, sp.Eq):
            name, meanings, before = claim.lhs, [claim.rhs], None
            _need(isinstance(name, AppliedUndef), "what is defined is no function")
        else:
            name, meanings, before = self._recursion(claim)
        plain = all(isinstance(argument, sp.Symbol) for argument in name.args)
        _need(plain and len(set(name.args)) == len(name.args), "arguments that are no symbols")
        loose = {symbol for part in meanings for symbol in part.free_symbols} - set(name.args)
        _need(not loose, f"{', '.join(sorted(map(str, loose)))[:80]} is no argument")
        # Its own value one step before is the only one of its values that a meaning may speak of.
        used = {call for part in meanings for call in part.atoms(AppliedUndef)} - {before}
        spoken = self._spoken | {call.func for call in used}
        # In use, it has a meaning by what was said of it: a second one could contradict that.
        _need(name.func not in spoken, f"{name.func} is in use")
        self._found = "a new name"
        return []

    def _recursion(self, claim: sp.Basic) -> tuple[Any, list[Any], Any]:
        _need(isinstance(claim, sp.And) and len(claim.args) == 2, "no definition")
        base, beyond = sorted(claim.args, key=lambda part: isinstance(part, sp.Implies))
        _need(isinstance(base, sp.Eq) and isinstance(beyond, sp.Implies), "no recursion")
        condition, equation = beyond.args
        _need(isinstance(equation, sp.Eq), "no recursion")
        name, start = equation.lhs, base.lhs
        _need(
            all(isinstance(call, AppliedUndef) for call in (name, start))
            and name.func == start.func
            and len(name.args) == len(start.args),
            "a recursion is of one function",
        )
        moved = [pair for pair in zip(name.args, start.args, strict=True) if pair[0] != pair[1]]
        _need(len(moved) == 1 and moved[0][0].is_integer, "no recursion over one whole number")
        index, low = moved[0]
        _need(tree(condition) == ["<", tree(low), tree(index)], "a recursion holds beyond its base")
        apart = index not in low.free_symbols | base.rhs.free_symbols
        _need(apart, f"the base depends on {index}")
        # Bound by a sum, it has other values there: f(m - 1) need not be the value one step before.
        # Where the base has other values there, a value may never come down to one.
        bound = _bound(claim) & {index, *low.free_symbols}
        _need(not bound, f"{', '.join(sorted(map(str, bound)))} is a summation variable")
        return name, [base.rhs, equation.rhs, low], name.subs(index, index - 1)


def _unfold(node: Tree, name: Any, meaning: Tree, *, new: bool) -> Tree:
    """Put the meaning of a name in, for each place of a function that is defined."""
    if isinstance(node, str) or (node == name and not new):
        return meaning if node == name and not new else node
    # What stands first is no term: a symbol may have the name of a function.
    head = 2 if node[0] == "apply" else 1
    parts = [*node[:head], *(_unfold(part, name, meaning, new=new) for part in node[head:])]
    if not (new and parts[:2] == name[:2]):
        return parts
    return _replace(meaning, dict(zip(name[2:], parts[2:], strict=True)))


def _by_rule(rule: Any, claim: sp.Basic, function: sp.Expr | None) -> list[sp.Basic]:
    """See that an equation of sums is an instance of a rule; return what it needs of the range."""
    symbols = _symbols(claim, *([] if function is None else [function]))
    if rule == "linear":
        sums = sorted(claim.atoms(sp.Sum), key=str)
        parts = [*_sums_in(tree(claim.lhs), ["1"]), *_sums_in(tree(claim.rhs), ["-1"])]
        _need(parts, "there are no sums")
        index, *ends = parts[0][1][2:]
        alike = all(
            _same(a, b, symbols) for _, x in parts for a, b in zip(x[3:], ends, strict=True)
        )
        _need(alike, "the sums differ in their range")
        terms = [["*", *factors, _put_in(x[1], x[2], index)] for factors, x in parts]
        zero = _same(["sum", ["+", *terms, "0"], index, *ends], ["sum", "0", index, *ends], symbols)
        _need(zero, "the terms do not add up to 0")
        return [_le(sum_.limits[0][1], _next(sum_.limits[0][2])) for sum_ in sums]
    left: Any
    right: Any
    left, right = (tree(side) for side in claim.args)
    _need(left[0] == "sum", "there is no sum on the left")
    _, term, index, low, high = left
    k, first, last = claim.lhs.limits[0]
    required: list[sp.Basic] = []
    match rule:
        case "first":
            says: Tree = [
                "+",
                _put_in(term, index, low),
                ["sum", term, index, ["+", "1", low], high],
            ]
            required = [_le(first, last)]
        case "last":
            says = ["+", _put_in(term, index, high), ["sum", term, index, low, ["+", "-1", high]]]
            required = [_le(first, last)]
        case "single":
            says, required = _put_in(term, index, low), [sp.Eq(first, last, evaluate=False)]
        case "empty":
            says, required = "0", [sp.Eq(first, _next(last), evaluate=False)]
        case "shift":
            _need(right[0] == "sum", "there is no sum on the right")
            by_: Tree = ["+", right[3], ["*", "-1", low]]
            back = _put_in(term, index, ["+", index, ["*", "-1", by_]])
            says = ["sum", back, index, right[3], ["+", high, by_]]
        case "telescope":
            _need(function is not None, "a telescope needs its function")
            f = tree(function)
            rise: Tree = ["+", _put_in(f, index, ["+", index, "1"]), ["*", "-1", f]]
            _need(_same(left, ["sum", rise, index, low, high], symbols), "no such differences")
            says = ["+", _put_in(f, index, ["+", "1", high]), ["*", "-1", _put_in(f, index, low)]]
            in_range = [_le(first, k), _le(k, _next(last))]
            defined = _under([_all(in_range)], function)
            required = [_le(first, _next(last)), *defined]
        case _:
            raise _RejectedError(f"no rule {str(rule)[:40]}")
    _need(_same(says, right, symbols), f"it is not what the rule {rule} says")
    return required


def _put_in(term: Tree, index: str, value: Tree) -> Tree:
    # In two steps, since the value may speak of the variable itself; no name of a certificate has a
    # "!".
    return _replace(_replace(term, {index: "summand!"}), {"summand!": value})


def _sums_in(node: Tree, factors: list[Tree]) -> list[tuple[list[Tree], Any]]:
    """Return the sums of a linear combination, with their factors."""
    if node == "0":
        return []
    if node[0] == "+":
        return [pair for part in node[1:] for pair in _sums_in(part, factors)]
    parts = list(node[1:]) if node[0] == "*" else [node]
    sums = [part for part in parts if part[0] == "sum"]
    _need(len(sums) == 1, "a term is no sum with a factor")
    parts.remove(sums[0])
    return [([*factors, *parts], sums[0])]


def _functions(formulas: Iterable[sp.Basic]) -> set[Any]:
    return {call.func for formula in formulas for call in formula.atoms(AppliedUndef)}


def _definedness(label: str, known: Sequence[sp.Basic], required: Sequence[sp.Basic]) -> Asked:
    parts = list(dict.fromkeys(required))
    return [(label, known, _all(parts))] if parts else []


def _smooth(expression: sp.Expr) -> list[sp.Basic]:
    """Return what makes an expression differentiable, part by part."""
    required: list[sp.Basic] = []
    for node in sp.preorder_traversal(expression):
        kinks = sp.Abs | sp.Max | sp.Min | sp.floor | sp.ceiling | sp.LambertW
        _need(not isinstance(node, kinks), f"{type(node).__name__} need not have a derivative")
        if isinstance(node, sp.log):
            required.append(_lt(sp.S.Zero, node.args[0]))
        elif isinstance(node, sp.Pow) and not node.exp.is_Integer:
            required.append(_lt(sp.S.Zero, node.base))
        elif isinstance(node, sp.Pow) and node.exp < 0:
            required.append(sp.Ne(node.base, 0, evaluate=False))
    return list(dict.fromkeys(required))


def _of_its_kind(symbol: sp.Symbol, value: Fraction) -> None:
    wrong = (
        (symbol.is_integer and value.denominator > 1)
        or (symbol.is_positive and value <= 0)
        or (symbol.is_nonnegative and value < 0)
    )
    _need(not wrong, f"{symbol} = {value} is not of its kind and sign")


def _require_range(step: _Step, names: Mapping[str, object]) -> None:
    free = {symbol.name for part in (step.claim, *step.given) for symbol in part.free_symbols}
    _need(free <= set(names), f"{', '.join(sorted(free - set(names)))[:80]} has no range")


def _admitted(step: _Step) -> Iterator[dict[str, Fraction]]:
    """Yield the points of a grid at which what is given holds."""
    grid = step.details["grid"]
    _require_range(step, {str(name): () for name in grid})
    _need(math.prod(map(len, grid.values())) <= MOST_POINTS, "too many points")
    for symbol, values in grid.items():
        for value in values:
            _of_its_kind(symbol, value)
    for values in product(*grid.values()):
        point = dict(zip(map(str, grid), values, strict=True))
        if all(_truth(node, point) for node in step.raw["given"]):
            yield point


def _between(low: Fraction, high: Fraction) -> Number:
    return low if low == high else _ball(low).union(_ball(high))


if __name__ == "__main__":
    sys.exit(main())
