"""Options that the commands of ``kproof net`` share: which net, of which table, and how far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from cyclopts import Group, Parameter

from kproof.cli.base.columns import Columns
from kproof.cli.base.common import MISSING, NAMES, OptionGroup, option_group, split
from kproof.cli.nets.own import file_of, load_own
from kproof.errors import DataError, InvalidArgument, did_you_mean, show
from kproof.models.base.missing import text

if TYPE_CHECKING:
    from kproof.models.attacks import BackgroundKnowledge
    from kproof.models.tables.table import Table
    from kproof.petri.logic.properties import Property
    from kproof.petri.net.net import Net
    from kproof.petri.papers.api import TableNet
    from kproof.petri.papers.attackers import Attacker
    from kproof.petri.papers.head import TableSource
    from kproof.petri.papers.publisher import PartitionedTable

_TABLE = Group("The table of a net of the paper", sort_key=1)
_NET = Group("The net of the paper", sort_key=2)
_ATTACKERS = Group("Attackers of the publication", sort_key=3)

_LEVELS: Mapping[str, Mapping[str, str]] = {
    "values": {"tokens": "values"},
    "rules": {"cut": "rules"},
    "records": {"tokens": "records"},
}
MODEL: TypeAlias = Annotated[
    str,
    Parameter(
        help="theta-sensitive or p-plus-sensitive, with --data; a PNML file; or FILE.py:NAME, a "
        "net of your own or a function that returns one: its code is run."
    ),
]
"""The argument that names a net."""

_SENSITIVE, _CLASS = "Disease", "class"


@option_group(_TABLE)
class TableOptions(OptionGroup):
    """Which table, and how it is cut into classes."""

    data: str | None = None
    """A CSV file or the name of a shipped table."""
    sensitive: str | None = None
    """The sensitive column; by default Disease for a shipped table."""
    class_: Annotated[str | None, Parameter(name="--class")] = None
    """Column that names each row's class, by default class; without one, rows are cut by k."""
    qi: NAMES = ()
    """Quasi-identifiers to match, with --detail records: names separated by commas."""
    categories: str | None = None
    """A CSV file with a sensitive value and its category in each row."""
    missing: MISSING = ()
    missing_as: Literal["worst-case", "value", "exclude"] | None = None
    """How a missing sensitive value counts. If not given: as the worst case."""
    domain: str | None = None
    """Values that noise may carry, separated by commas; by default those of the table."""
    remainder: Literal["merge", "noise", "suppress"] | None = None
    """Rows left when classes of k are cut: into the last class, padded, or left out."""

    def classes(self, k: str, *, pads: bool) -> PartitionedTable:
        """Return the classes, with the domain and the categories that were asked for."""
        from kproof.datasets import read_text_table
        from kproof.datasets.shipped import SHIPPED
        from kproof.models.tables.readers import read_table
        from kproof.petri.papers.publisher import PartitionedTable, classes_of

        if self.data is None:
            raise InvalidArgument("data", None, "--data FILE, the table the net is for")
        names = read_text_table(self.data).names
        secret = self.sensitive
        if secret is None and self.data in SHIPPED and _SENSITIVE in names:
            secret = _SENSITIVE
        if secret is None:
            raise DataError(
                f"{show(self.data)}: no sensitive column is named; say --sensitive NAME, one of "
                f"{', '.join(names)}"
            )
        sensitive = _column(self.data, names, secret)
        own = self.class_
        if own is None:
            own = next((name for name in names if name.casefold() == _CLASS != sensitive), None)
        column = None if own is None else _column(self.data, names, own)
        table: Table | str = self.data
        reading: dict[str, Any] = {"missing": self.missing} if self.missing else {}
        if self.missing_as is not None:
            reading["missing_as"] = self.missing_as
        if matched := [_column(self.data, names, name) for name in split(self.qi)]:
            table = read_table(
                self.data,
                quasi_identifiers=matched,
                sensitive=sensitive,
                other=[] if column is None or column in matched else [column],
                **reading,
            )
        columns: dict[str, Any] = {"sensitive": sensitive, "class_column": column}
        remainder = self.remainder or ("noise" if pads else "merge")
        classes = classes_of(table, k=k, remainder=remainder, **columns, **reading)
        domain = None if self.domain is None else _values(classes, self.domain)
        return PartitionedTable.of(classes, domain, self._ranks())

    def _ranks(self) -> dict[object, object] | None:
        from kproof.datasets.shipped import SHIPPED
        from kproof.models.papers.theta_tables import categories

        shipped = None if self.data is None else SHIPPED.get(self.data)
        # The paper has categories for the values of its own tables, and for no others.
        if self.categories is None and shipped is not None and not shipped.made_up:
            return categories()
        return Columns(categories=self.categories).ranks()


@option_group(_NET)
class Publishing(OptionGroup):
    """What the publisher is asked for."""

    k: str | None = None
    """Fewest people in a class, each with a row."""
    mu: str | None = None
    """Share of the variance of a fully diverse class, for theta-sensitive; by default 3/5."""
    p: str | None = None
    """p-plus-sensitive: values and categories in a class."""
    reading: Literal["corrected", "printed"] | None = None
    """theta-sensitive: the rules as corrected, or as the paper prints them."""
    level: Annotated[Literal["values", "rules", "records"] | None, Parameter(name="--detail")] = (
        None
    )
    """A transition for each move of values; for each branch of the rules; or records in place of
    values."""
    per_class_theta: Annotated[bool, Parameter(negative=())] = False
    """theta-sensitive: theta for each class's own size instead of k."""
    padding: Literal["refuse", "noise"] | None = None
    """theta-sensitive: what becomes of classes below k rows."""
    mask: Annotated[bool, Parameter(negative=())] = False
    """With --detail records and --qi: generalize the quasi-identifiers in the net."""

    def options(self) -> dict[str, Any]:
        """Return the options of :func:`kproof.petri.papers.api.net` that were given."""
        # A switch that is off is not said: not every publisher has it.
        typed = {name: value for name, value in self.keywords().items() if value is not False}
        if typed.pop("mask", False):
            typed["masks"] = True
        detail = _LEVELS.get(typed.pop("level", ""), {})
        return {**typed, **detail}


@option_group(_ATTACKERS)
class Attacking(OptionGroup):
    """Who attacks, and what she knows."""

    attack: NAMES = ()
    """homogeneity, categorical-similarity, sensitive-variance, linkage, skewness; may be
    repeated."""
    background: str | None = None
    """A JSON or CSV file with what the adversary knows; people by row, from 0, and without
    --detail records by class."""
    tau: str = "1"
    """A victim is disclosed when the probability is at least this."""

    def knowledge(self) -> BackgroundKnowledge | None:
        """Return what the adversary knows."""
        from kproof.models.attacks import read_background

        return None if self.background is None else read_background(self.background)

    def require_use(self, *, believes: bool) -> None:
        """Check that what is said of the adversary is of use."""
        unused = {
            "tau": self.tau if self.tau != "1" else None,
            "background": None if believes else self.background,
        }
        for name, value in unused.items():
            if value is not None and not split(self.attack):
                raise InvalidArgument(name, value, "--attack NAME with it")

    def attackers(self) -> list[Attacker]:
        """Return the attackers."""
        from kproof.petri.papers.attackers import attacker

        knows = self.knowledge()
        return [attacker(name, knows, tau=self.tau) for name in split(self.attack)]


@dataclass(frozen=True)
class LoadedNet:
    """A net, and the table that it publishes; None if it is no publisher's."""

    net: Net
    table: TableNet | None
    source: TableSource | None = None
    own: bool = False
    """Whether it was made by code of a user's, so that its publisher is none of ours."""
    properties: tuple[Property, ...] = ()
    """What its maker asks of it."""

    @property
    def paper(self) -> TableNet | None:
        """The net with its table, if it is one of the paper as we make it."""
        return None if self.own else self.table


@option_group()
class NetOptions(OptionGroup):
    """The options of a net of the paper; a net from a file has none of them."""

    table: TableOptions = TableOptions()
    publishing: Publishing = Publishing()
    attacking: Attacking = Attacking()

    def reads(self, model: str) -> list[str | None]:
        """Return every file that :meth:`load` reads."""
        return [
            file_of(model) or model,
            self.table.data,
            self.table.categories,
            self.attacking.background,
        ]

    def load(self, model: str, *, attacked: bool = True, believes: bool = False) -> LoadedNet:
        """Return the net that the words name, with its attackers as parts of it or without.

        What an adversary knows is used by attacks, or if it ``believes`` by the command itself.
        """
        from kproof.petri.papers.api import PUBLISHERS, net

        if model not in PUBLISHERS:
            # A name that nothing has is refused before the options that go with it.
            read = None if file_of(model) is not None else self._read(model)
            self._refuse_options(attacked=attacked)
            if read is not None:
                return LoadedNet(read, None)
            own_net, publishing, properties = load_own(model)
            return LoadedNet(own_net, publishing, own=True, properties=properties)
        self.attacking.require_use(believes=believes)
        if self.publishing.k is None:
            raise InvalidArgument("k", None, "--k K, the fewest people in a class")
        table_net = net(
            model,
            self.classes(),
            attackers=self.attacking.attackers() if attacked else (),
            background=self.attacking.knowledge(),
            **self.publishing.options(),
        )
        from kproof.petri.papers.head import source_of

        assert self.table.data is not None
        return LoadedNet(table_net.net, table_net, source_of(self.table.data))

    def classes(self) -> PartitionedTable:
        """Return the table, cut into classes."""
        publishing = self.publishing
        return self.table.classes(publishing.k or "", pads=publishing.padding == "noise")

    def _refuse_options(self, *, attacked: bool) -> None:
        """Refuse what says how a net of the paper is made; attackers, if they are parts of it."""
        from kproof.petri.papers.api import PUBLISHERS

        for group in (self.table, self.publishing, *([self.attacking] if attacked else [])):
            for field in fields(group):
                value = getattr(group, field.name)
                if value != field.default:
                    text = ", ".join(value) if isinstance(value, tuple) else value
                    needed = f"one of {', '.join(PUBLISHERS)} for it"
                    raise InvalidArgument(field.name.rstrip("_"), text, needed)

    def _read(self, model: str) -> Net:
        from kproof.petri.papers.api import PUBLISHERS
        from kproof.petri.pnml.read import read_pnml

        if Path(model).suffix == ".py":
            raise InvalidArgument("net", model, f"{model}:NAME, the net in it or a function")
        if not Path(model).suffix and not Path(model).exists():
            admissible = f"{', '.join(PUBLISHERS)} or a PNML file{did_you_mean(model, PUBLISHERS)}"
            raise InvalidArgument("net", model, admissible)
        return read_pnml(model)


def _column(data: str, names: tuple[str, ...], typed: str) -> str:
    """Return the column of a name, whose case does not matter if only one is meant."""
    if typed in names:
        return typed
    meant = [name for name in names if name.casefold() == typed.casefold()]
    if len(meant) != 1:
        raise DataError(
            f"{show(data)}: no column {show(typed)}; there are {', '.join(map(show, names))}"
            f"{did_you_mean(typed, names)}"
        )
    return meant[0]


def _values(classes: PartitionedTable, typed: str) -> tuple[object, ...]:
    """Return the values that words stand for: those of the table, and new ones of the same kind."""
    from kproof.theory.exact.typed import rational

    value_of = {text(value): value for value in classes.domain}
    numeric = not any(isinstance(value, str) for value in classes.domain)
    return tuple(
        value_of[word] if word in value_of else rational("domain", word) if numeric else word
        for word in split((typed,))
    )
