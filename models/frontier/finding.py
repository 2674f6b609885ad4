"""What a comparison of releases shows, in one sentence: the title of its picture."""

from __future__ import annotations

from collections.abc import Sequence

from kproof.models.frontier.judging import Candidate

_APART = 1e-9
"""Losses are means of floats: what differs by less is taken for equal."""


def describe_frontier(candidates: Sequence[Candidate]) -> str:
    """Say which method loses least, k by k; of the budgets of a method the one that loses least.

    Releases that were refused or lack what was asked for are not compared.

    >>> from fractions import Fraction
    >>> tried = [Candidate("mondrian", k, Fraction(0), {}, loss=k / 100) for k in (2, 10)]
    >>> describe_frontier([*tried, Candidate("kaca", 10, Fraction(0), {}, loss=0.3)])
    'mondrian loses least at k = 10; at k = 2 only one has a release'
    >>> describe_frontier(tried)
    'mondrian loses 0.0200 at k = 2 and 0.1000 at k = 10'
    """
    losses: dict[int, dict[str, float]] = {}
    for candidate in candidates:
        if not candidate.problem and candidate.loss is not None:
            costs = losses.setdefault(candidate.k, {})
            before = costs.get(candidate.method, candidate.loss)
            costs[candidate.method] = min(candidate.loss, before)
    if not losses:
        return "There is no release to compare"
    methods = list(dict.fromkeys(name for costs in losses.values() for name in costs))
    if len(methods) == 1:
        return _alone(methods[0], {k: costs[methods[0]] for k, costs in sorted(losses.items())})
    rivals = {k: costs for k, costs in sorted(losses.items()) if len(costs) > 1}
    if not rivals:
        return f"No two of {len(methods)} methods have a release at the same k"
    winners = {k: _least(costs) for k, costs in rivals.items()}
    if all(len(winners[k]) == len(rivals[k]) for k in rivals):
        return f"The methods lose the same {_at(list(rivals))}"
    wins: dict[tuple[str, ...], list[int]] = {}
    for k, names in winners.items():
        wins.setdefault(names, []).append(k)
    sentence = ", ".join(
        f"{_list(names)} lose{'s' * (len(names) == 1)} least {_at(sizes)}"
        for names, sizes in wins.items()
    )
    single = [k for k in sorted(losses) if k not in rivals]
    return sentence + (f"; {_at(single)} only one has a release" if single else "")


def _least(losses: dict[str, float]) -> tuple[str, ...]:
    lowest = min(losses.values())
    return tuple(name for name, loss in losses.items() if loss <= lowest + _APART)


def _alone(method: str, losses: dict[int, float]) -> str:
    first, last = min(losses), max(losses)
    if first == last:
        return f"{method} loses {losses[first]:.4f} at k = {first}"
    values = list(losses.values())
    if max(values) - min(values) <= _APART:
        return f"{method} loses {values[0]:.4f} {_at(list(losses))}"
    return f"{method} loses {losses[first]:.4f} at k = {first} and {losses[last]:.4f} at k = {last}"


def _at(sizes: Sequence[int]) -> str:
    """Name values of k, of many the ends and how many they are."""
    if len(sizes) > 3:
        return f"at {len(sizes)} values of k from {sizes[0]} to {sizes[-1]}"
    return f"at k = {_list(list(map(str, sizes)))}"


def _list(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
