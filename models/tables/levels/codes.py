"""Ladders for codes and categories: beginnings, one root above all, runs of ordered neighbours."""

from dataclasses import dataclass
from itertools import pairwise, takewhile

from kproof.errors import DataError, InvalidArgument, show
from kproof.models.base.missing import text
from kproof.models.tables.levels.base import ROOT, Drawn, Ladder, Leaves

MASK = "*"

LONGEST = 32
"""Characters of a code of which every one has a level; of longer ones somebody says which."""


@dataclass(frozen=True)
class PrefixLadder(Ladder):
    """Codes of which fewer and fewer characters are shown: ``53715``, ``5371*``, ``537**``.

    Where all codes have one length each masked character is a star; else one star stands for
    whatever follows, and a code that is shorter than what a level shows stays as it is.

    >>> tree = PrefixLadder((3,)).taxonomy(["53715", "53710", "53703"], "zip")
    >>> tree.labels
    ('*', '537**', '53703', '53710', '53715')
    """

    shown: tuple[int, ...] = ()
    """How many characters each level shows, falling; empty for one less at each level."""
    width: int | None = None
    """Digits that every code once had: shorter ones are masked as if their leading zeros were
    there, 1067 as ``0106*``. None if codes are as they are."""

    def __post_init__(self) -> None:
        falling = all(longer > shorter for longer, shorter in pairwise(self.shown))
        if not falling or (self.shown and self.shown[-1] < 1):
            raise InvalidArgument("ladder", self.spec, "falling numbers of characters, such as 3,2")

    @property
    def spec(self) -> str:
        """The ladder as the command line has it."""
        steps = f":{','.join(map(str, self.shown))}" if self.shown else ""
        return f"prefix{steps}" + ("" if self.width is None else f";width={self.width}")

    @property
    def levels(self) -> tuple[str, ...]:
        """The value, how much is shown, and nothing; empty if the codes decide."""
        beginnings = (f"first {length}" for length in self.shown)
        return ("value", *beginnings, ROOT) if self.shown else ()

    def draw(self, leaves: Leaves) -> Drawn:
        """Return the masks above codes, in their order."""
        written = _codes(leaves, MASK)
        codes = [code.zfill(self.width or 0) if code.isdigit() else code for code in written]
        lengths = set(map(len, codes))
        longest = max(lengths)
        if not self.shown and longest > LONGEST:
            raise DataError(
                f"column {show(leaves.column)}: {show(max(codes, key=len), 24)} has {longest} "
                "characters; say how many of them the levels show, such as prefix:5,3"
            )

        def mask(code: str, length: int) -> str:
            # Of codes of different lengths one that is shown whole gets its star too: else it would
            # tell that nothing follows.
            if len(code) < length or (len(code) == length and len(lengths) == 1):
                return code
            return code[:length] + MASK * (longest - length if len(lengths) == 1 else 1)

        # Not down to 0 signs: nothing shown is the root.
        sizes = self.shown or tuple(range(longest - 1, 0, -1))
        paths = (
            (leaf, *(mask(code, size) for size in sizes), ROOT)
            for leaf, code in zip(written, codes, strict=True)
        )
        return Drawn(tuple(paths))


@dataclass(frozen=True)
class BeginningLadder(Ladder):
    """Codes and all that some of them begin with alike, down to where they part.

    A class shows the longest beginning that its codes share. Levels are counted from the root,
    since one code may part from its neighbours sooner than another.

    >>> tree = BeginningLadder().taxonomy(["G561", "G562", "S1"], "section")
    >>> tree.labels
    ('*', 'G56*', 'G561', 'G562', 'S1')
    """

    mark: str = MASK
    """What follows a beginning."""
    everything: str = ROOT
    """What stands for all codes."""
    spec: str = "beginning"
    """The ladder as the command line has it."""

    levels = ()

    def draw(self, leaves: Leaves) -> Drawn:
        """Return the shared beginnings above codes, in their order."""
        codes = _codes(leaves, self.mark)
        # Where codes part, neighbours in order part.
        partings = sorted({common_prefix(*pair) for pair in pairwise(codes)} - {""})
        paths, above, place = [], list[str](), 0
        for code in codes:
            # A beginning comes before what it begins, and after all that comes before that.
            while place < len(partings) and partings[place] <= code:
                above.append(partings[place])
                place += 1
            # Once a code does not begin so, no later one does: codes with one
            # beginning stand together.
            above = [prefix for prefix in above if code.startswith(prefix)]
            paths.append((code, *(stem + self.mark for stem in reversed(above)), self.everything))
        return Drawn(tuple(paths))


def common_prefix(first: str, second: str) -> str:
    """Return what two codes begin with alike; of many it is that of the least and greatest.

    >>> common_prefix("G5615", "G5620"), common_prefix("G5", "S1")
    ('G56', '')
    """
    pairs = zip(first, second, strict=False)
    return "".join(sign for sign, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _codes(leaves: Leaves, mark: str) -> list[str]:
    """Return codes in ascending order; none may look like one that is masked."""
    codes = sorted(map(text, leaves.values))
    for code in codes:
        if mark in code or not code:
            fault = f"has the sign {mark} of what is left out" if code else "is no code"
            raise DataError(f"{leaves.about(code)} {fault}; give it a hierarchy")
    return codes


@dataclass(frozen=True)
class FlatLadder(Ladder):
    """Values that are shown as they are, or not at all.

    >>> FlatLadder().taxonomy(["m", "f"], "sex").labels
    ('*', 'm', 'f')
    """

    spec = "flat"
    levels = ("value", ROOT)

    def draw(self, leaves: Leaves) -> Drawn:
        """Return the root above values, which stay in their order."""
        paths = tuple((text(value), ROOT) for value in leaves.values)
        return Drawn(paths, note=f"the value or {ROOT}")


@dataclass(frozen=True)
class OrderLadder(Ladder):
    """Categories in an order that somebody gave, and runs of neighbours above them.

    >>> tree = OrderLadder(("low", "medium", "high")).taxonomy(["high", "low", "medium"], "risk")
    >>> tree.labels
    ('*', 'low..medium', 'low', 'medium', 'high')
    """

    order: tuple[str, ...]
    """The categories, the least first."""

    def __post_init__(self) -> None:
        # An empty name is what low<<high leaves between its signs.
        if len(set(self.order)) < len(self.order) or len(self.order) < 2 or "" in self.order:
            raise InvalidArgument("ladder", self.spec, "different categories, low<medium<high")

    @property
    def spec(self) -> str:
        """The ladder as the command line has it."""
        return f"order:{'<'.join(self.order)}"

    @property
    def levels(self) -> tuple[str, ...]:
        """The value, how many neighbours are put together, and everything."""
        return ("value", *(f"{size} neighbours" for size in self._sizes), ROOT)

    def draw(self, leaves: Leaves) -> Drawn:
        """Return the runs of neighbours above categories, in their order."""
        place = {name: position for position, name in enumerate(self.order)}
        written = [text(value) for value in leaves.values]
        for category in written:
            if category not in place:
                order = "<".join(self.order)
                raise DataError(
                    f"{leaves.about(category)} is not among {order}; add it to the order"
                )

        def run(position: int, size: int) -> str:
            # Runs of powers of two from the front, so that each lies within one run of the next
            # level; the last may be shorter.
            names = self.order[position // size * size :][:size]
            return names[0] if len(names) == 1 else f"{names[0]}..{names[-1]}"

        return Drawn(
            tuple(
                (category, *(run(place[category], size) for size in self._sizes), ROOT)
                for category in sorted(written, key=place.__getitem__)
            )
        )

    @property
    def _sizes(self) -> tuple[int, ...]:
        return tuple(1 << step for step in range(1, (len(self.order) - 1).bit_length()))
