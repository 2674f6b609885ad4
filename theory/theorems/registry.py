"""The bounds that come with kproof: one entry adds one to every command and document.

There are two kinds. A theorem of the bounds paper is read in three ways, which are compared; a
bound of its own proves one thing of every event. An entry refers to its functions by name, so that
a theorem is not imported for the sake of another one.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kproof.registry import Home, Registry
from kproof.theory.exact.typed import integer
from kproof.theory.theorems.assumptions import Assumption, read_assumptions


@dataclass(frozen=True, kw_only=True)
class RegisteredBound:
    """What every bound says of itself."""

    name: str
    summary: str
    """One line for help texts and the reference."""
    source: str
    assumptions: tuple[Assumption, ...] = ()
    """What a caller may answer for."""
    family: Home
    """``family(reading)`` returns the box that is searched for counterexamples by default."""

    @property
    def phrase(self) -> str:
        """What it is called within a sentence."""
        return self.name

    def read_answers(self, names: Iterable[str | Assumption]) -> frozenset[Assumption]:
        """Read what a caller answers for.

        >>> find_bound(2).read_answers(["independence"])
        frozenset({<Assumption.INDEPENDENCE: 'independence'>})
        >>> find_bound(3).read_answers(["independence"])
        Traceback (most recent call last):
            ...
        kproof.errors.InvalidArgument: assume = independence: need with theorem 3 one of \
dependency-graph, uncorrelated, conditional-moments
        >>> find_bound(2).read_answers("independence")
        Traceback (most recent call last):
            ...
        kproof.errors.InvalidArgument: assume = independence: need a collection of names
        """
        return read_assumptions(names, self.assumptions, self.phrase)


@dataclass(frozen=True, kw_only=True)
class RegisteredTheorem(RegisteredBound):
    """A theorem of the bounds paper, in three readings."""

    statements: Home
    level: str = ""
    """Level of the adversary that it is about; empty if it is about a count, not about a sum."""
    dependent: bool = False
    """Whether records may depend on one another."""
    unknown_only: bool = False
    """Whether its sums are over the records that the adversary does not know."""

    @property
    def number(self) -> int:
        """As the paper counts."""
        return int(self.name)

    @property
    def phrase(self) -> str:
        """What it is called within a sentence."""
        return f"theorem {self.name}"

    @property
    def counts(self) -> bool:
        """Whether it is about a truncated count, which leaves the adversary nothing to know."""
        return not self.level


@dataclass(frozen=True, kw_only=True)
class OwnBound(RegisteredBound):
    """A bound that is in no paper: it is proved as it stands, for every event."""

    bound: Home
    """``bound(epsilon=..., ...)`` returns a :class:`~kproof.theory.theorems.bounds.ProvedBound`;
    where ``command`` is none, its keywords and its docstring are those of the command."""
    called: str
    """What a sentence calls it, such as ``block bound``."""
    by: str
    """What proves it, in the plural."""
    claim: Home
    """``claim(...)`` returns δ for arguments of the scenes of ``family``, to be falsified."""
    ledger: Home
    """Its claims and their evidence."""
    beside: Home
    """``beside(point)`` returns what it proves where a theorem is evaluated, or says why it
    proves nothing; see :class:`~kproof.theory.theorems.comparison.ComparisonPoint`."""
    design: Home
    """``design(target)`` turns it round; see
    :class:`~kproof.theory.theorems.design.DesignTarget`."""
    fixed: frozenset[str] = frozenset()
    """Which keywords of :func:`~kproof.theory.theorems.design.design` it takes beside ``n``, ``s``
    and ``assume``."""
    command: Home | None = None
    """The command, if the keywords of ``bound`` are not enough for one."""
    formula: Home | None = None
    """``formula()`` returns δ of 0/1 records in SymPy symbols ``n``, ``p``, ``s`` and ``epsilon``
    for the calculator, which has block bounds without."""


_NORMAL = (Assumption.INDEPENDENCE, Assumption.LOG_CONCAVITY)
_STEIN = (Assumption.DEPENDENCY_GRAPH, Assumption.UNCORRELATED, Assumption.CONDITIONAL_MOMENTS)


def _theorem(number: int, summary: str, family: str, **fields: Any) -> RegisteredTheorem:
    return RegisteredTheorem(
        name=str(number),
        summary=summary,
        source="Zhao et al., bounds for k-anonymity under attack",
        statements=Home(f"kproof.theory.theorems.theorem{number}:STATEMENTS"),
        family=Home(f"kproof.theory.falsify.families:{family}"),
        **fields,
    )


def _of_sum(
    number: int, summary: str, *, dependent: bool = False, unknown_only: bool = False
) -> RegisteredTheorem:
    return _theorem(
        number,
        summary,
        f"of_{'dependent' if dependent else 'independent'}{'_known' if unknown_only else ''}",
        level=("I", "II", "III", "IV")[dependent + 2 * unknown_only],
        dependent=dependent,
        unknown_only=unknown_only,
        assumptions=_STEIN if dependent else _NORMAL,
    )


def _use(name: str) -> Home:
    return Home(f"kproof.theory.theorems.blocks.uses:{name}")


BOUNDS: Registry[RegisteredTheorem | OwnBound] = Registry(
    "theorem",
    (
        _theorem(1, "a count that is at least k, without background information", "of_counts"),
        _of_sum(2, "a sum of independent records, by a normal approximation"),
        _of_sum(3, "a sum of dependent records, by Stein's method", dependent=True),
        _of_sum(4, "a sum of independent records, some of them known", unknown_only=True),
        _of_sum(
            5, "a sum of dependent records, some of them known", dependent=True, unknown_only=True
        ),
        OwnBound(
            name="blocks",
            summary="a sum of records that hide in uniform blocks, for every event at every n",
            source="docs/theory/block-bounds.md",
            called="block bound",
            by="block masses",
            assumptions=(
                Assumption.INDEPENDENCE,
                Assumption.DEPENDENCY_GRAPH,
                Assumption.MARKOV_FIELD,
                Assumption.CONSISTENT_TABLES,
            ),
            bound=Home("kproof.theory.theorems.blocks.bound:block_bound"),
            family=Home("kproof.theory.falsify.joints:of_blocks"),
            claim=Home("kproof.theory.falsify.joints:of_independent"),
            ledger=Home("kproof.theory.papers.claims:BLOCKS"),
            beside=_use("beside"),
            design=_use("design"),
            fixed=frozenset({"beta", "block", "law", "least_share", "lambda1", "lambda2"}),
            command=Home("kproof.cli.bounds.bound_blocks:app"),
        ),
    ),
)
"""Every registered bound by name."""


def theorems() -> tuple[RegisteredTheorem, ...]:
    """Return the theorems of the bounds paper."""
    return tuple(entry for entry in BOUNDS.values() if isinstance(entry, RegisteredTheorem))


def own_bounds() -> tuple[OwnBound, ...]:
    """Return the bounds that are in no paper."""
    return tuple(entry for entry in BOUNDS.values() if isinstance(entry, OwnBound))


def theorem_of(theorem: object, name: str = "theorem") -> RegisteredTheorem:
    """Return a theorem of the bounds paper by its number; ``name`` is the argument that has it.

    >>> theorem_of("3").level
    'II'
    """
    # Theorems are registered in the order of their numbers.
    entries = theorems()
    return entries[integer(name, theorem, least=1, most=len(entries)) - 1]


def find_bound(theorem: object, name: str = "theorem") -> RegisteredTheorem | OwnBound:
    """Return a bound by what a user typed: the number of a theorem, or a name."""
    entry = BOUNDS.get(theorem) if isinstance(theorem, str) else None
    return entry or theorem_of(theorem, name)


def theorem_for(*, dependent: bool, unknown_only: bool) -> RegisteredTheorem:
    """Return the theorem about an adversary who knows dependence, or values of records."""
    sides = dependent, unknown_only
    sums = (entry for entry in theorems() if not entry.counts)
    return next(entry for entry in sums if (entry.dependent, entry.unknown_only) == sides)
