"""Ledger rows for the nets of Khan et al., Electronics 2020, 9(5), 716, decided by state spaces.

They add to the rows of :mod:`kproof.models.papers.claims`, which are decided by calculation.
"""

from __future__ import annotations

from kproof.theory.ledger import Claim, Evidence, Ledger, Ruling
from kproof.theory.quoting import Quoted, deferred, quote

with deferred():
    from kproof.petri.papers.manifest import entry

_NO_GAIN = "the adversary gains nothing"


def _verdicts(name: str) -> Quoted:
    return quote(entry)(name).run()["verdicts"]


NETS = Ledger(
    (
        Claim(
            "N1",
            "Section 5.3, Rules (2) to (8)",
            "the net models the algorithm, which produces Table 8a from Table 1a and Table 8b from "
            "Table 4b",
            Ruling.LOOSE,
            (
                Evidence(quote(entry)("table-1a by rules").run()["reaches"], "{'table-8a': True}"),
                Evidence(quote(entry)("table-4b by rules").run()["reaches"], "{'table-8b': True}"),
                Evidence(
                    quote(entry)("table-1a as printed").run()["reaches"], "{'table-8a': False}"
                ),
            ),
            "True of the rules split into their branches, with the donor written back and a rule "
            "that publishes. With the rules as printed no run reaches Table 8a.",
        ),
        Claim(
            "N2",
            "Section 5.3, Rule (6)",
            "if V exceeds theta the next class is checked, if it is less it is adjusted",
            Ruling.UNSOUND,
            (
                Evidence(quote(entry)("equality as printed").run()["stuck"], "1"),
                Evidence(quote(entry)("equality").run()["stuck"], "0"),
            ),
            "For V = theta nothing can fire: the only run on (HIV, HIV, Cancer, Flu) with k = 4, "
            "mu = 0.55 ends without a publication. With >= the run publishes the class as it is.",
        ),
        Claim(
            "N3",
            "Algorithm 1, line 6; Rule (7)",
            "variances of the classes are computed once, and again for the current class only",
            Ruling.UNSOUND,
            (
                Evidence(_verdicts("stale donor as printed")["V >= theta in every class"], "False"),
                Evidence(_verdicts("stale donor")["V >= theta in every class"], "True"),
            ),
            "A class that gave values away is passed with the variance it had before and is "
            "published below theta. If the variance is written back after every exchange, no "
            "publication is below theta.",
        ),
        Claim(
            "N4",
            "Section 5.3, Rule (9)",
            "the adversary gets no private information: the attack results in a null value",
            Ruling.REFUTED,
            (
                Evidence(_verdicts("rule (9)")[_NO_GAIN], "False"),
                Evidence(_verdicts("categorical similarity")[_NO_GAIN], "False"),
                Evidence(_verdicts("table-1a, nobody known")[_NO_GAIN], "True"),
            ),
            "In the net with Rule (9) some adversary gains, and so does an adversary who bets on "
            "categories. An adversary who knows nobody gains nothing from Table 1a. Row T34 has "
            "the posteriors.",
        ),
    )
)
"""Claims N1, N2, ... of "θ-Sensitive k-Anonymity" about its Petri nets."""
