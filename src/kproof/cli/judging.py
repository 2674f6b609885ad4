"""Options of every command that judges a release: whom it is for, and what else is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from cyclopts import Group, Parameter

from kproof.cli.columns import NAMES, split
from kproof.cli.status import ExitStatus

if TYPE_CHECKING:
    from kproof.models.judgement.judgement import Judgement, Outcome
    from kproof.models.judgement.publication import EarlierRelease
    from kproof.models.tables.table import Table

AUDIENCE: TypeAlias = Literal["public", "agreement", "study"]
"""Who reads a release."""

_JUDGED = Group("The judgement", sort_key=2.5)


@Parameter(name="*", group=_JUDGED)
@dataclass(frozen=True, kw_only=True)
class Judging:
    """Who reads the release, and what the signer knows or decides."""

    audience: AUDIENCE = "public"
    """Who reads the release: anybody; named readers who signed not to look for anybody; or nobody,
    because a method is studied."""

    released: NAMES = ()
    """A file that was published of the same people before; may be repeated."""

    exact: NAMES = ()
    """Sensitive columns whose exact numbers are published, separated by commas: you answer for
    it."""

    rows_are_people: Annotated[bool, Parameter(negative=())] = False
    """No two rows are about one person, whatever columns repeat: you answer for it."""

    def options(self) -> dict[str, Any]:
        """Return what the judge is told, but for earlier releases."""
        return {
            "audience": self.audience,
            "exact": frozenset(split(self.exact)),
            "rows_are_people": self.rows_are_people,
        }

    def earlier(self, table: Table, data: str | None = None) -> tuple[EarlierRelease, ...]:
        """Return what was published of the people of a table before.

        Parameters
        ----------
        table
            With its roles.
        data
            Its file: releases in the same folder that have a receipt there are found by
            themselves, if they show a column of the table.
        """
        from kproof.models.base.missing import text
        from kproof.models.judgement.receipts import registered_beside
        from kproof.models.judgement.register import earlier_from

        known = [column.name for column in (*table.quasi_identifiers, *table.other)]
        secret = [*(column.name for column in table.secrets), *table.both]
        found = () if data is None else registered_beside(data, {*known, *secret})
        person = table.person
        return earlier_from(
            dict.fromkeys((*self.released, *found)),
            known=known,
            secret=secret,
            person=None if person is None else person.name,
            people=None
            if person is None
            else {text(value): code for code, value in enumerate(person.values)},
        )

    def typed(self) -> list[str]:
        """Return the words that say this again on a command line."""
        words = [] if self.audience == "public" else ["--audience", self.audience]
        words += [word for file in self.released for word in ("--released", file)]
        words += ["--exact", ",".join(split(self.exact))] if self.exact else []
        return [*words, *(["--rows-are-people"] * self.rows_are_people)]


def status_of(judgement: Judgement | Outcome) -> ExitStatus:
    """Return the exit status of what was judged: 0 to publish, 1 not to, 4 not decided."""
    from kproof.models.judgement.judgement import Outcome

    outcome = judgement if isinstance(judgement, Outcome) else judgement.outcome
    return {
        Outcome.PUBLISH: ExitStatus.DONE,
        Outcome.NOT: ExitStatus.VIOLATED,
        Outcome.OPEN: ExitStatus.OPEN,
    }[outcome]
