"""Minimality: what a method gives away by not forming the classes that it would have liked.

An adversary knows everybody's known columns, the method and what it was asked for. She forms the
classes that it makes without a look at any secret, the blocks; where several were published as one
class, or not at all, a secret was the reason. She counts the ways to give the values of the class
to its people in which one of its blocks breaks the rule, every one as likely as any other.

Source: Wong, Fu, Wang, Pei, "Minimality Attack in Privacy Preserving Data Publishing", VLDB 2007.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kproof.errors import KProofError
from kproof.models.api import released_by
from kproof.models.base.arrays import Codes
from kproof.models.base.classes import Classes
from kproof.models.base.columns import Column
from kproof.models.judgement.judgement import Criterion, Finding, Remedy, Standing
from kproof.models.judgement.publication import Making, Publication
from kproof.models.judgement.thresholds import Thresholds
from kproof.models.methods import METHODS
from kproof.models.privacies import MODELS
from kproof.models.privacy.base import Model
from kproof.models.privacy.counting import AlphaK
from kproof.models.privacy.diversity import DistinctL
from kproof.models.registry import Kind, Method, Needs
from kproof.models.tables.release import Release
from kproof.models.tables.sealing import PROMISES
from kproof.models.tables.suppression.promised import promised
from kproof.models.tables.table import Table

MOST_STEPS = 300_000
"""Ways to fill a block, times values left, that a count of one class may look at."""


def minimality(publication: Publication, thresholds: Thresholds) -> Iterator[Finding]:
    """Yield what a publication tells whoever knows how its classes were formed."""
    making, people = publication.making, publication.people

    def finding(standing: Standing, sentence: str, remedy: Remedy | None = None) -> Finding:
        return Finding(Criterion.MINIMALITY, standing, sentence, people=people, remedy=remedy)

    if not publication.secrets:
        yield finding(Standing.MET, "there is no secret that classes could be formed by")
    elif making is None:
        sentence = "nobody said how classes were formed"
        yield finding(Standing.OPEN, sentence, Remedy.FROM_KNOWN)
    elif making.from_known_alone:
        yield finding(Standing.MET, "classes were formed without a look at any secret")
    elif making.release is None:
        sentence = f"{making.method} was not run here, so that its classes cannot be formed again"
        yield finding(Standing.OPEN, sentence, Remedy.FROM_KNOWN)
    else:
        try:
            rerun = _Rerun.of(making.release, making)
        except (KProofError, _Unread) as reason:
            yield finding(Standing.OPEN, str(reason), Remedy.FROM_KNOWN)
            return
        yield from _findings(publication, thresholds, making.release, rerun)


def _findings(
    publication: Publication, thresholds: Thresholds, release: Release, rerun: _Rerun
) -> Iterator[Finding]:
    people, unit = publication.people, publication.unit
    if rerun.same:
        sentence = f"classes are those that {release.method} forms from known columns alone"
        yield Finding(Criterion.MINIMALITY, Standing.MET, sentence, people=people)
        return
    exposure = rerun.exposure(thresholds)
    certain, _ = _people(publication, release, exposure.certain)
    bets, _ = _people(publication, release, exposure.sure & ~exposure.certain)
    broken = False
    for hit, rows, limit, words in (
        (certain, exposure.certain, Fraction(0), "are found out for certain"),
        (bets, exposure.sure & ~exposure.certain, thresholds.bets, "are a sure bet"),
    ):
        if hit <= limit * people:
            continue
        broken = True
        yield Finding(
            Criterion.MINIMALITY,
            Standing.BROKEN,
            f"{hit} of {people} {unit} {words} for whoever knows {release.method}: "
            "it treated their class as it did because of what they have",
            hit=hit,
            people=people,
            figure=exposure.largest,
            remedy=Remedy.FROM_KNOWN,
            victims=_people(publication, release, rows)[1],
        )
    if not broken:
        yield Finding(
            Criterion.MINIMALITY,
            Standing.MET,
            f"nobody is found out by whoever forms the classes of {release.method} again",
            people=people,
            figure=exposure.largest,
        )


def _people(
    publication: Publication, release: Release, rows: NDArray[np.bool_]
) -> tuple[int, Codes]:
    """Return how many people rows of the source are about, and the published rows of these."""
    if publication.source_row is None:
        person = release.table.person
        whom = np.arange(release.table.rows) if person is None else person.codes
        return len(np.unique(whom[rows])), np.zeros(0, dtype=np.int64)
    published = publication.source_row >= 0
    published[published] = rows[publication.source_row[published]]
    victims = np.flatnonzero(published).astype(np.int64)
    return len(np.unique(publication.persons[victims])), victims


class _Unread(Exception):
    """Why the classes of a method cannot be formed again."""


@dataclass(eq=False)
class _Exposure:
    """Whom it finds out, among the rows of the source."""

    certain: NDArray[np.bool_]
    sure: NDArray[np.bool_]
    largest: Fraction = Fraction(0)

    def mark(self, rows: Codes, chance: Fraction, share: Fraction, limits: Thresholds) -> None:
        """Note the chance with which rows are taken to have a value of some share."""
        if share >= limits.common:
            return
        self.largest = max(self.largest, chance)
        self.certain[rows] |= chance == 1
        self.sure[rows] |= chance >= share + limits.gain


@dataclass(frozen=True, eq=False)
class _Rerun:
    """The classes that a method published, and those that it forms from known columns alone."""

    release: Release
    models: Sequence[Model] | None
    """What was asked of every secret column; None if nobody can tell."""
    of_column: Mapping[str, Sequence[Model]]
    """What was asked of one of them."""
    free: Release
    """The classes from known columns alone, over the table with its secrets."""
    fixed: Release | None
    """The same at the levels of the publication, where it has levels."""

    @classmethod
    def of(cls, release: Release, making: Making) -> _Rerun:
        """Run the method again without what it was asked of secrets."""
        method = METHODS.get(release.method)
        if method is None or method.kind is not Kind.TABLE:
            raise _Unread(f"nobody can form the classes of {release.method} again")
        if Needs.SENSITIVE in method.needs or len(release.swaps) or len(release.noise_group):
            raise _Unread(
                f"{method.name} reads secrets to form classes, and what that gives away is not "
                "computed"
            )
        parameters = {**release.parameters, **making.parameters}
        asked = {name: parameters.get(name) for name in method.parameters}
        models = _models(asked.pop("models", None))
        blind = replace(
            release.table, sensitive=None, categories=None, further=(), totals=None, source=None
        )
        rule = promised(method, {**asked, "models": ()}, release.table)
        plain = {name: asked[name] for name in asked if name not in PROMISES}
        if models is not None and "models" in method.parameters:
            plain["models"] = [model for model in models if not model.needs_sensitive]
        secret = None if models is None else [one for one in models if one.needs_sensitive]
        free = _formed(method, plain, blind, release)
        fixed = None
        if release.levels is not None:
            levels = dict(release.levels)
            same = free.levels == release.levels
            fixed = free if same else _formed(method, {**plain, "levels": levels}, blind, release)
        return cls(release, secret, rule.of, free, fixed)

    @property
    def same(self) -> bool:
        """Whether the method publishes the same classes without a look at secrets."""
        ours, theirs = (_numbered(one) for one in (self.release, self.free))
        pairs = np.unique(np.stack([ours, theirs]), axis=1)
        hidden = (ours < 0) == (theirs < 0)
        one_to_one = len(np.unique(ours)) == len(np.unique(theirs)) == pairs.shape[1]
        return bool(hidden.all() and one_to_one)

    def exposure(self, thresholds: Thresholds) -> _Exposure:
        """Return whom the classes find out, over all secret columns."""
        rows = self.release.table.rows
        exposure = _Exposure(np.zeros(rows, dtype=np.bool_), np.zeros(rows, dtype=np.bool_))
        published = _numbered(self.release)
        for column in self.release.table.secrets:
            models = None
            if self.models is not None:
                models = [*self.models, *self.of_column.get(column.name, ())]
            if models == []:
                continue
            for index in np.unique(published).tolist():
                if index < 0 and not self.release.marked:
                    continue  # What is not in the file tells no value.
                at = self.fixed if index < 0 and self.fixed is not None else self.free
                self._judge(
                    column, models, np.flatnonzero(published == index), at, exposure, thresholds
                )
        return exposure

    def _judge(
        self,
        column: Column,
        models: Sequence[Model] | None,
        rows: Codes,
        at: Release,
        exposure: _Exposure,
        thresholds: Thresholds,
    ) -> None:
        """Note what one published class, or the class of marked rows, tells of a column."""
        blocks = _numbered(at)
        inside, sizes = np.unique(blocks[rows], return_counts=True)
        rest = int(sizes[inside < 0].sum())
        whole = np.bincount(blocks[blocks >= 0], minlength=int(blocks.max(initial=0)) + 1)
        is_union = bool((whole[inside[inside >= 0]] == sizes[inside >= 0]).all())
        if not (inside >= 0).any() or (is_union and len(inside) == 1):
            return
        share = np.bincount(column.codes, minlength=len(column.values))
        codes = column.codes[rows]
        counts = {code: int(count) for code, count in enumerate(np.bincount(codes)) if count}
        person = self.release.table.person
        several = person is not None and len(person.values) < self.release.table.rows
        breaks = None if models is None else _rule(models)
        # Marked rows of a full-domain release were each left out for themselves.
        every = at is self.fixed
        found = None
        if is_union and breaks is not None and not several and column.missing is None:
            found = _chances(sizes[inside >= 0].tolist(), rest, counts, breaks, every=every)
        if found is None:
            failing = self._failing(at, column, models)
            out = rows[(blocks[rows] >= 0) & failing[blocks[rows]]]
            exposure.mark(out, Fraction(1), Fraction(0), thresholds)
            return
        place = dict(zip(inside.tolist(), sizes.tolist(), strict=True))
        for block, size in place.items():
            among = rows[blocks[rows] == block]
            for code, chance in found[size if block >= 0 else -1].items():
                of_all = Fraction(int(share[code]), len(column.codes))
                exposure.mark(among, chance, of_all, thresholds)

    def _failing(
        self, at: Release, column: Column, models: Sequence[Model] | None
    ) -> NDArray[np.bool_]:
        """Say of each block whether it breaks the rule in truth; all do if nobody knows it."""
        flags = np.zeros(at.count + 1, dtype=np.bool_)
        if models is None:
            flags[:-1] = True
            return flags
        judged: Classes = next(one for one in at.classes().each if one.name == column.name)
        for model in models:
            flags[:-1] |= model.failing(judged)
        return flags


def _formed(method: Method, asked: Mapping[str, Any], blind: Table, release: Release) -> Release:
    """Run a method on known columns; the result is of the table with its secrets."""
    itself = "suppress" in method.parameters
    given = {name: value for name, value in asked.items() if value is not None}
    budget = None if itself else release.budget
    made = released_by(method, blind, method.asked(given), budget, marked=False)
    return replace(made, table=release.table)


def _numbered(release: Release) -> Codes:
    """Return the class of each row of the source, -1 for those that show nothing of it."""
    if release.hidden_class is None:
        return release.class_of
    return np.where(release.class_of == release.hidden_class, -1, release.class_of)


def _models(asked: object) -> list[Model] | None:
    """Return models, also from their names as an account has them; None if one is unknown."""
    if not isinstance(asked, str):
        every = list(asked) if isinstance(asked, Sequence) else []
        return every if all(isinstance(model, Model) for model in every) else None
    models: list[Model] = []
    for text in re.split(r"(?<=\)), ", asked):
        for entry in MODELS.values():
            match = re.fullmatch(rf"{re.escape(entry.name)}\((.*)\)", text)
            values = [part.partition("=")[2] for part in match[1].split(", ")] if match else []
            if match and len(values) == len(entry.parameters) and all(values):
                models.append(entry.model(*values))
                break
        else:
            return None
    return models


@dataclass(frozen=True)
class _Rule:
    """A rule that a block of rows breaks by how often values occur in it, whichever they are."""

    distinct: int
    """Fewest distinct values."""
    share: Fraction
    """Largest share of a value."""

    def breaks(self, counts: Sequence[int], size: int) -> bool:
        """Say whether a block breaks it; counts of values that cannot do so may be lumped last."""
        if max(counts, default=0) >= self.most(size):
            return True
        return self.distinct > 2 and sum(map(bool, counts)) < self.distinct

    def most(self, size: int) -> int:
        """Return how many equal values break the rule in a block of a size."""
        by_share = self.share.numerator * size // self.share.denominator + 1
        return min(by_share, size if self.distinct > 1 else size + 1)


def _rule(models: Sequence[Model]) -> _Rule | None:
    """Return models as a rule on counts; None if one of them is about something else."""
    if not all(isinstance(model, DistinctL | AlphaK) for model in models):
        return None
    return _Rule(
        max((model.ell for model in models if isinstance(model, DistinctL)), default=1),
        min((model.alpha for model in models if isinstance(model, AlphaK)), default=Fraction(1)),
    )


def _chances(
    blocks: Sequence[int], rest: int, counts: Mapping[int, int], rule: _Rule, *, every: bool
) -> dict[int, dict[int, Fraction]] | None:
    """Return what is believed of whoever is in a block: by its size the chance of each value.

    Parameters
    ----------
    blocks
        The sizes of the blocks in a class.
    rest
        Rows of it in no block; they explain nothing, and stand under -1 in what is returned.
    counts
        How often each value occurs in the class.
    every
        Whether every block breaks the rule, not only one at least.

    Returns
    -------
    dict or None
        None if there are too many ways to be counted. Empty for each size if no block can break
        the rule, so that this column was not the reason.
    """
    least = min(map(rule.most, blocks)) if rule.distinct <= 2 else 0
    large = [value for value, count in counts.items() if count >= least]
    small = sum(counts.values()) - sum(counts[value] for value in large)
    start = (*(counts[value] for value in large), small)
    counter = _Counter(rule)
    kinds = {size: size for size in blocks} | ({-1: rest} if rest else {})
    believed = {}
    try:
        for kind, size in kinds.items():
            others = [*blocks]
            if kind >= 0:
                others.remove(kind)
            parts = [(one, True) for one in others] + ([(rest, False)] if rest and kind >= 0 else [])
            own = (size, kind >= 0)
            weights, total = counter.weights(own, tuple(sorted(parts)), start, every=every)
            chances = {}
            if total:
                chances = {
                    value: Fraction(weight, total * size)
                    for value, weight in zip(large, weights, strict=False)
                }
                chances |= {
                    value: Fraction(weights[-1] * count, total * size * small)
                    for value, count in counts.items()
                    if value not in chances
                }
            believed[kind] = chances
    except OverflowError:
        return None
    return believed


class _Counter:
    """Counts the ways to give values to blocks in turn."""

    def __init__(self, rule: _Rule) -> None:
        self.rule = rule
        self.steps = 0
        self.ways: dict[tuple[Any, ...], int] = {}

    def weights(
        self,
        own: tuple[int, bool],
        others: tuple[tuple[int, bool], ...],
        left: tuple[int, ...],
        *,
        every: bool,
    ) -> tuple[list[int], int]:
        """Return, over all ways that fit, rows of a block with each value, and the ways."""
        weights, total = [0] * len(left), 0
        for breaking, sign in ((True, 1),) if every else ((None, 1), (False, -1)):
            for fill, ways in self._fills(own, left, breaking):
                after = tuple(one - taken for one, taken in zip(left, fill, strict=True))
                count = sign * ways * self._count(others, after, breaking)
                total += count
                weights = [sum(pair) for pair in zip(weights, (count * x for x in fill), strict=True)]
        return weights, total

    def _count(
        self, blocks: tuple[tuple[int, bool], ...], left: tuple[int, ...], breaking: bool | None
    ) -> int:
        if not blocks:
            return 1
        key = (blocks, left, breaking)
        if key not in self.ways:
            self.ways[key] = sum(
                ways
                * self._count(
                    blocks[1:],
                    tuple(one - taken for one, taken in zip(left, fill, strict=True)),
                    breaking,
                )
                for fill, ways in self._fills(blocks[0], left, breaking)
            )
        return self.ways[key]

    def _fills(
        self, block: tuple[int, bool], left: tuple[int, ...], breaking: bool | None
    ) -> Iterator[tuple[tuple[int, ...], int]]:
        """Yield the counts of values that a block may have, and in how many ways."""
        size, judged = block
        for fill in _splits(size, left):
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise OverflowError
            seen = fill if self.rule.distinct > 2 else fill[:-1]
            if breaking is None or not judged or self.rule.breaks(seen, size) == breaking:
                yield fill, _multinomial(fill)


def _splits(size: int, left: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the ways to take some of what is left."""
    if len(left) == 1:
        if size <= left[0]:
            yield (size,)
        return
    most = sum(left[1:])
    for taken in range(max(0, size - most), min(size, left[0]) + 1):
        for others in _splits(size - taken, left[1:]):
            yield (taken, *others)


def _multinomial(counts: Sequence[int]) -> int:
    ways, rows = 1, 0
    for count in counts:
        rows += count
        ways *= comb(rows, count)
    return ways
