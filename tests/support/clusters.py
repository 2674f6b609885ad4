"""A cluster of threads: what differs from processes is tested with these."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from kproof.cluster import Cluster


@contextmanager
def threads() -> Iterator[Cluster]:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
        ) as local,
        distributed.Client(local, set_as_default=False) as client,
    ):
        yield Cluster(client, "threads", 1)
