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
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from kproof.errors import DataError, KProofError
from kproof.models.api import run_method
from kproof.models.attacks.knowing.releases import release_beliefs
from kproof.models.attacks.knowing.specialised import (
    METHODS_SPECIALISED,
    beliefs_of_specialised,
    part_alike,
)
from kproof.models.base.arrays import Codes, Flags
from kproof.models.base.classes import Classes
from kproof.models.base.columns import Column, group_codes, group_rows
from kproof.models.judgement.classes.explanations import chances_of_blocks, rule_of
from kproof.models.judgement.findings import FindingStanding, JudgedCriterion, JudgedFinding, Remedy
from kproof.models.judgement.people import of_all
from kproof.models.judgement.publication import Making, PublishedFile
from kproof.models.judgement.thresholds import GUESSED, Thresholds
from kproof.models.methods import METHODS
from kproof.models.privacies import MODELS
from kproof.models.privacy.base import Model
from kproof.models.registry import PROMISED, Kind, Method, Needs
from kproof.models.tables.release import Release
from kproof.models.tables.suppression.promised import promises_of
from kproof.models.tables.table import Table

MOST_MOVES = 500_000
"""Moves of a method that exchanges records that are looked at; more take many seconds."""

TRIES = 12
"""Other tables that are tried to show that somebody may have something else."""


def minimality(publication: PublishedFile, thresholds: Thresholds) -> Iterator[JudgedFinding]:
    """Yield what a publication tells whoever knows how its classes were formed."""
    making, people = publication.making, publication.people
    if not publication.secrets:
        yield _MET("there is no secret that classes could be formed by", people)
    elif making is None:
        yield _open(publication, "nobody said how classes were formed")
    elif making.from_known_alone:
        yield _MET("classes were formed without looking at any secret", people)
    elif making.release is None or publication.source_row is None:
        yield _open(publication, f"the run of {making.method} is not at hand")
    elif making.method == "theta-withheld":
        # Theorem published_same: its chance of being shown is the same whoever has which value.
        sentence = "whether a class is shown is up to its values as a whole and a coin"
        yield _MET(f"{sentence}: who knows that learns no more of it than it shows", people)
    elif making.method in METHODS_SPECIALISED:
        yield from _judge_specialised(publication, thresholds, making.release)
    else:
        try:
            # People are judged and rows as well, of one run of the method.
            rerun = _RERUNS.get(making) or _Rerun.of(making.release, making)
            _RERUNS[making] = rerun
        except KProofError as reason:
            exposed: tuple[JudgedFinding, ...] = ()
            # Labels may tell who was exchanged, which is not computed: what is found here is only
            # the least of it, and nothing found is no leave to publish.
            with suppress(KProofError):
                exposure = _exposure_by_exchange(making.release, thresholds)
                why = "a value that it adds was absent from the class, and so occurs once"
                exposed = (*_find_exposed(publication, thresholds, exposure, making.method, why),)
            yield from exposed or (_open(publication, str(reason)),)
        else:
            yield from _findings(publication, thresholds, rerun)


_MET = JudgedCriterion.MINIMALITY.met


def _open(publication: PublishedFile, sentence: str) -> JudgedFinding:
    met = _MET(sentence, publication.people)
    return replace(met, standing=FindingStanding.OPEN, remedy=Remedy.FROM_KNOWN)


def _findings(
    publication: PublishedFile, thresholds: Thresholds, rerun: _Rerun
) -> Iterator[JudgedFinding]:
    method = rerun.method.name
    if _alike(rerun.release, rerun.free):
        sentence = f"classes are those that {method} forms from known columns alone"
        yield _MET(sentence, publication.people)
        return
    exposure = rerun.exposure(thresholds)
    why = (
        "it formed their classes by secrets, and no table in which they have others was seen to be "
        "published so"
    )
    broken = tuple(_find_exposed(publication, thresholds, exposure, method, why))
    sentence = f"nobody in the file is found out by anyone who forms the classes of {method} again"
    yield from broken or (_MET(sentence, publication.people, exposure.largest),)


def _judge_specialised(
    publication: PublishedFile, thresholds: Thresholds, release: Release
) -> Iterator[JudgedFinding]:
    """Yield what classes that were cut as their secrets permit tell who cuts them again."""
    method = release.method
    try:
        beliefs = beliefs_of_specialised(release)
    except KProofError as reason:
        yield _open(publication, str(reason))
        return
    (secret,) = release.table.secrets
    exposure = _Exposure.of_nobody(len(secret.codes))
    shares = np.bincount(secret.codes, minlength=len(secret.values)).tolist()
    for row, posterior in beliefs.posteriors.items():
        members = secret.codes[release.group_of == release.group_of[row]]
        for code, chance in posterior.items():
            # What the class shows by itself is counted by inference.
            if chance > Fraction(int((members == code).sum()), len(members)):
                of_all = Fraction(shares[code], len(secret.codes))
                exposure.mark(np.array([row]), chance, of_all, thresholds)
    why = "cuts were refused for secrets, and few ways to have them explain that"
    broken = tuple(_find_exposed(publication, thresholds, exposure, method, why))
    yield from broken
    if unjudged := len(beliefs.unjudged):
        yield _open(
            publication,
            f"{method}: cuts were refused for secrets, and for {unjudged:,} of "
            f"{len(secret.codes):,} rows there are too many ways that may explain it",
        )
    elif not broken:
        sentence = (
            f"nobody in the file is found out by anyone who forms the classes of {method} again"
        )
        yield _MET(sentence, publication.people, exposure.largest)


def _find_exposed(
    publication: PublishedFile, thresholds: Thresholds, exposure: _Exposure, method: str, why: str
) -> Iterator[JudgedFinding]:
    """Yield whom a method finds out."""
    source_row = publication.source_row
    assert source_row is not None
    for rows, limit, words in (
        (exposure.certain, Fraction(0), "counts as certain"),
        (exposure.sure & ~exposure.certain, thresholds.bets, f"can be {GUESSED}"),
    ):
        # Noise is row -1 of the source.
        victims = np.flatnonzero(np.append(rows, False)[source_row]).astype(np.int64)
        hit = len(np.unique(publication.persons[victims]))
        if hit > limit * publication.people:
            yield JudgedFinding(
                JudgedCriterion.MINIMALITY,
                FindingStanding.BROKEN,
                f"a secret of {of_all(hit, publication)} {words} for anyone who knows {method}: "
                f"{why}",
                hit=hit,
                people=publication.people,
                figure=Fraction(hit, max(publication.people, 1)),
                threshold=limit,
                remedy=Remedy.FROM_KNOWN,
                victims=victims,
            )


def _exposure_by_exchange(release: Release, thresholds: Thresholds) -> _Exposure:
    """Return whom a method that exchanges records and adds noise finds out."""
    beliefs = release_beliefs(release, most_moves=MOST_MOVES)
    (secret,) = release.table.secrets
    rows = len(secret.codes)
    exposure = _Exposure.of_nobody(rows)
    shares = np.bincount(secret.codes, minlength=len(secret.values)).tolist()
    for group, posterior in enumerate(beliefs.posteriors):
        members = np.flatnonzero(release.group_of == group)
        for code, chance in posterior.items():
            exposure.mark(members, chance, Fraction(shares[code], rows), thresholds)
    return exposure


@dataclass(eq=False)
class _Exposure:
    """Whom it finds out, among the rows of the source."""

    certain: Flags
    sure: Flags
    largest: Fraction = Fraction(0)

    @classmethod
    def of_nobody(cls, rows: int) -> _Exposure:
        """Return that nobody is found out."""
        return cls(np.zeros(rows, dtype=np.bool_), np.zeros(rows, dtype=np.bool_))

    def mark(self, rows: Codes, chance: Fraction, share: Fraction, limits: Thresholds) -> None:
        """Note the chance with which rows are taken to have a value of some share."""
        # To be sure of what nearly everybody has takes no release.
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
    settings: Mapping[str, Any]
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
            raise DataError(f"nobody can form the classes of {release.method} again")
        if Needs.SENSITIVE in method.needs or len(release.swaps) or len(release.noise_group):
            given_away = "reads secrets to form classes, and what that gives away is not computed"
            raise DataError(f"{method.name} {given_away}")
        parameters = {**release.parameters, **making.parameters}
        settings = {name: parameters.get(name) for name in method.parameters}
        models = _models(settings.get("models"))
        plain = {name: settings[name] for name in settings if name not in PROMISED}
        if "models" in settings:
            settings["models"] = models
            plain["models"] = [model for model in models or () if not model.needs_sensitive]
        table = release.table
        blind = replace(table, sensitive=None, categories=None, further=(), totals=None)
        rule = promises_of(method, {**settings, "models": ()}, table)
        # Unknown and none are told apart: of unknown models every block may have broken one.
        asked = None if models is None else [model for model in models if model.needs_sensitive]
        # Run without its secrets, then put back over the table: blocks are judged by them.
        free = replace(_form(method, plain, blind, release), table=table)
        # Which of several equal rows goes where may be settled by secrets: it comes out otherwise
        # where these stand the other way round, and no two are alike.
        places = np.arange(table.rows, dtype=np.int32)
        turned = Column("", places[::-1], tuple(places.tolist()), numeric=True)
        if table.secrets and _split_equal_rows(table, release, free) and not _alike(
            free, _form(method, plain, replace(blind, sensitive=turned), release)
        ):  # fmt: skip
            settled = "settles by secrets which of several equal rows goes where"
            raise DataError(f"{method.name} {settled}, and what that gives away is not computed")
        fixed = None
        if release.levels is not None:
            fixed = free
            # Rows were marked at the levels that were published, wherever known columns alone lead.
            if free.levels != release.levels:
                plain["levels"] = dict(release.levels)
                fixed = replace(_form(method, plain, blind, release), table=table)
        return cls(release, method, settings, asked, rule.of, free, fixed)

    def exposure(self, thresholds: Thresholds) -> _Exposure:
        """Return whom the classes find out, over all secret columns."""
        rows = self.release.table.rows
        exposure = _Exposure.of_nobody(rows)
        cases = self._cases()
        for column in self.release.table.secrets:
            models = None
            if self.models is not None:
                models = [*self.models, *self.of_column.get(column.name, ())]
            # A column of which nothing was asked cannot be why classes are what they are.
            if models != []:
                self._judge(column, models, cases, exposure, thresholds)
        return exposure

    def _cases(self) -> list[_Case]:
        cases = []
        published = _class_numbers(self.release)
        for index in np.unique(published).tolist():
            if index < 0 and not self.release.marked:
                continue  # What is not in the file tells no value.
            every = index < 0 and self.fixed is not None
            blocks = _class_numbers(self.fixed if every and self.fixed is not None else self.free)
            rows = np.flatnonzero(published == index)
            touched = np.unique(blocks[rows])
            formed = touched[touched >= 0]
            complete = int(np.isin(blocks, formed).sum()) == int((blocks[rows] >= 0).sum())
            # A class that is one block, and all of it, would have been formed without secrets as
            # well.
            if len(formed) and not (complete and len(touched) == 1):
                cases.append(_Case(rows, blocks[rows], complete, every))
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
        # Who is in a class of one value is found out by anybody, and counted by inference.
        cases = [case for case in cases if len(np.unique(column.codes[case.rows])) > 1]
        certain = np.zeros(len(column.codes), dtype=np.bool_)
        for case in cases:
            touched, sizes = np.unique(case.block, return_counts=True)
            counts = np.bincount(column.codes[case.rows])
            believed = None
            if rule is not None and case.whole:
                counted = {code: count for code, count in enumerate(counts.tolist()) if count}
                rows, alone = sizes[touched >= 0].tolist(), int(sizes[touched < 0].sum())
                believed = chances_of_blocks(rows, alone, counted, rule, every=case.every)
            if believed is None:
                # What cannot be counted fails closed: whose block breaks the rule in truth is found
                # out.
                blocks = self.fixed if case.every and self.fixed is not None else self.free
                # Rows in no block, -1, pick the last flag: they explain nothing.
                broke = np.append(self._breaks_rule(blocks, column, models), False)[case.block]
                certain[case.rows[broke]] = True
            for block, size in zip(touched.tolist(), sizes.tolist(), strict=True):
                for code, chance in (believed or {}).get(size if block >= 0 else -1, {}).items():
                    of_all = Fraction(int(share[code]), len(column.codes))
                    exposure.mark(case.rows[case.block == block], chance, of_all, thresholds)
        # The count takes one reason for the only one, so that it bounds nothing: a method may have
        # looked at other parts than blocks. Everybody is found out of whom no other table, in which
        # she has something else, is published the same.
        cleared = np.zeros(len(column.codes), dtype=np.bool_)
        if models is not None:
            cleared = self._clear(column, cases)
        for case in cases:
            certain[case.rows] |= ~cleared[case.rows]
        exposure.mark(np.flatnonzero(certain), Fraction(1), Fraction(0), thresholds)

    def _clear(self, column: Column, cases: Sequence[_Case]) -> Flags:
        """Say of each row whether it has another value in a table that is published the same."""
        cleared = np.zeros(len(column.codes), dtype=np.bool_)
        for attempt in range(TRIES):
            tried = [case for case in cases if not cleared[case.rows].all()]
            while tried:
                codes = column.codes.copy()
                for case in tried:
                    codes[case.rows] = _rearrange(codes[case.rows], case.block, attempt)
                rerun = self._of_values(column, codes)
                if rerun is not None and _alike(self.release, rerun):
                    cleared |= codes != column.codes
                    break
                lasting = [case for case in tried if rerun is not None and _lasts(case, rerun)]
                # Without those that came out otherwise the others may stay as they are.
                tried = lasting if 0 < len(lasting) < len(tried) else tried[: len(tried) // 2]
        return cleared

    def _of_values(self, column: Column, codes: NDArray[np.int32]) -> Release | None:
        """Return what is published of a table with other values; None if nothing is."""
        table = self.release.table
        changed = replace(column, codes=codes)
        if table.sensitive is column:
            table = replace(table, sensitive=changed)
        else:
            further = tuple(changed if secret is column else secret for secret in table.further)
            table = replace(table, further=further)
        try:
            return _form(self.method, self.settings, table, self.release, self.release.marked)
        except KProofError:
            # Nothing published is not what was published: such a table clears nobody.
            return None

    def _breaks_rule(
        self, blocks: Release, column: Column, models: Sequence[Model] | None
    ) -> Flags:
        """Say of each block whether it breaks the rule in truth; all do if nobody knows it."""
        if models is None:
            return np.ones(blocks.count, dtype=np.bool_)
        judged: Classes = next(part for part in blocks.classes().each if part.name == column.name)
        return np.asarray(np.any([model.failing(judged) for model in models], axis=0))


_RERUNS: WeakKeyDictionary[Making, _Rerun] = WeakKeyDictionary()
"""What was run again, as long as somebody judges what was made so."""


def _lasts(case: _Case, release: Release) -> bool:
    """Say whether the rows of a case are a class of a release."""
    classes = _class_numbers(release)
    members = classes == classes[case.rows[0]]
    return bool(members[case.rows].all()) and int(members.sum()) == len(case.rows)


def _rearrange(codes: NDArray[np.int32], block: Codes, attempt: int) -> NDArray[np.int32]:
    """Give the values of a class to its rows in another way.

    Blocks are exchanged, in turns, and their values turned within them: so other blocks break a
    rule as these did.
    """
    # Drawn alike each time: a judgement of the same release must not change.
    random = np.random.default_rng(attempt)
    changed = codes.copy()
    blocks = [np.flatnonzero(block == number) for number in np.unique(block)]
    if attempt % 3 == 0:
        # From 1 to one less than the blocks: a full turn would change nothing.
        turn = 1 + attempt // 3 % max(len(blocks) - 1, 1)
        turned = np.concatenate(blocks[turn:] + blocks[:turn])
        changed[np.concatenate(blocks)] = codes[turned]
    elif attempt % 3 == 1:
        for rows in blocks:
            changed[rows] = random.permutation(codes[rows])
    else:
        changed = random.permutation(codes)
    return changed


def _form(
    method: Method,
    settings: Mapping[str, Any],
    table: Table,
    release: Release,
    marked: bool = False,
) -> Release:
    """Run a method again, rows left out as before."""
    options = {name: value for name, value in settings.items() if value is not None}
    budget = None if "suppress" in method.parameters else release.budget
    return run_method(method, table, method.complete_arguments(options), budget, marked=marked)


def _alike(release: Release, rerun: Release) -> bool:
    """Say whether two releases of the same people have the same classes and levels."""
    ours, theirs = _class_numbers(release), _class_numbers(rerun)
    # One to one is not enough: a class that is shown could stand for rows that are not.
    hidden = bool(((ours < 0) == (theirs < 0)).all())
    return hidden and part_alike(ours, theirs) and release.levels == rerun.levels


def _split_equal_rows(table: Table, *releases: Release) -> bool:
    """Say whether rows that agree in every known column are in several classes of a release."""
    equal = group_rows(table.quasi_identifiers, table.rows)
    classes = [release.class_of + 1 for release in releases]
    both = [[equal, (of_row, int(of_row.max(initial=0)) + 1)] for of_row in classes]
    return any(group_codes(columns, table.rows)[1] > equal[1] for columns in both)


def _class_numbers(release: Release) -> Codes:
    """Return the class of each row of the source, -1 for those that show nothing of it."""
    if release.hidden_class is None:
        return release.class_of
    return np.where(release.class_of == release.hidden_class, -1, release.class_of)


def _models(typed: object) -> list[Model] | None:
    """Return models, also from their names as an account has them; None if one is unknown."""
    if not isinstance(typed, str):
        every = list(typed) if isinstance(typed, Sequence) else []
        return every if all(isinstance(model, Model) for model in every) else None
    models: list[Model] = []
    # Behind a bracket only: commas separate the values of a model as well.
    for text in re.split(r"(?<=\)), ", typed):
        for entry in MODELS.values():
            match = re.fullmatch(rf"{re.escape(entry.name)}\((.*)\)", text)
            values = [part.partition("=")[2] for part in match[1].split(", ")] if match else []
            # Fail closed: a name with other parameters than its model has is read as unknown.
            if match and len(values) == len(entry.parameters) and all(values):
                model = entry.model(*values)
                if isinstance(model, Model):
                    models.append(model)
                    break
        else:
            return None
    return models
