"""The publisher that withholds as a net: every outcome of its coins.

Classes are passed one after another. One that reaches θ is shown or withheld, one that does not is
withheld; a withheld class is the empty one. Nothing is exchanged, nothing added, and no transition
looks at two classes, so that what is shown of one tells nothing of another.

Source: our own, see :mod:`kproof.models.tables.theta.withheld`.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from kproof.models.base.parameters import GROUP_K, REACHABLE_MU
from kproof.models.tables.theta.moves import Threshold
from kproof.petri.net.colours import Integers, Open, Product
from kproof.petri.net.net import Net, NetBuilder
from kproof.petri.net.terms import Constant, Variable
from kproof.petri.papers.classes import Tokens
from kproof.petri.papers.net_files import Calls, add_part, functions_of
from kproof.petri.papers.publisher import PartitionedTable
from kproof.theory.exact.typed import Number


def withheld_net(
    classes: PartitionedTable | Sequence[Sequence[object]],
    *,
    k: Number,
    mu: Number = "3/5",
    domain: Iterable[object] | None = None,
) -> Net:
    """Return the net of ``theta-withheld`` for one table, on the level of values.

    Args:
        classes, k, mu, domain: As for
            :func:`kproof.petri.papers.theta_sensitive.theta_publisher`.

    >>> from kproof.petri.spaces.explore import explore
    >>> net = withheld_net([["HIV", "HIV"], ["Flu", "Cancer"]], k=2)
    >>> space = explore(net)
    >>> [str(*space.marking(end)["PublshdData"]) for end in space.dead.tolist()]
    ['((), ((Cancer, 1), (Flu, 1)))', '((), ())']
    """
    threshold = Threshold(REACHABLE_MU.read(mu), GROUP_K.read(k))
    formed = PartitionedTable.of(classes, domain)
    formed.require_rows(threshold.k)
    kind, _, ecs = formed.tokens(Tokens.VALUES)
    count = len(ecs)
    index = Integers("EC", 0, count)
    table = Open("ECs", lambda token: isinstance(token, tuple) and len(token) == count)
    working = Product("ECc × ECs", (index, table))
    words: dict[str, Any] = {
        "EC": index, "ECs": table, "working": working,
        "c": Variable("c", index), "ecs": Variable("ecs", table),
        "start": Constant((0, ecs), working), "end": Constant(count, index),
    }  # fmt: skip
    calls: Calls = {
        "next": lambda c: c + 1,
        "passes": lambda c, ecs: threshold.passes(kind.multiset(ecs[c])),
        "hidden": lambda c, ecs: (*ecs[:c], (), *ecs[c + 1 :]),
    }
    words |= functions_of("withheld", calls, words)
    build = NetBuilder("theta-withheld")
    add_part(build, "withheld", words)
    return build.net()
