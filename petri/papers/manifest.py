"""The manifest of the shipped nets: what each is expected to do, and a runner that checks it.

``manifest.json`` lists nets with their input and what exploring them finds: states, arcs,
publications, noise, ends and verdicts. Some fail on purpose: the printed reading and the attacks
that succeed are there with the verdicts false. Its form is ``manifest-schema.json``.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kproof.datasets import read_text_table
from kproof.errors import DataError, InvalidArgument, one_of, show
from kproof.models.attacks import background_of
from kproof.models.papers.theta_tables import categories
from kproof.petri.papers.api import TableNet, net
from kproof.petri.papers.attackers import attacker
from kproof.petri.papers.publisher import classes_of

HOME = Path(__file__).with_name("manifest.json")
"""The manifest that comes with kproof."""

_FORM = HOME.with_name("manifest-schema.json")

_KINDS: Mapping[str, type] = {
    "string": str,
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
}


@dataclass(frozen=True)
class Entry:
    """One net with its input and what is expected of it."""

    name: str
    """Unique in a manifest."""
    about: str
    """What it shows."""
    net: str
    table: str | Sequence[Sequence[str]]
    options: Mapping[str, Any]
    expected: Mapping[str, Any]
    """Every figure and verdict."""
    attackers: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    """Arguments of :func:`kproof.petri.papers.api.net`; a shipped table is cut by its column
    Class, if it has one, and by k otherwise. Attackers are objects with ``attack`` and what
    :func:`kproof.petri.papers.attackers.attacker` takes."""
    fails_on_purpose: bool = False
    """Whether a verdict is expected to be false."""

    def build(self) -> TableNet:
        """Return the net."""
        table: object = self.table
        if isinstance(self.table, str):
            table = _classes_of_file(self.table, k=self.options["k"])
        attackers = []
        for description in self.attackers:
            options = dict(description)
            name = options.pop("attack")
            background = background_of(options.pop("background", {}), label=self.name)
            attackers.append(attacker(name, background, **options))
        kinds = categories() if self.attackers or self.net == "p-plus-sensitive" else None
        return net(self.net, table, categories=kinds, attackers=attackers, **self.options)

    def run(self) -> dict[str, Any]:
        """Explore the net and return what was found, in the form of ``expected``."""
        built = self.build()
        space = built.explore()
        outcome = built.outcome(space)
        return {
            "status": space.status.value,
            "states": space.states,
            "arcs": space.arcs,
            "ends": len(space.dead),
            "publications": len(outcome.publications),
            "noise": list(outcome.noise),
            "infeasible": len(outcome.infeasible),
            "stuck": len(outcome.stuck),
            "verdicts": outcome.verdicts,
            "reaches": {
                name: self._canonical(name) in {_canonical(ecs) for ecs in outcome.publications}
                for name in self.expected["reaches"]
            },
        }

    def _canonical(self, name: str) -> tuple[tuple[str, ...], ...]:
        return _canonical(_classes_of_file(name, k=self.options["k"]).values)


def load(path: str | Path | None = None) -> tuple[Entry, ...]:
    """Read a manifest, by default the one that comes with kproof.

    DataError, which names the entry and the field, if it cannot be read, or an entry lacks a field,
    has one that is unknown or of another kind.

    >>> [entry.name for entry in load()][:2]
    ['table-1a by moves', 'table-1a by rules']
    """
    place = HOME if path is None else Path(path)
    label = show(place.name)
    try:
        document = json.loads(place.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"{label}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"{label}: not JSON: {error}") from None
    if not isinstance(document, dict) or not isinstance(document.get("nets"), list):
        raise DataError(f'{label}: need an object with a list "nets"')
    form = json.loads(_FORM.read_text(encoding="utf-8"))["$defs"]["entry"]
    entries = []
    for number, fields in enumerate(document["nets"]):
        context = f"{label}, entry {number + 1}"
        # In this order: the first makes sure that there is an object for the second to look into.
        _require(context, fields, form)
        _require(f"{context}, expected", fields["expected"], form["properties"]["expected"])
        if not isinstance(fields["options"].get("k"), int):
            raise DataError(f"{context}, options: need a whole number k")
        entries.append(Entry(**fields))
    return tuple(entries)


def entry(name: str) -> Entry:
    """Return an entry of the manifest that comes with kproof.

    >>> entry("table-4b by moves").run()["publications"]
    16
    """
    entries = {recorded.name: recorded for recorded in load()}
    if name not in entries:
        raise InvalidArgument("name", name, one_of(name, entries))
    return entries[name]


def differences(entry: Entry) -> tuple[str, ...]:
    """Run an entry and return what differs from what is expected, a line for each figure.

    >>> from dataclasses import replace
    >>> first = load()[0]
    >>> differences(first)
    ()
    >>> differences(replace(first, expected={**first.expected, "states": 1}))
    ('table-1a by moves: states is 291, expected 1',)
    """
    actual = entry.run()
    return tuple(
        f"{entry.name}: {name} is {actual[name]}, expected {value}"
        for name, value in entry.expected.items()
        if actual[name] != value
    )


def _require(context: str, item: object, form: Mapping[str, Any]) -> None:
    """Refuse an item with other fields than its schema has, or with one of another kind."""
    if not isinstance(item, dict):
        raise DataError(f"{context}: need an object")
    for name in item:
        if name not in form["properties"]:
            raise DataError(f"{context}: unknown field {show(str(name))}")
    for name, field_form in form["properties"].items():
        kinds = [_KINDS[option["type"]] for option in field_form.get("oneOf", [field_form])]
        if name not in item:
            if name in form["required"]:
                raise DataError(f"{context}: no field {name}")
        # For Python True is a whole number.
        elif type(item[name]) not in kinds:
            raise DataError(f"{context}: field {name} is {show(item[name])}, of another kind")


def _classes_of_file(name: str, *, k: int) -> Any:
    has_classes = "Class" in read_text_table(name).names
    return classes_of(name, k=k, sensitive="Disease", class_column="Class" if has_classes else None)


def _canonical(classes: Sequence[Sequence[object]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(sorted(map(str, ec))) for ec in classes)
