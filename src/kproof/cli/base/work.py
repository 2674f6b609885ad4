"""Options that say who works: processes of this machine, or those of a scheduler of Dask."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cyclopts import Group

from kproof.cli.base.common import OptionGroup, option_group
from kproof.errors import InvalidArgument

if TYPE_CHECKING:
    from kproof.cluster import Cluster

_WORK = Group("Who works", sort_key=6)


@option_group(_WORK)
class Scheduler(OptionGroup):
    """A scheduler of Dask."""

    scheduler: str | None = None
    """Address of a Dask scheduler whose processes do the work, such as tcp://10.0.0.1:8786. They
    see the same files by the same names."""

    @contextmanager
    def cluster(self, jobs: str | None = None) -> Iterator[Cluster | None]:
        """Give the processes that were asked for; None if none were.

        Jobs are processes of this machine, in place of a scheduler.
        """
        if self.scheduler is None and jobs is None:
            yield None
            return
        from kproof.cluster import connect
        from kproof.theory.exact.typed import integer

        if self.scheduler is not None and jobs is not None:
            raise InvalidArgument("jobs", jobs, "none beside --scheduler")
        workers = 1 if jobs is None else integer("jobs", jobs, least=1)
        with connect(self.scheduler, workers=workers) as cluster:
            yield cluster
