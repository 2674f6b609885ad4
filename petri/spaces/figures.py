"""Figures with what is known of them: those of a part of a space are told apart from final ones.

A count over the part of a space that was explored can be a bound (there are *at least* so many
states), or only what it is so far (components may yet grow together), and what was not judged is
unknown. Text says so in words. JSON has ``{"final": …}`` for what is final, ``{"at_least": …}`` or
``{"so_far": …}`` for what is not, and null for what is unknown, so that a partial figure cannot be
taken for a final one, and a field is an object whatever was explored.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, TypeAlias

from kproof.forms import JsonForm

Json: TypeAlias = object
"""What :mod:`json` writes."""


class Finality(StrEnum):
    """What is known of a figure."""

    FINAL = "final"
    AT_LEAST = "at least"
    """It can only grow with what was not explored."""
    SO_FAR = "so far"
    """It may change with what was not explored."""
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Figure:
    """A count, or something else that was found, and its standing."""

    value: object
    """None if it is unknown."""
    standing: Finality
    """What is known of it."""

    def __str__(self) -> str:
        return self.of()

    def of(self, noun: str = "", *, empty: str = "0") -> str:
        """Return it in words, with the noun that is counted; nothing at all is called ``empty``.

        >>> Figure(5, Finality.AT_LEAST).of("nodes"), Figure(5, Finality.SO_FAR).of("nodes")
        ('at least 5 nodes', '5 nodes so far')
        >>> Figure(0, Finality.AT_LEAST).of(), Figure(None, Finality.UNKNOWN).of("nodes")
        ('0 so far', 'nodes unknown')
        >>> Figure("", Finality.SO_FAR).of(empty="none")
        'none so far'
        """
        after = f" {noun}" if noun else ""
        if self.standing is Finality.UNKNOWN:
            return f"{noun} unknown".strip()
        counted = f"{self.value:,}" if isinstance(self.value, int) else str(self.value)
        text = f"{counted if self.value else empty}{after}"
        if self.standing is Finality.FINAL:
            return text
        # That there are at least none says nothing.
        at_least = self.standing is Finality.AT_LEAST and self.value
        return f"at least {text}" if at_least else f"{text} so far"

    def to_json(self) -> Json:
        """Return the JSON form.

        >>> Figure(5, Finality.FINAL).to_json(), Figure(5, Finality.AT_LEAST).to_json()
        ({'final': 5}, {'at_least': 5})
        """
        if self.standing is Finality.UNKNOWN:
            return None
        return {self.standing.replace(" ", "_"): _FORM.plain(self.value)}

    @staticmethod
    def json_schema() -> dict[str, object]:
        """Return the JSON Schema of the form: one name, or null."""
        forms = [
            finality.replace(" ", "_") for finality in Finality if finality is not Finality.UNKNOWN
        ]
        names: dict[str, object] = {name: {} for name in forms}
        one_name = {"minProperties": 1, "maxProperties": 1, "additionalProperties": False}
        return {"type": ["object", "null"], "properties": names, **one_name}


_FORM = JsonForm()

Known: TypeAlias = Annotated[Figure, ("type", "object")]
"""A figure of which something is known."""


def at_least(value: object, *, final: bool) -> Figure:
    """Return a figure that can only grow; None is unknown."""
    standing = Finality.FINAL if final else Finality.AT_LEAST
    return Figure(value, Finality.UNKNOWN if value is None else standing)


def so_far(value: object, *, final: bool) -> Figure:
    """Return a figure that may change; None is unknown."""
    standing = Finality.FINAL if final else Finality.SO_FAR
    return Figure(value, Finality.UNKNOWN if value is None else standing)
