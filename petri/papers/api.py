"""The nets of the paper by name, for one table: ``kproof.net("theta-sensitive", ...)``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import Parameter, signature
from typing import Any

from kproof.arguments import DICTIONARY, FLAG, SEVERAL, TEXT, a, check_arguments
from kproof.datasets import MISSING_CELLS
from kproof.errors import InvalidArgument
from kproof.models.attacks import BackgroundKnowledge
from kproof.models.base.missing import MissingAs
from kproof.models.tables.table import Table
from kproof.petri.net.net import Net
from kproof.petri.papers.attackers import (
    AttackBeliefs,
    Attacker,
    attack_beliefs,
    attacked,
    attacker,
    read_background,
)
from kproof.petri.papers.gain import BeliefGain, gain
from kproof.petri.papers.masking import masked
from kproof.petri.papers.outcome import PublisherEnds
from kproof.petri.papers.p_plus_sensitive import p_plus_publisher
from kproof.petri.papers.publications import AllPublications, publications
from kproof.petri.papers.publisher import PartitionedTable, Publisher, classes_of
from kproof.petri.papers.theta_sensitive import Padding, theta_publisher
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.limits import Clock
from kproof.petri.spaces.space import Budget, StateSpace
from kproof.theory.exact.typed import Number, choice

PUBLISHERS: Mapping[str, Callable[..., Publisher]] = {
    "theta-sensitive": theta_publisher,
    "p-plus-sensitive": p_plus_publisher,
}
"""What publishes, by the name of the net."""


@dataclass(frozen=True, repr=False)
class TableNet:
    """A net for one table."""

    publisher: Publisher
    """The net in the making: the table, its domain, what tokens are."""
    net: Net
    """The net itself."""
    attackers: tuple[Attacker, ...] = ()
    """The attacks that are part of it."""

    def __repr__(self) -> str:
        """Say which net it is, and how large."""
        size = f"{len(self.net.places)} places, {len(self.net.transitions)} transitions"
        return f"TableNet({self.net.name}: {size})"

    def explore(
        self, *, budget: Budget | None = None, engine: str = "auto", order: str = "breadth"
    ) -> StateSpace:
        """Return every state the net can reach; see :func:`kproof.petri.spaces.explore.explore`."""
        return explore(self.net, budget=budget, engine=engine, order=order)

    def outcome(self, space: StateSpace | None = None) -> PublisherEnds:
        """Return what can be published, from a state space or by exploring."""
        return PublisherEnds.of(self.publisher, self.explore() if space is None else space)

    def publications(
        self,
        *,
        background: BackgroundKnowledge | Mapping[str, object] | None = None,
        attackers: Iterable[Attacker | str] = (),
        budget: Budget | None = None,
    ) -> AllPublications:
        """Count and judge everything that can be published, with finished classes forgotten.

        ``background`` is what an adversary knows, or its JSON form. Attackers, by name or as they
        are, are judged after each publication; those that are parts of the net already are refused:
        they look at all classes again.

        >>> made = net("theta-sensitive", [["HIV", "HIV"], ["Flu", "Cancer"]] * 20, k=2)
        >>> everything = made.publications()
        >>> everything.words.count, everything.found.space.states, everything.noise
        (1048576, 101, {0: 1048576})
        """
        knows = read_background(background)
        return publications(
            self.publisher,
            background=knows,
            attackers=[attacker(who, knows) if isinstance(who, str) else who for who in attackers],
            budget=budget,
        )

    def gain(
        self,
        background: BackgroundKnowledge | Mapping[str, object] | None = None,
        *,
        space: StateSpace | None = None,
        clock: Clock | None = None,
    ) -> BeliefGain:
        """Return what an adversary believes after each publication.

        ``background`` is what she knows, or its JSON form; ``space`` what :meth:`explore` returned,
        if it was called already. The clock is by default over with the seconds that exploring left.
        """
        explored = self.explore() if space is None else space
        return gain(self.publisher, explored, read_background(background), clock=clock)

    def disclosures(
        self, *, space: StateSpace | None = None, clock: Clock | None = None
    ) -> tuple[AttackBeliefs, ...]:
        """Return what each of the net's attacks believes; see :meth:`gain`."""
        explored = self.explore() if space is None else space
        return attack_beliefs(self.publisher, self.attackers, explored, clock=clock)


_BACKGROUND = a(BackgroundKnowledge, Mapping, phrase="BackgroundKnowledge, or its JSON form")


@check_arguments(
    class_column=TEXT,
    sensitive=TEXT,
    missing=SEVERAL,
    categories=DICTIONARY,
    attackers=SEVERAL,
    background=_BACKGROUND,
    masks=FLAG,
)
def net(
    name: str,
    table: object,
    *,
    k: Number,
    sensitive: str | None = None,
    class_column: str | None = None,
    remainder: str | None = None,
    missing: Collection[str] = MISSING_CELLS,
    missing_as: MissingAs | str | None = None,
    categories: Mapping[object, object] | None = None,
    attackers: Iterable[Attacker | str] = (),
    background: BackgroundKnowledge | Mapping[str, object] | None = None,
    masks: bool = False,
    **options: Any,
) -> TableNet:
    """Return one of the paper's nets for a table.

    Args:
        name: ``"theta-sensitive"`` or ``"p-plus-sensitive"``.
        table: A table, frame, CSV file or shipped table's name; or the sensitive values of each
            class, as a sequence of sequences.
        k: Least number of rows in a class, k ≥ 2.
        sensitive, class_column, remainder: How a table is cut into classes: as for
            :func:`kproof.petri.papers.publisher.classes_of`. With ``padding="noise"`` the remainder
            is ``"noise"`` unless said otherwise.
        missing: Texts of a frame or file that mean "nobody recorded it".
        missing_as: What a missing sensitive value is taken for in what is judged, see
            :class:`~kproof.models.base.missing.MissingAs`; None for what the table says, which is
            the worst case unless it was made otherwise. The publisher moves it like any other cell;
            noise never carries it unless it counts as a value.
        categories: Category of each sensitive value.
        attackers: Attacks to add, by name or as :class:`kproof.petri.papers.attackers.Attacker`.
        background: What the adversary of attacks given by name knows, or its JSON form.
        masks: Whether the net generalizes the quasi-identifiers of what is published; with
            ``tokens="records"`` and a table that has some.
        **options: The publisher's own: ``mu``, ``domain``, ``reading``, ``cut``, ``tokens``,
            ``per_class_theta`` and ``padding`` of theta-sensitive; ``p``, ``domain`` and ``tokens``
            of p-plus-sensitive.

    Raises:
        DataError: If the table has no sensitive column, or a column is unknown.
        Infeasible: If the sensitive values are too few for θ.

    >>> made = net("theta-sensitive", "table-1a", k=4, mu="3/5", sensitive="Disease")
    >>> space = made.explore()
    >>> space.states, space.arcs, len(made.outcome(space).publications)
    (291, 308, 120)
    >>> net("theta-sensitive", "table-1a", k=1, sensitive="Disease")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: k = 1: need a whole number 2 <= k <= 12
    """
    if name not in PUBLISHERS:
        raise InvalidArgument("name", name, " or ".join(PUBLISHERS))
    publish = PUBLISHERS[name]
    # Off the signature: an option is declared once, by the publisher. Asked before the table is
    # read, since a slip in an option should not wait for a large file.
    defaults = {
        option: parameter.default
        for option, parameter in signature(publish).parameters.items()
        if option not in ("classes", "k", "categories")
    }
    for option in options:
        if option not in defaults:
            raise InvalidArgument("option", option, f"an option of {name}: {', '.join(defaults)}")
    for option, default in defaults.items():
        if default is Parameter.empty and option not in options:
            raise InvalidArgument(option, None, f"a value, which {name} needs")
    is_read = isinstance(table, (Table, PartitionedTable, list, tuple))
    if is_read and tuple(missing) != MISSING_CELLS:
        raise InvalidArgument("missing", ", ".join(missing), "a file or frame whose cells it is of")
    if isinstance(table, PartitionedTable) or (
        isinstance(table, Sequence) and not isinstance(table, str)
    ):
        classes = PartitionedTable.of(table)
        if missing_as is not None:
            classes = replace(classes, missing_as=choice("missing_as", missing_as, MissingAs))
    else:
        pads = options.get("padding") == Padding.NOISE
        classes = classes_of(
            table,
            k=k,
            sensitive=sensitive,
            class_column=class_column,
            remainder=remainder or ("noise" if pads else "merge"),
            missing=missing,
            missing_as=missing_as,
        )
    publisher = publish(classes, k=k, categories=categories, **options)
    # Before the attackers, as `Task` has it: which draw takes which firing goes by this order.
    if masks:
        publisher = masked(publisher)
    added = [
        attacker(who, read_background(background)) if isinstance(who, str) else who
        for who in attackers
    ]
    if added:
        publisher = attacked(publisher, added)
    return TableNet(publisher, publisher.net(), tuple(added))
