"""What every bound of a release says."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kproof.forms import JsonForm
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.theorems.bounds import SCHEMA, Hypothesis, ProvedBound, exact_text


@dataclass(frozen=True)
class ReleaseBound(ProvedBound):
    """An (ε, δ) of a table as a whole."""

    name: str
    """As it is registered."""
    statement: str
    """What holds, in a sentence that begins with the name of its row."""
    epsilon: Enclosure
    delta: Enclosure
    """The one that was asked for at, and the one that follows; the upper end is the bound."""
    parameters: Mapping[str, str]
    """The exact input, as strings."""
    attained: str
    """What attains it, or is the worst case, in a phrase; empty if that is not known."""
    flags: tuple[str, ...]
    """What a reader must not overlook, one sentence each."""
    floor: Enclosure | None = None
    """What no ε brings δ below; None if nothing is known of that."""
    hypotheses: tuple[Hypothesis, ...] = ()
    """Each with its status; none where the bound is about a method and not about data."""
    beside: Mapping[str, Enclosure] = field(default_factory=dict)
    """What is known of δ otherwise, by what it is called."""

    @property
    def says(self) -> str:
        """The statement."""
        return self.statement

    @property
    def cells(self) -> Mapping[str, str]:
        """What else is known of δ, and what attains it."""
        beside = {name: str(value) for name, value in self.beside.items()}
        return beside | {"worst": self.attained or "-"}

    @property
    def row(self) -> str:
        """The statement of the ledger."""
        return self.statement.partition(":")[0]

    to_dict = JsonForm(
        "theorem=name statement=row epsilon delta events=str(events) applies holds",
        "conditional_on=owed.name assumed=assumed.name reasons hypotheses flags parameters floor",
        "beside worst=attained",
        schema=SCHEMA,
        exact=exact_text,
    )
