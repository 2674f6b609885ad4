"""The attacks that come with kproof: one entry adds one to every command and document.

An entry refers to its function by name, so that help texts cost no NumPy.
"""

from functools import partial

from kproof.models.base.parameters import GROUP_K, MU, Exact, Text, Word
from kproof.models.registry import Attack, Home, Kind, Needs, Registry, by_name

_INFER = Home("kproof.models.attacks.inference.api:infer")
_FU = (
    "Ma et al., IEEE/ACM Trans. Networking 21(3), 2013 [recalled]; Section IV of the "
    "noiseless-privacy paper"
)

ATTACKS = Registry(
    "attack",
    (
        Attack(
            "homogeneity",
            Home("kproof.models.attacks.likeliest:homogeneity"),
            "everyone in a class has the same value",
            "Machanavajjhala et al., l-diversity, ACM TKDD 1(1), 2007",
        ),
        Attack(
            "categorical-similarity",
            Home("kproof.models.attacks.likeliest:categorical_similarity"),
            "the values of a class are of one category",
            "Khan et al., Electronics 9(5), 716, 2020, Definition 5",
            needs=frozenset({Needs.SENSITIVE, Needs.CATEGORIES}),
        ),
        Attack(
            "sensitive-variance",
            Home("kproof.models.attacks.variance:sensitive_variance"),
            "the values of a class vary less than theta",
            "Khan et al., Electronics 9(5), 716, 2020, Definition 6",
            by_name(
                MU.but(default="3/5"),
                GROUP_K.but(
                    help="fewest people in a class, for which theta is computed; by default those "
                    "of the smallest published class",
                    required=False,
                ),
                Word(
                    "criterion",
                    "what counts as disclosure: V below theta, or the posterior reaches tau",
                    default="variance",
                    words=("variance", "posterior"),
                ),
            ),
        ),
        Attack(
            "linkage",
            Home("kproof.models.attacks.likeliest:linkage"),
            "quasi-identifiers, excluded values and known people point to a value",
            "Sweeney, k-anonymity, IJUFKS 10(5), 2002; Martin et al., ICDE 2007",
            matching="cover",
        ),
        Attack(
            "skewness",
            Home("kproof.models.attacks.skewness:skewness"),
            "a class raises the probability of a value far above its share of the table",
            "Li, Li and Venkatasubramanian, t-closeness, ICDE 2007",
            by_name(
                Word(
                    "gain",
                    "how posterior and prior are compared",
                    default="ratio",
                    words=("ratio", "difference"),
                ),
                Exact("least", "gain at which a person is disclosed, instead of tau", above=0),
            ),
            against_table=True,
        ),
        Attack(
            "suppression",
            Home("kproof.models.attacks.suppression:suppression"),
            "who fits no published class is among the rows that were left out",
            "docs/adr/0023-suppression.md",
            by_name(
                Text(
                    "totals",
                    "how often each sensitive value occurs in the source table, if she knows it: "
                    "VALUE=COUNT,..., or known to take it from the microdata",
                )
            ),
            needs=frozenset({Needs.SENSITIVE, Needs.SUPPRESSED}),
            matching="cover",
        ),
        Attack(
            "mle",
            partial(_INFER, "mle"),
            "a victim in a social graph or traces is where the knowledge is most likely",
            _FU,
            needs=frozenset(),
            kind=Kind.GRAPH,
        ),
        Attack(
            "bas",
            partial(_INFER, "bas"),
            "a victim in a social graph or traces is where most of the knowledge agrees",
            _FU,
            needs=frozenset(),
            kind=Kind.GRAPH,
        ),
    ),
)
"""Every registered attack by name."""
