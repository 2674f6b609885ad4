"""The one way to run an inference attack on whatever was published."""

from __future__ import annotations

from collections.abc import Iterable

from kproof.errors import InvalidArgument
from kproof.models.attacks.inference.base import Background, Prior, Scoring, adversary_at
from kproof.models.attacks.inference.friends import identify
from kproof.models.attacks.inference.fu import FU
from kproof.models.attacks.inference.traces import TraceRelease, trace
from kproof.models.graphs.release import GraphRelease
from kproof.theory.exact.typed import Number, choice, integer


def infer(
    attack: str,
    release: GraphRelease | TraceRelease,
    *,
    level: str | None = None,
    lambda1: Number | None = None,
    lambda2: Number | None = None,
    known: Iterable[object] | None = None,
    s: Number = 1,
    prior: str = "class",
    observations: Number = 0,
    noise: Number = 0,
    seed: Number = 0,
) -> FU:
    """Attack a published social graph or published traces, and return how many are identified.

    ``level``, ``lambda1``, ``lambda2`` and ``s`` are as for :func:`adversary_at`; ``known`` names
    users in place of lambda2. Graphs only: with the prior ``"class"`` the adversary knows the
    victim's class beforehand, with ``"all"`` she does not. Traces only: ``observations`` says how
    often each victim was seen, ``noise`` the standard deviation, in metres along each axis, of
    where. ``seed`` decides what is drawn: known and linked users, observations.

    >>> from kproof.models.graphs.kdegree.method import k_degree
    >>> from kproof.models.graphs.social import SocialGraph
    >>> path = SocialGraph.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")])
    >>> release = k_degree(path, k=2)
    >>> infer("mle", release).value, infer("mle", release, known=["b"]).value
    (Fraction(2, 5), Fraction(1, 1))
    """
    how, chosen_prior = choice("attack", attack, Scoring), choice("prior", prior, Prior)
    users = release.traces if isinstance(release, TraceRelease) else release.graph
    indexes = None if known is None else [users.index(name) for name in known]
    adversary = adversary_at(level, lambda1=lambda1, lambda2=lambda2, known=indexes, s=s)
    background = Background.draw(users.users, adversary, seed=seed)
    if isinstance(release, TraceRelease):
        times = integer("observations", observations, least=0)
        return trace(how, release, background, observations=times, noise=noise, seed=seed)
    # Passed over in silence they would look as if they had been used.
    for name, value in (("observations", observations), ("noise", noise)):
        if value != 0:
            raise InvalidArgument(name, value, "0 for a social graph; only traces are observed")
    return identify(release, background, prior=chosen_prior, attacks=[how])[how]
