"""θ-sensitivity from its description alone: variance, the net of every tie, the paper's tables."""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from functools import cache

Classes = tuple[tuple[str, ...], ...]

BY_RANK = ("HIV", "Cancer", "Hepatitis", "Phthisis", "Asthma", "Obesity", "Indigestion", "Flu")
CATEGORY = {disease: 1 + place // 2 for place, disease in enumerate(BY_RANK)}
"""Table 3: how sensitive the diseases are, from 1, the most, to 4."""
TABLE_1A = (
    ("HIV", "HIV", "Cancer", "Cancer"),
    ("Hepatitis", "Phthisis", "Asthma", "Obesity"),
    ("Flu", "Flu", "Flu", "Indigestion"),
)
TABLE_4A = (
    ("HIV", "Cancer", "Flu", "Indigestion"),
    ("Hepatitis", "Phthisis", "Asthma", "Obesity"),
    ("HIV", "Cancer", "Flu", "Flu"),
)
TABLE_4B = (
    ("HIV", "HIV", "Cancer", "Flu"),
    ("Hepatitis", "Phthisis", "Asthma", "Obesity"),
    ("Cancer", "Flu", "Flu", "Indigestion"),
)
TABLE_8A = (
    ("HIV", "Cancer", "Hepatitis", "Obesity"),
    ("HIV", "Phthisis", "Asthma", "Flu"),
    ("Cancer", "Flu", "Flu", "Indigestion", "Obesity"),
)
TABLE_8B = (
    ("Hepatitis", "HIV", "Cancer", "Flu"),
    ("HIV", "Phthisis", "Asthma", "Flu"),
    ("Cancer", "Obesity", "Flu", "Indigestion"),
)


def spread(counts: Iterable[int]) -> Fraction:
    """Mean squared distance from the mean weight, weights by falling frequency."""
    return _spread(tuple(sorted(counts, reverse=True)))


@cache
def _spread(falling: tuple[int, ...]) -> Fraction:
    weights = [x for x, f in enumerate(falling, 1) for _ in range(f)]
    mean = Fraction(sum(weights), len(weights))
    return sum(((x - mean) ** 2 for x in weights), Fraction(0)) / len(weights)


def publications(start: Classes, theta: Fraction, domain: set[str]) -> set[Classes]:
    """Explore every tie of the value-level net, written from its description alone."""
    final = set()
    seen = set()
    waiting = [(tuple(tuple(sorted(c)) for c in start), 0)]
    while waiting:
        state = waiting.pop()
        if state in seen:
            continue
        seen.add(state)
        classes, c = state
        if c == len(classes):
            final.add(classes)
            continue
        wide = [spread(list(Counter(values).values())) >= theta for values in classes]
        if wide[c]:
            waiting.append((classes, c + 1))
            continue
        here = Counter(classes[c])
        moves = []
        if c + 1 < len(classes):
            for b in range(c + 1, len(classes)):
                new = {v: n for v, n in Counter(classes[b]).items() if v not in here}
                if wide[b] and new:
                    moves += [
                        (b, x, y)
                        for x in here
                        if here[x] == max(here.values())
                        for y in new
                        if new[y] == max(new.values())
                    ]
                    break
        elif c:
            there = Counter(classes[c - 1])
            moves += [
                (c - 1, x, y)
                for x in here
                if here[x] == max(here.values()) and x not in there
                for y in there
                if there[y] == max(there.values()) and y not in here
            ]
        for b, x, y in moves:
            changed = [list(values) for values in classes]
            changed[c].remove(x)
            changed[c].append(y)
            changed[b].remove(y)
            changed[b].append(x)
            waiting.append((tuple(tuple(sorted(values)) for values in changed), c))
        if not moves:
            for value in domain - set(here):
                wider = [*classes]
                wider[c] = tuple(sorted((*classes[c], value)))
                waiting.append((tuple(wider), c))
    return final
