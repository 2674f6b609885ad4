"""JSON forms that are said by their members, and the schemas that follow from them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Annotated

import pytest
from jsonschema import Draft202012Validator

from kproof.forms import ABSENT, JsonForm, group
from kproof.schemas.hints import SchemaBuilder


class Colour(StrEnum):
    """What a bead looks like."""

    RED = "red"
    GREEN = "green"


@dataclass(frozen=True)
class Bead:
    """A bead of a chain."""

    colour: Colour
    weight: Fraction
    """Its colour, and what it weighs; None is heard of nowhere."""
    name: object = None
    """What somebody calls it; None without a name."""

    def times(self, factor: int = 1) -> Fraction:
        """Return what so many of it weigh."""
        return self.weight * factor

    to_dict = JsonForm("colour name=str(name) weight=times(factor)")


@dataclass(frozen=True)
class Chain:
    """Beads on a thread."""

    beads: tuple[Bead, ...]
    """In order."""
    clasp: Bead | None = None
    """What closes it; None if it is open."""
    priced: Mapping[str, Annotated[int, ("minimum", 0)]] | None = None
    """Price by shop."""
    knots: int | None = ABSENT
    """How many; None if nobody counted."""
    factor = 2

    to_dict = JsonForm(
        "beads=beads.to_dict(factor) names=str(beads.name) priced? knots~",
        group("closed", "The clasp.", "by=clasp.colour weight=float(clasp.weight)", unless="clasp"),
        "count=len(beads) first=beads.0.colour",
        schema=3,
    )


@dataclass(frozen=True)
class Sold:
    """A chain that was sold."""

    chain: Chain
    to: str = "nobody"
    """Who has it."""

    to_dict = JsonForm("*chain to")


RED = Bead(Colour.RED, Fraction(1, 3), 7)


def schema(owner: type) -> Draft202012Validator:
    """Return what validates the form of a class."""
    builder = SchemaBuilder()
    made = builder.form(owner) | {"$defs": builder.shared}
    Draft202012Validator.check_schema(made)
    return Draft202012Validator(made)


def test_every_kind_of_member():
    assert Chain((RED,)).to_dict() == {
        "schema": 3,
        "beads": [{"colour": "red", "name": "7", "weight": "2/3"}],
        "names": ["7"],
        "closed": None,
        "count": 1,
        "first": "red",
    }
    whole = Chain((RED, RED), Bead(Colour.GREEN, Fraction(1, 2)), {"here": 5}, None)
    document = Sold(whole).to_dict()
    assert list(document) == [
        *("schema", "beads", "names", "priced", "knots", "closed", "count", "first", "to")
    ]
    assert document["closed"] == {"by": "green", "weight": 0.5}
    assert document["knots"] is None
    assert RED.to_dict(factor=3)["weight"] == "1"


@pytest.mark.parametrize("chain", [Chain((RED,)), Chain((RED,), RED, {"here": 5}, 4)])
def test_a_schema_takes_the_form_and_nothing_else(chain):
    validator, document = schema(Sold), Sold(chain).to_dict()
    assert validator.is_valid(document)
    for wrong in (
        document | {"more": 1},
        document | {"schema": 2},
        document | {"priced": {"here": -1}},
        document | {"priced": None},
        document | {"first": "blue"},
        document | {"knots": "many"},
        document | {"beads": [{"colour": "red", "name": 7, "weight": "1"}]},
        document | {"closed": {"by": "red"}},
        *({key: one for key, one in document.items() if key != name} for name in ("beads", "to")),
    ):
        assert not validator.is_valid(wrong)


def test_descriptions_are_docstrings():
    fields = SchemaBuilder().form(Chain)["properties"]
    assert fields["knots"]["description"] == "How many; null if nobody counted."
    assert fields["closed"]["properties"]["by"]["description"].startswith("Its colour")
    inside = SchemaBuilder().form(Bead)["properties"]
    assert inside["weight"]["description"] == "What so many of it weigh."


def test_what_has_no_type_has_no_schema():
    @dataclass(frozen=True)
    class Untyped:
        to_dict = JsonForm("count=lost")

    with pytest.raises(TypeError, match="no lost with a type"):
        SchemaBuilder().form(Untyped)
    with pytest.raises(ValueError, match="no member of a JSON form"):
        JsonForm("a=")(RED)
