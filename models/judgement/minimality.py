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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kproof.errors import KProofError
from kproof.models.api import released_by
from kproof.models.base.arrays import Codes
from kproof.models.base.classes import Classes
from kproof.models.base.columns import Column
from kproof.models.judgement.explanations import chances_of_blocks, rule_of
from kproof.models.judgement.judgement import Criterion, Finding, Remedy, Standing
from kproof.models.judgement.publication import Making, Publication
from kproof.models.judgement.thresholds import Thresholds
from kproof.models.methods import METHODS
from kproof.models.privacies import MODELS
from kproof.models.privacy.base import Model
from kproof.models.registry import Kind, Method, Needs
from kproof.models.tables.release import Release
from kproof.models.tables.sealing import PROMISES
from kproof.models.tables.suppression.promised import promised
from kproof.models.tables.table import Table

TRIES = 2
"""Other tables that are tried to show that whoever broke the rule need not have done so."""


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
class _Case:
    """A published class, or the marked rows, that is not what known columns alone make of it."""

    rows: Codes
    """Of the source."""
    block: Codes
    """Shape (rows,): the block of each, -1 for none."""
    whole: bool
    """Whether no block of it has rows elsewhere."""
    every: bool
    """Whether every block broke the rule: marked rows were each left out for themselves."""


@dataclass(frozen=True, eq=False)
class _Rerun:
    """The classes that a method published, and those that it forms from known columns alone."""

    release: Release
    method: Method
    asked: Mapping[str, Any]
    """What it was asked for, of secrets too."""
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
        models = _models(asked.get("models"))
        plain = {name: asked[name] for name in asked if name not in PROMISES}
        if "models" in asked:
            asked["models"] = models
            plain["models"] = [model for model in models or () if not model.needs_sensitive]
        table = release.table
        blind = replace(table, sensitive=None, categories=None, further=(), totals=None)
        rule = promised(method, {**asked, "models": ()}, table)
        secret = None if models is None else [one for one in models if one.needs_sensitive]
        free = replace(_formed(method, plain, blind, release), table=table)
        fixed = None
        if release.levels is not None:
            fixed = free
            if free.levels != release.levels:
                plain["levels"] = dict(release.levels)
                fixed = replace(_formed(method, plain, blind, release), table=table)
        return cls(release, method, asked, secret, rule.of, free, fixed)

    @property
    def same(self) -> bool:
        """Whether the method publishes the same classes without a look at secrets."""
        return _alike(self.release, self.free)

    def exposure(self, thresholds: Thresholds) -> _Exposure:
        """Return whom the classes find out, over all secret columns."""
        rows = self.release.table.rows
        exposure = _Exposure(np.zeros(rows, dtype=np.bool_), np.zeros(rows, dtype=np.bool_))
        cases = self._cases()
        for column in self.release.table.secrets:
            models = None
            if self.models is not None:
                models = [*self.models, *self.of_column.get(column.name, ())]
            if models != []:
                self._judge(column, models, cases, exposure, thresholds)
        return exposure

    def _cases(self) -> list[_Case]:
        cases = []
        published = _numbered(self.release)
        for index in np.unique(published).tolist():
            if index < 0 and not self.release.marked:
                continue  # What is not in the file tells no value.
            every = index < 0 and self.fixed is not None
            blocks = _numbered(self.fixed if every and self.fixed is not None else self.free)
            rows = np.flatnonzero(published == index)
            inside = np.unique(blocks[rows])
            there = inside[inside >= 0]
            whole = int(np.isin(blocks, there).sum()) == int((blocks[rows] >= 0).sum())
            if len(there) and not (whole and len(inside) == 1):
                cases.append(_Case(rows, blocks[rows], whole, every))
        return cases

    def _judge(
        self,
        column: Column,
        models: Sequence[Model] | None,
        cases: Sequence[_Case],
        exposure: _Exposure,
        thresholds: Thresholds,
    ) -> None:
        """Note what the classes tell of a column: what is counted, and who is certain in truth."""
        share = np.bincount(column.codes, minlength=len(column.values))
        person = self.release.table.person
        rule = None if models is None or column.missing is not None else rule_of(models)
        if person is not None and len(person.values) < len(column.codes):
            rule = None  # Rows of a person are not given to blocks one by one.
        breaking = []
        for case in cases:
            at = self.fixed if case.every and self.fixed is not None else self.free
            failing = np.append(self._failing(at, column, models), False)
            breaking.append(failing[case.block])
            if rule is None or not case.whole:
                continue
            inside, sizes = np.unique(case.block, return_counts=True)
            counts = np.bincount(column.codes[case.rows])
            believed = chances_of_blocks(
                sizes[inside >= 0].tolist(),
                int(sizes[inside < 0].sum()),
                {code: count for code, count in enumerate(counts.tolist()) if count},
                rule,
                every=case.every,
            )
            for block, size in zip(inside.tolist(), sizes.tolist(), strict=True):
                for code, chance in (believed or {}).get(size if block >= 0 else -1, {}).items():
                    of_all = Fraction(int(share[code]), len(column.codes))
                    exposure.mark(case.rows[case.block == block], chance, of_all, thresholds)
        # A count takes one reason for the only one, so that it bounds nothing. Whoever broke the
        # rule is found out unless another table, in which she has something else, is published so.
        cleared = np.zeros(len(column.codes), dtype=np.bool_)
        if models is not None and self.models is not None:
            cleared = self._cleared(column, cases, breaking)
        for case, broke in zip(cases, breaking, strict=True):
            out = broke & ~cleared[case.rows]
            rest = np.unique(column.codes[case.rows[~out]])
            if out.any():
                every = case.rows if len(rest) == 1 else case.rows[out]
                exposure.mark(every, Fraction(1), Fraction(0), thresholds)

    def _cleared(
        self, column: Column, cases: Sequence[_Case], breaking: Sequence[NDArray[np.bool_]]
    ) -> NDArray[np.bool_]:
        """Say of each row whether it has another value in a table that is published the same."""
        cleared = np.zeros(len(column.codes), dtype=np.bool_)
        doubted = [
            (case, broke) for case, broke in zip(cases, breaking, strict=True) if broke.any()
        ]
        for attempt in range(TRIES if doubted else 0):
            tried = doubted
            while tried:
                codes = column.codes.copy()
                for case, broke in tried:
                    codes[case.rows] = _rearranged(codes[case.rows], case.block, broke, attempt)
                other = self._of_values(column, codes)
                if other is not None and _alike(self.release, other):
                    cleared |= codes != column.codes
                    break
                number = None if other is None else _numbered(other)
                lasting = [
                    (case, broke)
                    for case, broke in tried
                    if number is not None
                    and (number == number[case.rows[0]]).sum() == len(case.rows)
                    and (number[case.rows] == number[case.rows[0]]).all()
                ]
                tried = lasting if len(lasting) < len(tried) else []
        return cleared

    def _of_values(self, column: Column, codes: NDArray[np.int32]) -> Release | None:
        """Return what is published of a table with other values; None if nothing is."""
        table = self.release.table
        changed = replace(column, codes=codes)
        if table.sensitive is column:
            table = replace(table, sensitive=changed)
        else:
            further = tuple(changed if one is column else one for one in table.further)
            table = replace(table, further=further)
        try:
            return _formed(
                self.method, self.asked, table, self.release, marked=self.release.marked
            )
        except KProofError:
            return None

    def _failing(
        self, at: Release, column: Column, models: Sequence[Model] | None
    ) -> NDArray[np.bool_]:
        """Say of each block whether it breaks the rule in truth; all do if nobody knows it."""
        if models is None:
            return np.ones(at.count, dtype=np.bool_)
        judged: Classes = next(one for one in at.classes().each if one.name == column.name)
        return np.any([model.failing(judged) for model in models], axis=0)


def _rearranged(
    codes: NDArray[np.int32], block: Codes, broke: NDArray[np.bool_], attempt: int
) -> NDArray[np.int32]:
    """Give the values of a class to its rows so that other blocks break the rule."""
    bad = np.unique(block[broke])
    others = np.setdiff1d(block[block >= 0], bad)
    changed = codes.copy()
    if len(bad) > 1:
        rows = [np.flatnonzero(block == one) for one in bad]
        turned = rows[1 + attempt % (len(bad) - 1) :] + rows[: 1 + attempt % (len(bad) - 1)]
        changed[np.concatenate(rows)] = codes[np.concatenate(turned)]
    elif len(others) > attempt:
        sizes = np.abs(np.array([(block == one).sum() for one in others]) - broke.sum())
        taking = others[np.argsort(sizes, kind="stable")[attempt]]
        # The value that broke the rule goes to another block first, to this one last.
        place = np.where(broke, 2, np.where(block == taking, 0, 1))
        order = np.lexsort((np.arange(len(block)), place))
        common = np.bincount(codes[broke]).argmax()
        values = codes[np.lexsort((codes, codes != common))]
        changed[order] = values
    return changed


def _formed(
    method: Method,
    asked: Mapping[str, Any],
    table: Table,
    release: Release,
    *,
    marked: bool = False,
) -> Release:
    """Run a method again, rows left out as before."""
    given = {name: value for name, value in asked.items() if value is not None}
    budget = None if "suppress" in method.parameters else release.budget
    return released_by(method, table, method.asked(given), budget, marked=marked)


def _alike(release: Release, other: Release) -> bool:
    """Say whether two releases of the same people have the same classes and levels."""
    ours, theirs = _numbered(release), _numbered(other)
    pairs = np.unique(np.stack([ours, theirs]), axis=1)
    one_to_one = len(np.unique(ours)) == len(np.unique(theirs)) == pairs.shape[1]
    hidden = bool(((ours < 0) == (theirs < 0)).all())
    return hidden and one_to_one and release.levels == other.levels


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
