"""What a check says of a trial: it is kept, it is broken, or there is nothing that it judged."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Violation:
    """One broken promise, in numbers."""

    sentence: str
    """What is wrong, with the numbers, such as ``"class age=*: 3 real records, k = 4"``."""
    found: str
    wanted: str
    """The number (or value) compared and what it had to be, as text: ``"3"``, ``">= 4"``."""
    input_rows: tuple[int, ...] = ()
    output_rows: tuple[int, ...] = ()
    """Rows of the case and of the publication to mark for a reader; for data other than tables
    the indexes of nodes, points, sectors or users."""


@dataclass(frozen=True)
class Kept:
    """A case that a check has judged, and on which what it is about is so."""

    compared: int = 1
    """How many things (classes, rows, regions, answers) were compared, at least 1: what holds
    of every one of none is not kept. Use :func:`keep_if_compared` where there may be none."""

    def __post_init__(self) -> None:
        """Refuse to keep what was not looked at; a check that does so has a defect."""
        if self.compared < 1:
            raise ValueError("nothing was compared")


@dataclass(frozen=True)
class NotApplicable:
    """A case on which a check has nothing to judge."""

    reason: str
    """Why, as a clause such as ``"the case has no k"``; a reader sees it where a check judged
    nothing at all."""


@dataclass(frozen=True)
class InDoubt(NotApplicable):
    """A case that a check is about, and cannot judge for want of an account that it can read.

    Nothing shows that anything is wrong, and nothing that it is right: the case counts as not
    judged, and a reader is told how many there were.
    """


Judgement: TypeAlias = Violation | Kept | NotApplicable
"""What a check says of a trial. It has to say one of the three; there is no silent yes."""
UNPUBLISHED = NotApplicable("nothing was published")
"""What most checks say of a refusal."""
UNREADABLE = NotApplicable("what was published cannot be read")
"""What checks of refusals say of what is none, and no publication either."""


class Unjudged(Exception):  # never leaves a check
    """Leaves a check from wherever it finds that there is nothing to judge."""

    def __init__(self, judgement: NotApplicable = UNPUBLISHED) -> None:
        self.judgement = judgement
        super().__init__(judgement.reason)


def keep_if_compared(compared: int, otherwise: str) -> Kept | NotApplicable:
    """Return that a case is kept if anything was compared, else why there was nothing.

    >>> keep_if_compared(3, "no class was published"), keep_if_compared(0, "no class was published")
    (Kept(compared=3), NotApplicable(reason='no class was published'))
    """
    return Kept(compared) if compared else NotApplicable(otherwise)
