"""State machines: services that publish again and again, and nets beside their explorers.

For :mod:`hypothesis.stateful`, and for people who write anonymizers of their own:
``TestMine = publishing_service(lambda: publish, promises=["k-anonymity"]).TestCase``.
"""

from kproof.proptests.stateful.composition import Candidates, Composed
from kproof.proptests.stateful.machines import publishing_service, run
from kproof.proptests.stateful.nets import NetRun, net_machine
from kproof.proptests.stateful.service import INVARIANTS, ServedRequest, Service, ServiceBroken

__all__ = [
    "INVARIANTS",
    "Candidates",
    "Composed",
    "NetRun",
    "ServedRequest",
    "Service",
    "ServiceBroken",
    "net_machine",
    "publishing_service",
    "run",
]
