"""The methods that come with kproof, with their promises and parameters: one entry adds one.

An entry refers to its function by name, so that help texts cost no NumPy; a test holds parameters,
defaults and words to the function's signature.
"""

from kproof.models.base.parameters import (
    ALPHA,
    COLUMN_LEVELS,
    COLUMN_WEIGHT,
    EPSILON,
    GROUP_K,
    MU,
    REACHABLE_MU,
    READING,
    SEED,
    SUPPRESS,
    WITHHOLD,
    ByColumn,
    Exact,
    K,
    L,
    Names,
    P,
    Switch,
    T,
    Text,
    Value,
    Whole,
    Word,
)
from kproof.models.registry import Figures, Home, Kind, Method, Needs, Promise, Registry, by_name

_TRUE = {Promise.K_ANONYMITY, Promise.TRUTHFUL, Promise.RECORDS_KEPT, Promise.SENSITIVE_KEPT}
_P = _TRUE | {Promise.P_SENSITIVITY, Promise.ORDER_INDEPENDENT}
_SUN = "Sun, Sun, Wang, Computer Communications 34 (2011) 526-535 [recalled]"

METHODS = Registry(
    "method",
    (
        Method(
            name="mondrian",
            run=Home("kproof.models.tables.mondrian.method:mondrian"),
            promises=frozenset(
                _TRUE
                | {
                    Promise.ORDER_INDEPENDENT,
                    Promise.L_DIVERSITY,
                    Promise.T_CLOSENESS,
                    Promise.THETA_SENSITIVITY,
                }
            ),
            source="LeFevre, DeWitt, Ramakrishnan, Mondrian Multidimensional K-Anonymity, "
            "ICDE 2006",
            summary="Cut records in two where that costs least detail, while both sides keep k.",
            parameters=by_name(
                GROUP_K,
                Word(
                    "partitioning",
                    "whether equal values stay together, or sides are balanced",
                    default="strict",
                    words=("strict", "relaxed"),
                ),
                Word(
                    "cuts",
                    "where parts are cut; median is the paper's, of the widest column",
                    default="least-loss",
                    words=("least-loss", "median"),
                ),
                ByColumn.of(L),
                ByColumn.of(T),
                ByColumn.of(MU),
                COLUMN_WEIGHT,
            ),
            worst_case=frozenset({"l"}),
        ),
        Method(
            name="theta-sensitive",
            run=Home("kproof.models.tables.theta.method:theta_sensitive"),
            promises=frozenset(_TRUE | {Promise.THETA_SENSITIVITY}),
            source="Khan et al., Theta-Sensitive k-Anonymity, Electronics 2020, 9(5), 716, "
            "Algorithm 1",
            summary="Exchange records between classes and add noise until sensitive values vary.",
            parameters=by_name(
                GROUP_K,
                REACHABLE_MU.but(default="3/5"),
                READING,
                Word(
                    "form",
                    "how classes are formed",
                    words=("best", "least-loss", "diverse", "compact", "sorted", "order"),
                ),
                Value("classes", "class number of each row, instead of form"),
                Word(
                    "remainder",
                    "what happens to rows left over",
                    words=("merge", "noise", "suppress"),
                ),
                Word(
                    "noise",
                    "value of a noise row",
                    default="frequent",
                    words=("frequent", "first", "random"),
                ),
                Word(
                    "exhausted",
                    "what happens if a class already has every value",
                    default="repeat",
                    words=("repeat", "refuse"),
                ),
                Switch(
                    "per_class_theta",
                    "whether theta is taken at each class's published size",
                    default=False,
                ),
                SEED.but(help="seed of random noise values", default=None),
            ),
            needs=frozenset({Needs.SENSITIVE}),
        ),
        Method(
            name="theta-withheld",
            run=Home("kproof.models.tables.theta.withheld:theta_withheld"),
            promises=frozenset(_TRUE | {Promise.THETA_SENSITIVITY}),
            source="our own; theory/rocq/Withheld.v",
            summary="Withhold classes whose sensitive values vary too little, others by a coin.",
            parameters=by_name(
                GROUP_K,
                REACHABLE_MU.but(default="3/5"),
                WITHHOLD,
                SEED.but(help="seed of the coins, for tests alone", default=None),
            ),
            needs=frozenset({Needs.SENSITIVE}),
            once=True,
            whole="its coins are tossed for all of a table's classes at once",
        ),
        Method(
            name="p-plus-sensitive",
            run=Home("kproof.models.tables.topdown.method:p_plus_sensitive"),
            promises=frozenset(_P | {Promise.P_PLUS_SENSITIVITY}),
            source=_SUN,
            summary="Generalize top down while classes keep p categories of sensitive values.",
            parameters=by_name(
                P.but(help="fewest distinct categories in a class", required=True), GROUP_K
            ),
            needs=frozenset({Needs.SENSITIVE, Needs.CATEGORIES}),
        ),
        Method(
            name="p-alpha-sensitive",
            run=Home("kproof.models.tables.topdown.method:p_alpha_sensitive"),
            promises=frozenset(_P | {Promise.P_ALPHA_SENSITIVITY}),
            source=_SUN,
            summary="Generalize top down while classes keep p sensitive values of weight alpha.",
            parameters=by_name(P.but(required=True), ALPHA.but(required=True), GROUP_K),
            needs=frozenset({Needs.SENSITIVE, Needs.CATEGORIES}),
        ),
        Method(
            name="full-domain",
            run=Home("kproof.models.tables.fulldomain.method:full_domain"),
            promises=frozenset(_TRUE | {Promise.ORDER_INDEPENDENT}),
            source="Samarati, Protecting Respondents' Identities in Microdata Release, IEEE TKDE "
            "13(6), 2001; Kohlmayer et al., Flash, PASSAT 2012",
            summary="Show every row of a column at one level; the levels are those that lose "
            "least.",
            parameters=by_name(
                GROUP_K,
                Value("models", "further models that the release must have"),
                SUPPRESS,
                COLUMN_LEVELS,
                COLUMN_WEIGHT,
                Word(
                    "measure",
                    "what a label costs: the share of the hierarchy it covers, or its level over "
                    "the highest",
                    default="penalty",
                    words=("penalty", "height"),
                ),
            ),
            counts_people=True,
            whole="it shows all rows of a column at one level",
        ),
        Method(
            name="kaca",
            run=Home("kproof.models.tables.kaca.method:kaca"),
            promises=frozenset(_TRUE),
            source="KACA implementation notes: cluster first, then generalize",
            summary="Group similar records, then generalize each group.",
            parameters=by_name(
                GROUP_K,
                READING,
                Word(
                    "clustering",
                    "how records are grouped; partition is fast and loses less",
                    default="partition",
                    words=("partition", "k-means"),
                ),
                COLUMN_WEIGHT,
                Text("section", "column of road section ids, if there is one", default=None),
                Text("time", "column of times of day, if there is one", default=None),
                SEED.but(help="seed of K-Means", most=2**32 - 1),
            ),
            aggregate=Figures(
                Home("kproof.models.tables.kaca.report:aggregate"),
                Home("kproof.models.tables.kaca.report:lines_of"),
            ),
        ),
        Method(
            name="kaca-hierarchical",
            run=Home("kproof.models.tables.kaca.hierarchical:kaca_hierarchical"),
            promises=frozenset(_TRUE | {Promise.ORDER_INDEPENDENT}),
            source="Li, Wong, Fu, Pei, Achieving k-Anonymity by Clustering in Attribute "
            "Hierarchical Structures, DaWaK 2006 [recalled]",
            summary="Merge small classes with the nearest in the hierarchies of the attributes.",
            parameters=by_name(
                GROUP_K,
                Word(
                    "weights",
                    "what a step in a hierarchy costs; with height a step near the root costs more",
                    default="uniform",
                    words=("uniform", "height"),
                ),
            ),
            compared=False,
        ),
        Method(
            name="density",
            kind=Kind.CITY,
            run=Home("kproof.models.places.density.method:density"),
            promises=frozenset({Promise.K_ANONYMITY, Promise.CONNECTIVITY, Promise.RECIPROCITY}),
            source="P. Garg, Density-Aware Adaptive k-Anonymity for Location Privacy, 2026",
            summary="Cloak requests from a road network in connected regions of at least k users.",
            parameters=by_name(
                READING,
                Names(
                    "targets",
                    "names of the nodes that make requests; by default every node with users",
                    typed="requesting",
                ),
                K.but(
                    help="fewest people in a region, whatever the density",
                    default=1,
                    required=False,
                ),
                Text(
                    "depth",
                    "number of hops within which users count for the density, or adaptive",
                    1,
                ),
                Text("thresholds", "rising densities that separate the density classes", "4,10"),
                Text("levels", "the k of each density class", "10,5,2", typed="density_k"),
                Whole(
                    "least_nodes",
                    "fewest nodes with users in a region; by default 2, and 1 in the printed "
                    "reading",
                    purpose=". A region with users at one node says where they are, whatever k is",
                    least=1,
                ),
            ),
        ),
        Method(
            name="quadtree",
            kind=Kind.POINTS,
            run=Home("kproof.models.places.heatmap.quadtree:quadtree"),
            promises=frozenset({Promise.K_ANONYMITY, Promise.PARTITION, Promise.ORDER_INDEPENDENT}),
            source="QuadTreeHeatMap; Domingo-Ferrer, Martínez, Sánchez, Computer Communications "
            "190, 2022",
            summary="Publish a heat map of points: squares, finer where there are more, with k in "
            "each.",
            parameters=by_name(
                Whole(
                    "min_k",
                    "fewest people or locations in a sector that is not empty",
                    default=5,
                    typed="min_k k",
                    example="5",
                    least=1,
                ),
                Exact(
                    "min_sector_length",
                    "least side of a sector",
                    default=100,
                    unit="metres",
                    least=1,
                    most=10_000_000,
                ),
                Switch(
                    "merge_sectors",
                    "whether sectors with fewer are merged with neighbours",
                    default=True,
                ),
                Whole(
                    "split_n_locations",
                    "most users or locations in a square that is not cut; by default min_k",
                    least=1,
                ),
                Word(
                    "count",
                    "what is counted; required if nothing is known of users",
                    words=("users", "locations"),
                ),
                Word(
                    "empty",
                    "what happens to empty sectors; by default publish, and omit in the printed "
                    "reading",
                    words=("publish", "merge", "omit"),
                ),
                READING,
            ),
        ),
        Method(
            name="sangreea",
            kind=Kind.GRAPH,
            run=Home("kproof.models.graphs.sangreea.method:sangreea"),
            promises=frozenset({Promise.CLUSTER_SIZE, Promise.PARTITION, Promise.TRUTHFUL}),
            source="Campan, Truta, Data and Structural k-Anonymity in Social Networks, PinKDD 2008 "
            "[recalled]; CA in Section IV of the noiseless-privacy paper",
            summary="Publish a social graph as clusters of users alike in friends and attributes.",
            parameters=by_name(
                GROUP_K.but(help="fewest people in a cluster"),
                Exact(
                    "alpha",
                    "weight of attributes",
                    default="1/2",
                    least=0,
                    typed="attribute_weight",
                ),
                Exact(
                    "beta", "weight of structure", default="1/2", least=0, typed="structure_weight"
                ),
                Word(
                    "search",
                    "how clusters are found; dense finds the same clusters slowly",
                    default="pruned",
                    words=("pruned", "dense"),
                ),
            ),
        ),
        Method(
            name="k-degree",
            kind=Kind.GRAPH,
            run=Home("kproof.models.graphs.kdegree.method:k_degree"),
            promises=frozenset({Promise.DEGREE, Promise.SUPERGRAPH}),
            source="Liu, Terzi, Towards Identity Anonymization on Graphs, SIGMOD 2008 [recalled]; "
            "IA in Section IV of the noiseless-privacy paper",
            summary="Add friendships to a social graph until every number of friends occurs k "
            "times.",
            parameters=by_name(GROUP_K.but(help="fewest people with the same number of friends")),
        ),
        Method(
            name="baseline",
            kind=Kind.GRAPH,
            run=Home("kproof.models.graphs.baseline.method:baseline"),
            promises=frozenset({Promise.CLUSTER_SIZE, Promise.PARTITION}),
            source="BE in Section IV of the noiseless-privacy paper, for every user at once",
            summary="Publish a social graph as clusters for which the bound of a theorem is least.",
            parameters=by_name(
                GROUP_K.but(help="fewest people in a cluster"),
                EPSILON.but(
                    help="epsilon at which the bound's delta is compared", default=1, most=700
                ),
                Whole("s", "the shift", default=1, least=1),
                Exact(
                    "lambda1",
                    "share of a cluster whose dependencies the adversary knows",
                    least=0,
                    most=1,
                ),
                Names("known", "users whose records the adversary knows"),
            ),
        ),
    ),
)
"""Every registered method by name."""


def parameters_of(name: str) -> tuple[str, ...]:
    """Return the names of a method's parameters.

    >>> parameters_of("k-degree")
    ('k',)
    """
    return tuple(METHODS.entry(name).parameters)
