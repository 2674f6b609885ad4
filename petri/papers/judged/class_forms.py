"""What the moves of Algorithm 1 can make of a class, whatever the table is: a certificate by forms.

V, k and the number of records depend on how often a class has its values, and not on which values
they are. The *form* of a class is these frequencies in falling order. Nobody can count what is
published of a large table; :func:`judge_forms` counts nothing and follows forms: those that the
classes have, and what each move makes of each, whether or not the other classes allow the move.
That are at least the forms that runs reach. So what holds of all of them holds of every run; what
fails in one need not occur in a run.

The induction behind it: classes before the current one have passed and only the last class may
exchange with one of them; so a published class has a form that passes, or one that a cross swap
makes of such a form. Moves are asked of :class:`kproof.petri.papers.classes.Moves`, which the net
is made of, once for each form with values of its own choosing. That they treat values alike, and
look at no other class than those of the exchange, is not shown here; tests compare the verdicts
with those on whole state spaces.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, count

from kproof.petri.papers.classes import EC, Moves, Record, SensitiveValue
from kproof.petri.papers.publications import ENDS, KEPT, ROWS_OF_K, SENSITIVE
from kproof.petri.papers.publisher import Publisher
from kproof.theory.theorems.theta import variance

Form = tuple[int, ...]
"""Frequencies of the values of a class, in falling order."""
MOST_FORMS = 50_000
"""Forms that are looked at; of classes with more nothing is said."""


@dataclass(frozen=True)
class ClassForms:
    """Every form that a class can have in a run, and perhaps others."""

    complete: bool
    """Whether all forms were looked at; if not, nothing follows from them."""
    published: tuple[Form, ...] = field(repr=False)
    """Forms in which a class can be published."""
    stuck: Form | None
    """A form without a move, because it has every value of the domain and V < θ; None if there
    is none, so that every run publishes."""
    breaches: dict[str, str]
    """By property, a form or a move that breaks it; properties without are kept by all."""

    @property
    def count(self) -> int:
        """How many forms a class can be published in."""
        return len(self.published)

    @property
    def largest_share(self) -> Fraction | None:
        """The largest share of a value in a published class; None if that is not known."""
        if not self.complete:
            return None
        shares = (Fraction(form[0], sum(form)) for form in self.published)
        return max(shares, default=None)


class _Forms:
    """Works through the forms."""

    def __init__(self, publisher: Publisher, tick: Callable[[], object]) -> None:
        threshold = publisher.threshold
        assert threshold is not None
        self.publisher, self.threshold, self.tick = publisher, threshold, tick
        self.moves = Moves(publisher.kind, threshold, publisher.domain)
        self.values = len(publisher.domain)
        self.breaches: dict[str, str] = {}
        self.numbers = count()
        self.published: dict[Form, None] = {}

    def judge(self) -> ClassForms:
        # Only the current class gets noise, and once it has any, nobody but the last class takes a
        # row of it: a class of another size is no donor.
        sizes = {len(values) for values in self.publisher.formed.values}
        initial = (Counter(values).values() for values in self.publisher.formed.values)
        waiting = list(dict.fromkeys(tuple(sorted(counts, reverse=True)) for counts in initial))
        reached = dict.fromkeys(waiting)
        stuck = None
        while waiting:
            self.tick()
            form = waiting.pop()
            ec = self.token(form)
            if self.moves.passes(ec):
                self.published[form] = None
                following = self.after_passing(form, ec, gives_any=sum(form) in sizes)
            else:
                if len(form) == self.values:
                    stuck = stuck or form
                following = self.while_current(form, ec)
            self.judge_form(form, ec)
            for later in following:
                if later not in reached:
                    reached[later] = None
                    waiting.append(later)
            if len(reached) > MOST_FORMS:
                return ClassForms(False, (), None, {})
        return ClassForms(True, tuple(sorted(self.published)), stuck, self.breaches)

    def judge_form(self, form: Form, ec: EC) -> None:
        size = sum(form)
        if size < self.publisher.k:
            self.breach(ROWS_OF_K, f"a class {form} of {size} rows")
        # V as it is defined, not as the moves compare it.
        if self.moves.passes(ec) and variance(form) < self.threshold.at(size):
            self.breach(SENSITIVE, f"a class {form} is let through")
        # A class that is alone passes, gets noise or is stuck: with none of these, or two, runs
        # would end for no reason, or go on after their end.
        plan = self.moves.plan(0, (ec,))
        if [plan.passes, bool(plan.pairs), bool(plan.noise), plan.stuck].count(True) != 1:
            self.breach(ENDS, f"a class {form} alone")

    def while_current(self, form: Form, ec: EC) -> Iterator[Form]:
        """Run through what becomes of a class below θ when it is its turn."""
        if len(form) == self.values:
            return
        # A class stands here for its form with the first values of the domain: the next one it
        # lacks.
        lacks = self.publisher.domain[len(form)]
        yield self.exchange(form, ec, self.units(ec, 0), lacks, receives=True)
        more = self.moves.kind.with_noise(ec, lacks)
        change = self.difference([ec], [more])
        if change != {int(lacks): 1}:
            self.breach(KEPT, f"noise in a class {form}")
        yield self.form(more)

    def after_passing(self, form: Form, ec: EC, *, gives_any: bool) -> Iterator[Form]:
        """Run through what becomes of a class with V ≥ θ: as donor, or in a cross swap."""
        firsts = [at for at, times in enumerate(form) if form.index(times) == at]
        # Of values that are equally frequent two are enough, as one of them may be what it gives.
        comes: list[int] = [at for at in range(len(form)) if form.index(form[at]) >= at - 1]
        if len(form) < self.values:
            comes.append(len(form))
        for gives in firsts:
            for gets in comes:
                # Only here does a class change that has passed: it gives a most frequent value and
                # gets one that it lacks.
                crosses = gives == 0 and gets == len(form)
                if gets == gives or not (gives_any or crosses):
                    continue
                value = self.publisher.domain[gets]
                after = self.exchange(form, ec, self.units(ec, gives), value, receives=False)
                yield after
                if crosses:
                    self.published[after] = None
                if crosses and variance(after) < self.threshold.at(sum(after)):
                    self.breach(SENSITIVE, f"a cross swap of {form} for {after}")

    def exchange(
        self, form: Form, ec: EC, leaves: int, comes: SensitiveValue, *, receives: bool
    ) -> Form:
        """Return the form after an exchange with a class of one row, and judge the move."""
        partner = self.publisher.kind.form([Record(next(self.numbers), comes)])
        there = self.publisher.kind.units(partner, comes)[0]
        if receives:
            after, remains = self.moves.kind.exchange(ec, partner, leaves, there)
        else:
            remains, after = self.moves.kind.exchange(partner, ec, there, leaves)
        if self.difference([ec, partner], [after, remains]):
            self.breach(KEPT, f"an exchange of {form}")
        if self.moves.size(after) != sum(form):
            self.breach(ROWS_OF_K, f"an exchange of {form}")
        return self.form(after)

    def difference(self, before: Sequence[EC], after: Sequence[EC]) -> dict[int, int]:
        """Return how many rows more or less there are of each value, where that is not none."""
        change = self.publisher.count_values(tuple(after))
        # Not by minus, which would not show what is lost.
        change.subtract(self.publisher.count_values(tuple(before)))
        return {value: n for value, n in change.items() if n}

    def units(self, ec: EC, value: int) -> int:
        return self.moves.kind.units(ec, value)[0]

    def token(self, form: Form) -> EC:
        return class_of_form(self.publisher, form, self.publisher.domain, self.numbers)

    def form(self, ec: EC) -> Form:
        return tuple(sorted(self.moves.kind.multiset(ec).values(), reverse=True))

    def breach(self, name: str, example: str) -> None:
        self.breaches.setdefault(name, example)


def judge_forms(publisher: Publisher, tick: Callable[[], object] = int) -> ClassForms:
    """Judge every form that a class of a θ-sensitive publisher cut by moves can have.

    ``tick`` is called for each form; whatever it raises ends the work.

    >>> from kproof.petri.papers.theta_sensitive import theta_publisher
    >>> forms = judge_forms(theta_publisher([["a"] * 4, ["a", "b", "c", "d"]], k=4))
    >>> forms.published
    ((1, 1, 1, 1), (2, 1, 1, 1), (3, 1, 1, 1), (4, 1, 1, 1))
    >>> forms.breaches, forms.stuck, forms.largest_share
    ({}, None, Fraction(4, 7))
    """
    return _Forms(publisher, tick).judge()


def class_of_form(
    publisher: Publisher,
    form: Form,
    values: Sequence[SensitiveValue],
    numbers: Iterator[int] | None = None,
) -> EC:
    """Return a class of a form that has the first of some values, the first one most often."""
    following = count() if numbers is None else numbers
    return publisher.kind.form(
        Record(next(following), value)
        for value, times in zip(values, form, strict=False)
        for _ in range(times)
    )


def classes_of_form(publisher: Publisher, form: Form) -> Iterator[EC]:
    """Run through the classes of a form, over all values of the domain."""

    def assign(times: Form, values: tuple[SensitiveValue, ...]) -> Iterator[list[SensitiveValue]]:
        if not times:
            yield []
            return
        # Values of the same frequency come together, whatever their order.
        equal = times.count(times[0])
        for several in combinations(values, equal):
            rest = tuple(value for value in values if value not in several)
            for following in assign(times[equal:], rest):
                yield [*several, *following]

    for values in assign(form, publisher.domain):
        yield class_of_form(publisher, form, values)
