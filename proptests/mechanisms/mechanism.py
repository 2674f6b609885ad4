"""A random answer, what is claimed of it, and the data sets that nobody is to tell apart."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from hypothesis.strategies import SearchStrategy

from kproof.errors import InvalidArgument, show
from kproof.models.base.arrays import Floats
from kproof.proptests.mechanisms.certified import PrivacyClaim
from kproof.proptests.mechanisms.neighbours import DataNeighbours, Numbers, hand, is_numbers
from kproof.proptests.subjects.loading import resolve
from kproof.theory.exact.typed import Number, rational

_GENERATORS = frozenset({"rng", "generator", "random_state", "prng"})
_SHOWN = 80
"""Characters of a data set."""
UNIFORM_BITS = 53
"""Of a uniform float: NumPy's are multiples of 2^-53 from 0 to below 1."""


@dataclass(frozen=True)
class NamedPair:
    """Two neighbouring data sets."""

    first: Any
    """What a mechanism is handed, or a tuple of the numbers of the array that it is handed."""
    second: Any
    """The other one."""
    name: str = ""
    """What is special about them, as a phrase; empty if they are shown instead."""

    def __str__(self) -> str:
        return self.name or f"{_data_text(self.first)} against {_data_text(self.second)}"


_USUAL = DataNeighbours.of()


@dataclass(frozen=True)
class Mechanism:
    """A random answer to a data set, with its claim; one of the first three says how it is had.

    >>> def noisy_sum(data, rng, size):
    ...     return data.sum() + rng.laplace(scale=1, size=size)
    >>> mechanism = Mechanism(noisy_sum, epsilon=1, neighbours=DataNeighbours.of("one-answer"))
    >>> mechanism.answers((1.0,), 3, np.random.default_rng(0)).shape
    (3,)
    """

    run: Callable[..., Any] | None = None
    """``run(data)`` answers once. Of arguments ``rng`` (a NumPy generator), ``seed`` (a number),
    ``size`` (how many runs are wanted, as an array or list of so many answers), ``epsilon`` and
    ``delta`` it gets those that its signature names. A ValueError is an answer, too."""
    law: Callable[[Any], Mapping[Hashable, Number]] | None = None
    """``law(data)`` returns every answer with its probability; they are rational and sum to 1."""
    of_uniform: Callable[[Any, Floats], Floats] | None = None
    """``of_uniform(data, u)`` returns the float that each of many uniform numbers leads to, which
    never falls where u rises, or never rises; u is a multiple of 2^-53 below 1."""
    epsilon: Number = 1
    """Of the claim."""
    delta: Number = 0
    """Of the claim."""
    neighbours: DataNeighbours | SearchStrategy[Any] | Sequence[NamedPair] = _USUAL
    """Which data sets are neighbours: as described, pairs that a strategy draws, or these pairs."""
    name: str = ""
    """What a reader calls it; what the function is called if empty."""

    def __post_init__(self) -> None:
        ways = [way for way in (self.run, self.law, self.of_uniform) if way is not None]
        if len(ways) != 1:
            raise InvalidArgument("mechanism", f"{len(ways)} ways", "run, law, or of_uniform")
        if not callable(ways[0]):
            raise InvalidArgument("mechanism", show(ways[0]), "a function of a data set")
        if not self.name:
            object.__setattr__(self, "name", resolve(ways[0])[2])

    @property
    def claim(self) -> PrivacyClaim:
        """The claim, checked."""
        epsilon = rational("epsilon", self.epsilon, least=0, most=100)
        return PrivacyClaim(epsilon, rational("delta", self.delta, least=0, below=1))

    @cached_property
    def parameters(self) -> frozenset[str]:
        """Names of arguments that it gets beside the data."""
        try:
            names = [*inspect.signature(self.run or self.of_uniform or print).parameters][1:]
        except ValueError:
            # What shows no signature is handed the data and nothing else.
            return frozenset()
        return frozenset(names)

    @property
    def seeded(self) -> bool:
        """Whether the same seed makes the same runs."""
        return self.run is None or bool(self.parameters & (_GENERATORS | {"seed"}))

    def answers(self, data: Any, runs: int, rng: np.random.Generator) -> Any:
        """Return so many answers, as an array of numbers or as a list."""
        return self.answers_of((data,), runs, (rng,))[0]

    def answers_of(
        self,
        sides: Sequence[Any],
        runs: int,
        rngs: Sequence[np.random.Generator],
        go_on: Callable[[], bool] = lambda: True,
    ) -> list[Any]:
        """Return so many answers to each of some data.

        Runs of different data take turns in an order of chance, or a function that counts its calls
        would tell the data apart by which came first. :class:`OutOfTime` once ``go_on`` is false.
        """
        if self.of_uniform is not None:
            return [
                self._of_uniform(data, rng.random(runs))
                for data, rng in zip(sides, rngs, strict=True)
            ]
        if "size" in self.parameters:
            return [self._batch(data, runs, rng) for data, rng in zip(sides, rngs, strict=True)]
        order = rngs[0].permuted(np.tile(np.arange(len(sides)), (runs, 1)), axis=1)
        answers: list[list[Any]] = [[] for _ in sides]
        for turn in order:
            if not go_on():
                raise OutOfTime
            for side in turn:
                answers[side].append(self._answer(sides[side], 1, rngs[side]))
        return [_as_array(of_side) for of_side in answers]

    def _of_uniform(self, data: Any, uniform: Floats) -> Floats:
        assert self.of_uniform is not None
        answers = _call(self.of_uniform, hand(data), uniform, data=data)
        try:
            return np.asarray(answers, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidArgument("mechanism", self.name, f"floats; {error}") from error

    def _batch(self, data: Any, runs: int, rng: np.random.Generator) -> Any:
        many = self._answer(data, runs, rng)
        if isinstance(many, _Refused):
            # It is one coin, and counted as so many it would refute whoever asks again.
            need = "an answer of each run; without size, a ValueError is the answer of its run"
            raise InvalidArgument("mechanism", many, need)
        if not isinstance(many, (np.ndarray, list)) or len(many) != runs:
            need = f"{runs} answers, as an array or a list, where its size is {runs}"
            raise InvalidArgument("mechanism", show(repr(many), 60), need)
        return many if isinstance(many, list) or many.dtype.kind in "fiub" else many.tolist()

    def _answer(self, data: Any, runs: int, rng: np.random.Generator) -> Any:
        values: dict[str, Any] = {"size": runs, "seed": None}
        values |= {"epsilon": float(self.claim.epsilon), "delta": float(self.claim.delta)}
        values |= dict.fromkeys(_GENERATORS, rng)
        # Drawn only for those who take one: each draw moves the generator on for whatever comes
        # next.
        if "seed" in self.parameters:
            values["seed"] = int(rng.integers(1 << 62))
        named = {name: value for name, value in values.items() if name in self.parameters}
        assert self.run is not None
        return _call(self.run, hand(data), data=data, **named)

    def probabilities(self, data: Any) -> Mapping[Hashable, Number]:
        """Return the law of its answers to some data, as it says it."""
        assert self.law is not None
        masses = _call(self.law, hand(data), data=data)
        if not isinstance(masses, Mapping):
            need = "a mapping of answers to their probabilities"
            raise InvalidArgument("law", show(repr(masses), 60), need)
        # NaN is equal to nothing: each of two laws would have an answer that the other has not.
        for answer in masses:
            if answer != answer:
                raise InvalidArgument("law", answer, "answers that are equal to themselves")
        return masses


class OutOfTime(Exception):
    """The time was up between two runs."""


def _call(function: Callable[..., Any], *arguments: Any, data: Any, **named: Any) -> Any:
    """Return what somebody's function does, or that it refused to.

    Raises:
        InvalidArgument: If it raises anything but a ValueError, or would end the process.
    """
    try:
        with np.errstate(all="ignore"):
            return function(*arguments, **named)
    except ValueError as error:
        # Whoever sees that there is no answer has seen one.
        return _Refused(f"refused: {error}")
    # An interruption, by the user or by an alarm, is no Exception either, and goes through.
    except (Exception, SystemExit, GeneratorExit) as error:
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        need = f"an answer, or a ValueError; {reason}"
        raise InvalidArgument("mechanism", _data_text(data), need) from error


class _Refused(str):
    """That there was a ValueError in place of an answer."""

    __slots__ = ()


def _as_array(answers: list[Any]) -> Any:
    """Return numbers, or equally long rows of numbers, as an array: they are read much faster."""
    first = answers[0]
    # By the very types: of a subclass, such as an enumeration, an array would keep the number
    # alone.
    kinds = {type(answer) for answer in answers}
    if kinds <= {float, np.float64}:
        return np.array(answers, dtype=np.float64)
    if kinds <= {int, bool, np.int64, np.bool_}:
        with suppress(OverflowError):
            return np.array(answers, dtype=np.int64)
    if kinds == {np.ndarray} and {answer.shape for answer in answers} == {first.shape}:
        stacked = np.stack(answers)
        return stacked if stacked.dtype.kind in "fiub" else answers
    return answers


def _data_text(data: Any) -> str:
    text = repr(data)
    if isinstance(data, tuple) and all(isinstance(value, float) for value in data):
        text = "[" + ", ".join(f"{value:g}" for value in data) + "]"
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def pairs_of(pairs: Iterable[Any]) -> tuple[NamedPair, ...]:
    """Return pairs, each with a name or none; sets of numbers are arrays, an empty one too."""
    named = (pair if isinstance(pair, NamedPair) else NamedPair(*pair) for pair in pairs)
    return tuple(_with_numbers(pair) for pair in named)


def _with_numbers(pair: NamedPair) -> NamedPair:
    sides = pair.first, pair.second
    if not any(map(is_numbers, sides)):
        return pair
    # What has no records is an array beside an array, and rows beside rows.
    first, second = (Numbers(side) if side == () else side for side in sides)
    return replace(pair, first=first, second=second)
