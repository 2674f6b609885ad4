"""What the publishers of the paper's nets have in common: a table in, published classes out.

A table is formed into classes before a net begins (:func:`classes_of`). A :class:`Publisher` is a
net in the making that publishes such a table, to which attackers can be added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count
from typing import TYPE_CHECKING, Any

from kproof.datasets import MISSING_CELLS
from kproof.errors import DataError, InvalidArgument, did_you_mean, show
from kproof.models.base.missing import MISSING, MissingAs, is_missing
from kproof.models.base.parameters import GROUP_K
from kproof.models.privacy.narrowest import least_width
from kproof.models.tables.theta.moves import Threshold
from kproof.models.tables.theta.options import Remainder
from kproof.petri.net.colours import Colour
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Net, NetBuilder
from kproof.petri.papers.classes import (
    EC,
    ByRecord,
    ByValue,
    ClassTokens,
    ECs,
    Record,
    SensitiveValue,
    Tokens,
)
from kproof.petri.spaces.space import StateSpace
from kproof.petri.spaces.stages import Staged
from kproof.petri.spaces.tallies import Watch
from kproof.theory.exact.typed import Number, choice

if TYPE_CHECKING:
    from kproof.models.base.columns import Column
    from kproof.models.tables.table import Table

Names = tuple[tuple[object, ...], ...]
"""The sensitive values of each class, in ascending order of the domain."""
INFEASIBLE = "Infeasible"
"""The place that is marked when the table cannot be published."""
DISCLOSED = "SA Disc"
"""The place of what adversaries end up holding: tokens (attack, victim, value)."""
GAINS_NOTHING = "the adversary gains nothing"
"""What is asked of a net with attackers."""
NOT_JUDGED = "not judged: no publication goes with what is known and has a value to bet on"
"""What is said of an adversary who has no beliefs."""
ATTACK = "Attack: "
"""How the name of each adversary's transition begins."""

_GROUPS = {
    "swaps": frozenset({"swap", "cross swap"}),
    "noise rows": frozenset({"noise", "pad", "Add Noise"}),
}


def classes_in_words(names: Names) -> str:
    """Return published classes on one line.

    >>> classes_in_words((("Flu", "HIV"), ("Flu", "Flu")))
    'Flu, HIV | Flu, Flu'
    """
    return " | ".join(", ".join(map(str, ec)) for ec in names)


@dataclass(frozen=True)
class PartitionedTable:
    """A table cut into classes."""

    values: tuple[tuple[object, ...], ...]
    """The sensitive values of each class."""
    rows: tuple[tuple[int, ...], ...]
    """The row of the table each of them comes from."""
    domain: tuple[object, ...]
    """The sensitive values there are, in their order."""
    categories: Mapping[object, object] = field(default_factory=dict)
    """Category of sensitive values; empty if there are none."""
    table: Table | None = field(default=None, repr=False)
    """The table, if it was one: quasi-identifiers for an adversary to match."""
    missing_as: MissingAs = MissingAs.WORST_CASE
    """What a missing sensitive value is taken for in whatever is judged."""

    @classmethod
    def of(
        cls,
        classes: PartitionedTable | Sequence[Sequence[object]],
        domain: Iterable[object] | None = None,
        categories: Mapping[object, object] | None = None,
    ) -> PartitionedTable:
        """Return classes given by their values, with their records numbered class by class.

        The domain is by default the values that occur, in ascending order; every value has to be in
        it, and no class may be empty. None and NaN are missing values.
        """
        order = None if domain is None else tuple(dict.fromkeys(map(_cell, domain)))
        missing_as = MissingAs.WORST_CASE
        if isinstance(classes, PartitionedTable):
            values, rows, table = classes.values, classes.rows, classes.table
            order = classes.domain if order is None else order
            category_of, missing_as = classes.categories, classes.missing_as
        else:
            values = tuple(tuple(map(_cell, ec)) for ec in classes)
            numbers = count()
            rows = tuple(tuple(next(numbers) for _ in ec) for ec in values)
            order = _in_order(value for ec in values for value in ec) if order is None else order
            category_of, table = {}, None
        if not values or not all(values):
            raise InvalidArgument("classes", values, "at least one class, none of them empty")
        if missing_as is not MissingAs.VALUE and any(MISSING in ec for ec in values):
            # It is no value that anybody would list.
            order = tuple(dict.fromkeys((*order, MISSING)))
        listed = frozenset(order)
        for ec in values:
            for value in ec:
                if value not in listed:
                    raise InvalidArgument("domain", order, f"every value, {show(value)} too")
        if categories is not None:
            category_of = dict(categories)
        return cls(values, rows, order, category_of, table, missing_as)

    @property
    def gap(self) -> int | None:
        """The position in the domain of what stands for no value; None if each is a value."""
        if self.missing_as is MissingAs.VALUE or MISSING not in self.domain:
            return None
        return self.domain.index(MISSING)

    def require_rows(self, k: int) -> None:
        """Check that every class has at least k rows."""
        for number, ec in enumerate(self.values, 1):
            if len(ec) < k:
                small = f"class {number} of {len(self.values)} with {len(ec)} rows"
                raise InvalidArgument("classes", small, f"at least k = {k} rows each")

    def tokens(self, tokens: Tokens | str) -> tuple[ClassTokens, tuple[SensitiveValue, ...], ECs]:
        """Return a kind of class token, the domain, and the classes as such tokens."""
        level = choice("tokens", tokens, Tokens)
        domain = tuple(SensitiveValue(code, name) for code, name in enumerate(self.domain))
        code = {value.name: value for value in domain}
        # Above every row: no noise is taken for a person, and in a class it sorts behind them all.
        first_noise = 1 + max(row for ec in self.rows for row in ec)
        kind: ClassTokens = ByValue() if level is Tokens.VALUES else ByRecord(domain, first_noise)
        ecs = tuple(
            kind.form(Record(row, code[value]) for row, value in zip(rows, values, strict=True))
            for rows, values in zip(self.rows, self.values, strict=True)
        )
        return kind, domain, ecs


@dataclass(frozen=True)
class Publisher:
    """A net in the making, which publishes a table."""

    build: NetBuilder
    """Its places and transitions so far."""
    published: str
    """The place in which the published classes are a token."""
    colour: Colour
    """That place's colour."""
    formed: PartitionedTable
    """The table."""
    kind: ClassTokens
    """What class tokens are."""
    domain: tuple[SensitiveValue, ...]
    """The sensitive values."""
    k: int
    """Least number of rows in a class."""
    threshold: Threshold | None = None
    """When a class passes, for the θ-sensitive publisher; None for others."""
    staged: Mapping[str, Staged] = field(default_factory=dict)
    """The places that carry the classes while they are formed one after another; empty if they
    are not, or if all of them are looked at again and again."""
    name: str = ""
    """Of the net in :data:`kproof.petri.papers.api.PUBLISHERS`."""
    options: Mapping[str, object] = field(default_factory=dict)
    """What the publisher was asked for besides the classes and k, with defaults filled in; the
    same options give the same net."""

    judges: Callable[[ECs], bool] | None = None
    """Whether each attack of the net has someone to judge after a publication; None without
    attacks."""

    @property
    def rows(self) -> int:
        """Rows of the table."""
        return sum(map(len, self.formed.values))

    @property
    def theta(self) -> Fraction | None:
        """θ of a class of k rows; None for a publisher without one."""
        return None if self.threshold is None else self.threshold.at(self.threshold.k)

    def reaches_theta(self, ec: EC) -> bool:
        """Say whether V ≥ θ in a class, whatever its missing values are, as the table has it.

        Another missing value of the class may be any value of the domain. With ``missing_as``
        ``"exclude"`` V is that of the values there are; of none of them nothing holds.
        """
        assert self.threshold is not None
        counts, gap = Counter(self.kind.multiset(ec)), self.formed.gap
        if gap is None or not (gaps := counts.pop(gap, 0)):
            return self.threshold.passes(counts)
        if self.formed.missing_as is MissingAs.EXCLUDE:
            return bool(counts) and self.threshold.passes(counts)
        falling = sorted(counts.values(), reverse=True)
        # One value fewer than the domain, in which the gap stands for none.
        width, _ = least_width(falling, gaps, len(self.formed.domain) - 1)
        return width >= self.threshold.at(sum(falling) + gaps)

    def net(self) -> Net:
        """Return the net as it stands."""
        return self.build.net()

    def watch(self) -> Watch:
        """Return what matters in runs of the net: swaps, noise rows, how runs end, attacks.

        >>> from kproof.petri.papers.theta_sensitive import theta_publisher
        >>> list(theta_publisher([["HIV", "Flu"]], k=2).watch().ends)
        ['published', 'infeasible', 'stuck']
        """
        net = self.net()
        groups = {
            name: frozenset(
                transition.name
                for transition in net.transitions
                # The net cut by rules names an exchange after its rule: "Adjst Var: swap".
                if transition.name.removeprefix("Adjst Var: ") in members
            )
            for name, members in _GROUPS.items()
        }

        ends: dict[str, Callable[[Marking], bool]] = {
            "published": lambda marking: marking.total(self.published) > 0,
            "infeasible": lambda marking: marking.total(INFEASIBLE) > 0,
            "stuck": lambda at: not (at.total(self.published) or at.total(INFEASIBLE)),
        }
        if DISCLOSED in net.place:
            for name in net.transition:
                if name.startswith(ATTACK):
                    attack = name.removeprefix(ATTACK)
                    ends[f"{attack} succeeds"] = _succeeds(attack)
            ends["some attack succeeds"] = lambda marking: marking.total(DISCLOSED) > 0
            judges = self.judges
            if judges is not None:
                # An attack that had nobody to judge did not fail: what is known is contradicted.
                ends["some attack judges nobody"] = lambda marking: (
                    not all(map(judges, self.publications(marking)))
                )
        return Watch({name: members for name, members in groups.items() if members}, ends)

    def publications(self, marking: Marking) -> tuple[ECs, ...]:
        """Return what is published in a marking: one tuple of classes, or nothing."""
        published: Any = marking[self.published]
        return tuple(published)

    def every_publication(self, space: StateSpace) -> Iterator[tuple[int, ECs]]:
        """Run through what the ends of a state space publish, each with its end."""
        for state in space.dead.tolist():
            for ecs in self.publications(space.marking(state)):
                yield state, ecs

    def names(self, ecs: ECs) -> Names:
        """Return the sensitive values of published classes.

        >>> from kproof.petri.papers.theta_sensitive import theta_publisher
        >>> publisher = theta_publisher([["HIV", "Flu"], ["Flu", "Flu"]], k=2)
        >>> publisher.names(publisher.formed.tokens("values")[2])
        (('Flu', 'HIV'), ('Flu', 'Flu'))
        """
        return tuple(
            tuple(
                self.domain[value].name
                for value, count in sorted(self.kind.multiset(ec).items())
                for _ in range(count)
            )
            for ec in ecs
        )

    def count_values(self, ecs: ECs) -> Counter[int]:
        """Return how often classes have each sensitive value, by its position in the domain."""
        counts: Counter[int] = Counter()
        for ec in ecs:
            counts.update({int(value): n for value, n in self.kind.multiset(ec).items()})
        return counts

    def noise(self, ecs: ECs) -> int:
        """Return how many of the published rows are noise."""
        return self.count_values(ecs).total() - self.rows


def classes_of(
    data: object,
    *,
    k: Number,
    sensitive: str | None = None,
    class_column: str | None = None,
    remainder: Remainder | str = Remainder.MERGE,
    missing: Collection[str] = MISSING_CELLS,
    missing_as: MissingAs | str | None = None,
) -> PartitionedTable:
    """Cut a table into the classes that a net begins with.

    Args:
        data: A table, a pandas, Polars or PyArrow frame, a CSV file, or the name of a shipped
            table.
        k: Rows of a class where there is no class column, from 2 to the number of rows.
        sensitive: The column to protect; of a :class:`~kproof.models.tables.table.Table` the one it
            has.
        class_column: A column that says which class a row is in; classes come in the order in which
            they first occur. Without one, the rows are cut into classes of k in their order.
        remainder: What becomes of the rows % k last rows then: ``"merge"``, ``"noise"`` (a class of
            their own, to be padded) or ``"suppress"``.
        missing: Texts that mean "nobody recorded it", for a file or frame.
        missing_as: What a missing sensitive value is taken for; None for what a table says, or the
            worst case.

    Raises:
        DataError: If there is no sensitive column, or a column is unknown.

    >>> classes_of("table-8a", k=4, sensitive="Disease", class_column="Class").values[0]
    ('HIV', 'Cancer', 'Hepatitis', 'Obesity')
    """
    import numpy as np

    from kproof.models.tables.theta.forming import cut_into_classes

    taken_as = None if missing_as is None else choice("missing_as", missing_as, MissingAs)
    column, classes, table = _columns(
        data, sensitive, class_column, missing=missing, missing_as=taken_as or MissingAs.WORST_CASE
    )
    rows = len(column.codes)
    size = GROUP_K.but(most=rows).read(k)
    if classes is None:
        policy = choice("remainder", remainder, Remainder)
        class_of = cut_into_classes(np.arange(rows), size, policy).tolist()
    else:
        class_of = classes.codes.tolist()
    rows_of: dict[int, list[int]] = {}
    for row, code in enumerate(class_of):
        # What is left out as a remainder is in class -1.
        if code >= 0:
            rows_of.setdefault(code, []).append(row)
    return PartitionedTable(
        tuple(tuple(column.values[column.codes[row]] for row in ec) for ec in rows_of.values()),
        tuple(tuple(ec) for ec in rows_of.values()),
        column.values,
        dict(table.categories or {}) if table is not None else {},
        table,
        taken_as or (MissingAs.WORST_CASE if table is None else table.missing_as),
    )


def _columns(
    data: object, sensitive: str | None, class_column: str | None, **reading: Any
) -> tuple[Column, Column | None, Table | None]:
    """Return the sensitive column, the column of classes if any, and the table if it was one."""
    from kproof.models.tables.readers import table_of
    from kproof.models.tables.roles import Roles
    from kproof.models.tables.table import Table

    if isinstance(data, Table):
        if data.sensitive is None or sensitive not in (None, data.sensitive.name):
            raise DataError(
                "the table has no sensitive column; name one"
                if data.sensitive is None
                else f"the sensitive column is {data.sensitive.name}, not {show(sensitive)}"
            )
        columns = {column.name: column for column in (*data.quasi_identifiers, *data.other)}
        if class_column is not None and class_column not in columns:
            names = ", ".join(columns) + did_you_mean(class_column, columns)
            raise DataError(f"no column {show(class_column)}; there are {names}")
        return data.sensitive, columns.get(class_column or ""), data
    if sensitive is None:
        raise DataError("the table has no sensitive column; name one")
    roles = Roles.of(
        quasi_identifiers=None,
        sensitive=sensitive,
        other=[] if class_column is None else [class_column],
        **reading,
    )
    read = table_of(data, roles)
    assert read.sensitive is not None
    return read.sensitive, read.other[0] if read.other else None, None


def _succeeds(attack: str) -> Callable[[Marking], bool]:
    # Made here and not in the loop, where every one of them would look for the last attack.
    def succeeds(marking: Marking) -> bool:
        disclosed: Any = marking[DISCLOSED]
        return any(token[0] == attack for token in disclosed)

    return succeeds


def _cell(value: object) -> object:
    return MISSING if is_missing(value) else value


def _in_order(values: Iterable[object]) -> tuple[object, ...]:
    distinct: list[Any] = list(dict.fromkeys(values))
    gap = [value for value in distinct if value is MISSING]
    recorded = [value for value in distinct if value is not MISSING]
    try:
        return (*sorted(recorded), *gap)
    except TypeError:
        # Values of different types have no order among them, and every run needs the same one.
        return (*sorted(recorded, key=lambda value: (type(value).__name__, str(value))), *gap)
