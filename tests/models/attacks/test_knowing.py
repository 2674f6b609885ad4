"""Beliefs of who knows Algorithm 1, beside every table and every run of it."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import cases
from nights import at_night, by_day

from kproof.errors import DataError, Infeasible, InvalidArgument, TooLarge
from kproof.models.attacks.knowing.beliefs import MethodBeliefs, method_beliefs
from kproof.models.attacks.knowing.contents import Ties
from kproof.models.attacks.knowing.releases import release_beliefs
from kproof.models.tables.table import Table
from kproof.models.tables.theta.method import theta_sensitive
from kproof.models.tables.theta.moves import Threshold
from kproof.models.tables.theta.options import Noise
from kproof.models.tables.theta.runs import adjust_plainly, adjust_printed, form_classes

Rows = tuple[tuple[int, bool], ...]
"""Value of each row of a class, and whether it is somebody's."""


def variance(rows: Rows) -> Fraction:
    """V of Section 5.1.1, from its definition."""
    counts = sorted(Counter(value for value, _ in rows).values(), reverse=True)
    size = sum(counts)
    mean = Fraction(sum(x * f for x, f in enumerate(counts, 1)), size)
    return sum((f * (x - mean) ** 2 for x, f in enumerate(counts, 1)), Fraction(0)) / size


def exchanged(rows: Rows, leaves: int, comes: tuple[int, bool]) -> Rows:
    """A class in which another row stands in the place of one with a value."""
    place = next(i for i, (value, _) in enumerate(rows) if value == leaves)
    return tuple(sorted((*rows[:place], comes, *rows[place + 1 :])))


def top(counts: Counter[int]) -> list[int]:
    """The most frequent values."""
    return [value for value, count in counts.items() if count == max(counts.values())]


def runs(
    classes: tuple[Rows, ...], stage: int, theta: Fraction, domain: range
) -> Iterator[tuple[Fraction, tuple[Rows, ...]]]:
    """Every end of Algorithm 1 with its probability; spec, "the value-level net, exactly"."""
    if stage == len(classes):
        yield Fraction(1), classes
        return
    here = classes[stage]
    if variance(here) >= theta:
        yield from runs(classes, stage + 1, theta, domain)
        return
    counts = [Counter(value for value, _ in rows) for rows in classes]
    moves: list[tuple[int, int, int]] = []
    if stage < len(classes) - 1:
        for b in range(stage + 1, len(classes)):
            absent = Counter({v: n for v, n in counts[b].items() if v not in counts[stage]})
            if variance(classes[b]) >= theta and absent:
                moves = [(b, x, y) for x in top(counts[stage]) for y in top(absent)]
                break
    elif stage:
        moves = [
            (stage - 1, x, y)
            for x in top(counts[stage])
            for y in top(counts[stage - 1])
            if x not in counts[stage - 1] and y not in counts[stage]
        ]
    for b, x, y in moves:
        out = next(row for row in here if row[0] == x)
        back = next(row for row in classes[b] if row[0] == y)
        after = list(classes)
        after[stage], after[b] = exchanged(here, x, back), exchanged(classes[b], y, out)
        for chance, end in runs(tuple(after), stage, theta, domain):
            yield chance / len(moves), end
    if not moves:
        noise = [value for value in domain if value not in counts[stage]]
        for value in noise:
            after = list(classes)
            after[stage] = tuple(sorted((*here, (value, False))))
            for chance, end in runs(tuple(after), stage, theta, domain):
                yield chance / len(noise), end


def printed_runs(
    classes: tuple[Rows, ...], threshold: Threshold, domain: range, *, by_rules: bool
) -> Iterator[tuple[Fraction, tuple[Rows, ...]]]:
    """Every end of the printed Algorithm 1 with its probability, line by line.

    The columns of ``judged`` are "V < θ", "V = θ" and "V > θ", as 0, 1 and 2.
    """
    last = len(classes) - 1

    def judge(rows: Rows) -> int:
        spread, theta = variance(rows), threshold.at(len(rows))
        return (spread >= theta) + (spread > theta)

    def filled(rows: Rows) -> Iterator[tuple[Fraction, Rows]]:
        if judge(rows) == 2:
            yield Fraction(1), rows
            return
        absent = [value for value in domain if value not in {held for held, _ in rows}]
        for value in absent:
            for chance, end in filled(tuple(sorted((*rows, (value, False))))):
                yield chance / len(absent), end

    def turn(
        ecs: tuple[Rows, ...], judged: tuple[int, ...], c: int, turns: int
    ) -> Iterator[tuple[Fraction, tuple[Rows, ...]]]:
        if not turns or c > last:
            yield Fraction(1), ecs
            return
        if judged[c]:
            if judged[c] == 2 or not by_rules:
                yield from turn(ecs, judged, c + 1, turns - 1)
            return
        counts = [Counter(value for value, _ in rows) for rows in ecs]
        b = c - 1 if c == last else c + 1
        pairs: list[tuple[int, int]] = []
        if c == last and c:
            pairs = [
                (x, y)
                for x in top(counts[c])
                for y in top(counts[b])
                if x not in counts[b] and y not in counts[c]
            ]
        elif c < last and judged[b] == 2:
            absent = Counter({v: n for v, n in counts[b].items() if v not in counts[c]})
            pairs = [(x, y) for x in top(counts[c]) for y in (top(absent) if absent else [])]
        outcomes = [(Fraction(1), ecs)] if not pairs else []
        for x, y in pairs:
            out = next(row for row in ecs[c] if row[0] == x)
            back = next(row for row in ecs[b] if row[0] == y)
            after = list(ecs)
            after[c], after[b] = exchanged(ecs[c], x, back), exchanged(ecs[b], y, out)
            outcomes.append((Fraction(1, len(pairs)), tuple(after)))
        for chance, after_swap in outcomes:
            fills = [(Fraction(1), after_swap[c])]
            if (c == last and not judge(after_swap[c])) or (c < last and judged[b] < 2):
                fills = list(filled(after_swap[c]))
            for share, rows in fills:
                shown = (*after_swap[:c], rows, *after_swap[c + 1 :])
                if c == last:
                    yield chance * share, shown
                    continue
                again = (*judged[:c], judge(rows), *judged[c + 1 :])
                for further, end in turn(shown, again, c + (again[c] == 2), turns - 1):
                    yield chance * share * further, end

    yield from turn(classes, tuple(map(judge, classes)), 0, len(classes))


Publication = tuple[tuple[tuple[int, int], ...], ...]


def enumerated(
    sizes: Sequence[int],
    threshold: Threshold,
    shares: Sequence[Fraction],
    ends: Callable[[tuple[Rows, ...]], Iterable[tuple[Fraction, tuple[Rows, ...]]]] | None = None,
) -> dict[Publication, tuple[Fraction, list[dict[int, Fraction]]]]:
    """Probability of every publication, and how many people of each class have each value."""
    domain, theta = range(len(shares)), threshold.at(threshold.k)
    known: dict[Publication, tuple[list[Fraction], list[dict[int, Fraction]]]] = {}
    for values in product(domain, repeat=sum(sizes)):
        prior = prod((shares[value] for value in values), start=Fraction(1))
        rest, classes = list(values), []
        for size in sizes:
            classes.append(tuple(sorted((value, True) for value in rest[:size])))
            rest = rest[size:]
        ways = runs(tuple(classes), 0, theta, domain) if ends is None else ends(tuple(classes))
        for chance, end in ways:
            shown = tuple(
                tuple(sorted(Counter(value for value, _ in rows).items())) for rows in end
            )
            total, counts = known.setdefault(
                shown, ([Fraction(0)], [defaultdict(Fraction) for _ in sizes])
            )
            total[0] += prior * chance
            for count, rows in zip(counts, end, strict=True):
                for value, real in rows:
                    if real:
                        count[value] += prior * chance
    return {shown: (total[0], counts) for shown, (total, counts) in known.items()}


def normalized(counts: dict[int, Fraction]) -> dict[int, Fraction]:
    """Probabilities of values, from how many people have them."""
    return {value: count / sum(counts.values()) for value, count in sorted(counts.items())}


def believed(
    shown: Publication,
    sizes: Sequence[int],
    threshold: Threshold,
    shares: Sequence[Fraction],
    **asked: Any,
) -> MethodBeliefs:
    multisets = [dict(ec) for ec in shown]
    return method_beliefs(multisets, threshold=threshold, shares=shares, people=sizes, **asked)


@cases(
    ((2,), 2, "1/2", 3),
    ((4,), 4, "3/5", 4),
    ((2, 2), 2, "1/2", 3),
    ((2, 2, 2), 2, "1/2", 3),
    ((2, 3, 2), 2, "1/2", 3),
    *at_night(
        ((3, 3), 3, "3/5", 4), ((3, 3), 3, "1", 4), ((3, 2, 3), 2, "9/10", 3), ((4, 4), 3, "4/5", 3)
    ),
    ids=str,
)
def test_every_publication_of_every_table(sizes, k, mu, values):
    threshold = Threshold(Fraction(mu), k)
    shares = [Fraction(1 + value, values * (values + 1) // 2) for value in range(values)]
    published = enumerated(sizes, threshold, shares)
    assert len(published) > 1
    total = Fraction(0)
    for shown, (chance, counts) in published.items():
        beliefs = believed(shown, sizes, threshold, shares)
        assert beliefs.probability == chance, shown
        assert list(map(dict, beliefs.posteriors)) == list(map(normalized, counts)), shown
        total += chance
    assert total == 1


@pytest.mark.parametrize("by_rules", [False, True])
@cases(
    ((3,), 3, "3/5", 4, False),
    ((2, 2), 2, "1/2", 3, False),
    ((2, 2), 2, "1", 4, False),
    ((2, 2, 2), 2, "1/2", 3, False),
    ((3, 3), 3, "3/5", 3, False),
    ((4, 4), 3, "4/5", 2, False),
    ((2, 3, 2), 2, "3/5", 3, True),
    ((2, 2, 2, 2), 2, "1/2", 2, False),
    ids=str,
)
def test_every_publication_of_the_printed_algorithm(sizes, k, mu, values, per_class, by_rules):
    threshold = Threshold(Fraction(mu), k, per_class)
    shares = [Fraction(1 + value, values * (values + 1) // 2) for value in range(values)]

    def ends(classes: tuple[Rows, ...]) -> Iterable[tuple[Fraction, tuple[Rows, ...]]]:
        return printed_runs(classes, threshold, range(values), by_rules=by_rules)

    for shown, (chance, counts) in enumerated(sizes, threshold, shares, ends).items():
        beliefs = believed(shown, sizes, threshold, shares, reading="printed", by_rules=by_rules)
        assert beliefs.probability == chance, shown
        assert list(map(dict, beliefs.posteriors)) == list(map(normalized, counts)), shown


@pytest.mark.parametrize("reading", ["corrected", "printed"])
@cases(((3,), 3, "3/5", 3), ((3,), 3, "3/5", 4), ((4,), 4, "3/5", 4),
       ((2, 2), 2, "1", 4), ((2, 2, 2), 2, "1/2", 2), ((3, 3), 3, "4/5", 3),
       ((2, 2, 2, 2), 2, "1/2", 2), ids=str)  # fmt: skip
def test_ranges_are_those_of_all_rules_for_ties(sizes, k, mu, values, reading):
    """A rule takes a run for each table, and so chooses among the tables that can come out so."""
    threshold, domain = Threshold(Fraction(mu), k), range(values)
    shares = [Fraction(1 + value, values * (values + 1) // 2) for value in domain]
    tables: dict[Publication, list[tuple[Fraction, bool, list[tuple[Rows, ...]]]]] = {}
    for codes in product(domain, repeat=sum(sizes)):
        unread = iter(codes)
        rows = tuple(tuple(sorted((next(unread), True) for _ in range(size))) for size in sizes)
        if reading == "corrected":
            ways = list(runs(rows, 0, threshold.at(k), domain))
        else:
            ways = list(printed_runs(rows, threshold, domain, by_rules=False))
        ends_of: dict[Publication, list[tuple[Fraction, tuple[Rows, ...]]]] = defaultdict(list)
        for chance, end in ways:
            shown = tuple(tuple(sorted(Counter(v for v, _ in ec).items())) for ec in end)
            ends_of[shown].append((chance, end))
        prior = prod((shares[code] for code in codes), start=Fraction(1))
        for shown, ends in ends_of.items():
            bound = sum(chance for chance, _ in ends) == 1
            tables.setdefault(shown, []).append((prior, bound, [end for _, end in ends]))
    for shown, choices in tables.items():
        asked = {"reading": reading, "most_tables": 10_000}
        beliefs = believed(shown, sizes, threshold, shares, **asked)
        outer = believed(shown, sizes, threshold, shares, reading=reading)
        assert (beliefs.ranges_exact, outer.ranges_exact) == (True, False)
        for c, code in product(range(len(sizes)), domain):
            least, most = beliefs.ranges[c].get(code, (Fraction(0), Fraction(0)))
            low, high = outer.ranges[c].get(code, (Fraction(0), Fraction(0)))
            assert low <= least <= beliefs.posteriors[c].get(code, 0) <= most <= high
            if not any(bound for _, bound, _ in choices):
                assert (low, high) == (least, most)
            # The best choice at the largest share gains nothing over it, and nor may any other.
            for sign, share in ((1, most), (-1, least)):
                gains = []
                for prior, bound, ends in choices:
                    real = [[value for value, somebody in end[c] if somebody] for end in ends]
                    gain = max(sign * (held.count(code) - share * len(held)) for held in real)
                    gains.append((prior * gain, bound))
                assert any(bound or gain == 0 for gain, bound in gains)
                assert sum(gain if bound else max(gain, Fraction(0)) for gain, bound in gains) == 0


@cases(
    ((2, 2, 2), 2, "1/2", 3, "corrected"),
    *at_night(
        ((2, 2, 2), 2, "1", 4, "corrected"),
        ((3, 3), 3, "1", 4, "corrected"),
        ((4, 3), 3, "4/5", 3, "corrected"),
        ((2, 2, 2, 2), 2, "1/2", 3, "corrected"),
    ),
    ((2, 2, 2), 2, "1/2", 3, "printed"),
    ((3, 3), 3, "4/5", 3, "printed"),
    ((2, 2, 2, 2), 2, "1/2", 2, "printed"),
    ids=str,
)
def test_every_table_as_the_anonymizer_publishes_it(sizes, k, mu, values, reading):
    adjust = adjust_plainly if reading == "corrected" else adjust_printed
    threshold = Threshold(Fraction(mu), k)
    shares = [Fraction(1 + value, values * (values + 1) // 2) for value in range(values)]
    class_of = np.repeat(np.arange(len(sizes)), sizes)
    published: dict[Publication, list[dict[int, Fraction]]] = {}
    for codes in product(range(values), repeat=sum(sizes)):
        prior = prod((shares[code] for code in codes), start=Fraction(1))
        start = form_classes(np.array(codes), class_of, values, threshold, noise=Noise.FIRST)
        try:
            adjusted = adjust(start)
        except Infeasible:
            continue
        if len(adjusted.short):
            continue
        ends = [Counter[int]() for _ in sizes]
        for code, position in zip(codes, adjusted.class_of.tolist(), strict=True):
            ends[position][code] += 1
        real = [dict(end) for end in ends]
        for code, position in zip(
            adjusted.noise_value.tolist(), adjusted.noise_class.tolist(), strict=True
        ):
            ends[position][code] += 1
        shown = tuple(tuple(sorted(end.items())) for end in ends)
        counts = published.setdefault(shown, [defaultdict(Fraction) for _ in sizes])
        for count, held in zip(counts, real, strict=True):
            for code, rows in held.items():
                count[code] += prior * rows
    rule = Ties(tuple(range(values)), even=False)
    for shown, counts in published.items():
        beliefs = believed(shown, sizes, threshold, shares, ties=rule, reading=reading)
        assert list(map(dict, beliefs.posteriors)) == list(map(normalized, counts)), shown


def test_one_table_in_three_makes_somebody_certain():
    # One class, k = 2, three values, μ = 1/2: two equal values get one of noise.
    shares = [Fraction(1, 3)] * 3
    threshold = Threshold(Fraction(1, 2), 2)
    certain = sum(
        chance
        for shown, (chance, _) in enumerated((2,), threshold, shares).items()
        if believed(shown, (2,), threshold, shares).certain
    )
    assert certain == Fraction(1, 3)


@pytest.mark.parametrize("reading", ["corrected", "printed"])
def test_forty_rows_are_done(reading):
    draw, rows = random.Random(2), 40 if reading == "printed" else by_day(24, at_night=40)
    weights = [Fraction(1, rank) for rank in range(1, 7)]
    shares = [weight / sum(weights) for weight in weights]
    threshold = Threshold(Fraction(3, 5), 4)
    classes = tuple(
        tuple(sorted((draw.choices(range(6), list(map(float, shares)))[0], True) for _ in range(4)))
        for _ in range(rows // 4)
    )
    ways = runs(classes, 0, threshold.at(4), range(6))
    if reading == "printed":
        ways = printed_runs(classes, threshold, range(6), by_rules=False)
    _, end = next(ways)
    shown = tuple(tuple(sorted(Counter(value for value, _ in rows).items())) for rows in end)
    beliefs = believed(shown, [4] * (rows // 4), threshold, shares, reading=reading)
    assert all(sum(posterior.values()) == 1 for posterior in beliefs.posteriors)
    # What is really somebody's is held possible.
    for rows, posterior in zip(end, beliefs.posteriors, strict=True):
        assert {value for value, real in rows if real} <= posterior.keys()


def test_what_the_method_cannot_publish_is_said():
    shares = [Fraction(1, 3)] * 3
    with pytest.raises(DataError, match="the method publishes no table so"):
        method_beliefs([{0: 2}], threshold=Threshold(Fraction(1, 2), 2), shares=shares)


def test_a_class_at_theta_is_stuck_by_the_rules():
    asked: dict[str, Any] = {"threshold": Threshold(Fraction(1), 2), "reading": "printed"}
    asked["shares"] = [Fraction(1, 3)] * 3
    assert method_beliefs([{0: 1, 1: 1}], **asked).probability == Fraction(2, 9)
    with pytest.raises(DataError, match="the method publishes no table so"):
        method_beliefs([{0: 1, 1: 1}], by_rules=True, **asked)


def test_a_budget_ends_it():
    shares = [Fraction(1, 3)] * 3
    with pytest.raises(TooLarge, match="more than 20 moves"):
        method_beliefs(
            [{0: 1, 1: 1}] * 4, threshold=Threshold(Fraction(1, 2), 2), shares=shares, most_moves=20
        )


@cases(
    ([Fraction(1, 2)] * 3, "shares"),
    ([Fraction(1), Fraction(0)], "shares"),
    ([Fraction(1)], "published"),
)
def test_bad_priors_are_refused(shares, named):
    with pytest.raises(InvalidArgument, match=named):
        method_beliefs([{0: 1, 1: 1}], threshold=Threshold(Fraction(1, 2), 2), shares=shares)


@cases(([3, 1], [{0: 2, 1: 1}, {0: 1, 2: 1}], "people"), ([2], [{0: 1.5, 1: 1}], "published"))
def test_classes_that_no_method_forms_are_refused(people, published, named):
    shares = [Fraction(1, 3)] * 3
    asked: dict[str, Any] = {"threshold": Threshold(Fraction(1, 20), 2), "shares": shares}
    with pytest.raises(InvalidArgument, match=named):
        method_beliefs(published, people=people, **asked)  # type: ignore[arg-type]


@cases(
    ([24, 29, 22, 12], "AAAB", {"mu": "19/20", "form": "sorted"}, "holds every value"),
    ([1] * 6, "ACBCBB", {"mu": "3/20", "form": "order"}, "look alike"),
    ([1, 2, 3], "ABA", {"mu": "1/2", "reading": "printed"}, "fewer than k people"),
)
def test_releases_that_are_not_computed_say_why(ages, ills, asked, why):
    frame = pd.DataFrame({"age": ages, "ill": list(ills)})
    table = Table.from_frame(frame, quasi_identifiers=["age"], sensitive="ill")
    with pytest.raises(DataError, match=why):
        release_beliefs(theta_sensitive(table, k=2, noise="first", **asked))


@pytest.mark.parametrize("reading", ["corrected", "printed"])
def test_a_release_is_what_all_releases_like_it_say(reading):
    frame = pd.DataFrame({"age": range(6), "ill": [*"AABACB"]})
    table = Table.from_frame(frame, quasi_identifiers=["age"], sensitive="ill")
    secret = table.only_secret("theta-sensitive")
    assert secret is not None

    def shown(codes: tuple[int, ...]) -> tuple[list[Counter[int]], list[Counter[int]]]:
        changed = replace(table, sensitive=replace(secret, codes=np.array(codes, dtype=np.int32)))
        asked = {"form": "order", "noise": "first", "mu": "1/2", "remainder": "noise"}
        release = theta_sensitive(changed, k=2, reading=reading, **asked)
        real = [Counter(np.array(codes)[release.group_of == group].tolist()) for group in range(3)]
        noise = zip(release.noise_group.tolist(), release.noise_value.tolist(), strict=True)
        all_rows = [Counter(held) for held in real]
        for group, value in noise:
            all_rows[group][value] += 1
        if codes == tuple(secret.codes.tolist()):
            beliefs.append(release_beliefs(release))
        return all_rows, real

    beliefs: list[MethodBeliefs] = []
    original, _ = shown(tuple(secret.codes.tolist()))
    counts: list[dict[int, Fraction]] = [defaultdict(Fraction) for _ in range(3)]
    for codes in product(range(3), repeat=6):
        all_rows, real = shown(codes)
        if all_rows == original:
            # Three of A, two of B and one of C are the shares.
            prior = Fraction(prod((3, 2, 1)[code] for code in codes))
            for count, held in zip(counts, real, strict=True):
                for code, rows in held.items():
                    count[code] += prior * rows
    assert list(map(dict, beliefs[0].posteriors)) == list(map(normalized, counts))
