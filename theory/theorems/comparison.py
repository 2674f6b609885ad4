"""The three readings of a theorem beside the exact value: which claims stand, and by how much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from math import inf
from typing import Annotated, Any, ClassVar

from kproof.arguments import FLAG, a, check_arguments
from kproof.errors import InvalidArgument, KProofError, TooLarge
from kproof.forms import ABSENT, JsonForm, group
from kproof.notebooks import html_table, latex_table, latex_value, latex_words
from kproof.pictures import Drawing
from kproof.registry import Home
from kproof.stages import count_parts
from kproof.theory.exact.enclosure import Enclosure, quotient
from kproof.theory.exact.typed import as_arb, choice, integer
from kproof.theory.laws import Binomial, LatticeLaw, Law, TruncatedBinomial, iid
from kproof.theory.profiles import exact as exact_value
from kproof.theory.profiles.binomial import others_exact
from kproof.theory.profiles.floats import delta_within
from kproof.theory.profiles.input import Grid, each
from kproof.theory.reading import Reading
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.api import as_adversary, as_moments, bound
from kproof.theory.theorems.assumptions import Assumption
from kproof.theory.theorems.bounds import ALL, SCHEMA, Bound, Events, ProvedBound
from kproof.theory.theorems.moments import Moments
from kproof.theory.theorems.record_moments import RecordMoments
from kproof.theory.theorems.registry import own_bounds, theorem_of
from kproof.theory.theorems.unknown import moments_for, records


class Standing(StrEnum):
    """How a claim stands at the parameters at hand."""

    REFUTED = "refuted"
    """The exact value is larger than the claim, though the claim's stated hypotheses hold."""
    SOUND = "sound here"
    """Every hypothesis was checked, and the exact value is at most the claim, or cannot be told
    apart from it."""
    ASSUMED = "sound, assumed"
    """Likewise, where a hypothesis rests on the caller's word alone."""
    CONDITIONAL = "conditional"
    """The claim rests on a hypothesis that nobody has answered for."""
    OWED_FALSE = "an owed hypothesis is false"
    """The exact value is larger than a proved claim: the caller promised what does not hold."""
    VACUOUS = "vacuous"
    """delta >= 1: true of everything."""
    INAPPLICABLE = "does not apply"
    """A hypothesis fails or the formula has no value; nothing is claimed."""
    NARROWER = "narrower events"
    """The claim is about fewer events than the exact value; the two do not contradict."""
    UNKNOWN = "no exact value"
    """There is nothing to compare with."""
    UNKNOWN_ASSUMED = "assumed, no exact value"
    """Likewise, where a hypothesis rests on the caller's word alone."""


class ExactRun(StrEnum):
    """Whether the exact value is worked out beside the claims."""

    AUTO = "auto"
    """In balls where that takes about a second, else from floats whose error is bounded."""
    ALWAYS = "always"
    """In balls, however long it takes."""
    NEVER = "never"
    """Not at all."""


_AFFORDABLE = 1 << 15
"""Points within twelve standard deviations up to which balls take about a second."""

_FLOATS = (
    "; the law is wide, so that its value is from floats with a bound on their error "
    "(exact: always works it out in balls)"
)


@dataclass(frozen=True, slots=True)
class ReadingBeside:
    """A bound beside the exact value."""

    claim: Bound
    """What the reading claims."""
    ratio_to_exact: float | None
    """Claimed over exact value, rounded; None where one of them is not known."""
    standing: Standing
    """How the claim stands to the exact value."""

    to_dict = JsonForm("*claim ratio_to_exact standing")


@dataclass(frozen=True, slots=True)
class BlocksBeside:
    """A block bound beside the exact value."""

    claim: Annotated[ProvedBound, Home("kproof.theory.theorems.blocks.bound:BlockBound")]
    """What blocks prove."""
    ratio_to_exact: float | None
    """Proved over exact value, rounded; None where one of them is not known."""
    standing: Standing
    """How what is proved stands to the exact value."""

    to_dict = JsonForm("*claim ratio_to_exact standing")


@dataclass(frozen=True, repr=False)
class Comparison:
    """Theorem, readings and truth at one point."""

    theorem: int
    """1 to 5."""
    quantity: str
    """``"delta"`` or ``"epsilon"``: which one was asked for."""
    bounds: Mapping[Reading, Bound]
    """One for each reading."""
    exact: Enclosure | None
    """The certified value over all measurable events, or None."""
    note: str
    """The law the exact value is of, or why there is none."""
    beside: Mapping[str, ProvedBound | str] = field(default_factory=dict)
    """What other bounds prove at the same epsilon of every event (Theorems 2 to 5), by name, or
    why they prove nothing."""
    events: ClassVar[Events] = ALL
    """Those that the exact value speaks of."""
    schema: int = field(default=SCHEMA, repr=False)
    """Version of the JSON form."""

    def claimed(self, reading: str | Reading) -> Enclosure | None:
        """Return what a reading claims for the quantity asked for."""
        return self._value(self.bounds[choice("reading", reading, Reading)])

    def ratio(self, reading: str | Reading) -> float | None:
        """Return claim over exact value; None where one is missing, 0 or beyond any float.

        ``reading`` may also name a bound beside the theorem, such as ``blocks``.
        """
        value = self._value(self._claim(reading))
        if value is None or self.exact is None or not self.exact.lower > 0:
            return None
        return quotient(value.upper, self.exact.lower) if self.exact.upper.is_finite() else None

    def standing(self, reading: str | Reading) -> Standing:
        """Return how the claim stands against the exact value, decided by enclosures.

        ``reading`` may also name a bound beside the theorem, such as ``blocks``.
        """
        claim = self._claim(reading)
        value = self._value(claim)
        if claim is None or value is None or not claim.applies:
            return Standing.INAPPLICABLE
        if claim.delta is not None and claim.delta.upper < 0:
            # The empty event has probability 0 under both laws.
            return Standing.REFUTED
        if claim.delta is not None and claim.delta.lower >= 1:
            return Standing.VACUOUS
        # Before what is owed: a claim that is too small is so on whoever's word it rests.
        if self.exact is not None and self.exact.lower > value.upper:
            if claim.events != ALL:
                return Standing.NARROWER
            proved = isinstance(claim, ProvedBound) or claim.reading is Reading.CORRECTED
            return Standing.OWED_FALSE if proved else Standing.REFUTED
        if claim.owed:
            return Standing.CONDITIONAL
        if self.exact is None:
            return Standing.UNKNOWN_ASSUMED if claim.assumed else Standing.UNKNOWN
        return Standing.ASSUMED if claim.assumed else Standing.SOUND

    def proved_by(self, name: str) -> ProvedBound | None:
        """Return what another bound proves, such as ``blocks``; None if it proves nothing."""
        bound = self.beside.get(name)
        return bound if isinstance(bound, ProvedBound) else None

    @property
    def blocks(self) -> ProvedBound | None:
        """What block masses prove at the same epsilon of every event, or None."""
        return self.proved_by("blocks")

    @property
    def blocks_note(self) -> str:
        """Why there is no such bound."""
        bound = self.beside.get("blocks", "")
        return bound if isinstance(bound, str) else ""

    @property
    def blocks_ratio(self) -> float | None:
        """The block bound over the exact value, as :meth:`ratio`."""
        return self.ratio("blocks") if self.blocks else None

    @property
    def blocks_standing(self) -> Standing:
        """How the block bound stands against the exact value."""
        return self.standing("blocks") if self.blocks else Standing.INAPPLICABLE

    def _claim(self, name: str | Reading) -> Bound | ProvedBound | None:
        if name in self.beside:
            return self.proved_by(name)
        return self.bounds[choice("reading", name, Reading)]

    def _value(self, claim: Bound | ProvedBound | None) -> Enclosure | None:
        if claim is None:
            return None
        return claim.delta if self.quantity == "delta" else claim.epsilon

    def __repr__(self) -> str:
        """Return what was claimed and how it stands, without the evidence."""
        claims = ", ".join(f"{name}: {value} ({word})" for name, value, _, word in self._rows())
        return f"Comparison(theorem={self.theorem}, {self.quantity}: {claims}, exact: {self.exact})"

    def _rows(self) -> list[tuple[str, Enclosure | None, float | None, str]]:
        """Return each claim with its value, its ratio to the exact value and its standing."""
        names = [*(reading.value for reading in self.bounds), *filter(self.proved_by, self.beside)]
        return [
            (name, self._value(self._claim(name)), self.ratio(name), self.standing(name).value)
            for name in names
        ]

    def _repr_html_(self) -> str:
        rows: list[tuple[object, ...]] = [
            (name, "" if value is None else value, "" if over is None else f"{over:.4g}", word)
            for name, value, over, word in self._rows()
        ]
        rows.append(("exact", "" if self.exact is None else self.exact, "", self.note))
        headings = ("reading", self.quantity, "over exact", "standing")
        return html_table(f"Theorem {self.theorem}", headings, rows)

    def plot(self) -> Drawing:
        """Draw what each reading claims beside the exact value, on an axis of powers of ten."""
        values = [(f"{name}: {word}", value) for name, value, _, word in self._rows()]
        title = f"Theorem {self.theorem}: {self.quantity} as claimed and exact"
        return Drawing(_svg(title, self.quantity, [*values, ("exact", self.exact)]))

    def _repr_latex_(self) -> str:
        rows = []
        for name, value, over, word in self._rows():
            ratio = "" if over is None else latex_value(f"{over:.4g}")
            rows.append([latex_words(name), latex_value(value), ratio, latex_words(word)])
        rows.append([latex_words("exact"), latex_value(self.exact), "", latex_words(self.note)])
        headings = [latex_words(f"Theorem {self.theorem}"), rf"\{self.quantity}", r"\times", ""]
        return latex_table(headings, rows)

    @property
    def readings(self) -> Mapping[Reading, ReadingBeside]:
        """Each reading beside the exact value."""
        return {
            reading: ReadingBeside(claim, self.ratio(reading), self.standing(reading))
            for reading, claim in self.bounds.items()
        }

    @property
    def _blocks(self) -> BlocksBeside | None:
        """What blocks prove, beside the exact value; None where they do not apply."""
        if self.blocks is None:
            return None
        return BlocksBeside(self.blocks, self.ratio("blocks"), self.standing("blocks"))

    @property
    def _further(self) -> Mapping[str, object]:
        """What bounds that were registered since prove, and why they prove nothing, by name."""
        further: dict[str, object] = {}
        for name in (entry.name for entry in own_bounds() if entry.name != "blocks"):
            bound = self.proved_by(name)
            stands = {"ratio_to_exact": self.ratio(name), "standing": self.standing(name)}
            further[name] = bound and bound.to_dict() | stands
            further[f"{name}_note"] = "" if bound else self.beside.get(name, "")
        return further

    def _exact(self, quantity: str) -> Enclosure | None:
        return self.exact if self.quantity == quantity else ABSENT

    @property
    def _delta(self) -> Enclosure | None:
        """Exact δ; None where it is out of reach."""
        return self._exact("delta")

    @property
    def _epsilon(self) -> Enclosure | None:
        """Exact ε; None where it is out of reach."""
        return self._exact("epsilon")

    to_dict = JsonForm(
        "theorem quantity readings blocks=_blocks blocks_note *_further",
        group(
            "exact", "The exact value.", "delta~=_delta epsilon~=_epsilon events=str(events) note"
        ),
        schema=SCHEMA,
    )


@dataclass(frozen=True)
class ComparisonPoint:
    """What a bound that is in no paper is asked where a theorem is evaluated."""

    sums: Moments
    adversary: Adversary
    law: Law | None
    """What the theorem was given; the law of the sum, if the caller has one."""
    epsilon: Fraction
    """Where the corrected statement was evaluated, rounded up."""
    others_only: bool
    assume: tuple[str | Assumption, ...]
    """What the caller answers for, as far as it can be answered for here."""


@check_arguments(law=a(Law, phrase="the law of a sum"), others_only=FLAG, closed_form=FLAG)
def compare(
    theorem: int, *, law: Law | None = None, exact: ExactRun | str = ExactRun.AUTO, **keywords: Any
) -> Comparison:
    """Evaluate all three readings of a theorem and, where the law is known, the exact value.

    Args:
        theorem: 1 to 5.
        law: The law of the sum of the records that are random to the adversary. By default: for
            Theorem 1 the truncated count; for moments of a law of records, that law; for records
            from a column or with 0/1 moments, the law of their sum if they are independent.
            Otherwise there is no exact value, and ``note`` says why.
        exact: ``auto``, ``always`` or ``never``; ``note`` says what was done.
        **keywords: The parameters of :func:`kproof.theory.theorems.api.bound` except ``reading``.

    >>> compared = compare(1, n=60, p="0.71", k=33, epsilon="0.9")
    >>> compared.standing(Reading.PRINTED).value, compared.standing(Reading.CORRECTED).value
    ('refuted', 'sound here')
    """
    if "reading" in keywords:
        raise InvalidArgument("reading", keywords["reading"], "none: all readings are compared")
    entry = theorem_of(theorem)
    number = entry.number
    run = choice("exact", exact, ExactRun)
    if not entry.counts:
        # The column is read once, for all readings and for the law.
        names = ("moments", "data", "n")
        sums = as_moments(**{name: keywords.pop(name, None) for name in names})
        keywords |= {"moments": sums, "law": law}
    # Only the corrected reading has a closed form; the others refuse the keyword.
    closed_form = keywords.pop("closed_form", False)
    bounds = {reading: bound(number, reading=reading, **keywords) for reading in Reading}
    if closed_form:
        bounds[Reading.CORRECTED] = bound(number, closed_form=True, **keywords)
    if entry.counts:
        return _count(bounds, law, run, keywords)
    adversary = as_adversary(keywords.get("adversary"), keywords.get("s"))
    corrected = bounds[Reading.CORRECTED]
    beside = _own_bounds(adversary, sums, law, corrected, keywords)
    value, note = None, ""
    try:
        law, note = _law_of_sum(adversary, sums, keywords) if law is None else (law, law.name)
        if corrected.epsilon is None:
            note = "no epsilon to evaluate at"
        else:
            # A claim at epsilon is one at every larger epsilon: rounding up keeps refutations.
            epsilon = Fraction(corrected.epsilon.upper)
            value, how = _exact(law, adversary.s, epsilon, run)
            note += how
    except (TooLarge, _NoLaw) as reason:
        note = str(reason)
    return Comparison(number, "delta", bounds, value, note, beside)


def _own_bounds(
    adversary: Adversary,
    sums: Moments,
    law: Law | None,
    corrected: Bound,
    keywords: Mapping[str, Any],
) -> Mapping[str, ProvedBound | str]:
    """Return what other bounds prove at the same epsilon, or why there are none."""
    if corrected.epsilon is None:
        return {entry.name: "no epsilon to evaluate at" for entry in own_bounds()}
    beside: dict[str, ProvedBound | str] = {}
    for entry in own_bounds():
        question = ComparisonPoint(
            sums,
            adversary,
            law,
            Fraction(corrected.epsilon.upper),
            bool(keywords.get("others_only")),
            tuple(name for name in keywords.get("assume", ()) if name in entry.assumptions),
        )
        try:
            beside[entry.name] = entry.beside(question)
        except (InvalidArgument, TooLarge) as reason:
            beside[entry.name] = str(reason)
    return beside


def compare_grid(theorem: int, *, epsilon: Grid, **keywords: Any) -> tuple[Comparison, ...]:
    """Return the comparison at each ε; a column is read once.

    ``theorem``, ``keywords``: as for :func:`compare`. ``epsilon``: a list, tuple or 1-D array.

    >>> [str(at.exact) for at in compare_grid(1, n=60, p="0.71", k=33, epsilon=["0.5", "0.9"])]
    ['0.008493617', '0.003326586']
    """
    if keywords.get("data") is not None:
        keywords["moments"] = as_moments(
            moments=keywords.get("moments"), data=keywords.pop("data"), n=keywords.pop("n", None)
        )
    every = count_parts("comparing bounds", tuple(each("epsilon", epsilon)))
    return tuple(compare(theorem, epsilon=value, **keywords) for value in every)


def _exact(
    law: Law, shift: Fraction, epsilon: Fraction, run: ExactRun
) -> tuple[Enclosure | None, str]:
    """Return the exact value, and what to say of how it was found."""
    if run is ExactRun.NEVER:
        return None, "; its exact value was not asked for (exact: never)"
    if (
        run is ExactRun.AUTO
        and isinstance(law, LatticeLaw)
        and not isinstance(law, Binomial)
        # Twelve standard deviations on either side are 24, and 24² is 576: no ball needs a root.
        and 576 * law.variance() > as_arb((_AFFORDABLE * law.step) ** 2)
    ):
        return delta_within(law, shift=shift, epsilon=[epsilon])[0], _FLOATS
    return exact_value(law, shift=shift, epsilon=epsilon), ""


def _count(
    bounds: Mapping[Reading, Bound], law: Law | None, run: ExactRun, keywords: Mapping[str, Any]
) -> Comparison:
    """Return the comparison of Theorem 1: a count, in full or of the others only."""
    quantity = "epsilon" if keywords.get("delta") is not None else "delta"
    target = {
        name: keywords[name] for name in ("epsilon", "delta") if keywords.get(name) is not None
    }
    if run is ExactRun.NEVER:
        note = "the exact value was not asked for (exact: never)"
        return Comparison(1, quantity, bounds, None, note)
    if law is None and keywords.get("others_only"):
        other_count = integer("n", keywords["n"]) - 1
        value = others_exact(other_count, keywords["p"], keywords["k"], **target)
        note = (
            f"count of {other_count} other tuples and the victim's, which is in or out, given that "
            f"it is at least {keywords['k']}"
        )
        return Comparison(1, quantity, bounds, value, note)
    law = law or TruncatedBinomial(keywords["n"], keywords["p"], keywords["k"])
    return Comparison(1, quantity, bounds, exact_value(law, **target), law.name)


class _NoLaw(KProofError):
    """The input does not determine the law of the sum."""


def _law_of_sum(
    adversary: Adversary, sums: Moments, keywords: Mapping[str, Any]
) -> tuple[Law, str]:
    """Return the law of the sum of the unknown records if the input determines it, and its name."""
    fixed = {
        name: keywords[name] for name in ("others_only", "victim") if keywords.get(name) is not None
    }
    unknown = moments_for(adversary, sums, **fixed)
    if unknown.joint is not None:
        return unknown.joint, unknown.joint.name
    if adversary.knows_dependence and adversary.largest_neighbourhood(records(sums, adversary)) > 1:
        raise _NoLaw("the law of dependent records is not determined by their moments")
    record = unknown.records
    law: LatticeLaw | None = None
    if unknown.law is not None:
        law = iid(unknown.law, unknown.n)
    elif isinstance(record, RecordMoments) and record.is_bernoulli and 0 < record.mean < 1:
        law = Binomial(unknown.n, record.mean)
    if law is not None:
        return law, f"{law.name}, if the records are independent"
    raise _NoLaw("moments do not determine a law; give law= or a column of data")


def _svg(title: str, quantity: str, values: Sequence[tuple[str, Enclosure | None]]) -> str:
    """Draw named values, the last one uppermost, on an axis of powers of ten, as an ``<svg>``.

    A value that no such axis has keeps its line, without a mark.
    """
    from kproof.pictures import CHART, Picture, style

    with style("comparison", CHART):
        picture = Picture("comparison", 520, 60 + 34 * len(values))
        picture.figure.set_layout_engine("constrained")
        axes = picture.figure.add_subplot()
        for place, (_, value) in enumerate(values):
            # The upper end is what a claim says: the lower one would flatter it.
            if value is not None and 0 < (upper := float(value.upper)) < inf:
                (mark,) = axes.plot([upper], [place], "o", color="#0072b2")
                picture.tell(mark, "value", str(value))
        axes.set_xscale("log")
        axes.set_xlabel(quantity)
        axes.set_ylim(-0.6, len(values) - 0.4)
        axes.set_yticks(range(len(values)), [name for name, _ in values])
        axes.grid(axis="x", color="#e5e9ed", linewidth=0.8)
        return picture.svg(title)
