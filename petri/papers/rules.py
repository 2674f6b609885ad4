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
    """A place of Table 7 or 10.

    Attributes
    ----------
    name, holds
        As the table has them: a set of what.
    here
        The place of the net; empty if there is none.
    differs
        What is different here; empty if nothing is.
    """

    name: str
    holds: str
    here: str
    differs: str = ""


@dataclass(frozen=True)
class PaperRule:
    """A rule of the paper, and where it is in the nets.

    Attributes
    ----------
    name
        Its number, and the transition it is about.
    printed
        What it says, in our notation.
    transitions
        How the names of its transitions begin.
    calls
        Full names of the functions that do the work.
    differs
        What was changed and why, and what is named here that the paper leaves unsaid.
    rows
        Rows of the ledger on it.
    """

    name: str
    printed: str
    transitions: tuple[str, ...]
    calls: tuple[str, ...]
    differs: str
    rows: tuple[str, ...] = ()


@dataclass(frozen=True)
class PaperNet:
    """A net of the paper: its figure, its places and its rules.

    Attributes
    ----------
    title
        What it is called.
    table
        Number of the paper's table of its places.
    places, rules
        As the paper has them, in its order.
    examples
        The nets here that are made of them, by what they are called.
    """

    title: str
    table: str
    places: tuple[PaperPlace, ...]
    rules: tuple[PaperRule, ...]
    examples: Mapping[str, Mapping[str, Any]]

    def nets(self) -> dict[str, Net]:
        """Return the nets, for a shipped table of the paper."""
        return {name: _made(**options) for name, options in self.examples.items()}


_MOVES = "kproof.models.tables.theta.moves"
_CLASSES = "kproof.petri.papers.classes"
_ATTACKS = "kproof.models.attacks"

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
        ("Mask Data", "mask", "pad", "Generalize QI"),
        ("kproof.models.tables.theta.forming.cut", "kproof.petri.papers.masking.masked"),
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
        ("Check k",),
        ("kproof.petri.papers.publisher.PartitionedTable.require_rows",),
        "Only the first branch is a transition: Mask Data does not fire for a table that has a "
        "class below k rows, and the publisher refuses it.",
    ),
    PaperRule(
        "Rule (4), Calc Theta",
        "Theta := Mu · Sigma²",
        ("Calc Theta",),
        (f"{_MOVES}.Threshold.at",),
        "The place Sigma holds σ² here, which is rational; the formula squares σ. Fractions "
        "throughout: floats decide k = 5, μ = 0.68 wrongly.",
        ("T11", "T17"),
    ),
    PaperRule(
        "Rule (5), Compute Var",
        "VarECs[1] := ComputeVar(EC[1]) and VarECs[2] := EC[2]",
        ("Compute Var",),
        (f"{_MOVES}.variance",),
        "The paper says that the same transition serves adjusted classes; here these are "
        "transitions of their own, one for class c and one for the last.",
        ("N3", "T7"),
    ),
    PaperRule(
        "Rule (6), Check Variance",
        "V_c > θ: the next class, in MMT; V_c < θ and V_b > θ: EC_b into Found ECb; for the last "
        "class: EC_n−1 into StrictECn-1; V of an adjusted class < θ: into Need Noise",
        ("Check Variance", "pass", "publish", "infeasible"),
        (f"{_CLASSES}.Moves", f"{_CLASSES}.Moves.donor"),
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
        "V < θ: PublshdData gains addNoise(id, QI, sensitive value)",
        ("Add Noise", "noise"),
        (f"{_MOVES}.absent", f"{_MOVES}.add_noise"),
        "Fires until θ holds, for any class and not only the last. Where every value is in the "
        "class already, the run ends in Infeasible; as printed it does not end.",
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
        ("Generalize", "Generalize QI"),
        ("kproof.petri.papers.masking.masked",),
        "The paper outlines these rules in words and gives none of them. The end user's input is "
        "the classes. They do not change in this net, so it does not matter when their labels are "
        "worked out: with `--mask`, on the level of records, 'Generalize QI' does it in the net.",
    ),
    PaperRule(
        "Section 4, k-anonymity",
        "Count(EC) ≥ k: CondTF := true, classes into Gi",
        ("CheckK",),
        ("kproof.petri.papers.p_plus_sensitive.p_plus_publisher",),
        "The other branch has a transition too, which names the first class that fails.",
        ("T4",),
    ),
    PaperRule(
        "Section 4, Dist and Count",
        "ds := Dist(EC) and CountDs := Count(ds)",
        ("Dist", "Count"),
        ("kproof.petri.papers.p_plus_sensitive.p_plus_publisher",),
        "",
    ),
    PaperRule(
        "Section 4, CheckPK",
        "CountDs ≥ p: Gi with categories := Get_Cat(Gi)",
        ("CheckPK",),
        ("kproof.petri.papers.p_plus_sensitive.p_plus_publisher",),
        "Every class, as Definition 8 asks. The other branch names the first class that fails.",
        ("T4",),
    ),
    PaperRule(
        "Section 4, CompC and CheckPPK",
        "CompC := number of categories; CompC ≥ p: Publish Data",
        ("CompC", "CheckPPK"),
        ("kproof.petri.papers.p_plus_sensitive.p_plus_publisher",),
        "Categories are those of Table 3, or the user's. What the paper says of EC2 in Table 4a, "
        "that it has values of one category, is not so: all three classes have two.",
        ("T1", "T4", "T6"),
    ),
)

_ATTACK_RULES = (
    PaperRule(
        "Rule (1), Attack on p⁺-sensitive k-anonymity",
        "S-VarianceAttck(BK[2], Published[2]): SA Disc[2] := id and SA Disc[3] := sensitive value",
        ("Attack: sensitive-variance",),
        (f"{_ATTACKS}.variance.sensitive_variance",),
        "As printed, the sensitive value is joined with quasi-identifiers: the arguments have the "
        "same index 2, which is the quasi-identifiers of BK and the sensitive value of the "
        "publication. Read as a join on quasi-identifiers. The condition as printed is that the "
        "attack succeeds, for every victim; here an attack fires when the victim's posterior "
        "reaches tau, and only then.",
        ("T9", "T6"),
    ),
    PaperRule(
        "Rule (9), S-Variance Attack on θ-sensitive k-anonymity",
        "Att_Dis(Published[2], BK[2]) with SA Disc = ∅ as the result",
        ("Attack: ",),
        (f"{_ATTACKS}.posteriors.believe",),
        "The empty result is no effect of a transition but what is to be shown: here a property, "
        "that SA Disc is empty in every reachable marking, which holds or fails by table and "
        "background knowledge. Arcs carry tokens with named parts; the paper's i₄₀[2] and so on "
        "are parts of them by position.",
        ("N4", "T34", "T30"),
    ),
)

_TABLE: Mapping[str, Any] = {"table": "table-1a", "k": 4, "sensitive": "Disease"}

PAPER_NETS: Mapping[str, PaperNet] = {
    "theta-sensitive": PaperNet(
        "Figure 2: the θ-sensitive publisher",
        "Table 10",
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
        (
            PaperPlace("BK", "id × QI", "BK", "Attack and victim; a token for each."),
            PaperPlace(
                "SA Disc", "QI × sensitive value × id", "SA Disc", "Attack, victim and value."
            ),
        ),
        _ATTACK_RULES,
        {
            "three attacks on the θ-sensitive publisher": {
                **_TABLE,
                "name": "theta-sensitive",
                "categories": True,
                "attackers": ("sensitive-variance", "categorical-similarity", "homogeneity"),
            }
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
        if one.name.startswith(rule.transitions):
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
    yield f"| place in {paper.table} | holds, as printed | here | colour here | what differs |"
    yield "|---|---|---|---|---|"
    places = {one.name: one for made in nets.values() for one in made.places}
    for one in paper.places:
        colour = places[one.here].colour.name if one.here in places else ""
        printed = f"{one.name} | ℙ({one.holds})" if one.name else "– | –"
        yield f"| {printed} | {one.here} | {colour} | {one.differs} |"
    for rule in paper.rules:
        yield from ("", f"### {rule.name}", "", f"As printed: {rule.printed}.", "")
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
prose and its tables of places explain them. Rows of the ledger are listed by `kproof audit`."""
