"""What a training run says of itself, as a privacy loss: event trees and histories in JSON files.

``dp_accounting`` describes a run as a tree of events, Opacus as a list of (noise, rate, steps). An
event stands for the pair of laws that dominates it and that some mechanism of its description
attains, so that the enclosure is of the run and of no bound on it. An event without such a pair is
refused by name. Composition may be adaptive: a pair that dominates each step dominates them all.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Any

from kproof.errors import DataError, InvalidArgument, TooLarge, one_of
from kproof.theory.exact.documents import list_of, object_of, read_document, require_keys
from kproof.theory.exact.typed import choice, integer, rational
from kproof.theory.losses.atoms import RationalAtoms
from kproof.theory.losses.noises import (
    MOST_STEPS,
    DiscreteLaplacePair,
    GuaranteePair,
    LaplacePair,
    NormalsPair,
)
from kproof.theory.losses.pairs import NormalPair, Pair, SampledPair, TablePair
from kproof.theory.losses.routes import Releases
from kproof.theory.losses.typed import MOST_RELEASES

DEEPEST = 64
"""Most events of a tree within one another."""
MOST_PAIRS = 128
"""Most different releases of a run: each is put on a grid by itself."""
LEAST_SCALE = Fraction(1, 1000)
"""Least noise, over what one record can change, of a release that is not without noise."""
_MOST_BITS = 1 << 16
"""Of the sum of squared distances: denominators of many decimals have few factors in common."""
_PUBLIC = RationalAtoms(((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))))
Counts = dict[Pair, int]


class NeighbouringRelation(StrEnum):
    """Which data sets must not be told apart; the words are those of dp_accounting."""

    ADD_OR_REMOVE_ONE = "ADD_OR_REMOVE_ONE"
    """One has a record more."""
    REPLACE_ONE = "REPLACE_ONE"
    """One record differs, and may have any value in either."""
    REPLACE_SPECIAL = "REPLACE_SPECIAL"
    """One record is nothing in one of them."""


@dataclass(frozen=True, slots=True)
class ToolClaim:
    """What an accountant said: ε lies between two numbers at δ."""

    least: Fraction
    most: Fraction
    """An accountant that says one ε says that the truth is no larger; then ``least`` is 0."""
    delta: Fraction
    neighbours: NeighbouringRelation
    """Whom the claim is about."""
    by: str
    """Who said so; may be empty."""


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """The releases of a run, and what a tool said of them."""

    releases: Releases
    """In the first world the record is not there, in the second it is."""
    neighbours: NeighbouringRelation
    claim: ToolClaim | None
    """If the file has one."""


def read_run(path: str | Path) -> TrainingRun:
    """Read a training run from a JSON file.

    The file has an event of ``dp_accounting``, as an object with ``class_name`` or as the list that
    ``json.dump(event.to_named_tuple(), file)`` writes; an object whose ``event`` is one; or the
    ``history`` of Opacus. Raises DataError if it cannot be read, is no run, or has an event that is
    not supported; names the place.
    """
    return read_document(path, _run, of="a training run")


def _run(document: object) -> TrainingRun:
    if isinstance(document, list):
        document = {"event": document}
    members = dict(object_of("run", document))
    # They may stand around an event or beside its own fields, which have to be all that is left.
    about = {key: members.pop(key) for key in ("claim", "neighboring_relation") if key in members}
    relation = about.get("neighboring_relation", NeighbouringRelation.ADD_OR_REMOVE_ONE.value)
    supported = (NeighbouringRelation.ADD_OR_REMOVE_ONE, NeighbouringRelation.REPLACE_ONE)
    neighbours = choice("neighboring_relation", relation, supported)
    tree = _Tree(neighbours)
    if "history" in members:
        require_keys("history", members, {"history"}, {"mechanism"})
        _require_mechanism(members.get("mechanism", "rdp"))
        counts = tree.history(list_of("history", members["history"]))
    elif "event" in members and "class_name" not in members:
        # A sampled event has an event as well, and is not the object around it.
        require_keys("run", members, {"event"})
        counts = tree.read("event", members["event"], 0)
    else:
        counts = tree.read("event", members, 0)
    if len(counts) > MOST_PAIRS:
        raise TooLarge(f"{len(counts)} different releases; at most {MOST_PAIRS} are worked out")
    integer("releases in all", sum(counts.values()), least=0, most=MOST_RELEASES)
    releases = tuple((pair, times) for pair, times in counts.items() if not pair.equal)
    claim = _claim(about["claim"], neighbours) if "claim" in about else None
    return TrainingRun(releases, neighbours, claim)


def _claim(value: object, neighbours: NeighbouringRelation) -> ToolClaim:
    members = require_keys(
        "claim", object_of("claim", value), {"epsilon", "delta"}, {"by", "neighboring_relation"}
    )
    ends = members["epsilon"]
    least, most = Fraction(0), ends
    if isinstance(ends, list):
        if len(ends) != 2:
            raise InvalidArgument("claim.epsilon", ends, "a number, or a list of two")
        least, most = rational("claim.epsilon", ends[0]), ends[1]
    by = members.get("by", "")
    if not isinstance(by, str):
        raise InvalidArgument("claim.by", by, "a text")
    return ToolClaim(
        least,
        rational("claim.epsilon", most, least=least),
        rational("claim.delta", members["delta"], least=0, most=1),
        choice(
            "claim.neighboring_relation",
            members.get("neighboring_relation", neighbours.value),
            NeighbouringRelation,
        ),
        by,
    )


def _require_mechanism(value: object) -> None:
    """Refuse accountants whose history may mean something else."""
    if value not in ("rdp", "prv", "gdp"):
        raise InvalidArgument("mechanism", value, "rdp, prv or gdp")


class _Tree:
    """Reads events into pairs, and how often each is released."""

    def __init__(self, neighbours: NeighbouringRelation) -> None:
        self.neighbours = neighbours
        # Whoever replaces a record can move a sum twice as far as whoever removes it.
        self.reach = 2 if neighbours is NeighbouringRelation.REPLACE_ONE else 1

    def history(self, entries: list[Any]) -> Counts:
        """Return the releases of a list of (noise multiplier, sample rate, steps)."""
        parts = []
        for i, entry in enumerate(entries):
            name = f"history[{i}]"
            if len(list_of(name, entry)) != 3:
                raise InvalidArgument(name, entry, "noise_multiplier, sample_rate, steps")
            noise, rate, steps = entry
            sampled = self.sample(name, rate, self.normal(f"{name}: noise_multiplier", noise))
            parts.append(_times(sampled, _count(f"{name}: steps", steps)))
        return _together(parts)

    def read(self, name: str, value: object, depth: int) -> Counts:
        """Return the releases of an event, whose place in the document is ``name``."""
        if depth > DEEPEST:
            raise DataError(f"{name}: more than {DEEPEST} events within one another")
        kind, members = self._members(name, value)
        fields = _FIELDS[kind]
        require_keys(f"{name}: {kind}", members, set(fields))
        values = [members[field] for field in fields]
        if kind == "SelfComposedDpEvent":
            inner = self.read(f"{name}.event", values[0], depth + 1)
            return _times(inner, _count(f"{name}.count", values[1]))
        if kind == "ComposedDpEvent":
            events = list_of(f"{name}.events", values[0])
            return _together(
                [self.read(f"{name}.events[{i}]", e, depth + 1) for i, e in enumerate(events)]
            )
        if kind == "PoissonSampledDpEvent":
            inner = self.read(f"{name}.event", values[1], depth + 1)
            return self.sample(name, values[0], inner)
        if kind == "NoOpDpEvent":
            return {}
        pair = self._public() if not fields else _RELEASES[kind](self, name, *values)
        return {} if pair is None else {pair: 1}

    def _members(self, name: str, value: object) -> tuple[str, Mapping[str, Any]]:
        """Return the class of an event and its fields by name."""
        if isinstance(value, list):
            # json.dump writes a named tuple without the names: module, class, fields in order.
            if len(value) < 2 or not all(isinstance(word, str) for word in value[:2]):
                raise InvalidArgument(name, value, "an event, which begins with module and class")
            kind, values = self._kind(name, value[1]), value[2:]
            if len(values) != len(_FIELDS[kind]):
                need = ", ".join(_FIELDS[kind]) or "no fields"
                raise InvalidArgument(f"{name}: fields of {kind}", len(values), need)
            return kind, dict(zip(_FIELDS[kind], values, strict=True))
        members = dict(object_of(name, value))
        members.pop("module_name", None)
        if "class_name" not in members:
            raise DataError(f"{name}: no key class_name, which says what event it is")
        return self._kind(name, members.pop("class_name")), members

    def _kind(self, name: str, value: object) -> str:
        if isinstance(value, str) and value in _REFUSED:
            raise DataError(f"{name}: {value} is not supported: {_REFUSED[value]}")
        if not isinstance(value, str) or value not in _FIELDS:
            raise InvalidArgument(f"{name}: class_name", value, one_of(value, _FIELDS))
        return value

    def sample(self, name: str, rate: object, inner: Counts) -> Counts:
        """Return the releases if a record takes part with some probability only."""
        chance = rational(f"{name}: sampling probability", rate, least=0, most=1)
        if chance == 1 or not inner:
            return inner
        if not chance:
            return {}
        if self.neighbours is not NeighbouringRelation.ADD_OR_REMOVE_ONE:
            raise DataError(
                f"{name}: sampling under {self.neighbours.value} is not supported: no pair of "
                "laws is known to be the worst of it"
            )
        if sum(inner.values()) > 1:
            raise DataError(
                f"{name}: a sample of several releases is supported of normal noise alone: of "
                "others the worst pair of all together is not a single one"
            )
        ((pair, _),) = inner.items()
        if isinstance(pair, SampledPair):
            # A sample of a sample is a sample.
            return {SampledPair(pair.pair, pair.rate * chance, second=True): 1}
        return {SampledPair(pair, chance, second=True): 1}

    def scale(self, name: str, value: object) -> Fraction:
        """Return noise over what one record changes; 0 is none."""
        noise = rational(name, value, least=0)
        if 0 < noise < LEAST_SCALE:
            raise InvalidArgument(name, value, f"0, or at least {float(LEAST_SCALE)}")
        return noise

    def normal(self, name: str, value: object) -> Counts:
        """Return the release of a sum with normal noise."""
        noise = self.scale(name, value)
        return {self._public() if not noise else NormalPair(self.reach**2 / noise**2): 1}

    def gaussian(self, name: str, noise: object) -> Pair:
        (pair,) = self.normal(f"{name}.noise_multiplier", noise)
        return pair

    def laplace(self, name: str, noise: object) -> Pair:
        # Of several coordinates the worst is that all of the change is in one: with μ = Σ μ_i the
        # product is at most 1 - e^((ε - μ)/2), by induction over the coordinates.
        scale = self.scale(f"{name}.noise_multiplier", noise)
        return LaplacePair(self.reach / scale) if scale else self._public()

    def discrete_laplace(self, name: str, parameter: object, sensitivity: object) -> Pair | None:
        rate = rational(f"{name}.noise_parameter", parameter, least=0, most=1 / LEAST_SCALE)
        steps = integer(f"{name}.sensitivity", sensitivity, least=0, most=MOST_STEPS) * self.reach
        if not steps:
            return None
        return DiscreteLaplacePair(rate, steps) if rate else self._public()

    def guarantee(self, name: str, epsilon: object, delta: object) -> Pair | None:
        exponent = rational(f"{name}.epsilon", epsilon, least=0, most=1000)
        alone = rational(f"{name}.delta", delta, least=0, most=1)
        if not exponent and not alone:
            return None
        return GuaranteePair(exponent, alone) if alone < 1 else self._public()

    def response(self, name: str, noise: object, buckets: object) -> Pair:
        if self.neighbours is not NeighbouringRelation.REPLACE_ONE:
            raise DataError(
                f"{name}: RandomizedResponseDpEvent is the answer of one person: it needs "
                '"neighboring_relation": "REPLACE_ONE"'
            )
        chance = rational(f"{name}.noise_parameter", noise, least=0, most=1)
        number = integer(f"{name}.num_buckets", buckets, least=1, most=10**9)
        drawn = chance / number
        own = 1 - chance + drawn
        if number == 1:
            return TablePair((0,), RationalAtoms(((Fraction(1), Fraction(1)),)))
        # Answers that are neither person's are as likely in both worlds: one atom stands for them
        # all.
        masses = ((own, drawn), (drawn, own), ((number - 2) * drawn, (number - 2) * drawn))
        return TablePair((0, 1, 2), RationalAtoms(tuple(mass for mass in masses if any(mass))))

    def mixture(self, name: str, deviation: object, shifts: object, weights: object) -> Pair | None:
        if self.neighbours is not NeighbouringRelation.ADD_OR_REMOVE_ONE:
            place = f"{name}: neighbours of MixtureOfGaussiansDpEvent"
            need = NeighbouringRelation.ADD_OR_REMOVE_ONE.value
            raise InvalidArgument(place, self.neighbours.value, need)
        listed = list_of(f"{name}.sensitivities", shifts)
        shares = list_of(f"{name}.sampling_probs", weights)
        if len(listed) != len(shares) or not 1 <= len(listed) <= MOST_PAIRS:
            need = f"as many as sampling_probs, 1 to {MOST_PAIRS}"
            raise InvalidArgument(f"{name}.sensitivities", listed, need)
        noise = self.scale(f"{name}.standard_deviation", deviation)
        masses: dict[Fraction, Fraction] = {}
        for shift, share in zip(listed, shares, strict=True):
            distance = rational(f"{name}.sensitivities", shift, least=0)
            weight = rational(f"{name}.sampling_probs", share, least=0, most=1)
            masses[distance] = masses.get(distance, Fraction(0)) + weight
        total = sum(masses.values())
        if total != 1:
            raise InvalidArgument(f"sum of {name}.sampling_probs", total, "exactly 1")
        present = {distance: weight for distance, weight in masses.items() if weight}
        if present.keys() == {0}:
            return None
        if not noise:
            share = 1 - present.get(Fraction(0), Fraction(0))
            return self._public() if share == 1 else SampledPair(self._public(), share, second=True)
        if max(present) > noise / LEAST_SCALE:
            need = f"at most {1 / LEAST_SCALE} times the standard deviation"
            raise InvalidArgument(f"{name}.sensitivities", max(present), need)
        return NormalsPair(tuple((d / noise, weight) for d, weight in sorted(present.items())))

    def _public(self) -> Pair:
        """Return the pair of a release that shows the record."""
        return TablePair((0, 1), _PUBLIC)


def _count(name: str, value: object) -> int:
    return integer(name, value, least=0, most=MOST_RELEASES)


def _times(counts: Counts, times: int) -> Counts:
    if not times:
        return {}
    return _together([{pair: before * times for pair, before in counts.items()}])


def _together(parts: list[Counts]) -> Counts:
    """Return the releases of all parts, those with normal noise as one."""
    counts: Counts = {}
    squared = Fraction(0)
    for part in parts:
        for pair, times in part.items():
            if isinstance(pair, NormalPair):
                # Normal laws compose to one: the squares of their distances add up, exactly.
                squared += pair.squared * times
                if squared.denominator.bit_length() > _MOST_BITS:
                    raise TooLarge("normal noise of too many different sizes to be added up")
            else:
                counts[pair] = counts.get(pair, 0) + times
    if squared:
        counts[NormalPair(squared)] = 1
    return counts


_FIELDS: Mapping[str, tuple[str, ...]] = {
    "NoOpDpEvent": (),
    "NonPrivateDpEvent": (),
    "GaussianDpEvent": ("noise_multiplier",),
    "LaplaceDpEvent": ("noise_multiplier",),
    "DiscreteLaplaceDpEvent": ("noise_parameter", "sensitivity"),
    "EpsilonDeltaDpEvent": ("epsilon", "delta"),
    "RandomizedResponseDpEvent": ("noise_parameter", "num_buckets"),
    "MixtureOfGaussiansDpEvent": ("standard_deviation", "sensitivities", "sampling_probs"),
    "SelfComposedDpEvent": ("event", "count"),
    "ComposedDpEvent": ("events",),
    "PoissonSampledDpEvent": ("sampling_probability", "event"),
}
"""The fields of each event, in dp_accounting's order."""

_RELEASES: Mapping[str, Callable[..., Pair | None]] = {
    "GaussianDpEvent": _Tree.gaussian,
    "LaplaceDpEvent": _Tree.laplace,
    "DiscreteLaplaceDpEvent": _Tree.discrete_laplace,
    "EpsilonDeltaDpEvent": _Tree.guarantee,
    "RandomizedResponseDpEvent": _Tree.response,
    "MixtureOfGaussiansDpEvent": _Tree.mixture,
}

_NO_PAIR = "no pair of laws is known that is the worst of it and that it attains"
_REFUSED: Mapping[str, str] = {
    "UnsupportedDpEvent": "it describes nothing",
    "SampledWithoutReplacementDpEvent": f"{_NO_PAIR}; PoissonSampledDpEvent is another mechanism",
    "SampledWithReplacementDpEvent": f"{_NO_PAIR}; PoissonSampledDpEvent is another mechanism",
    "TruncatedSubsampledGaussianDpEvent": _NO_PAIR,
    "SingleEpochTreeAggregationDpEvent": "it does not say which sums are released",
    "RepeatAndSelectDpEvent": _NO_PAIR,
    "ZCDpEvent": f"{_NO_PAIR}: a bound on moments is no law",
}
