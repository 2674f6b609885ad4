"""Options of every command that judges a release: whom it is for, and what else is known."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from cyclopts import Group, Parameter

from kproof.cli.base.columns import Columns, secrets_of
from kproof.cli.base.common import NAMES, REPEATED, OptionGroup, option_group, split
from kproof.cli.base.printing import ExitStatus, write_lines
from kproof.models.base.missing import text
from kproof.outputs import Outputs, check_outputs
from kproof.outputs.printed import STREAM

if TYPE_CHECKING:
    from kproof.models.judgement.findings import JudgedFinding, Judgement, JudgementOutcome
    from kproof.models.judgement.publication import PublishedFile
    from kproof.models.publishing.publisher import TablePublisher
    from kproof.models.tables.table import Table

AUDIENCE: TypeAlias = Literal["public", "agreement", "study"]
"""Who reads a release."""

_JUDGED = Group("The judgement", sort_key=2.5)


@option_group(_JUDGED)
class Judging(OptionGroup):
    """Who reads the release, and what the signer knows or decides."""

    audience: AUDIENCE = "public"
    """Who reads the release: anybody; named readers who signed not to look for anybody; or nobody,
    because a method is studied."""
    released: REPEATED = ()
    """A file that was published of the same people before; may be repeated."""
    key: str | None = None
    """A file with the key of receipts, 16 secret bytes or more. With it a receipt records each
    person's class, and the next release can follow people who were in this one."""
    exact: NAMES = ()
    """Sensitive columns published as they stand, exact numbers and rare texts included: names
    separated by commas. You confirm that you looked at them."""
    rows_are_people: Annotated[bool, Parameter(negative=())] = False
    """You confirm that no two rows are about one person, whatever columns repeat."""

    @property
    def secret_key(self) -> bytes | None:
        """The key of receipts; None if nobody is followed by them."""
        from kproof.models.judgement.releases.receipts import read_bytes

        return None if self.key is None else read_bytes(self.key).strip()

    def has_receipt(self, output: str) -> bool:
        """Say whether a receipt stands beside a file: not beside a stream, nor the null device."""
        return self.audience != "study" and output not in (STREAM, os.devnull)

    def outputs(
        self, output: str, reads: Iterable[str | Path | None], **more: str | None
    ) -> Outputs:
        """Check every file that may be written."""
        from kproof.models.judgement.releases.receipts import SUFFIX

        receipt = {"receipt": f"{output}{SUFFIX}"} if self.has_receipt(output) else {}
        files = {"output": output, **more, **receipt}
        return check_outputs(files, reads=[*reads, *self.released, self.key])

    def options(self) -> dict[str, Any]:
        """Return what the judge is told, but for earlier releases."""
        return {
            "audience": self.audience,
            "exact": frozenset(split(self.exact)),
            "rows_are_people": self.rows_are_people,
        }

    def earlier(
        self, table: Table, data: str, *, output: str = "", unconfirmed: tuple[str, ...] = ()
    ) -> dict[str, Any]:
        """Return what was published of the people of a table before, as its publisher takes it.

        Releases in the folder of its file, or of the output, that have a receipt there are found by
        themselves, if they may be of the same people; a file of the output's name is replaced, and
        is none.
        """
        from kproof.models.judgement.releases.register import earlier_from, find_register

        columns = (*table.quasi_identifiers, *table.other, *table.secrets)
        known_columns = [column.name for column in (*table.quasi_identifiers, *table.other)]
        secret = [*(column.name for column in table.secrets), *table.both]
        person, key = table.person, self.secret_key
        values = None if person is None else map(text, person.values)
        numbers = None if values is None else {value: at for at, value in enumerate(values)}
        register = find_register(
            data,
            {column.name: [*map(text, column.values)] for column in columns},
            output=output,
            people=numbers or (),
            key=key,
        )
        earlier = earlier_from(
            register.beside(self.released),
            known=known_columns,
            secret=secret,
            person=None if person is None else person.name,
            people=numbers,
            key=key,
        )
        return {
            "earlier": earlier,
            "unconfirmed": (*unconfirmed, *register.doubts),
            "answered": register.others,
        }

    def publication(
        self,
        source: str,
        original: str | None,
        roles: Mapping[str, Any],
        unconfirmed: tuple[str, ...] = (),
    ) -> PublishedFile:
        """Return a file as it is published, with what was published before, see :meth:`earlier`.

        Roles of its columns, and how it is read, are as readers take them.
        """
        from kproof.models.judgement.reading import of_file
        from kproof.models.judgement.releases.register import earlier_from, find_register

        options = self.options()
        del options["audience"]
        publication = of_file(source, original, unconfirmed=unconfirmed, **options, **roles)
        # A file from a stream, or one that ships with kproof, has no folder to look into.
        register = find_register(
            source, {column.name: column.texts for column in publication.columns}, output=source
        )
        earlier = earlier_from(
            register.beside(self.released),
            known=[*roles.get("quasi_identifiers", ()), *roles.get("other", ())],
            secret=[*secrets_of(roles), *roles.get("both", ())],
        )
        return replace(
            publication,
            earlier=earlier,
            unconfirmed=(*publication.unconfirmed, *register.doubts),
            answered=(*publication.answered, *register.others),
        )


def status_of(judgement: Judgement | JudgementOutcome) -> ExitStatus:
    """Return the exit status of what was judged: 0 to publish, 1 not to, 4 not decided."""
    from kproof.models.judgement.findings import JudgementOutcome

    outcome = judgement if isinstance(judgement, JudgementOutcome) else judgement.outcome
    return {
        JudgementOutcome.PUBLISH: ExitStatus.DONE,
        JudgementOutcome.NOT: ExitStatus.VIOLATED,
        JudgementOutcome.OPEN: ExitStatus.OPEN,
    }[outcome]


def status_of_findings(findings: Iterable[JudgedFinding]) -> ExitStatus:
    """Return the exit status: 0 if all are met, 1 if one is broken, else 4."""
    from kproof.models.judgement.findings import FindingStanding

    standings = {finding.standing for finding in findings}
    if FindingStanding.BROKEN in standings:
        return ExitStatus.VIOLATED
    return ExitStatus.OPEN if FindingStanding.OPEN in standings else ExitStatus.DONE


def not_judged(kind: str, audience: AUDIENCE, *, json: bool) -> ExitStatus:
    """Say that nobody judges a release of some kind, and return the status that says so, too.

    Whoever studies methods publishes nothing. With JSON standard output holds a document alone.
    """
    if audience == "study":
        return ExitStatus.DONE
    line = (
        f"not judged for publication: {kind} have no judge yet; --audience study if nothing is "
        "published"
    )
    if json:
        sys.stderr.write(f"kproof: {line}\n")
    else:
        write_lines(line)
    return ExitStatus.OPEN


def publisher_of(
    table: Table, data: str, columns: Columns, judging: Judging, output: str = ""
) -> TablePublisher:
    """Return whose table it is, with what is published of its people already."""
    from kproof.models.publishing.publisher import TablePublisher
    from kproof.models.tables.readers import FileLayout

    return TablePublisher.of(
        table,
        data,
        layout=FileLayout.of(**columns.file_layout()),
        **judging.options(),
        **judging.earlier(table, data, output=output, unconfirmed=columns.unconfirmed),
    )
