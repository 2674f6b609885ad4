"""The publisher of the base model as a net: p⁺-sensitive k-anonymity, checked step by step.

The publisher's side of Figure 1: classes are formed, each check is a transition with a branch for
each answer, and what passes all of them is published. Places carry the names of Table 7, in which
two are called Gi; the one with categories is called GiC here.

Source: Khan et al., "θ-Sensitive k-Anonymity", Electronics 2020, 9(5), 716, Section 4, which
outlines Rules 1 to 7 of its reference [18].
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from kproof.errors import DataError, show
from kproof.models.base.parameters import GROUP_K
from kproof.petri.net.colours import Enumeration, Integers, Open, Product
from kproof.petri.net.net import Choice, NetBuilder
from kproof.petri.net.terms import Constant, Function, Variable, tuple_of
from kproof.petri.papers.classes import ClassTokens, ECs, Tokens
from kproof.petri.papers.publisher import INFEASIBLE, PartitionedTable, Publisher
from kproof.theory.exact.typed import Number, choice, integer


def p_plus_publisher(
    classes: PartitionedTable | Sequence[Sequence[object]],
    *,
    p: Number,
    k: Number,
    categories: Mapping[object, object] | None = None,
    domain: Iterable[object] | None = None,
    tokens: Tokens | str = Tokens.VALUES,
) -> Publisher:
    """Return a publisher that checks a table and publishes it if it satisfies the model.

    Its net has one run up to the order of independent steps. The run ends with the classes in
    Publish Data, or in Infeasible together with the first class that fails a check.

    Args:
        p: Least number of distinct values, and of distinct categories, in a class, 1 ≤ p ≤ k.
        k: Least number of rows in a class, k ≥ 2.
        categories: Category of each sensitive value.
        classes, domain, tokens: As for
            :func:`kproof.petri.papers.theta_sensitive.theta_publisher`.

    Raises:
        DataError: If a value has no category.

    >>> known = {"HIV": 1, "Flu": 4}
    >>> print(p_plus_publisher([["HIV", "Flu"]], p=2, k=2, categories=known).net().initial)
    MT: (((Flu, 1), (HIV, 1)),); KLevel: 2; PLevel: 2
    """
    rows = GROUP_K.read(k)
    distinct = integer("p", p, least=1, most=rows)
    formed = PartitionedTable.of(classes, domain, categories)
    for code, value in enumerate(formed.domain):
        if code != formed.gap and value not in formed.categories:
            raise DataError(
                f"p-plus-sensitive: value {show(str(value))} has no category; give every value one"
            )
    kind, values, ecs = formed.tokens(tokens)
    build = NetBuilder("p-plus-sensitive")
    # What is missing is no further value and of no further category, whatever it is.
    category = {
        code: formed.categories[value]
        for code, value in enumerate(formed.domain)
        if code != formed.gap
    }
    published = _add_checks(build, kind, category, ecs, rows, distinct)
    options: dict[str, object] = {"p": distinct, "tokens": str(choice("tokens", tokens, Tokens))}
    table = formed, kind, values, rows
    return Publisher(
        build, "Publish Data", published, *table, name="p-plus-sensitive", options=options
    )


def _add_checks(
    build: NetBuilder,
    kind: ClassTokens,
    category: Mapping[int, object],
    first: ECs,
    rows: int,
    distinct: int,
) -> Open:
    index = Integers("EC", 0, len(first) - 1)
    tables = Open("ECs", lambda token: isinstance(token, tuple) and len(token) == len(first))
    lists = Open("by EC", lambda token: isinstance(token, tuple) and len(token) == len(first))
    failing = Product("EC × ECs", (index, tables))
    k_level, p_level = Integers("k", rows, rows), Integers("p", distinct, distinct)
    truth = Enumeration("Condition", (False, True))
    ecs, entries = Variable("ecs", tables), Variable("found", lists)
    k, p, c = Variable("k", k_level), Variable("p", p_level), Variable("c", index)
    true = Constant(True, truth)

    build.place("MT", tables, Constant(first, tables), note="microdata")
    build.place("MMT", tables, note="the masked table")
    build.place("KLevel", k_level, Constant(rows, k_level), note="k")
    build.place("CondTF", truth, note="whether the last check held")
    build.place("Gi", tables, note="classes of k rows")
    build.place("ds", lists, note="distinct sensitive values of each class")
    build.place("CountDs", lists, note="how many")
    build.place("GiC", lists, note="distinct categories of each class")
    build.place("PLevel", p_level, Constant(distinct, p_level), note="p")
    build.place("CompC", lists, note="how many")
    build.place("Publish Data", tables, note="what is published")
    build.place(INFEASIBLE, failing, note="the first class that fails a check")

    def sizes(ecs: ECs) -> tuple[int, ...]:
        return tuple(sum(kind.multiset(ec).values()) for ec in ecs)

    def values(ecs: ECs) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(v for v in sorted(kind.multiset(ec)) if v in category) for ec in ecs)

    def kinds(ecs: ECs) -> tuple[tuple[object, ...], ...]:
        return tuple(
            tuple(dict.fromkeys(category[value] for value in found)) for found in values(ecs)
        )

    def lengths(entries: tuple[tuple[object, ...], ...]) -> tuple[int, ...]:
        return tuple(map(len, entries))

    def counted(counts: tuple[int, ...]) -> tuple[int, ...]:
        return counts

    def short(numbers: Callable[[Any], tuple[int, ...]], note: str, name: str) -> Function:
        return Function(
            name,
            lambda token, bound: [c for c, size in enumerate(numbers(token)) if size < bound][:1],
            note=note,
        )

    def enough(numbers: Callable[[Any], tuple[int, ...]], note: str, name: str) -> Function:
        return Function(name, lambda token, bound: min(numbers(token)) >= bound, note=note)

    full = enough(sizes, "every class has k rows", "full")
    small = short(sizes, "the first class below k rows", "small")
    rich = enough(counted, "every class has p of them", "rich")
    poor = short(counted, "the first class below p of them", "poor")
    count = Function("Count", lengths, lists, "how many each class has")

    build.transition("Generalize", takes={"MT": ecs}, puts={"MMT": ecs})
    build.transition(
        "CheckK", takes={"MMT": ecs, "KLevel": k}, puts={"Gi": ecs, "CondTF": true},
        guard=full(ecs, k), note="every class has k rows",
    )  # fmt: skip
    build.transition(
        "CheckK: fails", takes={"MMT": ecs, "KLevel": k}, puts={INFEASIBLE: tuple_of(c, ecs)},
        choices=(Choice(c, small, (ecs, k)),), note="a class is too small",
    )  # fmt: skip
    build.transition(
        "Dist", takes={"CondTF": true}, reads={"Gi": ecs},
        puts={"ds": Function("Dist", values, lists, "distinct values of each class")(ecs)},
    )  # fmt: skip
    build.transition("Count", takes={"ds": entries}, puts={"CountDs": count(entries)})
    build.transition(
        "CheckPK", takes={"CountDs": entries, "Gi": ecs}, reads={"PLevel": p},
        puts={"GiC": Function("Get_Cat", kinds, lists, "distinct categories of each class")(ecs),
              "Gi": ecs},
        guard=rich(entries, p), note="p-sensitive: every class has p values; then Get_Cat",
    )  # fmt: skip
    build.transition(
        "CheckPK: fails", takes={"CountDs": entries, "Gi": ecs}, reads={"PLevel": p},
        puts={INFEASIBLE: tuple_of(c, ecs)}, choices=(Choice(c, poor, (entries, p)),),
        note="a class has fewer than p values",
    )  # fmt: skip
    build.transition("CompC", takes={"GiC": entries}, puts={"CompC": count(entries)})
    build.transition(
        "CheckPPK", takes={"CompC": entries, "Gi": ecs}, reads={"PLevel": p},
        puts={"Publish Data": ecs}, guard=rich(entries, p),
        note="p⁺-sensitive: every class has p categories",
    )  # fmt: skip
    build.transition(
        "CheckPPK: fails", takes={"CompC": entries, "Gi": ecs}, reads={"PLevel": p},
        puts={INFEASIBLE: tuple_of(c, ecs)}, choices=(Choice(c, poor, (entries, p)),),
        note="a class has fewer than p categories",
    )  # fmt: skip
    return tables
