"""``kproof compose``: what releases of the same people tell only together."""

from dataclasses import replace
from itertools import chain
from typing import Annotated, Literal

from cyclopts import Group, Parameter

from kproof.cli.base.columns import Columns, secrets_of
from kproof.cli.base.common import JSON
from kproof.cli.base.printing import write_result
from kproof.cli.releases.judging import status_of_findings
from kproof.errors import InvalidArgument, one_of
from kproof.stages import stage

_JUDGED = Group("What is judged", sort_key=2)


def compose(
    *releases: str,
    columns: Columns = Columns(),
    audience: Annotated[Literal["public", "agreement"], Parameter(group=_JUDGED)] = "public",
    key: Annotated[str | None, Parameter(group=_JUDGED)] = None,
    json: JSON = False,
) -> int:
    """Judge what releases of the same people tell only together.

    The last release is judged beside those before it. Values of secret columns
    have to be written alike. The status is 0 if nobody is found out, 1 if somebody
    is, and 4 if that is not decided. What one release tells alone is
    for kproof check.

    Args:
        releases: Published files, rows or counts, in the order of their days; at least two. The
            receipt beside an earlier file names the roles of its columns.
        audience: Whom the last release is for.
        key: A file with the key of receipts, by which people are followed in files without the
            column of --person.
    """
    from kproof.datasets import MISSING_CELLS
    from kproof.models.judgement.publication import PublishedFile
    from kproof.models.judgement.releases.composition import composition
    from kproof.models.judgement.releases.receipts import read_bytes, receipt_beside
    from kproof.models.judgement.releases.register import (
        columns_of,
        earlier_from,
        expand_counts,
        is_counts,
        persons_of,
        read_release,
    )
    from kproof.models.judgement.thresholds import THRESHOLDS, Audience
    from kproof.models.tables.readers import FileLayout
    from kproof.schemas.printed import ReleasesComposed

    if len(releases) < 2:
        raise InvalidArgument("releases", len(releases), "at least two files")
    *before, last = releases
    roles = columns.roles(last, published=True)
    how_read = ("header", "encoding", "sheet", "decimal")
    layout = FileLayout.of(**{name: roles[name] for name in how_read if name in roles})
    missing = roles.get("missing", MISSING_CELLS)
    known_columns = [*roles["quasi_identifiers"], *roles.get("both", ()), *roles.get("other", ())]
    secret = (*secrets_of(roles), *roles.get("both", ()))
    person = roles.get("person")
    with stage(f"reading {last}"):
        cells = read_release(last, layout, missing)
        counts = is_counts(cells, receipt_beside(last))
        cells = expand_counts(cells, last) if counts else cells
        # Counts have those columns alone that enough people share the labels of.
        by_option = {"qi": () if counts else known_columns, "sensitive": secret}
        for option, names in by_option.items():
            for name in names:
                if name not in cells.names:
                    raise InvalidArgument(option, name, one_of(name, cells.names))
        people = None
        if person in cells.names:
            texts = cells.texts[cells.names.index(person)]
            people = {text: number for number, text in enumerate(texts)}
        elif person is not None:
            raise InvalidArgument("person", person, one_of(person, cells.names))
    with stage(f"reading {len(before)} earlier releases"):
        earlier = earlier_from(
            before,
            known=known_columns,
            secret=secret,
            person=person,
            people=people,
            key=None if key is None else read_bytes(key).strip(),
            layout=layout,
            missing=missing,
        )
    publication = PublishedFile(
        columns=columns_of(cells, known_columns, secret, person=person),
        person=None if people is None or person is None else persons_of(cells, person, people),
        earlier=earlier,
    )
    # Counts say nothing of who has a value in one column and another in the next.
    parts = [replace(publication, columns=(column,)) for column in publication.columns]
    limits = THRESHOLDS[Audience(audience)]
    with stage(f"judging {publication.rows:,} rows beside {len(earlier)} releases"):
        every = [composition(part, limits) for part in (parts if counts else [publication])]
        findings = list(dict.fromkeys(chain(*every)))
    counted_in = (publication.rows, publication.people, publication.unit)
    composed = ReleasesComposed(releases, *counted_in, audience, limits, tuple(findings))
    text = []
    for finding in findings:
        text.append(f"{finding.standing.value}: {finding.sentence}")
        if finding.remedy is not None:
            text.append(f"what to do: {finding.remedy.value}")
    text.append(f"judged: what {last} tells beside the others, not what it tells alone")
    write_result("compose", composed, json=json, text="\n".join(text))
    return status_of_findings(findings)
