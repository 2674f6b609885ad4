"""The theorems that Rocq has checked, each beside what it is in the paper and in Python.

They are the paragraphs of ``rocq.statements`` beside this module.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kproof.errors import InvalidArgument, one_of
from kproof.theory.paragraphs import read_statements

ROCQ = Path(__file__).parents[1] / "rocq"
"""Where the proofs stand."""

_FILES = (
    *("Laws", "Blocks", "Several", "LogConcave", "Counts", "Release"),
    *("Histograms", "Refuted", "Theta", "Published", "Joined", "Withheld"),
    *("Channels", "Moving"),
)

SOURCES = tuple(ROCQ / f"{name}.v" for name in _FILES)
"""The proofs; each file uses only those before it."""

MODELS = ROCQ / "Models.v"
"""Values for which the hypotheses of each theorem hold; it uses all of the proofs."""

_KINDS = "Theorem|Lemma|Corollary|Proposition|Definition|Fixpoint|Record|Inductive"
_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class KernelStatement:
    """A theorem of ``theory/rocq``."""

    name: str
    file: str
    """Of the theorem, and of the file without ``.v``."""
    says: str
    """What it says, in a sentence."""
    formula: str
    """The same as LaTeX, as the documents print it."""
    python: tuple[str, ...]
    """Names of the functions that evaluate it."""
    rows: tuple[str, ...]
    """Ids of the ledger's rows whose evidence it is."""

    @property
    def rocq(self) -> str:
        """What Rocq was asked to check, word for word, with what its section supposes."""
        return "\n".join(
            (*_section_hypotheses(self.name, self.file), statement_of(self.name, self.file))
        )


def statement_of(name: str, file: str) -> str:
    """Return the text of a theorem or definition of ``theory/rocq``, without its proof.

    >>> print(statement_of("nonneg", "Laws"))
    Definition nonneg f := forall i, 0 <= f`_i.
    """
    return _find(name, file)[0]


def definitions_in(file: str) -> dict[str, str]:
    """Return the texts of all theorems and definitions of a file by name, in its order.

    >>> list(definitions_in("Laws"))[:3]
    ['nonneg', 'law', 'pr']
    """
    names = re.findall(rf"^(?:{_KINDS}) ([\w']+)", _text(file), flags=re.MULTILINE)
    return {name: statement_of(name, file) for name in names}


def _find(name: str, file: str) -> re.Match[str]:
    # Not `\b`: a name of Rocq may go on with an apostrophe, and is then another one.
    pattern = rf"^(?:{_KINDS}) {re.escape(name)}(?![\w']).*?\.(?=\s*$)"
    match = re.search(pattern, _text(file), flags=re.DOTALL | re.MULTILINE)
    if match is None:
        raise InvalidArgument("name", name, f"a theorem or definition of {file}.v")
    return match


def _section_hypotheses(name: str, file: str) -> list[str]:
    """Return the variables and hypotheses of the sections that a theorem stands in."""
    before = _text(file)[: _find(name, file).start()]
    open_sections: list[list[str]] = []
    kinds = "Section|End|Variables?|Hypothes[ie]s|Let"
    for command in re.finditer(
        rf"^({kinds}) .*?\.(?=\s*$)", before, flags=re.DOTALL | re.MULTILINE
    ):
        if command[1] == "Section":
            open_sections.append([])
        elif command[1] == "End":
            open_sections.pop()
        else:
            open_sections[-1].append(command[0])
    return [line for section in open_sections for line in section]


@cache
def _text(file: str) -> str:
    return _COMMENT.sub("", (ROCQ / f"{file}.v").read_text(encoding="utf-8"))


def _read_statements() -> Iterator[KernelStatement]:
    text = Path(__file__).with_name("rocq.statements").read_text(encoding="utf-8")
    for of, says, texts in read_statements(text, ("formula", "python", "rows"), needs=["formula"]):
        file, _, name = of.partition(".")
        python, rows = (tuple(texts.get(label, "").split()) for label in ("python", "rows"))
        yield KernelStatement(name, file, says, texts["formula"], python, rows)


STATEMENTS = tuple(_read_statements())
"""The listed theorems, by file."""


def statement(name: str) -> KernelStatement:
    """Return a listed theorem by name.

    >>> statement("count_atom").file
    'Counts'
    """
    for listed in STATEMENTS:
        if listed.name == name:
            return listed
    raise InvalidArgument("name", name, one_of(name, (listed.name for listed in STATEMENTS)))


def theorems_for_row(row: str) -> tuple[str, ...]:
    """Return the listed theorems that are evidence of a ledger's row.

    >>> theorems_for_row("K3")
    ('blocks_attained',)
    """
    return tuple(listed.name for listed in STATEMENTS if row in listed.rows)
