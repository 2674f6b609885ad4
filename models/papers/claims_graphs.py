"""Ledger rows for CA, IA and BE in Section IV of Zhao et al., IEEE Internet of Things J. 2019."""

from __future__ import annotations

from kproof.theory.ledger import Claim, Evidence, Ledger, Ruling
from kproof.theory.quoting import deferred, quote

with deferred():
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

SOCIAL_GRAPHS = Ledger(
    (
        Claim(
            "G1",
            "Section IV-A",
            "CA generalizes users' friendships so that every user is indistinguishable with at "
            "least other (k - 1) users",
            Ruling.LOOSE,
            (Evidence(quote(certain_pairs)([(0, 3)], 2), "6"),),
            "A published cluster does not tell its members apart, but what it says of them can "
            "still be certain. If two of four users are friends, clusters of two tell for all six "
            "pairs whether they are friends.",
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
            "Each number of friends occurs k times, but an adversary who knows how many friends a "
            "user's friends have may recognise the user. A path of five is 2-degree anonymous, "
            "and its middle is the only user whose friends have two friends each. With up to four "
            "users and k = 2 no user is recognised in that way.",
        ),
        Claim(
            "G3",
            "Section IV-A",
            "IA works via adding or deleting edges",
            Ruling.AMBIGUOUS,
            (Evidence(quote(edges_added)([(0, 1), (0, 2), (0, 3), (0, 4)], 2), "(2, 3)"),),
            "Liu and Terzi have a version that only adds edges and a version that adds and "
            "deletes them. Here edges are only added, so that no true friendship is denied. The "
            "degrees with the least sum of additions, each shared by k users, need not be the "
            "degrees of any such graph.",
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
            "No set is best at every epsilon: there is a front, and a set is chosen from it at an "
            "epsilon that must be stated.",
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
            "Adding one more independent record is a step after the release that the adversary "
            "could take alone, so that the exact delta never rises. Without a largest size the "
            "minimum is the set of all users. Here the size is k unless a larger one is allowed.",
        ),
        Claim(
            "G6",
            "Section IV-A",
            "BE cloaks a specific user's data with others' data",
            Ruling.LOOSE,
            (Evidence(quote(given_away)([(0, 1), (1, 2)], 2), "(1,)"),),
            "Sets that are chosen user by user overlap. An adversary who knows the method knows "
            "whose set is published if only one user has this set. One partition into sets, as "
            "the method published here makes, does not have this defect.",
        ),
        Claim(
            "G7",
            "Section IV-B, k = 6",
            "BE outputs the cloaked data to minimize both delta and epsilon according to the "
            "adversarial uncertainty",
            Ruling.LOOSE,
            (Evidence(quote(sparse_bound)(6, friends=10, users=4515), "'1'"),),
            "For six users with ten friends among 4,515 the corrected bound at epsilon = 1 is "
            "delta = 1, which holds for every release. Sets are compared by the value before it "
            "is cut off at 1.",
        ),
    )
)
"""Claims G1, G2, ... about the three techniques; what attacks find is in a ledger of its own."""
