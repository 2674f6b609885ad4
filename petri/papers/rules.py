"""The paper's rules beside the nets: what is printed, which transitions do it here, what differs.

Every transition of a net stands under a rule, with guard and arcs read off the net itself; a test
holds that none is missing, and none is named that is not there. ``kproof net rules`` prints it, and
``docs/petri/rules.md`` is made of it.

Formulas of the paper lost most operators in the text that is public; they are given in our own
notation, as its prose and Tables 6, 7, 9 and 10 explain them. Multisets are written { }, what a
token is bound to by the name of the place.

Source: Khan et al., "θ-Sensitive k-Anonymity", Electronics 2020, 9(5), 716, Sections 4 and 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kproof.errors import InvalidArgument
from kproof.petri.net.net import Net, Transition
from kproof.petri.papers.api import net


@dataclass(frozen=True)
class PaperPlace:
    """A place of Table 7 or 10."""

    name: str
    holds: str
    """As the table has them: a set of what."""
    here: str
    """The place of the net; empty if there is none."""
    differs: str = ""
    """What is different here; empty if nothing is."""


@dataclass(frozen=True)
class PaperRule:
    """A rule of the paper, and where it is in the nets."""

    name: str
    """Its number, and the transition it is about."""
    printed: str
    """What it says, in our notation."""
    labels: tuple[int, ...]
    """The arcs it is printed with: the paper's numbers of them."""
    transitions: tuple[str, ...]
    """How the names of its transitions begin."""
    calls: tuple[str, ...]
    """Full names of the functions that do the work."""
    differs: str
    """What was changed and why, and what is named here that the paper leaves unsaid."""
    rows: tuple[str, ...] = ()
    """Rows of the ledger on it."""
    reads: str = ""
    """A place that its transitions read; empty if they may read any."""


@dataclass(frozen=True)
class PaperType:
    """A type of Table 6 or 9."""

    name: str
    says: str
    """As the table has them, in our words."""
    here: str
    """What it is here."""


@dataclass(frozen=True)
class PaperNet:
    """A net of the paper: its figure, its places and its rules."""

    title: str
    """What it is called."""
    table: str
    """Number of the paper's table of its places."""
    typed: str
    """Number of the paper's table of its types."""
    types: tuple[PaperType, ...]
    places: tuple[PaperPlace, ...]
    rules: tuple[PaperRule, ...]
    """As the paper has them, in its order."""
    examples: Mapping[str, Mapping[str, Any]]
    """The nets here that are made of them, by what they are called."""

    def nets(self) -> dict[str, Net]:
        """Return the nets, for a shipped table of the paper."""
        return {name: _made(**options) for name, options in self.examples.items()}


_MOVES = "kproof.models.tables.theta.moves"
_CLASSES = "kproof.petri.papers.classes"
_ATTACKS = "kproof.models.attacks"

_THETA_TYPES = (
    PaperType("M", "size of a class", "the number of its rows; the class holds them"),
    PaperType("Condition", "Boolean", "False or True"),
    PaperType("σ", "float", "σ², a fraction"),
    PaperType("μ", "float", "a fraction"),
    PaperType("θ", "float", "a fraction"),
    PaperType("Found EC_b", "a class, once it is found", "its position"),
    PaperType("AdjEC_c", "class c, adjusted", "c and all classes"),
    PaperType("AdjEC_n", "the last class, adjusted", "c and all classes"),
    PaperType("VarECs", "variances of classes", "a tuple of fractions"),
    PaperType("VarAdjEC_n", "variance of the last class, adjusted", "a fraction, c, all classes"),
    PaperType("VarAdjEC_c", "variance of class c, adjusted", "a fraction, c, all classes"),
)

_P_PLUS_TYPES = (
    PaperType("k", "the user's k", "a whole number"),
    PaperType("p", "the p of p-sensitivity", "a whole number"),
    PaperType("C", "the set of distinct categories", "a tuple for each class"),
    PaperType("Condition", "Boolean, 1 or 0", "False or True"),
    PaperType("S_n", "number of distinct sensitive values", "a number for each class"),
    PaperType("C_n", "number of distinct categories", "a number for each class"),
    PaperType("sensitive value", "of user i", "its position in the domain, shown as the value"),
    PaperType("id", "of user i", "the number of the record, on the level of records"),
)

_THETA_PLACES = (
    PaperPlace(
        "MT",
        "id × QI × sensitive value",
        "MT",
        "The classes are formed before the net begins; on the level of records a token is a record "
        "number, which stands for its id and quasi-identifiers. Multisets, where the table has "
        "sets: rows that are alike are as many as there are.",
    ),
    PaperPlace("MMT", "EC_c × EC_b × EC_n × k", "MMT", "One token: c, and all classes in order."),
    PaperPlace("KValue", "k", "KValue"),
    PaperPlace("CondTF", "condition", "CondTF"),
    PaperPlace("Sigma", "σ", "Sigma", "Holds σ² = (k² − 1)/12, which is rational."),
    PaperPlace("Mu", "μ", "Mu", "Exact."),
    PaperPlace("Theta", "θ", "Theta", "Exact."),
    PaperPlace("Found ECb", "EC_b", "Found ECb", "With c and all classes, which wait there."),
    PaperPlace("VarECs", "V_c × V_b × V_n", "VarECs", "V of every class, in order."),
    PaperPlace("AdjECc", "EC_c", "AdjECc", "With all classes."),
    PaperPlace("AdjECn", "EC_n", "AdjECn", "With all classes."),
    PaperPlace("StrictECn-1", "EC_n−1", "Strict ECn-1", "With c and all classes."),
    PaperPlace("VarAdjECn", "V_n", "VarAdjECn", "With c and all classes."),
    PaperPlace("VarAdjECc", "V_c", "VarAdjECc", "With c and all classes."),
    PaperPlace("Need Noise", "V_c × id × QI × sensitive value", "Need Noise", "c and all classes."),
    PaperPlace("PublshdData", "QI × sensitive value", "PublshdData", "The classes in order."),
    PaperPlace("BK", "id × QI", "BK", "Only with attackers: attack and victim."),
    PaperPlace("SA Disc", "QI × sensitive value × id", "SA Disc", "Only with attackers."),
    PaperPlace("", "", "Infeasible", "Ours: θ cannot be reached with the values there are."),
    PaperPlace("", "", "Loop", "Ours, as printed only: turns of line 9 that are left."),
    PaperPlace("", "", "To Mask", "Ours, with `--mask`: the classes are not generalized yet."),
    PaperPlace("", "", "Masked Table", "Ours, with `--mask`: labels and values of each class."),
)

_THETA_RULES = (
    PaperRule(
        "Rule (2), MaskData",
        "MMT[1] := Mask(MT[2]) and MMT[2] := Mask(MT[3]); MMT gains (MMT[1], MMT[2], k)",
        (2, 3, 4),
        ("Mask Data", "mask", "pad", "Generalize QI"),
        ("kproof.models.tables.theta.forming.cut", "kproof.petri.papers.masking.masked"),
        "As printed the third part of MT, the sensitive value, is masked as well; here it never "
        "changes. MMT gets (QI, value, k) by the rule and has four parts, classes and k, in Table "
        "10. "
        "The end user's input, and the classes, are there before the net begins: kproof cuts a "
        "table by its class column, or every k rows. Exchanges move whole records, so quasi-"
        "identifiers are generalized when the classes are final, as the prose above Rule (2) says "
        "and its formula does not: with `--mask`, on the level of records, 'Generalize QI' does it "
        "in the net, and without it attackers are shown the labels. Cut by moves, the net begins "
        "with the masked table. Classes below k rows are refused, or filled up by 'pad' on "
        "request.",
        ("T35",),
    ),
    PaperRule(
        "Rule (3), Check k",
        "Count(EC) ≥ k gives CondTF := true, and Count(EC) < k gives CondTF := false",
        (5, 6),
        ("Check k",),
        ("kproof.petri.papers.publisher.PartitionedTable.require_rows",),
        "The prose, and line 3 of Algorithm 1, ask for k ≥ 2 instead: kproof refuses k < 2. The k "
        "of the formula is part 3 of MMT, which is k by Rule (2) and EC_n in Table 10. "
        "Only the first branch is a transition: Mask Data does not fire for a table that has a "
        "class below k rows, and the publisher refuses it.",
    ),
    PaperRule(
        "Rule (4), Calc Theta",
        "Theta := Mu · Sigma²",
        (10, 11, 12),
        ("Calc Theta",),
        (f"{_MOVES}.Threshold.at",),
        "The place Sigma holds σ² here, which is rational; the formula squares σ. Fractions "
        "throughout: floats decide k = 5, μ = 0.68 wrongly.",
        ("T11", "T17"),
    ),
    PaperRule(
        "Rule (5), Compute Var",
        "VarECs[1] := ComputeVar(EC[1]) and VarECs[2] := EC[2]",
        (8, 9),
        ("Compute Var",),
        (f"{_MOVES}.variance",),
        "The paper says that the same transition serves adjusted classes; here these are "
        "transitions of their own, one for class c and one for the last.",
        ("N3", "T7"),
    ),
    PaperRule(
        "Rule (6), Check Variance",
        "V_c > θ: MMT[1] := MMT[1] + 1; V_c < θ: MMT[2] := MMT[1] + 1; V_b > θ: arc 19, into Found "
        "ECb; arc 24 < θ: arc 25; arc 32 < θ: arc 33",
        (13, 14, 15, 16, 19, 23, 24, 25, 32, 33),
        ("Check Variance", "pass", "publish", "infeasible"),
        (f"{_CLASSES}.Moves", f"{_CLASSES}.Moves.donor"),
        "Which places arcs 24, 25, 32 and 33 join is in Figure 2 only, which the public text "
        "lacks; by the prose one of the last two branches compares the variance of an adjusted "
        "class and leads to Need Noise. "
        "What puts EC_n−1 into StrictECn-1 is in no branch that can be read; here 'strict' does. "
        "The branch of the donor asks V_b > θ and does not ask V_c < θ. "
        "Five things in one transition cannot fire as one: each branch is a transition. V = θ is "
        "in no printed branch and stops the net; here it passes, as Definition 10 says. A branch "
        "for 'no donor' and one that publishes without noise are missing in print. Donors are "
        "looked for in all later classes; line 31 as printed sees class c + 1 only.",
        ("N2", "T26", "T25", "N1"),
    ),
    PaperRule(
        "Rule (7), Adjst Var",
        "c ≠ n: CompMfsv(EC_b, EC_c), backCheck(EC_b, EC_c), AdjECc := swap(EC_b, EC_c); c = n: "
        "CompMfsv(EC_n, EC_n−1), crossCheck(EC_n, EC_n−1), AdjECn := swap(EC_n, EC_n−1)",
        (17, 20, 21, 28, 29),
        ("Adjst Var", "swap", "cross swap"),
        (
            f"{_MOVES}.most_frequent_values",
            f"{_MOVES}.back_check",
            f"{_MOVES}.cross_check",
            f"{_MOVES}.swap",
        ),
        "The donor is written back as well, which the rule as printed does not do; 'line 24', "
        "'line 40' and so on are the lines of Algorithm 1 that decide afterwards. Every tie of the "
        "most frequent values is a choice.",
        ("N3", "T24", "T28"),
    ),
    PaperRule(
        "Rule (8), Add Noise",
        "V < θ: arc 36 := addNoise(Need Noise[2], Need Noise[3], Need Noise[4]), of three parts",
        (34, 35, 36),
        ("Add Noise", "noise"),
        (f"{_MOVES}.absent", f"{_MOVES}.add_noise"),
        "Of arc 36's three parts one is an id, by what goes in; PublshdData has none in Table 10, "
        "nor has a noise row here. "
        "Fires until θ holds, for any class and not only the last. Where every value is in the "
        "class already, the run ends in Infeasible; Algorithm 1 as printed "
        "does not end, and in the net as printed nothing more can fire.",
        ("T27", "T23"),
    ),
)

_P_PLUS_PLACES = (
    PaperPlace("MT", "QI × sensitive value × id", "MT", "The classes are formed before."),
    PaperPlace("MMT", "QI × sensitive value × k", "MMT"),
    PaperPlace("KLevel", "k", "KLevel"),
    PaperPlace("CondTF", "condition", "CondTF"),
    PaperPlace("Gi", "QI × sensitive value × k", "Gi"),
    PaperPlace("ds", "sensitive values", "ds", "Of each class."),
    PaperPlace("CountDs", "number of sensitive values", "CountDs", "Of each class."),
    PaperPlace("Gi", "QI × sensitive value × k × C", "GiC", "Two places have one name in print."),
    PaperPlace("PLevel", "p", "PLevel"),
    PaperPlace("CompC", "number of categories", "CompC", "Of each class."),
    PaperPlace("Publish Data", "QI × sensitive value", "Publish Data"),
    PaperPlace("BK", "id × QI", "BK", "Only with attackers."),
    PaperPlace("SA Disc", "QI × sensitive value × id", "SA Disc", "Only with attackers."),
    PaperPlace("", "", "Infeasible", "Ours: the first class that fails a check."),
    PaperPlace("", "", "To Mask", "Ours, with `--mask`: the classes are not generalized yet."),
    PaperPlace("", "", "Masked Table", "Ours, with `--mask`: labels and values of each class."),
)

_P_PLUS_RULES = (
    PaperRule(
        "Section 4, Generalize",
        "MMT := Generalize(MT)",
        (),
        ("Generalize", "Generalize QI"),
        ("kproof.petri.papers.masking.masked",),
        "The paper outlines these rules in words and gives none of them. The end user's input is "
        "the classes. They do not change in this net, so it does not matter when their labels are "
        "worked out: with `--mask`, on the level of records, 'Generalize QI' does it in the net.",
    ),
    PaperRule(
        "Section 4, k-anonymity",
        "Count(EC) ≥ k: CondTF := true, classes into Gi",
        (),
        ("CheckK",),
        ("kproof.petri.papers.p_plus_sensitive.p_plus_publisher",),
        "The other branch has a transition too, which names the first class that fails.",
        ("T4",),
    ),
    PaperRule(
        "Section 4, Dist and Count",
        "ds := Dist(EC) and CountDs := Count(ds)",
        (),
        ("Dist", "Count"),
        ("kproof.petri.papers.p_plus_sensitive.p_plus_publisher",),
        "",
    ),
    PaperRule(
        "Section 4, CheckPK",
        "CountDs ≥ p: Gi with categories := Get_Cat(Gi)",
        (),
        ("CheckPK",),
        ("kproof.petri.papers.p_plus_sensitive.p_plus_publisher",),
        "Every class, as Definition 8 asks. The other branch names the first class that fails.",
        ("T4",),
    ),
    PaperRule(
        "Section 4, CompC and CheckPPK",
        "CompC := number of categories; CompC ≥ p: Publish Data",
        (),
        ("CompC", "CheckPPK"),
        ("kproof.petri.papers.p_plus_sensitive.p_plus_publisher",),
        "Categories are those of Table 3, or the user's. The paper says that EC2 and EC3 of Table "
        "4a have the categorical similarity attack, which by Definition 5 needs a class of one "
        "category; all three classes have two. EC2 is also fully diverse, V = 5/4, the largest "
        "variance of four rows.",
        ("T1", "T4", "T6", "T7"),
    ),
)

_ATTACK_RULES = (
    PaperRule(
        "Rule (1), Attack on p⁺-sensitive k-anonymity",
        "S-VarianceAttck(BK[2], Published[2]), SA Disc[2] = MT[1] and SA Disc[2] = MT[3]",
        (40, 42, 43, 2),
        ("Attack: sensitive-variance",),
        (f"{_ATTACKS}.variance.sensitive_variance",),
        "As printed one part of SA Disc equals two parts of MT. By Table 7 it is the sensitive "
        "value, and they are the quasi-identifiers and the id; by Table 10 they would be id and "
        "value. The arguments are the quasi-identifiers of BK and the sensitive values of the "
        "publication, which have nothing to join. Read as a join on quasi-identifiers that gives "
        "a person's value. The condition as printed is that the attack succeeds, for every victim; "
        "here it fires for a victim if V of what the adversary believes is below θ, and only then "
        '(with `criterion="posterior"`: if the belief reaches tau).',
        ("T9", "T6"),
        "Publish Data",
    ),
    PaperRule(
        "Rule (9), S-Variance Attack on θ-sensitive k-anonymity",
        "Att_Dis(Published[2], BK[2]) with MT[1], MT[2], MT[3], and (SA Disc[2], SA Disc[3]) = ∅",
        (38, 40, 41, 2),
        ("Attack: sensitive-variance",),
        (f"{_ATTACKS}.variance.sensitive_variance",),
        "The empty result is no effect of a transition but what is to be shown: here a property, "
        "that SA Disc is empty in every reachable marking, which holds or fails by table and "
        "background knowledge. The indices of the arguments are those of Rule (1).",
        ("N4", "T34", "T30"),
        "PublshdData",
    ),
    PaperRule(
        "Definition 5, categorical similarity",
        "no rule: all values of a class are of one category",
        (),
        ("Attack: categorical-similarity",),
        (f"{_ATTACKS}.similarity.categorical_similarity",),
        "Ours. Fires when the belief in a category reaches tau, 1 by default, which is the "
        "definition.",
        ("T3", "T6"),
    ),
    PaperRule(
        "Section 5.2, homogeneity",
        "no rule: the attack is named as one that the model prevents",
        (),
        ("Attack: homogeneity",),
        (f"{_ATTACKS}.homogeneity.homogeneity",),
        "Ours. Fires when the belief in a value reaches tau, 1 by default.",
        ("T32", "T33"),
    ),
)

_THREE = ("sensitive-variance", "categorical-similarity", "homogeneity")
_TABLE: Mapping[str, Any] = {"table": "table-1a", "k": 4, "sensitive": "Disease"}

PAPER_NETS: Mapping[str, PaperNet] = {
    "theta-sensitive": PaperNet(
        "Figure 2: the θ-sensitive publisher",
        "Table 10",
        "Table 9",
        _THETA_TYPES,
        _THETA_PLACES,
        _THETA_RULES,
        {
            "by rules": {**_TABLE, "name": "theta-sensitive", "cut": "rules"},
            "by moves": {**_TABLE, "name": "theta-sensitive"},
            "by moves, with padding": {
                **_TABLE,
                "name": "theta-sensitive",
                "k": 5,
                "padding": "noise",
            },
            "by moves, with labels": {**_TABLE, "name": "theta-sensitive", "masks": True},
            "as printed": {**_TABLE, "name": "theta-sensitive", "reading": "printed"},
        },
    ),
    "p-plus-sensitive": PaperNet(
        "Figure 1: the p⁺-sensitive publisher",
        "Table 7",
        "Table 6",
        _P_PLUS_TYPES,
        _P_PLUS_PLACES,
        _P_PLUS_RULES,
        {
            "corrected": {**_TABLE, "name": "p-plus-sensitive", "p": 2, "categories": True},
            "with labels": {
                **_TABLE,
                "name": "p-plus-sensitive",
                "p": 2,
                "categories": True,
                "masks": True,
            },
        },
    ),
    "attackers": PaperNet(
        "Figures 1 and 2: the adversary",
        "Tables 7 and 10",
        "Tables 6 and 9",
        (),
        (
            PaperPlace("BK", "id × QI", "BK", "Attack and victim; a token for each."),
            PaperPlace(
                "SA Disc", "QI × sensitive value × id", "SA Disc", "Attack, victim and value."
            ),
        ),
        _ATTACK_RULES,
        {
            "on the p⁺-sensitive publisher": {
                **_TABLE,
                "name": "p-plus-sensitive",
                "p": 2,
                "categories": True,
                "attackers": _THREE,
            },
            "on the θ-sensitive publisher": {
                **_TABLE,
                "name": "theta-sensitive",
                "categories": True,
                "attackers": _THREE,
            },
        },
    ),
}
"""The nets of the paper, by the name under which ``kproof net rules`` knows them."""


def rules_of(name: str) -> PaperNet:
    """Return what the paper says of one of its nets.

    Raises
    ------
    InvalidArgument
        If there is no such net.
    """
    if name not in PAPER_NETS:
        raise InvalidArgument("net", name, " or ".join(PAPER_NETS))
    return PAPER_NETS[name]


def of_rule(made: Net, rule: PaperRule) -> Iterator[Transition]:
    """Run through the transitions of a net that do what a rule says."""
    for one in made.transitions:
        if one.name.startswith(rule.transitions) and (not rule.reads or rule.reads in one.reads):
            yield one


def inscribed(one: Transition) -> str:
    """Return a transition with its arcs and its guard, on one line.

    Examples
    --------
    >>> made = PAPER_NETS["theta-sensitive"].nets()["by moves"]
    >>> print(inscribed(made.transition["pass"]))
    pass: takes MMT (c, ecs); puts MMT (next(c), ecs); if c < 2 and passes(c, ecs)
    """
    parts = [
        f"{verb} {', '.join(f'{place} {bag}' for place, bag in arcs.items())}"
        for verb, arcs in (("takes", one.takes), ("reads", one.reads), ("puts", one.puts))
        if arcs
    ]
    conditions = [*map(str, one.choices), *([str(one.guard)] if str(one.guard) != "true" else [])]
    if conditions:
        parts.append(f"if {' and '.join(conditions)}")
    return f"{one.name}: {'; '.join(parts)}"


def _made(
    *,
    name: str,
    table: str,
    k: int,
    sensitive: str,
    categories: bool = False,
    attackers: tuple[str, ...] = (),
    masks: bool = False,
    **options: Any,
) -> Net:
    from kproof.models.papers.theta_tables import categories as shipped
    from kproof.models.papers.theta_tables import microdata

    if masks:
        options["tokens"] = "records"
    return net(
        name,
        microdata() if masks else table,
        k=k,
        sensitive=sensitive,
        categories=shipped() if categories else None,
        attackers=attackers,
        masks=masks,
        **options,
    ).net


def lines_of(name: str) -> Iterator[str]:
    """Run through the lines of the page on a net, as Markdown."""
    paper, nets = rules_of(name), rules_of(name).nets()
    yield f"## {paper.title}"
    yield ""
    if paper.types:
        yield f"| type in {paper.typed} | is, as printed | here |"
        yield "|---|---|---|"
        for kind in paper.types:
            yield f"| {kind.name} | {kind.says} | {kind.here} |"
        yield ""
    yield f"| place in {paper.table} | holds, as printed | here | colour here | what differs |"
    yield "|---|---|---|---|---|"
    places = {one.name: one for made in nets.values() for one in made.places}
    for one in paper.places:
        colour = places[one.here].colour.name if one.here in places else ""
        printed = f"{one.name} | ℙ({one.holds})" if one.name else "– | –"
        yield f"| {printed} | {one.here} | {colour} | {one.differs} |"
    for rule in paper.rules:
        yield from ("", f"### {rule.name}", "", f"As printed: {rule.printed}.")
        if rule.labels:
            yield f"Arcs as printed: {', '.join(map(str, rule.labels))}."
        yield ""
        told: dict[str, list[str]] = {}
        for example, made in nets.items():
            for transition in of_rule(made, rule):
                told.setdefault(inscribed(transition), []).append(example)
        for line, examples in told.items():
            of = "" if len(examples) == len(nets) else f" ({'; '.join(examples)})"
            yield f"- `{line}`{of}"
        yield ""
        yield f"Calls {', '.join(f'`{one}`' for one in rule.calls)}."
        if rule.differs:
            yield f"What differs: {rule.differs}"
        if rule.rows:
            yield f"In the ledger: {', '.join(rule.rows)}."


def page() -> str:
    """Return the whole page as Markdown."""
    lines = [_HEAD]
    for name in PAPER_NETS:
        lines += ["", *lines_of(name)]
    return "\n".join(lines) + "\n"


_HEAD = """# The rules of the paper, and the nets

This page has the places and rules of Khan et al., "θ-Sensitive k-Anonymity", Electronics 2020,
9(5), 716, beside the transitions that do them here. `kproof net rules` prints it by parts.
It is made from the nets: guards and arcs are those that are explored, for Table 1a with k = 4.
The text of the paper that is public lost most operators of the formulas; they are given as its
prose and its tables of places explain them. An arc has a number in print; place[n] is the n-th part
of the token that goes along the arc. Here arcs carry terms whose parts have names, and no numbers.
Rows of the ledger are listed by `kproof audit`."""
