"""A publishing service for a table that people join and leave."""

from collections.abc import Hashable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, MultipleResults, consumes, multiple, precondition, rule

from kproof.proptests.contract import TableCase, TablePublication
from kproof.proptests.labels.cells import loose
from kproof.proptests.stateful.composition import Candidates, values_left
from kproof.proptests.stateful.service import REFUSES, Service
from kproof.proptests.strategies.parameters import group_sizes, requests

_CATEGORIES = {"a": "A", "b": "B", "c": "A"}

Record = tuple[int, str, str]
"""An age, a town and a sensitive value; what varies here is the past, the suite varies the data."""

_RECORDS = st.tuples(st.integers(0, 3), st.sampled_from("ab"), st.sampled_from("abc"))


class TableService(Service):
    """Records arrive and leave between requests; what is published covers those who are there.

    Attributes:
        records: By person, who is in the table now.
    """

    people: Bundle[int] = Bundle("people")

    def __init__(self) -> None:
        super().__init__()
        self.records: dict[int, Record] = {}
        self._arrived = 0
        self._read = 0
        self._left: dict[tuple[int, Hashable], tuple[frozenset[Hashable], ...]] = {}

    @rule(target=people, records=st.lists(_RECORDS, min_size=1, max_size=4))
    def arrive(self, records: list[Record]) -> MultipleResults[int]:
        """Add records."""
        numbers = range(self._arrived, self._arrived + len(records))
        self.records |= dict(zip(numbers, records, strict=True))
        self._arrived += len(records)
        return multiple(*numbers)

    @rule(person=consumes(people))
    def leave(self, person: int) -> None:
        """Withdraw somebody's record: later publications must do without it."""
        del self.records[person]

    @rule(person=people, record=_RECORDS)
    def correct(self, person: int, record: Record) -> None:
        """Change somebody's record."""
        self.records[person] = record

    @precondition(lambda self: self.records)
    @rule(data=st.data())
    def ask(self, data: st.DataObject) -> None:
        """Publish, mostly with parameters that can be met."""
        self.publish(data.draw(self._parameters(), label="parameters"))

    @precondition(lambda self: self.records)
    @rule(data=st.data(), more=st.integers(1, 2))
    def ask_too_much(self, data: st.DataObject, more: int) -> None:
        """Ask for larger classes than there are people."""
        k = len(self.records) + more
        self.publish(data.draw(self._parameters(k), label="parameters"))

    @precondition(lambda self: self.history and self.records)
    @rule()
    def publish_again(self) -> None:
        """Publish who is there now with the parameters of the last request."""
        self.publish(dict(self.history[-1].case.parameters))

    @precondition(lambda self: self.history)
    @rule(number=st.integers(0, 20))
    def ask_as_before(self, number: int) -> None:
        """Repeat an earlier request for the data as they were then."""
        # Any number is that of some request: a history that shrinks leaves no draw without one.
        answer = self.history[number % len(self.history)]
        self.request(answer.case, answer.people)

    def publish(self, parameters: dict[str, Any]) -> Any:
        """Ask for a publication of everybody who is in the table, and return the answer."""
        rows = tuple(self.records.values())
        columns = dict(zip(("age", "town", "s"), zip(*rows, strict=True), strict=True))
        case = TableCase(
            columns=columns,
            quasi_identifiers=("age", "town"),
            sensitive="s",
            parameters={**parameters, **self.options},
            categories=self._categories(),
        )
        return self.request(case, tuple(self.records))

    def candidates(self) -> list[Candidates]:
        """Return which sensitive values the publications leave for each person.

        Somebody whose value was corrected between publications counts once for each value.
        """
        # Each publication is matched once: with composing they are asked for after every request.
        for answer in self.history[self._read :]:
            if isinstance(answer.outcome, TablePublication):
                remaining_of = values_left(answer.case, answer.outcome)
                secrets = map(loose, answer.case.columns["s"])
                for person, secret, remaining in zip(
                    answer.people, secrets, remaining_of, strict=True
                ):
                    self._left[person, secret] = (*self._left.get((person, secret), ()), remaining)
        self._read = len(self.history)
        return [Candidates(person, secret, sets) for (person, secret), sets in self._left.items()]

    def _refuses(self, outcome: object) -> None:
        super()._refuses(outcome)
        case = self.history[-1].case
        k = case.parameters.get("k", 0)
        if k > case.rows and isinstance(outcome, TablePublication) and outcome.rows:
            sentence = f"{outcome.rows} rows are published of {case.rows} records, k = {k}"
            self.fail(REFUSES, sentence, "a publication", "a refusal")

    def _categories(self) -> dict[object, object] | None:
        if not self.subject.parameters & {"p", "alpha"}:
            return None
        return {value: _CATEGORIES[value] for _, _, value in self.records.values()}

    def _parameters(self, k: int | None = None) -> st.SearchStrategy[dict[str, Any]]:
        values = [value for _, _, value in self.records.values()]
        return requests(
            self.subject.parameters - set(self.options),
            rows=len(values),
            sensitive=values,
            categories=self._categories(),
            k=group_sizes if k is None else lambda _: st.just(k),
        )
