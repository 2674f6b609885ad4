"""What a missing sensitive value stands for: nobody knows, so that a promise has to hold for all.

A cell without a value is not evidence of diversity. Unless a caller says otherwise, whatever is
judged has to hold for every completion: every way to fill in the missing values of a column with
values that occur in it.
"""

from __future__ import annotations

from enum import StrEnum

from kproof.errors import InvalidArgument


class MissingAs(StrEnum):
    """What models and attacks take a missing sensitive value for."""

    WORST_CASE = "worst-case"
    """Any value that the column has: what is judged holds for every way to fill them in."""
    VALUE = "value"
    """A value of its own, as if a reader learned something by it."""
    EXCLUDE = "exclude"
    """Nothing: the row counts as a person, its sensitive value is not judged."""

    @classmethod
    def of(cls, given: MissingAs | str) -> MissingAs:
        """Read a policy by name.

        Raises
        ------
        InvalidArgument
            If there is none of that name.

        Examples
        --------
        >>> MissingAs.of("value")
        <MissingAs.VALUE: 'value'>
        >>> MissingAs.of("ignore")
        Traceback (most recent call last):
            ...
        kproof.errors.InvalidArgument: missing_as = ignore: need worst-case, value or exclude
        """
        try:
            return cls(given)
        except ValueError:
            raise InvalidArgument("missing_as", given, "worst-case, value or exclude") from None

    @property
    def told(self) -> str:
        """What a verdict says of missing values under this policy."""
        return {
            MissingAs.WORST_CASE: "taken for whatever is worst",
            MissingAs.VALUE: "counted as a value of its own",
            MissingAs.EXCLUDE: "excluded",
        }[self]
