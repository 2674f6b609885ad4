"""The ledger of "Density-Aware Adaptive k-Anonymity for Location Privacy", Garg 2026."""

from __future__ import annotations

from kproof.theory.ledger import Claim, Evidence, Ledger, Ruling
from kproof.theory.quoting import deferred, quote

with deferred():
    from kproof.models.papers.density_examples import (
        answer,
        grid_share,
        pinned_users,
        regions_in_pieces,
        sparse_runs,
    )
    from kproof.models.papers.density_experiment import experiment

DENSITY_NOTES = Ledger(
    (
        Claim(
            "D1",
            "Project Overview",
            "connected anonymization regions that contain at least k users",
            Ruling.LOOSE,
            (
                Evidence(
                    quote(answer)([1], [], 0),
                    "RequestAnswer(k=10, region=(), users=0, same_k=0, same_region=0)",
                ),
            ),
            "True if the component of the target has k users. A user who is alone on a street "
            "asks for 10 users, and no region has them. The answer is an insufficient result, "
            "never a region.",
        ),
        Claim(
            "D2",
            "Algorithm Outline",
            "accumulate users until the selected k-threshold is met ... return the region as the "
            "privacy region",
            Ruling.REFUTED,
            (
                Evidence(
                    quote(answer)([1, 5], [(0, 1)], 0),
                    "RequestAnswer(k=5, region=(0, 1), users=6, same_k=6, same_region=1)",
                ),
                Evidence(quote(grid_share)(), "0.913"),
                Evidence(
                    quote(answer)([1, 5], [(0, 1)], 0, reading="corrected"),
                    "RequestAnswer(k=5, region=(0, 1), users=6, same_k=6, same_region=6)",
                ),
                Evidence(quote(grid_share)(reading="corrected"), "0.0"),
            ),
            "Not all users inside a region can have asked for it: only one of the six users gets "
            "this region. On the 5 x 5 grid nine of ten users have fewer than k candidates. With "
            "one partition into cells every user in a region gets that region.",
        ),
        Claim(
            "D3",
            "Key Properties",
            "guaranteed connectivity of anonymization regions via graph-based BFS",
            Ruling.PROVED,
            (Evidence(quote(regions_in_pieces)(), "0"),),
            "Every node is joined to a node that was taken before it.",
        ),
        Claim(
            "D4",
            "Adaptive k Selector",
            "maps neighborhood density to privacy levels (k = 10, 5, 2)",
            Ruling.UNSOUND,
            (
                Evidence(
                    quote(answer)([4, 1, 5], [(0, 1), (1, 2)], 0),
                    "RequestAnswer(k=5, region=(0, 1), users=5, same_k=4, same_region=5)",
                ),
                Evidence(
                    quote(answer)([4, 1, 5], [(0, 1), (1, 2)], 0, reading="corrected"),
                    "RequestAnswer(k=5, region=(0, 1, 2), users=10, same_k=10, same_region=10)",
                ),
            ),
            "k tells the density class of the user who asks. All five users of the region get it, "
            "but one of them would have asked for k = 2, so that four are left. In the corrected "
            "reading k belongs to the cell.",
        ),
        Claim(
            "D5",
            "Algorithm Outline",
            "identify the user's target node in the SmartCityGraph",
            Ruling.AMBIGUOUS,
            (
                Evidence(
                    quote(answer)([0, 5], [(0, 1)], 0),
                    "RequestAnswer(k=5, region=(0, 1), users=5, same_k=5, same_region=0)",
                ),
                Evidence(quote(experiment)(draw="nodes").summary["without_users"], "5"),
            ),
            "A target drawn among nodes may have no user; nobody can have asked for its region. "
            "By default targets are drawn among users.",
        ),
        Claim(
            "D6",
            "Observations",
            "in sparse areas, the region size expands significantly to ensure k-anonymity",
            Ruling.REFUTED,
            (Evidence(quote(sparse_runs)(), "((11, 11, 1),)"),),
            "The region does expand, to 11 of 25 nodes with 11 users, but only one of them can "
            "have asked.",
        ),
        Claim(
            "D7",
            "Experiment Results, Run 18",
            "Dense, selected k = 2, region size 1",
            Ruling.UNSOUND,
            (
                Evidence(
                    quote(answer)([10, 1], [(0, 1)], 0),
                    "RequestAnswer(k=2, region=(0,), users=10, same_k=10, same_region=10)",
                ),
                Evidence(
                    quote(answer)([10, 1], [(0, 1)], 0, reading="corrected"),
                    "RequestAnswer(k=2, region=(0, 1), users=11, same_k=11, same_region=11)",
                ),
                Evidence(quote(pinned_users)(), "(79, 0)"),
            ),
            "The region is one crossing with ten users: each of them is known to be there, "
            "whatever k is. This is so for 79 of 1,200 users on 40 grids. It is so for no user if "
            "a region must have users at two crossings, which is the default.",
        ),
    )
)
"""Claims D1, D2, ... of the description, with the smallest example of each defect."""
