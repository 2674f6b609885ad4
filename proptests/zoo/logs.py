"""Broken cloaked logs: records of people who move, each made with one fault.

:class:`SlotRules` is the right way of doing it, in plain Python: groups only part, and each part
keeps k people. Every fault overrides one of its steps.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any

from kproof.models.registry import Kind, Promise
from kproof.proptests.zoo.base import Faults, Member, largest

Group = list[str]
Where = dict[str, str]
Row = tuple[str, int, str]
"""Whose it is, the slot and the cell, as they are published."""

HIDDEN = "hidden"


class SlotRules:
    """Makes a cloaked log slot by slot; a session is as long as the log."""

    def __init__(self, frame: Any, k: int, age: int) -> None:
        self.frame, self.k, self.age = frame, k, age
        self.users: Group = list(dict.fromkeys(frame["user"]))
        slots = frame["slot"].tolist()
        self.slots = range(min(slots), max(slots) + 1)

    def publish(self) -> dict[str, list[Any]] | None:
        """Publish the whole log."""
        self.refuse()
        rows = list(self.rows())
        owners = self.order({user for user, _, _ in rows})
        number = dict(zip(owners, count(), strict=False))
        published = sorted((number[user], slot, cell) for user, slot, cell in rows)
        return {
            name: [row[place] for row in published]
            for place, name in enumerate(("record", "slot", "cell"))
        } if published else None  # fmt: skip

    def refuse(self) -> None:
        """Refuse what cannot be served."""
        if not 2 <= self.k <= len(self.users):
            raise ValueError(f"k = {self.k}: need 2 to {len(self.users)}, the people")

    def order(self, owners: set[str]) -> Iterable[str]:
        """Return people in the order of the numbers of their records."""
        return sorted(owners)

    def rows(self) -> Iterator[Row]:
        """Publish group by group."""
        groups: list[Group] = []
        for slot in self.slots:
            where = self.where(slot)
            served = {user for group in groups for user in group}
            waiting = [user for user in self.users if user in where and user not in served]
            if self.enough(waiting):
                groups.append(waiting)
            groups = [part for group in groups for part in self.part(group, where)]
            for group in groups:
                yield from ((user, slot, self.cell(group, where)) for user in group)

    def enough(self, waiting: Group) -> bool:
        """Say whether those who wait make a group."""
        return len(waiting) >= self.k

    def where(self, slot: int) -> Where:
        """Return where everybody is who is known: first in the slot, else last before it."""
        codes: Where = {}
        for user, when, cell in self.frame[["user", "slot", "cell"]].itertuples(index=False):
            if self.recent(slot - when):
                codes[user] = cell
        here = self.frame[self.frame["slot"] == slot]
        # Backwards, so that of somebody's positions in the slot the first is written last and
        # stays.
        return codes | dict(zip(here["user"][::-1], here["cell"][::-1], strict=True))

    def recent(self, slots: int) -> bool:
        """Say whether a position of so many slots ago still stands for somebody."""
        return 0 < slots <= self.age

    def cell(self, group: Group, where: Where) -> str:
        """Return the smallest cell that has everybody, or hidden if anybody is unknown."""
        codes = [where[user] for user in group if user in where]
        if len(codes) < len(group):
            return HIDDEN
        # What the least and the greatest code begin with, all between them do.
        first, last = min(codes), max(codes)
        shared = (size for size in range(len(first), 0, -1) if last.startswith(first[:size]))
        return first[: next(shared)]

    def part(self, group: Group, where: Where) -> list[Group]:
        """Part a group where both sides keep k, and the unknown from the known."""
        known = [user for user in group if user in where]
        unknown = [user for user in group if user not in where]
        if unknown:
            far = self.along(known, unknown)
            near = [user for user in group if user not in far]
            return [*self.part(near, where), far] if len(near) >= self.k else [group]
        cell = self.cell(group, where)
        sides: dict[str, Group] = {}
        for user in group:
            sides.setdefault(where[user][: len(cell) + 1], []).append(user)
        if len(sides) < 2 or min(map(len, sides.values())) < self.k:
            return [group]
        return [part for side in sides.values() for part in self.part(side, where)]

    def along(self, known: Group, unknown: Group) -> Group:
        """Return the side of the unknown: fewer than k take others along."""
        return unknown + known[: max(self.k - len(unknown), 0)]


_broken = Faults(frozenset({Promise.K_ANONYMITY, Promise.NOTHING_TAKEN_BACK}))


@_broken("cells kept k in each slot", "candidates")
class _EachSlot(SlotRules):
    """Keep k in every cell of every slot, and forget who was together in the one before.

    Each slot is as good as a heat map. Two of them cross, and four people are four.
    """

    def rows(self) -> Iterator[Row]:
        for slot in self.slots:
            where = self.where(slot)
            # A few who are unknown would be alone by that.
            seen_at = where if len(self.users) - len(where) not in range(1, self.k) else {}
            parts = [[user for user in self.users if user in seen_at]]
            parts = self.part(parts[0], seen_at) if len(parts[0]) >= self.k else [self.users]
            shown = {user: self.cell(part, seen_at) for part in parts for user in part}
            yield from ((user, slot, shown.get(user, HIDDEN)) for user in self.users)


@_broken("prefixes", "candidates")
class _Prefixes(SlotRules):
    """Publish each record as it is for as long as k share it, and end it then.

    Whoever knows that sees who stops: theirs is the only record that ends.
    """

    def rows(self) -> Iterator[Row]:
        so_far: dict[str, tuple[str, ...]] = dict.fromkeys(self.users, ())
        for slot in self.slots:
            where = self.where(slot)
            longer = {user: (*path, where.get(user, HIDDEN)) for user, path in so_far.items()}
            shared = Counter(longer.values())
            so_far = {user: path for user, path in longer.items() if shared[path] >= self.k}
            yield from ((user, slot, path[-1]) for user, path in so_far.items())


@_broken("never walk alone", "known positions")
class _NeverAlone(SlotRules):
    """Publish those who walk within delta of k - 1 others, each where they were.

    (k, delta)-anonymity moves people until they are within delta of one another. Who already is
    need not be moved at all, and is found by where they were.
    """

    DELTA = 1

    def rows(self) -> Iterator[Row]:
        walks = {user: [self.where(slot).get(user) for slot in self.slots] for user in self.users}
        whole = [user for user, walk in walks.items() if None not in walk]

        def near(*pair: str) -> bool:
            places = ([int(cell[1:], 2) for cell in walks[user] if cell] for user in pair)
            return all(abs(a - b) <= self.DELTA for a, b in zip(*places, strict=True))

        for user in whole:
            if sum(near(user, walker) for walker in whole) >= self.k:
                for slot, cell in zip(self.slots, walks[user], strict=True):
                    yield user, slot, str(cell)


@_broken("a stale position", "candidates")
class _Stale(SlotRules):
    """Show the last position that there is, however old it is.

    Who was asked for where they are now is elsewhere or off; whoever was there sees who was not.
    """

    def recent(self, slots: int) -> bool:
        return slots > 0


@_broken("nobody taken along", "candidates")
class _Alone(SlotRules):
    """Part the unknown from the known, be they as few as they are.

    The known go on by themselves, k of them; one who is unknown is the only one hidden.
    """

    def along(self, known: Group, unknown: Group) -> Group:
        return super().along(known[:0], unknown)


@_broken("a record that leaves alone", "candidates")
class _Leaving(SlotRules):
    """End the record of whoever reports nothing, rather than hide all of a group."""

    def rows(self) -> Iterator[Row]:
        for user, slot, cell in super().rows():
            if user in self.where(slot):
                yield user, slot, cell


@_broken("a remainder by itself", "candidates")
class _Remainder(SlotRules):
    """Part a group as soon as one of its sides has k: the other side is fewer, and by itself."""

    def part(self, group: Group, where: Where) -> list[Group]:
        sides: dict[str, Group] = {}
        for user in group:
            sides.setdefault(where.get(user, HIDDEN), []).append(user)
        return list(sides.values()) if max(map(len, sides.values())) >= self.k else [group]


@_broken("one less in a crowd", "candidates")
class _Crowd(SlotRules):
    """Ask for k - 1 from nine people on, as whoever counts people from 0 to 9 may well do."""

    def refuse(self) -> None:
        super().refuse()
        self.k -= len(self.users) > 8


@_broken("groups that meet again", "candidates")
class _Meeting(SlotRules):
    """Make one group of those that are at one place again.

    In every slot there are k or more alike. But who was with whom before is out, and a group that
    parts once more, in another way, leaves fewer with the same record.
    """

    def part(self, group: Group, where: Where) -> list[Group]:
        if group[0] != self.users[0]:
            return []  # they are with the first group, all of whom are parted anew
        return super().part([user for user in self.users if user in self.met], where)

    def rows(self) -> Iterator[Row]:
        self.met = set(self.users)
        return super().rows()


@_broken("groups by where they end", "nothing taken back")
class _Hindsight(SlotRules):
    """Make groups of people who end the day together, for the whole day.

    Every record keeps k. But groups are others after every slot, and who was shown with whom in the
    morning is shown with somebody else at night: both are out.
    """

    def rows(self) -> Iterator[Row]:
        # Unknown ones come last, as if they were beyond the last place.
        walks = {
            user: [self.where(slot).get(user, HIDDEN) for slot in reversed(self.slots)]
            for user in self.users
        }
        order = sorted(self.users, key=lambda user: walks[user])
        groups = [order[start : start + self.k] for start in range(0, len(order), self.k)]
        if len(groups[-1]) < self.k:
            groups[-2:] = [groups[-2] + groups[-1]]
        for slot in self.slots:
            for group in groups:
                cell = self.cell(group, self.where(slot))
                yield from ((user, slot, cell) for user in group)


_TURNS = count()


@_broken("every other answer hidden", "deterministic")
class _Turns(SlotRules):
    """Hide every other answer, so that nobody can average. Two answers are two logs."""

    def publish(self) -> dict[str, list[Any]] | None:
        self.hides = next(_TURNS) % 2 == 1
        return super().publish()

    def cell(self, group: Group, where: Where) -> str:
        return HIDDEN if self.hides else super().cell(group, where)


@_broken("sorts the log", "input unchanged")
class _Sorting(SlotRules):
    """Sort the log of the caller by person, where it stands."""

    def refuse(self) -> None:
        super().refuse()
        ordered = self.frame.sort_values("user", ascending=False, kind="stable")
        for name in self.frame:
            self.frame[name] = ordered[name].to_numpy()


@_broken("says nothing", "refuses clearly")
class _Mute(SlotRules):
    """End with an error and no word where there are fewer than k people."""

    def refuse(self) -> None:
        if not 2 <= self.k <= len(self.users):
            raise ValueError


@_broken("more than k who wait", "publishes when it can")
class _MoreThanK(SlotRules):
    """Wait for k others beside oneself, although k counts oneself."""

    def enough(self, waiting: Group) -> bool:
        return len(waiting) > self.k


@_broken("in even groups", "monotone in k")
class _Even(SlotRules):
    """Refuse what does not come out even: k = 3 is served where k = 2 is not."""

    def refuse(self) -> None:
        super().refuse()
        if len(self.users) % self.k:
            raise ValueError(f"k = {self.k}: need a divisor of {len(self.users)}, the people")


@_broken("records numbered by a set", "hash seed")
class _BySet(SlotRules):
    """Number records in the order of a set of names, which is another one in each process."""

    def order(self, owners: set[str]) -> Iterable[str]:
        return owners


@_broken("a log of a busier day", "fresh process")
class _AsEver(SlotRules):
    """Ask for the largest k that anybody has asked for, if there are so many people."""

    def refuse(self) -> None:
        super().refuse()
        self.k = min(largest(self.k, "log"), len(self.users))


def _anonymizer(rules: type[SlotRules]) -> Callable[..., Any]:
    def publish(frame: Any, k: int, age: int) -> Any:
        return rules(frame, k, age).publish()

    return publish


MEMBERS: tuple[Member, ...] = _broken.members(Kind.LOG, _anonymizer)
"""Broken anonymizers of logs."""
