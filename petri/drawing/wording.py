"""Tokens, multisets and markings in words, for people: classes as their values, long ones cut."""

from __future__ import annotations

from typing import Any

from kproof.petri.net.colours import Token
from kproof.petri.net.marking import Marking, Multiset
from kproof.petri.papers.classes import Record, SensitiveValue

MANY = 3
"""Tokens of a multiset that are told; the rest is counted."""


def worded(token: Token) -> str:
    """Return a token in words; the classes of a table between bars.

    Examples
    --------
    >>> from kproof.petri.papers.theta_sensitive import theta_publisher
    >>> publisher = theta_publisher([["HIV", "HIV"], ["Flu", "Cancer"]], k=2)
    >>> worded(publisher.formed.tokens("values")[2])
    '[2·HIV | Cancer, Flu]'
    >>> worded((1, ("a", "b"))), worded("c")
    ('(1, (a, b))', 'c')
    """
    if not isinstance(token, tuple):
        return str(token)
    if token and all(map(_is_class, token)):
        return f"[{' | '.join(map(_class, token))}]"
    return f"({', '.join(map(worded, token))})"


def multiset(tokens: Multiset, *, most: int = MANY) -> str:
    """Return a multiset in words: the first tokens, and how many different ones follow.

    Examples
    --------
    >>> multiset((("a", 2), ("b", 1), ("c", 1)), most=2)
    '2·a, b, … (1 more)'
    >>> multiset(())
    'none'
    """
    told = [worded(token) if n == 1 else f"{n}·{worded(token)}" for token, n in tokens[:most]]
    if len(tokens) > most:
        told.append(f"… ({len(tokens) - most} more)")
    return ", ".join(told) or "none"


def marking(found: Marking, *, most: int = MANY) -> str:
    """Return a marking in words, on one line.

    Examples
    --------
    >>> from kproof.petri.papers.theta_sensitive import theta_sensitive
    >>> print(marking(theta_sensitive([["HIV", "Flu"]], k=2).initial))
    MMT: (0, [Flu, HIV])
    """
    told = (f"{place}: {multiset(tokens, most=most)}" for place, tokens in found)
    return "; ".join(told) or "empty"


def shortened(text: str, longest: int) -> str:
    """Return a text of at most so many characters."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _is_class(part: Any) -> bool:
    if not isinstance(part, tuple) or not part:
        return False
    return all(
        isinstance(one, Record)
        or (isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], SensitiveValue))
        for one in part
    )


def _class(ec: tuple[Any, ...]) -> str:
    return ", ".join(
        str(one) if isinstance(one, Record) else f"{one[1]}·{one[0]}" if one[1] > 1 else str(one[0])
        for one in ec
    )
