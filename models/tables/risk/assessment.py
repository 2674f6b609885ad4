"""The risk of a release: prosecutor, journalist and marketer, in exact numbers and plain words.

Three people look for rows. The *prosecutor* knows a person's quasi-identifiers and that they are in
the table. The *journalist* takes a row and looks for its person in a population. The *marketer*
does so for every row and counts how many are right. All of them pick at random among those who fit;
rows that are nobody's are known for what they are, and help nobody.

Sources: El Emam and Dankar, "Protecting privacy using k-anonymity", JAMIA 15(5), 2008; Dankar and
El Emam, "A method for evaluating marketer re-identification risk", EDBT workshops 2010 [recalled].
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from kproof.arguments import ROLES, check_arguments, name_arguments
from kproof.datasets import MISSING_CELLS, Header
from kproof.errors import DataError, InvalidArgument, show
from kproof.forms import JsonForm
from kproof.models.base.beside import require_parts
from kproof.models.base.classes import Classes
from kproof.models.base.missing import text
from kproof.models.base.parameters import SAMPLE, THRESHOLD
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.base.verdict import SCHEMA, Scope
from kproof.models.tables.published import classes_of_table
from kproof.models.tables.readers import names_of, read_published, read_table
from kproof.models.tables.release import Release
from kproof.models.tables.risk.chances import Chances, chances, json_chance, one_in, share_of
from kproof.models.tables.risk.population import Shows, count_fitting
from kproof.models.tables.risk.superpopulation import Estimate, Superpopulation, estimate
from kproof.models.tables.roles import roles_among
from kproof.models.tables.table import Table
from kproof.notebooks import NotebookText, latex_table, latex_value, latex_words
from kproof.theory.exact.typed import Number, choice


@dataclass(frozen=True, slots=True, repr=False)
class Risk(NotebookText):
    """How likely somebody is to pick a person's row out of a release."""

    prosecutor: Chances
    """Of somebody who knows that the person is in the table."""
    threshold: Fraction
    """The chance above which people are counted."""
    journalist: Chances | None = None
    """Of somebody who looks for a row's person in the population; None without a table of it.
    Its mean is the marketer's: the expected share of rows matched with the right person."""
    population: int | None = None
    """People in the population's table, of whom ``outside`` fit no class; None without it."""
    outside: int = 0
    """See ``population``."""
    estimated: Estimate | None = None
    """What takes the journalist's place if only the size of the sample is known; no guarantee."""
    noise: int = 0
    """Rows that are nobody's."""
    scope: Scope = field(default_factory=Scope)
    """What the figures do not speak of."""

    @property
    def marketer(self) -> Fraction | None:
        """Largest share of rows that is matched rightly in expectation, exact with a population.

        Without one it is the prosecutor's mean: a population holds the people of the table, so
        that nobody finds more of them there. None if nothing is published.
        """
        return (self.journalist or self.prosecutor).mean

    @property
    def sentences(self) -> tuple[str, ...]:
        """What it comes to, for somebody who decides whether to publish."""
        if self.prosecutor.largest is None:
            return ("Nothing is published that is anybody's.",)
        sentences = [*self._prosecutor()]
        if self.journalist is not None:
            sentences += self._journalist(self.journalist)
        elif self.estimated is not None:
            sentences += _estimate_sentences(self.estimated, self.prosecutor.people)
        else:
            sentences.append("Attackers unsure of membership do no better.")
        return (*sentences, *self.scope.notes)

    def _prosecutor(self) -> list[str]:
        picked = _chance(self.prosecutor, "a person's row")
        return [
            f"{picked} by anyone who knows their quasi-identifiers and that they are in the table.",
            self._alone(self.prosecutor, "in the table"),
            *_above(self.prosecutor, self.threshold),
        ]

    def _journalist(self, chances: Chances) -> list[str]:
        right = chances.people * chances.mean if chances.mean is not None else 0
        outside = f", {self.outside:,} of whom fit no row" if self.outside else ""
        return [
            f"{_chance(chances, 'the right person')} among the {self.population:,} people of the "
            f"population{outside}.",
            self._alone(chances, "in the population"),
            *_above(chances, self.threshold),
            f"Anyone who looks for all of them gets {float(right):.3g} of {chances.people:,} right "
            "on average.",
        ]

    def _alone(self, chances: Chances, among: str) -> str:
        if chances.alone:
            who = share_of(chances.alone, chances.people, "people")
            return f"{who.capitalize()} can be singled out {among}."
        given_away = ", ".join(show(column.name) for column in self.scope.gives_away)
        if given_away:
            # Published as it is, such a column is no quasi-identifier, and tells more than one.
            needs_none = f"anyone who knows {given_away} needs none"
            return f"By quasi-identifiers nobody is alone {among}; {needs_none}."
        return f"Nobody is alone {among}."

    def __str__(self) -> str:
        """Return the sentences, a line each."""
        return "\n".join(self.sentences)

    def _repr_latex_(self) -> str:
        parties = {"prosecutor": self.prosecutor, "journalist": self.journalist}
        rows = [
            [latex_words(name), *map(latex_value, (of.largest, of.mean)), f"{of.alone}"]
            for name, of in parties.items()
            if of is not None
        ]
        notes = [[latex_words(note), "", "", ""] for note in self.scope.notes]
        headings = ("chance", "largest", "mean", "people alone")
        return latex_table(list(map(latex_words, headings)), [*rows, *notes])

    to_dict = JsonForm(
        "threshold prosecutor journalist marketer population outside estimated noise sentences",
        "left_out=scope.left_out exposure=scope.exposure",
        schema=SCHEMA,
        exact=json_chance,
    )


@name_arguments(source="data")
@check_arguments(**ROLES)
def risk(
    data: object,
    *,
    population: object = None,
    sample: Number | None = None,
    estimator: Superpopulation | str = Superpopulation.DANKAR,
    threshold: Number = "0.2",
    quasi_identifiers: Iterable[str] | None = None,
    both: Iterable[str] = (),
    sensitive: str | Sequence[str] | None = None,
    person: str | None = None,
    identifiers: Iterable[str] = (),
    other: Iterable[str] = (),
    missing: Collection[str] | None = None,
    taxonomies: Mapping[str, Taxonomy] | None = None,
    header: Header | str = Header.DETECT,
) -> Risk:
    """Return how likely somebody is to pick a person's row out of a release.

    Args:
        data: A Release, equivalence classes, a published frame, the name of a published file, or a
            Table as it is.
        population: A Table, frame or file with a row for each person of the population, those of
            the table among them, and the quasi-identifiers as they are, not generalized. Where it
            has the person column of the data, a person may have several rows: who has one that
            fits, fits.
        sample: Share of the population that is in the table, above 0 and at most 1, where there is
            no table of it: the journalist's chances are estimated.
        estimator: The model of the population: ``"dankar"``, ``"pitman"``, ``"zayatz"`` or
            ``"snb"``; see :mod:`kproof.models.tables.risk.superpopulation`.
        threshold: People whose chance is above it are counted; from 0 to 1.
        quasi_identifiers, both, sensitive, person, identifiers, other, missing: Of a published
            frame or file, as for :func:`kproof.check`.
        taxonomies: Of published rows beside a population: the hierarchies that labels come from, by
            column.
        header: Whether the first row of a published CSV file names the columns.

    Raises:
        DataError: If a column cannot be used, one without a role singles out nearly every row, or
            the population lacks people of the table.

    >>> from kproof.models.api import anonymize
    >>> roles = {"quasi_identifiers": ["Age"], "identifiers": ["ID", "Name"]}
    >>> assessed = risk(anonymize("mondrian", "table-1a", k=4, **roles))
    >>> assessed.prosecutor.largest, assessed.prosecutor.mean, assessed.prosecutor.alone
    (Fraction(1, 6), Fraction(1, 6), 0)
    >>> print(assessed)
    A person's row is picked with a chance of at most 1 in 6 (1 in 6 on average) by anyone who knows
    their quasi-identifiers and that they are in the table.
    Nobody is alone in the table.
    Attackers unsure of membership do no better.
    >>> risk("table-1a", sample=2, **roles)
    Traceback (most recent call last):
    kproof.errors.InvalidArgument: sample = 2: need above 0 and at most 1, or above 0%
    and at most 100%
    """
    limit = THRESHOLD.read(threshold)
    model = choice("estimator", estimator, Superpopulation)
    share = None if sample is None else SAMPLE.read(sample)
    if share is not None and population is not None:
        raise InvalidArgument("sample", sample, "a population or a sample, not both")
    column_roles = roles_among({**locals(), "taxonomies": None})
    options = {"quasi_identifiers": quasi_identifiers, **column_roles}
    roles = {name: value for name, value in options.items() if value not in (None, ())}
    compared = population is not None
    classes, shows = _classes_and_labels(data, header, roles, taxonomies or {}, compared=compared)
    # Before any chance is worked out: beside such a column everybody is picked out anyway.
    require_parts(classes.beside)
    people = classes.real_sizes
    measured = Risk(
        prosecutor=chances(people, people, limit),
        threshold=limit,
        noise=0 if classes.real is None else int(np.count_nonzero(~classes.real)),
        scope=Scope.of(classes, sensitive=False),
    )
    if measured.prosecutor.people == 0:
        return measured
    if population is not None:
        with name_arguments(data="population", source="population"):
            everyone = _people(population, shows, missing, _person_of(data, person))
        fits, outside = count_fitting(shows, everyone)
        for index in np.flatnonzero(fits < people).tolist():
            raise DataError(
                f"population: {fits[index]} of its people fit the class "
                f"{show(classes.label(index))}, which has {people[index]}; need a population that "
                "holds the people of the table, and the hierarchies that labels come from"
            )
        return replace(
            measured,
            journalist=chances(people, fits, limit),
            population=everyone.rows if everyone.person is None else len(everyone.person.values),
            outside=outside,
        )
    if share is not None:
        # Classes of noise alone are nobody's, and a model of sizes has no 0.
        return replace(measured, estimated=estimate(people[people > 0], share, model=model))
    return measured


def _classes_and_labels(
    data: object,
    header: Header | str,
    roles: dict[str, Any],
    taxonomies: Mapping[str, Taxonomy],
    *,
    compared: bool,
) -> tuple[Classes, tuple[Shows, ...]]:
    """Return the classes and, if wanted, what they show of each quasi-identifier."""
    has_roles = isinstance(data, (Release, Classes, Table))
    if has_roles and (roles or (taxonomies and not isinstance(data, Table))):
        own = "no columns beside it; it has its own"
        raise InvalidArgument("data", f"a {type(data).__name__}", own)
    if isinstance(data, Release):
        return data.classes(), tuple(map(Shows.of, data.recoded))
    if isinstance(data, Classes):
        if compared:
            raise InvalidArgument("population", "given", "a Release or published rows with it")
        return data, ()
    if not isinstance(data, Table) and not roles.get("quasi_identifiers"):
        raise InvalidArgument("quasi_identifiers", None, "the columns an adversary may know")
    table = data if isinstance(data, Table) else read_published(data, header=header, **roles)
    classes = classes_of_table(table)
    if not compared:
        return classes, ()
    # A row of each class shows what all of it do.
    first = np.unique(classes.of_row, return_index=True)[1]
    return classes, tuple(
        Shows(
            column.name,
            column.codes[first].astype(np.int64),
            tuple(map(text, column.values)),
            taxonomy=taxonomies.get(column.name),
        )
        for column in table.quasi_identifiers
    )


def _person_of(data: object, person: str | None) -> str | None:
    """Return the name of the column that says whose a row is, if there is one."""
    table = data.table if isinstance(data, Release) else data
    if isinstance(table, Table):
        return None if table.person is None else table.person.name
    return person


def _people(
    population: object, shows: Sequence[Shows], missing: Collection[str] | None, person: str | None
) -> Table:
    """Return the table of the population, its quasi-identifiers read as those of the release."""
    names = [column.name for column in shows]
    if isinstance(population, Table):
        column_names = {column.name for column in population.quasi_identifiers}
        for name in names:
            if name not in column_names:
                admissible = f"a quasi-identifier of it: {', '.join(sorted(column_names))}"
                raise InvalidArgument("population", name, admissible)
        return population
    # Labels of a hierarchy are texts, dates among them, which are read as such again.
    numeric = {
        column.name: column.recoded.column.numeric
        for column in shows
        if column.recoded is not None and column.recoded.column.taxonomy is None
    }
    return read_table(
        population,
        quasi_identifiers=names,
        # A population without that column has a row for each person.
        person=person if person in names_of(population) else None,
        numeric=numeric,
        missing=MISSING_CELLS if missing is None else missing,
    )


def _chance(chances: Chances, whose: str) -> str:
    # None without people, of whom nothing is said; the worst if it were.
    largest, mean = chances.largest or Fraction(1), chances.mean or Fraction(1)
    return (
        f"{whose.capitalize()} is picked with a chance of at most 1 in {one_in(largest)} "
        f"(1 in {one_in(mean)} on average)"
    )


def _above(chances: Chances, threshold: Fraction) -> list[str]:
    if not chances.above:
        return []
    verb = "has" if chances.above == 1 else "have"
    who = share_of(chances.above, chances.people, "people").capitalize()
    return [f"{who} {verb} a chance above {float(threshold):.3g}."]


def _estimate_sentences(estimate: Estimate, people: int) -> list[str]:
    return [
        f"Estimated by {estimate.title}, no guarantee: among some {estimate.population:,} people "
        f"the chance of picking a row's person is 1 in {one_in(estimate.mean)} on average and 1 in "
        f"{one_in(estimate.largest)} at most, and {estimate.alone:.3g} of {people:,} people can be "
        "singled out.",
        f"The estimate assumes that {'; '.join(estimate.assumptions)}.",
    ]
