"""The theorems that Rocq has checked, each beside what it is in the paper and in Python."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kproof.errors import InvalidArgument, one_of

ROCQ = Path(__file__).parents[1] / "rocq"
"""Where the proofs stand."""

SOURCES = tuple(
    ROCQ / f"{name}.v"
    for name in (
        "Laws",
        "Blocks",
        "Several",
        "LogConcave",
        "Counts",
        "Theta",
        "Published",
        "Joined",
    )
)
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


def defined_in(file: str) -> dict[str, str]:
    """Return the texts of all theorems and definitions of a file by name, in its order.

    >>> list(defined_in("Laws"))[:3]
    ['nonneg', 'law', 'pr']
    """
    names = re.findall(rf"^(?:{_KINDS}) ([\w']+)", _text(file), flags=re.MULTILINE)
    return {name: statement_of(name, file) for name in names}


def _find(name: str, file: str) -> re.Match[str]:
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


_EVERY_EVENT = r"\forall O:\ \Pr[X\in O]\le e^{\varepsilon}\,\Pr[X^*\in O]+\delta"
_HOCKEY = r"\sum_x \max\{0,\ \Pr[X=x]-e^{\varepsilon}\Pr[X^*=x]\}"
_BOUND = r"\delta_S(\varepsilon)\le \mathbb E\,D_N(\varepsilon)"
_BLOCKS = ("kproof.theory.profiles.blocks.blocks_delta",)
_SEVERAL = ("kproof.theory.profiles.several.several_delta",)
_COUNTS = ("kproof.theory.theorems.theorem1.bound",)

STATEMENTS = (
    KernelStatement(
        "close_hockey",
        "Laws",
        "The hockey-stick divergence is the least delta for all events together.",
        rf"{_EVERY_EVENT} \iff {_HOCKEY}\le\delta",
        ("kproof.theory.profiles.exact",),
        (),
    ),
    KernelStatement(
        "hockey_mix",
        "Blocks",
        "The divergence is jointly convex, for any finite number of parts.",
        r"\delta_{\sum_i w_i X_i}(\varepsilon)\le\sum_i w_i\,\delta_{X_i}(\varepsilon)",
        (),
        ("K1",),
    ),
    KernelStatement(
        "hockey_kernel",
        "Blocks",
        "What is computed from a release tells no more than the release.",
        r"\delta_{K(X)}(\varepsilon)\le\delta_X(\varepsilon)",
        (),
        ("K1",),
    ),
    KernelStatement(
        "block_bound_events",
        "Blocks",
        "B1: for all events and in both directions, a sum of independent records tells of a shift "
        "at most what N blocks tell on average.",
        rf"{_BOUND},\quad N=\sum_i\mathrm{{Bernoulli}}(b_m(X_i))",
        _BLOCKS,
        ("K1",),
    ),
    KernelStatement(
        "block_bound_least",
        "Blocks",
        "B2: it is enough that the records of some set have block masses of at least beta.",
        rf"{_BOUND},\quad N\sim\mathrm{{Bin}}(t,\beta)",
        _BLOCKS,
        ("K2",),
    ),
    KernelStatement(
        "block_bound_given",
        "Blocks",
        "B5 (b) and B6: of records that are independent given what all others are, each counts "
        "with its least block mass over what that may be.",
        rf"{_BOUND},\quad N=\sum_{{i\in I}}\mathrm{{Bernoulli}}(\min_x b_m(X_i\mid x))",
        _BLOCKS,
        ("K7",),
    ),
    KernelStatement(
        "block_bound_groups",
        "Blocks",
        "B5 (a): of groups that are independent of one another each counts once, with the mean "
        "block mass of one of its records given the rest of the group, or with less.",
        rf"{_BOUND},\quad N=\sum_g\mathrm{{Bernoulli}}(\mathbb E\,b_m(X_{{i(g)}}\mid x_g))",
        _BLOCKS,
        ("K6",),
    ),
    KernelStatement(
        "told_sym",
        "Blocks",
        "Blocks tell the same in both directions.",
        r"D_j^\uparrow(\varepsilon)=D_j^\downarrow(\varepsilon)",
        _BLOCKS,
        (),
    ),
    KernelStatement(
        "blocks_attained",
        "Blocks",
        "B3: where the rest of each record is a point far away, the bound is an equality, in both "
        "directions.",
        r"\delta_S(\varepsilon)=\mathbb E\,D_N(\varepsilon)",
        _BLOCKS,
        ("K3",),
    ),
    KernelStatement(
        "several_sums",
        "Several",
        "Several sums of the same records, released together, tell of a record at most what the "
        "total of the records in exactly the same sums tells.",
        r"\delta_{(S_j)_j}(\varepsilon)\le\delta_{\sum_{c\in C}X_c}(\varepsilon)",
        _SEVERAL,
        ("K9",),
    ),
    KernelStatement(
        "several_blocks",
        "Several",
        "B8: hence at most what the blocks of the records in exactly the same sums tell on "
        "average, for all events and in both directions.",
        r"\delta_{(S_j)_j}(\varepsilon)\le\mathbb E\,D_N(\varepsilon),\quad "
        r"N=\sum_{c\in C}\mathrm{Bernoulli}(b_m(X_c))",
        (*_SEVERAL, *_BLOCKS),
        ("K9",),
    ),
    KernelStatement(
        "half_line_up",
        "LogConcave",
        "For a log-concave law the worst event against a shift upwards is a half-line.",
        r"\delta_\uparrow(\varepsilon)=\Pr[X<t]-e^{\varepsilon}\Pr[X+s<t]",
        (),
        ("Z25",),
    ),
    KernelStatement(
        "half_line_down",
        "LogConcave",
        "The same for a shift downwards.",
        r"\delta_\downarrow(\varepsilon)=\Pr[X+s\ge t]-e^{\varepsilon}\Pr[X\ge t]",
        (),
        ("Z25",),
    ),
    KernelStatement(
        "half_lines_suffice",
        "LogConcave",
        "For log-concave laws, a bound for all half-lines is one for all events: kappa is 1.",
        r"\kappa=1",
        ("kproof.theory.theorems.theorem2.STATEMENTS",),
        ("Z25", "Z44"),
    ),
    KernelStatement(
        "log_concave_coins",
        "LogConcave",
        "A sum of independent 0/1 records is log-concave, whatever their chances.",
        r"\sum_i\mathrm{Bernoulli}(b_i)",
        (),
        (),
    ),
    KernelStatement(
        "log_concave_conv",
        "LogConcave",
        "Hoggar: a sum of two independent log-concave records is log-concave.",
        r"f_i^2\ge f_{i-1}f_{i+1},\ g_i^2\ge g_{i-1}g_{i+1}\implies "
        r"(f*g)_i^2\ge(f*g)_{i-1}(f*g)_{i+1}",
        (),
        ("Z25",),
    ),
    KernelStatement(
        "log_concave_prod",
        "LogConcave",
        "So is a sum of any finite number of them, each with a law of its own.",
        r"\sum_i X_i",
        ("kproof.theory.theorems.theorem2.STATEMENTS",),
        ("Z25", "Z44"),
    ),
    KernelStatement(
        "count_up_events",
        "Counts",
        "C1, upwards: the least delta of the count that is published from k on, for all events, is "
        "that of the counts k to w.",
        r"\delta=\frac{\Pr[k\le M\le w]-e^{\varepsilon}\Pr[k\le M<w]}{\Pr[M\ge k]}",
        _COUNTS,
        ("Z6",),
    ),
    KernelStatement(
        "count_down_events",
        "Counts",
        "C1, downwards: the least delta is that of the counts from d on.",
        r"\delta=\frac{\Pr[M\ge d-1]-e^{\varepsilon}\Pr[M\ge d]}{\Pr[M\ge k]}",
        _COUNTS,
        ("Z9",),
    ),
    KernelStatement(
        "threshold_up_formula",
        "Counts",
        "The w that is evaluated is such a threshold, whatever e^epsilon is.",
        r"w=\min\{n,\max\{k,\lfloor p(n+1)/(e^{\varepsilon}q+p)\rfloor\}\}",
        _COUNTS,
        (),
    ),
    KernelStatement(
        "threshold_down_formula",
        "Counts",
        "And so is the d that is evaluated.",
        r"d=\min\{n+1,\max\{k+1,n+2+\lfloor -q(n+1)/(q+e^{\varepsilon}p)\rfloor\}\}",
        _COUNTS,
        (),
    ),
    KernelStatement(
        "floor_uniq",
        "Counts",
        "No number has two floors.",
        r"z\le x<z+1,\ z'\le x<z'+1\implies z=z'",
        _COUNTS,
        (),
    ),
    KernelStatement(
        "count_atom",
        "Counts",
        "After a shift upwards the count k does not occur.",
        r"\delta\ge\Pr[M=k\mid M\ge k]",
        _COUNTS,
        ("Z6",),
    ),
    KernelStatement(
        "theta_sensitive",
        "Theta",
        "Algorithm 1 as corrected, for tables of any size and whatever rows are exchanged: every "
        "run ends, none is stuck, all rows are kept, and every class has k rows and V of at least "
        "theta. The classes were formed of k rows or more, mu is at most 1, and some class over "
        "the values reaches theta.",
        r"V\ge\theta=\mu\,\frac{k^2-1}{12},\quad\mu=\frac ab",
        ("kproof.models.tables.theta.method.theta_sensitive",),
        ("T25",),
    ),
    KernelStatement(
        "theta_published",
        "Published",
        "What is published: labels generalize the quasi-identifiers of the rows of a class, "
        "classes with equal labels are one class, those that fall short of theta together are "
        "formed as one, and Algorithm 1 begins anew, at most as many times as there were "
        "classes. It comes to an end; then all rows are published, under labels that are true "
        "of them, and every published class has k rows and V of at least theta.",
        r"V\Bigl(\bigcup_{c:\ \mathrm{label}(c)=l}c\Bigr)\ge\theta",
        (
            "kproof.models.tables.theta.method.theta_sensitive",
            "kproof.models.tables.theta.alike.joined",
        ),
        ("T25", "T61"),
    ),
    KernelStatement(
        "variance_uniq",
        "Theta",
        "A class of k or more distinct values reaches theta if mu is at most 1.",
        r"\frac{N^2-1}{12}\ge\mu\,\frac{k^2-1}{12}\quad(N\ge k,\ \mu\le1)",
        ("kproof.models.tables.theta.moves.variance",),
        ("T15",),
    ),
    KernelStatement(
        "variance_given_away",
        "Theta",
        "The last class's exchange does not take the class before it below theta.",
        r"V(x,\ s\setminus y)\ge V(s)\quad(y\text{ most frequent in }s,\ x\notin s)",
        ("kproof.models.tables.theta.moves.cross_check",),
        ("T25",),
    ),
    KernelStatement(
        "variance_reachable",
        "Theta",
        "If some class over all values reaches theta, noise rows bring every class to it.",
        r"\exists t:\ V(t\cup s)\ge\theta",
        ("kproof.models.tables.theta.moves.reinforcement",),
        ("T27",),
    ),
    KernelStatement(
        "union_may_fail",
        "Theta",
        "Classes that reach theta may fall short of it together: look-alike classes must be judged "
        "as one.",
        r"V(0,0,1,2)=V(0,1,1,2)=\tfrac{11}{16},\quad V(0,0,0,1,1,1,2,2)=\tfrac{39}{64}",
        ("kproof.models.tables.theta.alike.joined",),
        ("T61", "R3"),
    ),
    KernelStatement(
        "joined_values",
        "Joined",
        "Joined with others, a class has at least as many different values.",
        r"|\{x\in s\}|\le|\{x\in s\cup t\}|",
        ("kproof.models.privacy.diversity.DistinctL", "kproof.models.privacy.PSensitive"),
        ("R1",),
    ),
    KernelStatement(
        "joined_kinds",
        "Joined",
        "And at least as many different categories of values.",
        r"|\{c(x):x\in s\}|\le|\{c(x):x\in s\cup t\}|",
        ("kproof.models.privacy.PPlusSensitive",),
        ("R1",),
    ),
    KernelStatement(
        "joined_close",
        "Joined",
        "Classes whose values are within t = a/b of those of the whole table, in total variation, "
        "are so together.",
        r"d(s,w)\le t,\ d(s',w)\le t\implies d(s\cup s',w)\le t",
        ("kproof.models.privacy.TCloseness",),
        ("R2",),
    ),
    KernelStatement(
        "apart_spans",
        "Joined",
        "Classes on two sides of a cut differ in their least and greatest value.",
        r"\max s\le r<\min s'\implies(\min s,\max s)\ne(\min s',\max s')",
        ("kproof.models.partitioned.regions.regions",),
        ("R4",),
    ),
)
"""The listed theorems, by file."""


def statement(name: str) -> KernelStatement:
    """Return a listed theorem by name.

    >>> statement("count_atom").file
    'Counts'
    """
    for known in STATEMENTS:
        if known.name == name:
            return known
    raise InvalidArgument("name", name, one_of(name, (known.name for known in STATEMENTS)))


def checked_for(row: str) -> tuple[str, ...]:
    """Return the listed theorems that are evidence of a ledger's row.

    >>> checked_for("K3")
    ('blocks_attained',)
    """
    return tuple(known.name for known in STATEMENTS if row in known.rows)
