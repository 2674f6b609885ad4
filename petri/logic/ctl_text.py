"""Reading formulas from text.

::

    formula  := choice [ "->" formula ]
    choice   := both { "or" both }
    both     := unary { "and" unary }
    unary    := ( "not" | "EX" | "AX" | "EF" | "AF" | "EG" | "AG" ) unary | primary
    primary  := "(" formula ")" | ( "E" | "A" ) "[" formula "U" formula "]"
              | "true" | "false" | "dead" | "enabled" "(" name ")"
              | sum [ ( "==" | "!=" | "<" | "<=" | ">" | ">=" ) sum ] | name
    sum      := [ "-" ] count { ( "+" | "-" ) count }
    count    := number [ "*" tokens ] | tokens
    tokens   := "marked" "(" name ")" | "token" "(" name "," value ")"
    value    := number | name | "(" value { "," value } ")"

A name is a word of letters, digits and underscores or anything in double quotes; in quotes it is
never one of the words above. A sum without a
comparison says that it is at least 1. ``!``, ``&`` and ``|`` stand for not, and, or as well. Text
is only ever read: nothing in it is executed.
"""

import re
from collections.abc import Callable, Mapping
from typing import NoReturn

from kproof.errors import InvalidArgument
from kproof.petri.logic import ctl
from kproof.petri.logic.ctl import Formula
from kproof.petri.logic.predicates import Compared, Dead, Enabled, Holds, TokenCount, marked, token
from kproof.petri.net.colours import Token
from kproof.petri.net.marking import Marking
from kproof.petri.net.signs import SIGNS

DEEPEST = 100
"""How deeply formulas may be nested in text."""
LONGEST = 100_000
"""How many characters a formula may have."""

# `nothing` takes any other character, which `finditer` would pass over in silence.
_WORD = re.compile(
    r'\s*(?:(?P<number>\d{1,18}(?!\w))|(?P<name>[^\W\d]\w*)|"(?P<quoted>[^"\n]*)"'
    r"|(?P<sign>->|==|!=|<=|>=|[-+*<>()\[\],!&|])|(?P<nothing>\S))"
)
_UNARY: Mapping[str, Callable[[Formula], Formula]] = {
    "not": ctl.Not,
    "!": ctl.Not,
    **{
        operator.__name__: operator for operator in (ctl.EX, ctl.AX, ctl.EF, ctl.AF, ctl.EG, ctl.AG)
    },
}
_COUNTS = {"marked", "token"}


def parse(
    text: str, atoms: Mapping[str, Formula | Callable[[Marking], bool]] | None = None
) -> Formula:
    """Read a formula.

    Args:
        text: In the syntax above.
        atoms: What further names stand for: formulas, or predicates of a marking.

    Raises:
        InvalidArgument: If the text is no formula, or a name stands for nothing; says where.

    >>> print(parse("AG (EF (marked(Eat) >= 2 and not dead))"))
    AG (EF ((marked(Eat) >= 2) and (not dead)))
    >>> print(parse("A[token(Fork, 3) U enabled(leave)]"))
    A[(token(Fork, 3) >= 1) U enabled(leave)]
    >>> parse("AG (EF )")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: formula = 'AG (EF )': need a formula at character 8, not ')'
    """
    return _Reader(text, atoms or {}).read()


class _Reader:
    """Words of a text, and where reading stands; one method for each rule of the grammar."""

    def __init__(self, text: str, atoms: Mapping[str, Formula | Callable[[Marking], bool]]) -> None:
        if not isinstance(text, str) or len(text) > LONGEST:
            raise InvalidArgument("formula", text, f"text of at most {LONGEST} characters")
        self.text = text
        self.atoms = atoms
        self.at = 0
        self.depth = 0
        self.words = [
            (kind, word[kind], word.start(kind))
            # Spaces at the end would be looked through again from each of them.
            for word in _WORD.finditer(text.rstrip())
            if (kind := word.lastgroup)
        ]
        self.words.append(("end", "the end", len(text)))

    def read(self) -> Formula:
        formula = self.formula()
        if self.words[self.at][0] != "end":
            self.refuse("the end")
        return formula

    def formula(self) -> Formula:
        self.deeper()
        formula = self.choice()
        # To the right, as logic reads it: a -> b -> c is a -> (b -> c).
        if self.accept("->"):
            formula = ctl.Implies(formula, self.formula())
        self.depth -= 1
        return formula

    def choice(self) -> Formula:
        return self.join(self.both, ctl.Or, "or", "|")

    def both(self) -> Formula:
        return self.join(self.unary, ctl.And, "and", "&")

    def join(
        self, part: Callable[[], Formula], kind: Callable[..., Formula], *words: str
    ) -> Formula:
        parts = [part()]
        while self.accept(*words):
            parts.append(part())
        return parts[0] if len(parts) == 1 else kind(tuple(parts))

    def unary(self) -> Formula:
        sign = self.accept(*_UNARY)
        if not sign:
            return self.primary()
        self.deeper()
        formula = _UNARY[sign](self.unary())
        self.depth -= 1
        return formula

    def primary(self) -> Formula:
        if self.accept("("):
            formula = self.formula()
            self.require(")")
            return formula
        if quantifier := self.accept("E", "A"):
            self.require("[")
            before = self.formula()
            self.require("U")
            goal = self.formula()
            self.require("]")
            return ctl.EU(before, goal) if quantifier == "E" else ctl.AU(before, goal)
        # Before atoms: these words are the grammar's own, whatever an atom is called.
        if constant := self.accept("true", "false"):
            return ctl.Truth(constant == "true")
        if self.accept("dead"):
            return Dead()
        kind, word, _ = self.words[self.at]
        if self.calls("enabled"):
            self.at += 2
            transition = self.name("a transition")
            self.require(")")
            return Enabled(transition)
        if kind == "number" or (kind, word) == ("sign", "-") or self.calls(*_COUNTS):
            return self.comparison()
        if kind in ("name", "quoted") and word in self.atoms:
            self.at += 1
            atom = self.atoms[word]
            return atom if isinstance(atom, Formula) else Holds(word, atom)
        admissible = ", ".join(["marked()", "token()", "enabled()", "dead", *sorted(self.atoms)])
        return self.refuse(f"one of {admissible}" if kind in ("name", "quoted") else "a formula")

    def comparison(self) -> Formula:
        left = self.sum()
        if sign := self.accept(*SIGNS):
            return Compared(left, sign, self.sum())
        return left >= 1

    def sum(self) -> TokenCount:
        total = -1 * self.count() if self.accept("-") else self.count()
        while sign := self.accept("+", "-"):
            total = total + self.count() if sign == "+" else total - self.count()
        return total

    def count(self) -> TokenCount:
        kind, word, _ = self.words[self.at]
        if kind == "number":
            self.at += 1
            return int(word) * self.tokens() if self.accept("*") else TokenCount((), int(word))
        return self.tokens()

    def tokens(self) -> TokenCount:
        if not self.calls(*_COUNTS):
            self.refuse("a number, marked() or token()")
        function = self.words[self.at][1]
        self.at += 2
        place = self.name("a place")
        if function == "marked":
            counted = marked(place)
        else:
            self.require(",")
            counted = token(place, self.value())
        self.require(")")
        return counted

    def value(self) -> Token:
        if self.accept("("):
            self.deeper()
            parts = [self.value()]
            while self.accept(","):
                parts.append(self.value())
            self.require(")")
            self.depth -= 1
            return tuple(parts)
        negative = bool(self.accept("-"))
        kind, word, _ = self.words[self.at]
        if kind == "number":
            self.at += 1
            return -int(word) if negative else int(word)
        if negative:
            self.refuse("a number")
        return self.name("a value")

    def name(self, meaning: str) -> str:
        kind, word, _ = self.words[self.at]
        if kind not in ("name", "quoted"):
            self.refuse(meaning)
        self.at += 1
        return word

    def calls(self, *functions: str) -> bool:
        kind, word, _ = self.words[self.at]
        # There is a next word, since the last one is the end of the text and no name.
        return kind == "name" and word in functions and self.words[self.at + 1][:2] == ("sign", "(")

    def accept(self, *words: str) -> str:
        kind, word, _ = self.words[self.at]
        if kind in ("name", "sign") and word in words:
            self.at += 1
            return word
        return ""

    def require(self, word: str) -> None:
        if not self.accept(word):
            self.refuse(word)

    def refuse(self, expected: str) -> NoReturn:
        _, word, place = self.words[self.at]
        actual = word if self.words[self.at][0] == "end" else repr(word)
        raise InvalidArgument(
            "formula", self.text, f"{expected} at character {place + 1}, not {actual}"
        )

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise InvalidArgument("formula", self.text, f"at most {DEEPEST} levels of nesting")
