"""The safe path from data and roles on, as the command takes it."""

from collections.abc import Iterable, Sequence
from typing import Any

from kproof.models.api import table_of
from kproof.models.judgement.thresholds import Audience
from kproof.models.publishing.path import LADDER, on_safe_path
from kproof.models.publishing.published import Published
from kproof.models.publishing.publisher import TablePublisher
from kproof.models.tables.table import Table


def publish(
    data: object,
    *,
    audience: str = "public",
    k: Sequence[int] = LADDER,
    keep: Iterable[str] = (),
    seed: int | None = None,
    quasi_identifiers: Iterable[str] | None = None,
    earlier: Any = (),
    exact: Iterable[str] = (),
    rows_are_people: bool = False,
    **roles: Any,
) -> Published:
    """Return a release of a table, frame or file that is safe, or what stands against the last."""
    publisher = TablePublisher.of(
        table_of(data, quasi_identifiers, roles),
        None if isinstance(data, Table) else data,
        rows_are_people=rows_are_people,
        audience=Audience(audience),
        earlier=earlier,
        exact=exact,
    )
    return on_safe_path(publisher, k=k, keep=keep, seed=seed)
