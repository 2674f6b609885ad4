"""The notation of proofs: a derivation as a text that reads like one, a paragraph for each step.

A file ``proofs/NAME.proof`` consists of paragraphs (:mod:`kproof.theory.paragraphs`). Names come
first, and each has one meaning:

``symbols n k: integer positive``
    Symbols of SymPy and what is assumed of them.
``functions P F``
    Functions of which nothing is known until a step defines them.
``use counts: n p mass``
    Names of another file; its steps can then be named, too.
``let mass(x) = P(x, n, p)``, ``let chosen = p < 1; 1 <= k <= n``
    A short name for a formula, or for several hypotheses.

Steps are collected under ``steps NAME`` or ``proof NAME: TITLE``; a proof says what it
``concludes`` and, if there is one, its ``theorem``. ``include counts: mass neighbours`` repeats
steps or whole collections, with ``for STEP`` only those that a step needs. A step is one of

| ``ID [PLACE]: CLAIM by METHOD from IDS given HYPOTHESES -- BECAUSE``
| ``ID [PLACE]: STEP at x = m, y = 0 from IDS given HYPOTHESES -- BECAUSE``

and what the paper has in its place may follow: ``printed RULING: RELATION at x = 1 given ..``. The
second form is a step at other values; what it does not say of place and hypotheses is that of the
step. A claim is a formula (:mod:`kproof.theory.derivations.expressions`) or a recursion over m:

| ``F(m) adds P(m) from m = 0`` or ``after m = -1``, where the sum is still 0
| ``F(m) starts A at m = k, adds P(m)``
| ``F(m) starts A at m = k, then B``, where B may speak of F(m - 1)

Methods are ``identity``, ``arithmetic``, ``definition``, ``induction on m from 0``, ``slope of f in
v between a and b``, ``enclosure of z in 1 .. 2``, ``STEP at x = m`` where the claim is spelled in
another way, and ``assumption "SOURCE"``.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import sympy as sp

from kproof.errors import InvalidArgument, one_of
from kproof.theory.derivations import methods as by
from kproof.theory.derivations.derivation import Derivation, Printed, Step, uses
from kproof.theory.derivations.expressions import KNOWN, expression, hypotheses, macro
from kproof.theory.derivations.formulas import recursion, running_sum
from kproof.theory.ledger import Ruling
from kproof.theory.paragraphs import paragraphs

HOME = Path(__file__).with_name("proofs")

# An assumption is quoted and an induction has a `from` of its own: both are tried before a method
# that ends at the next word of the notation.
_STEP = re.compile(
    r"(?P<id>[\w-]+)(?: \[(?P<place>[^]]*)\])?: (?P<claim>.+?)"
    r"(?: by (?P<by>assumption \"[^\"]*\"|induction on \w+ from .+?|.+?))?"
    r"(?: from (?P<follows>[\w-]+(?:, [\w-]+)*))?"
    r"(?: given (?P<given>.+?))?"
    r" -- (?P<because>.+?)"
    r"(?: printed (?P<ruling>\w+): (?P<printed>.+?) at (?P<at>.+?)(?: given (?P<paper>.+))?)?"
)
_INSTANCE = re.compile(r"(?P<of>[\w-]+) at (?P<at>\w+'? = .+)")
_SUM = re.compile(
    r"(?P<here>.+) adds (?P<term>.+) (?P<how>from|after) (?P<index>\w+) = (?P<base>.+)"
)
_RECURSION = re.compile(
    r"(?P<here>.+) starts (?P<first>.+) at (?P<index>\w+) = (?P<base>.+?), "
    r"(?P<how>adds|then) (?P<beyond>.+)"
)
_LET = re.compile(r"(?P<name>\w+)(?:\((?P<parameters>[^)]*)\))? = (?P<text>.+)")
_PLAIN: Mapping[str, by.Method] = {
    "identity": by.Identity(),
    "arithmetic": by.Arithmetic(),
    "definition": by.Defined(),
    "enclosure": by.Enclosed({}),
}
_ASSUMPTION = re.compile('assumption "(.+)"')
_INDUCTION = re.compile(r"induction on (\w+) from (.+)")
_SLOPE = re.compile(r"slope of (.+) in (\w+) between (.+) and (.+)")
_ENCLOSURE = re.compile(r"enclosure of (\w+) in (.+) \.\. (.+)")
_KINDS = ("integer", "real", "positive", "nonnegative")
"""What may be assumed of symbols. SymPy takes any word, and a misspelled one would mean nothing."""


@dataclass(frozen=True)
class Proofs:
    """What one proof file says.

    >>> counts = proofs("counts")
    >>> counts["mass"](counts["k"])
    P(k, n, p)
    >>> counts.steps["neighbours"].follows
    ('mass',)
    """

    names: Mapping[str, Any]
    """Symbols, functions, and what ``let`` gives a name."""
    steps: Mapping[str, Step]
    """By id; the first one, where several derivations have a step of that id."""
    collections: Mapping[str, tuple[Step, ...]]
    """By name, those of derivations included."""
    derivations: Mapping[str, Derivation]

    def __getitem__(self, name: str) -> Any:
        if name not in self.names:
            raise InvalidArgument("name", name, one_of(name, self.names))
        return self.names[name]


@cache
def proofs(name: str) -> Proofs:
    """Return what a file of :data:`HOME` says, by its name without the ending."""
    path = HOME / f"{name}.proof"
    if not path.is_file():
        names = sorted(file.stem for file in HOME.glob("*.proof"))
        raise InvalidArgument("proofs", name, one_of(name, names))
    return read(path.read_text(encoding="utf-8"), path.name)


def read(text: str, name: str = "proof") -> Proofs:
    """Return what the text of a proof file says.

    ``text``: the text. ``name``: what an error calls it.

    >>> squares = read('''
    ... symbols x: real
    ... proof squares: Squares
    ... concludes square
    ... square: 0 <= x^2 by arithmetic -- A square.
    ... another: square at x = x - 1 -- Another.
    ... ''')
    >>> squares.derivations["squares"]["another"].claim
    0 <= (x - 1)**2
    >>> read("square: by", "one")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: one, line 1: paragraph = 'square: by': need words of the notation
    """
    reader = _Reader()
    for line, paragraph in paragraphs(text):
        try:
            reader.take(paragraph)
        except InvalidArgument as wrong:
            location = f"{name}, line {line}: {wrong.name}"
            raise InvalidArgument(location, wrong.value, wrong.admissible) from wrong
    return reader.finish()


class _Reader:
    """What has been read of a file so far."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        self.steps: dict[str, Step] = {}
        self.used: dict[str, Step] = {}
        self.collections: dict[str, list[Step]] = {}
        self.titles: dict[str, str] = {}
        self.conclusions: dict[str, tuple[str, ...]] = {}
        self.theorems: dict[str, int] = {}
        self.current = ""

    def finish(self) -> Proofs:
        collections = {name: tuple(steps) for name, steps in self.collections.items()}
        derivations = {}
        for name, title in self.titles.items():
            conclusions, theorem = self.conclusions.get(name, ()), self.theorems.get(name)
            derivations[name] = Derivation(name, title, collections[name], conclusions, theorem)
        return Proofs(self.names, self.steps, collections, derivations)

    def take(self, paragraph: str) -> None:
        """Read one paragraph."""
        word, _, text = paragraph.partition(" ")
        match word:
            case "symbols":
                names, _, kinds = text.partition(": ")
                assumed = dict.fromkeys(kinds.split(), True)
                for kind in assumed:
                    if kind not in _KINDS:
                        raise InvalidArgument("symbols", kind, one_of(kind, _KINDS))
                self._name({name: sp.Symbol(name, **assumed) for name in names.split()})
            case "functions":
                self._name({name: sp.Function(name) for name in text.split()})
            case "use":
                file, _, names = text.partition(": ")
                source = proofs(file)
                self._name({name: source[name] for name in names.split()})
                self.used |= source.steps
            case "let":
                self._let(_match(_LET, text))
            case "steps":
                self._begin(text)
            case "proof":
                name, _, title = text.partition(": ")
                self._begin(name)
                self.titles[name] = title
            case "theorem":
                self.theorems[self.current] = int(text)
            case "concludes":
                self.conclusions[self.current] = tuple(text.split(", "))
            case "include":
                self._collect(*self._include(text))
            case _:
                step = self._step(_match(_STEP, paragraph))
                self.steps.setdefault(step.id, step)
                self._collect(step)

    def _begin(self, name: str) -> None:
        if name in self.collections:
            raise InvalidArgument("steps", name, "a name that is not taken")
        self.current = name
        self.collections[name] = []

    def _collect(self, *steps: Step) -> None:
        if not self.current:
            raise InvalidArgument("steps", steps[0].id, "a collection, begun with steps or proof")
        self.collections[self.current] += steps

    def _name(self, meanings: Mapping[str, Any]) -> None:
        for name in meanings:
            if name in self.names or name in KNOWN:
                raise InvalidArgument("name", name, "a name that is not taken")
        self.names |= meanings

    def _let(self, fields: Mapping[str, str]) -> None:
        name, text = fields["name"], fields["text"]
        if fields["parameters"]:
            self._name({name: macro(fields["parameters"], text, self.names)})
            return
        several = hypotheses(text, self.names)
        self._name({name: several if ";" in text or len(several) > 1 else several[0]})

    def _include(self, text: str) -> list[Step]:
        file, colon, names = text.rpartition(": ")
        names, _, target = names.partition(" for ")
        source = proofs(file) if colon else self
        included: list[Step] = []
        for name in names.split():
            if name in source.collections:
                included += source.collections[name]
            elif name in source.steps:
                included.append(source.steps[name])
            else:
                raise InvalidArgument("include", name, one_of(name, source.collections))
        if not target:
            return included
        required = {target}
        # Steps use earlier ones only: from the back, one pass meets all that the target needs.
        for step in reversed(included):
            if step.id in required:
                required |= set(uses(step))
        return [step for step in included if step.id in required]

    def _step(self, fields: Mapping[str, str]) -> Step:
        follows = tuple(fields["follows"].split(", ")) if fields["follows"] else ()
        hypotheses = self._hypotheses(fields["given"])
        printed = None
        if fields["printed"]:
            point = self._values(fields["at"]).items()
            printed = Printed(
                expression(fields["printed"], self.names),
                Ruling(fields["ruling"]),
                {symbol: Fraction(str(value)) for symbol, value in point},
                self._hypotheses(fields["paper"]),
            )
        if instance := _INSTANCE.fullmatch(fields["claim"]):
            new: Any = {"place": fields["place"], "follows": follows, "given": hypotheses}
            values, general = self._values(instance["at"]), self._find(instance["of"])
            return general.at(values, fields["id"], fields["because"], **new, printed=printed)
        claim, method = self._claim(fields["claim"]), self._method(fields["by"] or "")
        place, because = fields["place"] or "", fields["because"]
        return Step(fields["id"], place, claim, method, because, follows, hypotheses or (), printed)

    def _find(self, name: str) -> Step:
        """Return a step by id: of this collection, of this file, or of a file that it uses."""
        for step in self.collections.get(self.current, ()):
            if step.id == name:
                return step
        lines = {**self.used, **self.steps}
        if name not in lines:
            raise InvalidArgument("step", name, one_of(name, lines))
        return lines[name]

    def _claim(self, text: str) -> sp.Basic:
        parts = ("here", "index", "base")
        if match := _SUM.fullmatch(text):
            value, index, base = (self._read(match[part]) for part in parts)
            term = self._read(match["term"])
            first = term.subs(index, base) if match["how"] == "from" else sp.S.Zero
            return running_sum(value, index, term, first=first, base=base)
        if match := _RECURSION.fullmatch(text):
            value, index, base = (self._read(match[part]) for part in parts)
            first, beyond = self._read(match["first"]), self._read(match["beyond"])
            if match["how"] == "adds":
                return running_sum(value, index, beyond, first=first, base=base)
            return recursion(value, index, first, beyond, base)
        claim: sp.Basic = self._read(text)
        return claim

    def _method(self, text: str) -> by.Method:
        if text in _PLAIN:
            return _PLAIN[text]
        if match := _ASSUMPTION.fullmatch(text):
            return by.Assumed(match[1])
        if match := _INDUCTION.fullmatch(text):
            return by.Induction(self._read(match[1]), self._read(match[2]))
        if match := _SLOPE.fullmatch(text):
            return by.Monotone(*map(self._read, match.groups()))
        if match := _ENCLOSURE.fullmatch(text):
            return by.Enclosed({self._read(match[1]): (Fraction(match[2]), Fraction(match[3]))})
        if match := _INSTANCE.fullmatch(text):
            return by.Instance(match["of"], self._values(match["at"]))
        raise InvalidArgument("method", text, "identity, arithmetic, definition, induction, ..")

    def _hypotheses(self, text: str | None) -> tuple[sp.Basic, ...] | None:
        """Return hypotheses: None if none are said, empty if it is said that there are none."""
        if text is None:
            return None
        return () if text == "nothing" else hypotheses(text, self.names)

    def _values(self, text: str) -> dict[sp.Symbol, sp.Expr]:
        # A comma stands between arguments as well: only one before NAME = ends a value.
        pairs = (part.split(" = ") for part in re.split(r", (?=\w+'? = )", text))
        return {self._read(symbol): self._read(value) for symbol, value in pairs}

    def _read(self, text: str) -> Any:
        return expression(text, self.names)


def _match(form: re.Pattern[str], text: str) -> Mapping[str, str]:
    match = form.fullmatch(text)
    if match is None:
        raise InvalidArgument("paragraph", text, "words of the notation")
    return match.groupdict()
