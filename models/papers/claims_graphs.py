"""Ledger rows for CA, IA and BE in Section IV of Zhao et al., IEEE Internet of Things J. 2019."""

from __future__ import annotations

from kproof.models.papers.social_examples import (
    certain_pairs,
    chosen,
    edges_added,
    given_away,
    recognised,
    ring,
    smallest_recognised,
    sparse_bound,
)
from kproof.theory.ledger import Claim, Evidence, Ledger, Ruling
from kproof.theory.quoting import quote

SOCIAL_GRAPHS = Ledger(
    (
        Claim(
            "G1",
            "Section IV-A",
            "CA generalizes users' friendships so that every user is indistinguishable with at "
            "least other (k - 1) users",
            Ruling.LOOSE,
            (Evidence(quote(certain_pairs)([(0, 3)], 2), "6"),),
            "Members of a published cluster cannot be told apart by it; what it says of them can "
            "be certain all the same. Of four users, two of them friends, clusters of two tell "
            "for all six pairs whether they are friends.",
        ),
        Claim(
            "G2",
            "Section IV-A",
            "IA cloaks friendships via adding or deleting edges to prevent each user's identity "
            "from being identified",
            Ruling.REFUTED,
            (
                Evidence(quote(recognised)([(0, 1), (1, 2), (2, 3), (3, 4)], 2), "(2,)"),
                Evidence(quote(smallest_recognised)(2), "(5, 2)"),
            ),
            "Each number of friends occurs k times; whoever knows how many friends somebody's "
            "friends have may know the user. A path of five is 2-degree anonymous and its middle "
            "is the only user whose friends have two friends each. With up to four users and k = 2 "
            "nobody is alone in that way.",
        ),
        Claim(
            "G3",
            "Section IV-A",
            "IA works via adding or deleting edges",
            Ruling.AMBIGUOUS,
            (Evidence(quote(edges_added)([(0, 1), (0, 2), (0, 3), (0, 4)], 2), "(2, 3)"),),
            "Liu and Terzi have both a version that adds edges only and one that does both. Here "
            "edges are only added, so that no true friendship is denied. Degrees that k users "
            "share at the least sum of additions need not be those of any such graph.",
        ),
        Claim(
            "G4",
            "Section IV-A",
            "BE cloaks a user with users that minimize both delta and epsilon",
            Ruling.AMBIGUOUS,
            (
                Evidence(quote(chosen)([(0, 1), (0, 2)], 1, users=6, k=2, epsilon=0), "(0, 1)"),
                Evidence(quote(chosen)([(0, 1), (0, 2)], 1, users=6, k=2, epsilon=3), "(1, 2)"),
            ),
            "No set is best at every epsilon: there is a front, from which one is chosen at an "
            "epsilon that must be said.",
        ),
        Claim(
            "G5",
            "Section IV-A",
            "BE cloaks with no less than (k - 1) other users that minimize delta and epsilon",
            Ruling.UNSOUND,
            (
                Evidence(quote(ring)(12, 3, 3), "(3, '0.5477')"),
                Evidence(quote(ring)(12, 3, 12), "(12, '0.0900')"),
            ),
            "One more independent record is a step after the release that the adversary could "
            "take alone: the exact delta never rises. Without a largest size the minimum is "
            "everybody. The size is k here unless a larger one is allowed.",
        ),
        Claim(
            "G6",
            "Section IV-A",
            "BE cloaks a specific user's data with others' data",
            Ruling.LOOSE,
            (Evidence(quote(given_away)([(0, 1), (1, 2)], 2), "(1,)"),),
            "User by user, sets overlap, and who knows the method knows whose a set is if it is "
            "nobody else's. One partition into sets, as the method published here makes, does not "
            "have that.",
        ),
        Claim(
            "G7",
            "Section IV-B, k = 6",
            "BE outputs the cloaked data to minimize both delta and epsilon according to the "
            "adversarial uncertainty",
            Ruling.LOOSE,
            (Evidence(quote(sparse_bound)(6, friends=10, users=4515), "'1'"),),
            "For six users with ten friends among 4,515 the corrected bound at epsilon = 1 is "
            "delta = 1, which every release has. Sets are compared by the value before it is cut "
            "at 1.",
        ),
    )
)
"""Claims G1, G2, ... about the three techniques; what attacks find is in a ledger of its own."""
