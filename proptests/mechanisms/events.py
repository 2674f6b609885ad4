"""Events that tell two data sets apart: learned on some runs, so that other runs can judge them.

Each column of what is read of an answer is cut into bins, and a bin has the logarithm of how many
times as often it occurs with one data set as with the other. Scores of answers are these numbers
of a column, their sums over all parts, and a logistic regression on the parts. An event is that a
score reaches a threshold. Half of the runs make the scores, and the other half choose score and
threshold: what as many runs that judge would refute with the most to spare.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import log
from typing import Any

import numpy as np

from kproof.models.base.arrays import Floats
from kproof.proptests.mechanisms.answers import (
    Columns,
    differences,
    line_columns,
    lines_of,
    low_columns,
    matrix_of,
    plain_columns,
)
from kproof.proptests.mechanisms.certified import PrivacyClaim

_BINS = 24
"""Of what a column has beside values that are common."""
_SHARE = 64
"""A value is common if one answer in so many has it."""
_VALUES = 4096
"""Values that a column of few values has at most."""
_DOUBT = log(2 * 10**8)
"""Minus the logarithm of half the α that a test is thought to have, when events are compared."""
_HASHED = 1 << 45
"""What is larger stands for a text."""
_TEXTS = 4
"""Bins that are written down of an event."""
_POINTS = 10_000
"""Answers that a regression is made from, of either data; more change little."""
_STEPS = 12
"""Of Newton's method; the answers need not be the best."""

Score = Callable[[Any], Floats]


@dataclass(frozen=True)
class Event:
    """That a score of an answer reaches a threshold."""

    phrase: str
    """What is looked at."""
    score: Score
    """Of each of many answers."""
    threshold: float
    """From which on an answer is in the event."""
    margin: float
    """By how much its loss exceeds the claimed one, by the runs that chose it."""

    def count(self, answers: Any) -> int:
        """Return how many answers are in it."""
        return len(np.flatnonzero(self.score(answers) >= self.threshold))


@dataclass(frozen=True)
class _Bins:
    """The bins of a column: values with one of their own, and ranges between edges."""

    values: Floats
    edges: Floats

    @classmethod
    def of(cls, column: Floats) -> _Bins:
        numbers = column[~np.isnan(column)]
        values, counts = np.unique(numbers, return_counts=True)
        # Of few values each is a bin; what is common is one among any.
        least = 2 if len(values) * 8 <= len(numbers) else max(2, len(numbers) // _SHARE)
        common = values[counts >= least]
        if len(common) > _VALUES:
            # Sorted again, as a value's bin is looked up by halving.
            common = np.sort(values[np.argsort(-counts)[:_VALUES]])
        rest = np.setdiff1d(values, common)
        edges = np.quantile(rest, np.linspace(0, 1, _BINS + 1)[1:-1]) if len(rest) else rest
        return cls(common, np.unique(edges))

    def __len__(self) -> int:
        return len(self.values) + len(self.edges) + 2

    def codes(self, column: Floats) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return the bin of each entry; the last one is that of what is missing."""
        # NaN comes after all edges here, and is given its own bin in the end.
        codes = len(self.values) + np.searchsorted(self.edges, column, side="right")
        if len(self.values):
            place = np.minimum(np.searchsorted(self.values, column), len(self.values) - 1)
            codes = np.where(self.values[place] == column, place, codes)
        return np.where(np.isnan(column), len(self) - 1, codes).astype(np.int64)


@dataclass(frozen=True)
class _Ratios:
    """How much likelier the bins of a column are with the first data, as logarithms."""

    bins: _Bins
    logs: Floats

    @classmethod
    def of(cls, first: Floats, second: Floats) -> _Ratios:
        bins = _Bins.of(np.concatenate([first, second]))
        ours, theirs = (
            np.bincount(bins.codes(column), minlength=len(bins)) for column in (first, second)
        )
        # Half a run is added, or a bin that was seen once would be a proof.
        return cls(bins, np.log((ours + 0.5) / (theirs + 0.5)))

    def describe(self, name: str, threshold: float, sign: float) -> str:
        """Say in which bins the scores of an event are, as far as a line has room."""
        inside = np.flatnonzero(sign * self.logs >= threshold)
        values, edges = self.bins.values, [-np.inf, *self.bins.edges, np.inf]
        if len(values) and np.abs(values).max() > _HASHED:
            return f"{name}, {len(inside)} of {len(self.bins)} values"
        texts, last = [], len(self.bins) - 1
        for place in inside:
            beyond = place - len(values)
            if place == last:
                texts.append("missing")
            elif beyond < 0:
                texts.append(f"{values[place]:g}")
            elif beyond and texts and texts[-1].endswith(f", {edges[beyond]:g})"):
                # Ranges that meet are written as a single range.
                texts[-1] = f"{texts[-1].split(',')[0]}, {edges[beyond + 1]:g})"
            else:
                texts.append(f"[{edges[beyond]:g}, {edges[beyond + 1]:g})")
        more = f" or {len(texts) - _TEXTS} more" if len(texts) > _TEXTS else ""
        return f"{name} in {' or '.join(texts[:_TEXTS])}{more}"

    def __call__(self, column: Floats) -> Floats:
        scores: Floats = self.logs[self.bins.codes(column)]
        return scores


PartsScore = Callable[[Columns, Mapping[str, Floats]], Floats]
Parts = Callable[[Any], tuple[Columns, Mapping[str, Floats]]]
"""Returns the columns of answers, and matrices whose columns are scored together."""


def read_low_bits(first: Any, second: Any) -> Parts:
    """Return what reads how fine floats are, where these answers are not all alike in that."""
    width = _width(first, second)
    learning = [low_columns(matrix_of(answers, width)) for answers in (first, second)]
    varied = [name for name in learning[0] if len(np.unique([side[name] for side in learning])) > 1]

    def read(answers: Any) -> tuple[Columns, Mapping[str, Floats]]:
        columns = low_columns(matrix_of(answers, width)) if varied else {}
        return {name: columns[name] for name in varied}, {}

    return read


def read_answers(first: Any, second: Any) -> Parts:
    """Return what reads everything else, lines of texts among it that these answers have."""
    width = _width(first, second)
    lines = lines_of([*first, *second]) if isinstance(first, list) else {}

    def read(answers: Any) -> tuple[Columns, Mapping[str, Floats]]:
        matrix = matrix_of(answers, width)
        together = {}
        if width > 1:
            together = {
                "its parts": matrix[:, :-1],
                "the differences of its parts": differences(matrix),
            }
        return plain_columns(matrix) | line_columns(answers, lines), together

    return read


def _width(first: Any, second: Any) -> int:
    return max(int(matrix_of(answers).shape[1]) for answers in (first, second)) - 1


def learn(
    first: Any,
    second: Any,
    claim: PrivacyClaim,
    runs: int,
    later: int,
    reader: Callable[[Any, Any], Parts] = read_answers,
) -> tuple[Event, Event]:
    """Return the event that is likelier with the first data, and the one with the second.

    Args:
        first, second: Answers, as many of either, in an order that says nothing.
        claim: What is to be refuted.
        runs: That will judge, of either.
        later: As many as there may be in the end.
        reader: What is read of an answer.
    """
    # On the runs that it was learned from a score looks better than it is: others choose.
    half: int = len(first) // 2
    read = reader(first[:half], second[:half])
    scores = _scores(read, first[:half], second[:half])
    chosen = (read(first[half:]), read(second[half:]))
    best = [Event("nothing that differs", lambda answers: np.zeros(len(answers)), 1.0, -np.inf)] * 2
    for phrase, score in scores.items():
        ours, theirs = (score(*parts) for parts in chosen)
        for side, sign in enumerate((1.0, -1.0)):
            likelier, rarer = (ours, theirs) if side == 0 else (theirs, ours)
            threshold, excess = _threshold(sign * likelier, sign * rarer, claim, runs)
            if excess <= 0 and later > runs:
                # No event tells in these runs; the best one of more runs tells where to look on.
                threshold, excess = _threshold(sign * likelier, sign * rarer, claim, later)
                excess = min(excess, 0.0) - 1
            if excess > best[side].margin:
                text = f"a score of {phrase}, of at least {threshold:.4g}"
                if isinstance(score, partial) and score.func is _score_column:
                    text = score.args[1].describe(phrase, threshold, sign)
                best[side] = Event(text, partial(_whole, read, score, sign), threshold, excess)
    return best[0], best[1]


def _whole(read: Parts, score: PartsScore, sign: float, answers: Any) -> Floats:
    return sign * score(*read(answers))


def _scores(read: Parts, first: Any, second: Any) -> dict[str, PartsScore]:
    """Return scores of answers by what they look at."""
    (ours, ours_together), (theirs, theirs_together) = read(first), read(second)
    scores: dict[str, PartsScore] = {}
    for name, column in ours.items():
        ratios = _Ratios.of(column, theirs[name])
        scores[name] = partial(_score_column, name, ratios)
    for name, matrix in ours_together.items():
        their_matrix = theirs_together[name]
        ratios_of = [_Ratios.of(*pair) for pair in zip(matrix.T, their_matrix.T, strict=True)]
        scores[f"{name}, each by itself"] = partial(_score_each, name, ratios_of)
        scores[f"{name}, with weights"] = _logistic(name, matrix, their_matrix)
    return scores


def _score_column(
    name: str, ratios: _Ratios, columns: Columns, together: Mapping[str, Floats]
) -> Floats:
    del together
    return ratios(columns[name])


def _score_each(
    name: str, ratios_of: Sequence[_Ratios], columns: Columns, together: Mapping[str, Floats]
) -> Floats:
    del columns
    scores = [ratios(column) for ratios, column in zip(ratios_of, together[name].T, strict=True)]
    total: Floats = np.sum(scores, axis=0)
    return total


def _logistic(name: str, first: Floats, second: Floats) -> PartsScore:
    """Return a logistic regression on columns, far values drawn in; what is missing counts 0."""
    first, second = first[:_POINTS], second[:_POINTS]
    learning = _tame(np.concatenate([first, second]))
    low, high = np.quantile(learning, [0.02, 0.98], axis=0)
    # A column that is the same nearly everywhere has no width to divide by.
    middle, width = (low + high) / 2, np.maximum((high - low) / 2, 1e-12)

    def scale(matrix: Floats) -> Floats:
        inside = np.clip((_tame(matrix[:, : len(low)]) - middle) / width, -1.5, 1.5)
        return np.column_stack([inside, np.ones(len(matrix))])

    points, target = scale(learning), np.repeat([1.0, 0.0], [len(first), len(second)])
    weights = np.zeros(points.shape[1])
    # Without it, columns that are alike or data that part cleanly have no best weights.
    ridge = np.eye(len(weights))
    for _ in range(_STEPS):
        # Beyond 30 a chance differs from 0 or 1 by less than 1e-13, and exp would overflow further
        # on.
        chance = 1 / (1 + np.exp(-np.clip(points @ weights, -30, 30)))
        slope = points.T @ (target - chance) - ridge @ weights
        bend = (points.T * (chance * (1 - chance))) @ points + ridge
        weights = weights + np.linalg.solve(bend, slope)
    return lambda _, together: scale(together[name]) @ weights


def _tame(matrix: Floats) -> Floats:
    """Return numbers that can be multiplied: 0 for what is missing, none that are infinite."""
    return np.clip(np.nan_to_num(matrix), -1e30, 1e30)


def _threshold(
    likelier: Floats, rarer: Floats, claim: PrivacyClaim, runs: int
) -> tuple[float, float]:
    """Return the threshold with the largest margin, and that margin."""
    scores = np.concatenate([likelier, rarer])
    order = np.argsort(-scores, kind="stable")
    scores = scores[order]
    # The scores of the likelier data come first in the row that was sorted.
    ours = np.cumsum(order < len(likelier)) / len(likelier)
    theirs = np.cumsum(order >= len(likelier)) / len(rarer)
    # Answers of one score are in an event together.
    ends = np.flatnonzero(np.append(scores[1:] != scores[:-1], True))
    # What was not seen once may be there as often as once.
    margins = margin(ours[ends], theirs[ends] + 1 / len(rarer), claim, runs)
    best = int(np.argmax(margins))
    return float(scores[ends[best]]), float(margins[best])


def margin(likelier: Any, rarer: Any, claim: PrivacyClaim, runs: int) -> Any:
    """Return by how much what so many runs would prove of events exceeds a claim, about.

    What refutes it is above 0. Of the others none is preferred for being too rare to say anything:
    with a δ that is 0, or too small for these runs, it is the proven loss that counts.
    """
    least = likelier - np.sqrt(2 * _DOUBT * likelier / runs)
    most = rarer + np.sqrt(2 * _DOUBT * rarer / runs) + _DOUBT / runs
    odds, delta = float(claim.odds), float(claim.delta)
    if delta * runs > _DOUBT:
        # Never 0: the upper bound is above the share by the last term at least.
        spread = likelier - least + odds * (most - rarer)
        return (likelier - odds * rarer - delta) / spread - 1
    # Both branches of where are computed; the guarded logarithm is of those that it passes over.
    loss = np.log(np.maximum(least - delta, 1e-300) / most) - float(claim.epsilon)
    return np.where(least > delta, loss, least - delta - 1000)
