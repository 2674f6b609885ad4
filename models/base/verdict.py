"""What a privacy model answers: a Verdict, with the class that decides it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from kproof.errors import show
from kproof.forms import JsonForm, group
from kproof.models.base.beside import Beside, omissions_line
from kproof.models.base.classes import Classes
from kproof.models.base.exposure import Exposure, describe_beside
from kproof.models.base.missing import MissingAs
from kproof.notebooks import NotebookText, latex_lines, latex_value, latex_words

SCHEMA = 2
"""Version of the JSON form of every result of this package."""

Figure = Fraction | float | int | str


class RowsKnown(StrEnum):
    """What a reader is taken to know of the several rows of a person."""

    NONE = "each row judged by itself"
    """How many there are, perhaps: by symmetry each is any row of the class alike."""
    ALL_BUT_ONE = "for a reader who knows all rows of a person but one"
    """Whichever rows of the class these are."""
    MIXED = "l and shares for a reader who knows all rows of a person but one, the rest by row"
    """What several models attain, each judged as it is."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What an answer about classes does not speak of."""

    left_out: tuple[Beside, ...] = ()
    """Columns of the table that were left out of account."""
    missing: int = 0
    """Missing sensitive values, 0 where none are looked at."""
    missing_as: MissingAs | None = None
    """What these were taken for; None if there are none."""
    column: str | None = None
    """The sensitive column that the answer is about; None if it is about none, or has no name."""
    unknown: tuple[str, ...] = ()
    """Other sensitive columns, of which the reader is taken to know nothing."""
    known: tuple[str, ...] = ()
    """Other sensitive columns that were taken for quasi-identifiers."""
    several: int = 0
    apart: int = 0
    """People with more than one row, and those of them with rows in more than one class."""
    rows: RowsKnown | None = None
    """What was taken to be known of a person's several rows; None where no values are looked at."""
    suppressed: int = 0
    """Suppressed rows that show nothing at all, and were left out of account."""
    exposure: Exposure | None = field(default=None, repr=False, compare=False)
    """What columns published as they are single out; None without any."""

    @classmethod
    def of(cls, classes: Classes, *, sensitive: bool, rows: RowsKnown = RowsKnown.NONE) -> Scope:
        """Return the scope of an answer that reads sensitive values, or does not."""
        # An answer that reads no sensitive value says nothing of missing ones.
        gaps = classes.gaps if sensitive else 0
        people = None if classes.person is None else classes.people
        several = 0 if people is None else people.several
        return cls(
            left_out=classes.beside,
            missing=gaps,
            missing_as=classes.missing_as if gaps else None,
            column=(classes.name or None) if sensitive else None,
            unknown=classes.secrets[1:] if sensitive else (),
            known=classes.known if sensitive else (),
            several=several,
            apart=0 if people is None else people.apart,
            rows=rows if sensitive and several else None,
            suppressed=classes.suppressed,
            exposure=classes.exposure,
        )

    @property
    def among(self) -> str:
        """The name of the sensitive column if there are several, as it follows a model's name.

        >>> Scope(column="disease", unknown=("pay",)).among, Scope(column="disease").among
        (' of disease', '')
        """
        several = self.column is not None and (self.unknown or self.known)
        return f" of {show(self.column)}" if several else ""

    @property
    def gives_away(self) -> tuple[Beside, ...]:
        """Columns published as they are that single out nearly every row, whatever the classes."""
        return tuple(column for column in self.left_out if column.gives_away)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader has to know beside the answer, a phrase each.

        >>> Scope(missing=1, missing_as=MissingAs.WORST_CASE).notes
        ('1 missing sensitive value taken as the worst case',)
        """
        notes = [omissions_line(self.left_out), describe_beside(self.exposure, self.left_out)]
        if self.missing_as is not None:
            plural = "s" if self.missing > 1 else ""
            notes.append(
                f"{self.missing} missing sensitive value{plural} {self.missing_as.sentence}"
            )
        if self.unknown:
            notes.append(f"for a reader who knows nothing of {_enumeration(self.unknown)}")
        if self.known:
            notes.append(f"for a reader who knows {_enumeration(self.known)}")
        if self.several:
            notes.append(self._people_phrase())
        if self.suppressed:
            rows = "row that shows" if self.suppressed == 1 else "rows that show"
            notes.append(f"not considered: {self.suppressed} suppressed {rows} nothing")
        return tuple(note for note in notes if note)

    def _people_phrase(self) -> str:
        have = "person has" if self.several == 1 else "people have"
        phrase = f"{self.several} {have} several rows"
        if self.rows is not None:
            phrase += f", {self.rows.value}"
        if self.apart:
            phrase += f"; {self.apart} of them in several classes, each judged by itself"
        return phrase

    def __str__(self) -> str:
        """Return the notes as they follow an answer on its line."""
        return "".join(f"; {note}" for note in self.notes)

    to_dict = JsonForm(
        "left_out gives_away=gives_away.name missing missing_as sensitive=column",
        group("other_sensitive", "Further sensitive columns, not judged.", "unknown known"),
        group(
            "people",
            "Whether rows are people.",
            "several_rows=several several_classes=apart judged=rows",
        ),
        "suppressed exposure",
    )


def _enumeration(names: tuple[str, ...]) -> str:
    return " and ".join(show(name) for name in names)


@dataclass(frozen=True, slots=True)
class ClassFigures:
    """One equivalence class and its figures, as evidence."""

    index: int
    """Class index."""
    label: str
    """Its published quasi-identifiers."""
    size: int
    """Published rows."""
    figures: Mapping[str, Figure] = field(default_factory=dict)
    """What the model looked at: counts of values, shares, distances."""

    to_dict = JsonForm()


@dataclass(frozen=True, slots=True, repr=False)
class Verdict(NotebookText):
    """Whether a release satisfies a privacy model."""

    model: str
    """The model with its parameters, such as ``l-diversity(l=3)``."""
    holds: bool
    """Decided exactly wherever the model is defined by rationals."""
    value: Figure
    """What the release attains: the largest (or smallest) parameter for which it holds."""
    meaning: str
    """What ``value`` is, such as ``"largest l"`` or ``"least t"``."""
    worst_class: ClassFigures | None
    """The class that attains ``value``; None where no single class does."""
    reason: str
    """One sentence for a reader."""
    scope: Scope = field(default_factory=Scope)
    """What the answer does not speak of."""

    @property
    def word(self) -> str:
        """What a reader is told: holds, fails, or open.

        Open is a model that holds beside a column, published as it is, that singles out nearly
        every row: it was left out of account because somebody said so, and gives everybody away
        to whoever knows it.
        """
        if not self.holds:
            return "fails"
        return "open" if self.scope.gives_away else "holds"

    def __str__(self) -> str:
        """Return one readable line, with what the answer does not speak of."""
        return f"{self.name}: {self.word} ({self.reason}){self.scope}"

    @property
    def name(self) -> str:
        """The model, with its sensitive column if the release has several.

        >>> scope = Scope(column="pay", unknown=("disease",))
        >>> Verdict("l-diversity(l=2)", True, 2, "largest l", None, "", scope).name
        'l-diversity(l=2) of pay'
        """
        return f"{self.model}{self.scope.among}"

    def __bool__(self) -> bool:
        return self.holds

    def _repr_latex_(self) -> str:
        value = self.value
        # No float here is certified: few of its digits, and never an equals sign.
        relation = f"= {latex_value(value)}"
        if isinstance(value, float):
            relation = rf"\approx {latex_value(f'{value:.4g}')}"
        notes = (f"& {latex_words(note)}" for note in self.scope.notes)
        head = f"& {latex_words(f'{self.name}: {self.word}')}"
        return latex_lines([head, f"& {latex_words(self.meaning)} {relation}", *notes])

    to_dict = JsonForm(
        "model holds answer=word value=str(value) meaning worst_class reason *scope", schema=SCHEMA
    )


def plain(value: Figure) -> str | float | int:
    """Return a figure as JSON has it: counts and floats bare, rationals, whole ones too, as text.

    >>> plain(Fraction(11, 16)), plain(Fraction(4, 1)), plain(4), plain(0.5)
    ('11/16', '4', 4, 0.5)
    """
    return str(value) if isinstance(value, Fraction) else value
