"""The front door to the five theorems: ``bound`` and ``statement``.

Each theorem's formulas live in a module of their own (theorem1 to theorem5); here a theorem is
found by its number and fed with what the caller has: moments, a column of data, or n, p and k.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from kproof.arguments import FLAG, a, check_arguments
from kproof.errors import InvalidArgument
from kproof.theory.exact.typed import Number, choice, integer
from kproof.theory.laws.base import Law
from kproof.theory.reading import Reading
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.assumptions import Assumption
from kproof.theory.theorems.bounds import INTERVALS, Bound, Events
from kproof.theory.theorems.moments import Moments
from kproof.theory.theorems.record_moments import RecordMoments
from kproof.theory.theorems.registry import theorem_of

if TYPE_CHECKING:
    from kproof.theory.theorems.statements import Statement


def statement(theorem: int, reading: str | Reading = Reading.CORRECTED) -> Statement:
    """Return one reading of one theorem: formulas, definitions, hypotheses, LaTeX.

    Args:
        theorem: 1 to 5.
        reading: ``printed``, ``derived`` or ``corrected``.

    >>> statement(4, "printed").source
    'Theorem 4'
    """
    # One theorem at a time: writing the formulas down takes SymPy a tenth of a second for each.
    statements: Mapping[Reading, Statement] = theorem_of(theorem).statements.target
    return statements[choice("reading", reading, Reading)]


@check_arguments(law=a(Law, phrase="the law of a sum"), others_only=FLAG, closed_form=FLAG)
def bound(
    theorem: int,
    *,
    reading: str | Reading = Reading.CORRECTED,
    n: Number | None = None,
    p: Number | None = None,
    k: Number | None = None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    data: Sequence[Number] | None = None,
    moments: Moments | RecordMoments | None = None,
    adversary: Adversary | None = None,
    s: Number | None = None,
    epsilon1: Number | None = None,
    events: str | Events | None = None,
    others_only: bool = False,
    victim: int | None = None,
    assume: Iterable[str | Assumption] = (),
    law: Law | None = None,
    closed_form: bool = False,
) -> Bound:
    """Return the (epsilon, delta) that one reading of a theorem claims.

    Args:
        theorem: 1 (no background information) or 2, 3, 4, 5 (adversary levels I, II, III, IV).
        reading: ``printed``, ``derived`` or ``corrected``.
        n: Number of records; with ``data`` it defaults to the length of the column. The paper's
            figures never say it.
        p: Theorem 1: probability that a tuple is selected, 0 < p < 1.
        k: Least size of a cloaked set, at most n; default 10 for Theorems 2 to 5, where it has no
            part in the corrected statement.
        epsilon: Theorem 1: the epsilon to bound delta for. Theorems 2 to 5: likewise; by default
            the epsilon of the printed theorem, so that the readings compare at one place.
        delta: Theorem 1: in place of epsilon, the delta to bound epsilon for.
        data: Theorems 2 to 5: a column of numbers; a record is one draw from it.
        moments: In place of ``data``: moments of one record, n records having that law, or sums.
        adversary: What is known beforehand; by default only the shift ``s``, level I.
        s: In place of an adversary: the shift, default 1.
        epsilon1: The input of c' in Theorems 2 to 5. By default epsilon1 = epsilon, which solves
            the paper's circular definition.
        events: ``half-lines``, ``intervals`` (default; what the paper's doubled constant 1.1182 = 2
            * 0.5591 is for), ``unions:J`` or ``all``. A log-concave sum covers all.
        others_only: The randomness is that of the other records only, the victim's being fixed
            (Bhaskar et al. 2011); the paper counts all n, and so does the default. With Theorem 1
            the count that is released, the victim's tuple included, is at least k.
        victim: With ``others_only`` and records that differ: the victim's index.
        assume: Theorems 2 to 5: what the caller answers for where the input cannot show it, names
            of :class:`kproof.theory.theorems.assumptions.Assumption`: ``independence`` and
            ``log-concavity`` (Theorems 2 and 4), ``dependency-graph``, ``uncorrelated`` and
            ``conditional-moments`` (3 and 5). What the input contradicts fails all the same.
        law: Theorems 2 to 5: the law of the sum of the records that are random to the adversary,
            beside ``moments`` that do not have it. A law of records decides what they depend on.
        closed_form: Corrected Theorem 1: the Hoeffding form in place of the exact value.

    A bound comes with every hypothesis checked, assumed on the caller's word, or named as owed:
    then it is conditional on it. A corrected statement whose hypotheses fail has delta = 1; a
    printed one keeps its number and says why it does not apply.

    Raises:
        InvalidArgument, Infeasible, DataError: If the input is out of range, contradicts itself or
            is not there.

    >>> print(bound(1, n=1000, p=0.3, k=10, epsilon=0.2, reading="printed").delta)
    0.04078874
    >>> coin = RecordMoments.of("0.5", "0.5", "0.5", "0.5")
    >>> answer = bound(2, moments=coin, n=10_000, epsilon="0.5")
    >>> str(answer.events), answer.holds, answer.state
    ('all', False, 'conditional on independent records')
    >>> answer = bound(2, moments=coin, n=10_000, epsilon="0.5", assume=["independence"])
    >>> answer.holds, answer.state
    (True, 'assuming independent records: your word')
    """
    text = statement(theorem, reading)
    entry = theorem_of(text.theorem)
    assumed = entry.read_answers(assume)
    if closed_form and not (entry.counts and text.reading is Reading.CORRECTED):
        raise InvalidArgument("closed_form", True, "it with corrected Theorem 1 only")
    if entry.counts:
        _refuse(
            "theorem 1",
            data=data,
            moments=moments,
            adversary=adversary,
            s=s,
            epsilon1=epsilon1,
            events=events,
            victim=victim,
            law=law,
        )
        from kproof.theory.theorems import theorem1

        return theorem1.bound(
            n=_require("n", n),
            p=_require("p", p),
            k=_require("k", k),
            epsilon=epsilon,
            delta=delta,
            reading=text.reading,
            others_only=others_only,
            closed_form=closed_form,
        )
    _refuse("theorems 2 to 5", p=p, delta=delta)
    if adversary is not None:
        _refuse("an adversary, which has its own", s=s)
    from kproof.theory.theorems import approximation

    return approximation.bound(
        text,
        moments=as_moments(moments=moments, data=data, n=n),
        adversary=as_adversary(adversary, s),
        k=k,
        epsilon=epsilon,
        epsilon1=epsilon1,
        events=INTERVALS if events is None else Events.parse(events),
        others_only=others_only,
        victim=victim,
        assumed=assumed,
        law=law,
    )


def as_moments(
    *, moments: Moments | RecordMoments | None, data: Sequence[Number] | None, n: Number | None
) -> Moments:
    """Return sums of moments from whichever form the caller has."""
    if data is not None and moments is None:
        return Moments.of_column(data, n=n)
    if moments is None or data is not None:
        sources = "none" if data is None else "both"
        raise InvalidArgument("moments, data", sources, "exactly one of the two")
    if isinstance(moments, RecordMoments):
        return Moments.iid(moments, n=_require("n", n))
    if not isinstance(moments, Moments):
        raise InvalidArgument("moments", moments, "Moments, or RecordMoments and n")
    if n is not None and integer("n", n, least=1) != moments.n:
        raise InvalidArgument("n", n, f"n = {moments.n}, which the moments are sums over")
    return moments


def as_adversary(adversary: Adversary | None, s: Number | None) -> Adversary:
    """Return the adversary given, or one of level I with the shift given."""
    if adversary is None:
        return Adversary.of(s=1 if s is None else s)
    if not isinstance(adversary, Adversary):
        raise InvalidArgument("adversary", adversary, "an Adversary")
    return adversary


def _require(name: str, value: Number | None) -> Number:
    if value is None:
        raise InvalidArgument(name, None, f"a value for {name}")
    return value


def _refuse(place: str, **values: object) -> None:
    for name, value in values.items():
        if value is not None:
            raise InvalidArgument(name, value, f"no {name} with {place}")
