"""The publisher of the base model as a net: p⁺-sensitive k-anonymity, checked step by step.

The publisher's side of Figure 1: classes are formed, each check is a transition with a branch for
each answer, and what passes all of them is published. Places carry the names of Table 7, in which
two are called Gi; the one with categories is called GiC here.

Source: Khan et al., "θ-Sensitive k-Anonymity", Electronics 2020, 9(5), 716, Section 4, which
outlines Rules 1 to 7 of its reference [18].
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kproof.errors import DataError, show
from kproof.models.base.parameters import GROUP_K
from kproof.petri.net.colours import Enumeration, Integers, Open, Product
from kproof.petri.net.net import NetBuilder
from kproof.petri.net.terms import Constant, Variable
from kproof.petri.papers.classes import ClassTokens, ECs, Tokens
from kproof.petri.papers.net_files import Calls, add_part, functions_of
from kproof.petri.papers.publisher import PartitionedTable, Publisher
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
    k_level, p_level = Integers("k", rows, rows), Integers("p", distinct, distinct)
    truth = Enumeration("Condition", (False, True))

    def sizes(ecs: ECs) -> tuple[int, ...]:
        return tuple(sum(kind.multiset(ec).values()) for ec in ecs)

    def values(ecs: ECs) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(v for v in sorted(kind.multiset(ec)) if v in category) for ec in ecs)

    def kinds(ecs: ECs) -> tuple[tuple[object, ...], ...]:
        return tuple(tuple(dict.fromkeys(category[v] for v in ec)) for ec in values(ecs))

    def below(numbers: tuple[int, ...], bound: int) -> list[int]:
        # The first alone: a table that fails in several classes has one end, not one for each.
        return [c for c, size in enumerate(numbers) if size < bound][:1]

    words: dict[str, Any] = {
        "ECs": tables, "lists": lists, "rows": k_level, "distinct": p_level, "truth": truth,
        "failing": Product("EC × ECs", (index, tables)),
        "ecs": Variable("ecs", tables), "found": Variable("found", lists),
        "k": Variable("k", k_level), "p": Variable("p", p_level), "c": Variable("c", index),
        "table": Constant(first, tables), "true": Constant(True, truth),
        "least_rows": Constant(rows, k_level), "least_distinct": Constant(distinct, p_level),
    }  # fmt: skip
    calls: Calls = {
        "full": lambda ecs, k: min(sizes(ecs)) >= k,
        "small": lambda ecs, k: below(sizes(ecs), k),
        "rich": lambda counts, p: min(counts) >= p,
        "poor": below,
        "Count": lambda lists: tuple(map(len, lists)),
        "Dist": values,
        "Get_Cat": kinds,
    }
    words |= functions_of("p-plus", calls, words)
    add_part(build, "p-plus", words)
    return tables
