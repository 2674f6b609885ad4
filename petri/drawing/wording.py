"""Tokens, multisets and markings in words, for people: long ones cut, collections by what is in."""

from typing import Any

from kproof.petri.net.colours import Named, Token
from kproof.petri.net.marking import Marking, Multiset

MANY = 3
"""Tokens of a multiset that are told; the rest is counted."""


def token_words(token: Token) -> str:
    """Return a token in words; collections, such as the classes of a table, between bars.

    >>> from kproof.petri.papers.theta_sensitive import theta_publisher
    >>> publisher = theta_publisher([["HIV", "HIV"], ["Flu", "Cancer"]], k=2)
    >>> token_words(publisher.formed.tokens("values")[2])
    '[2·HIV | Cancer, Flu]'
    >>> token_words((1, ("a", "b"))), token_words("c")
    ('(1, (a, b))', 'c')
    """
    if not isinstance(token, tuple):
        return str(token)
    collections = list(map(_collection, token))
    if token and None not in collections:
        return f"[{' | '.join(part or '' for part in collections)}]"
    return f"({', '.join(map(token_words, token))})"


def multiset(tokens: Multiset, *, most: int = MANY) -> str:
    """Return a multiset in words: the first tokens, and how many different ones follow.

    >>> multiset((("a", 2), ("b", 1), ("c", 1)), most=2)
    '2·a, b, … (1 more)'
    >>> multiset(())
    'none'
    """
    words = [
        token_words(token) if n == 1 else f"{n}·{token_words(token)}" for token, n in tokens[:most]
    ]
    if len(tokens) > most:
        words.append(f"… ({len(tokens) - most} more)")
    return ", ".join(words) or "none"


def marking(tokens: Marking, *, most: int = MANY) -> str:
    """Return a marking in words, on one line.

    >>> from kproof.petri.papers.theta_sensitive import theta_publisher
    >>> print(marking(theta_publisher([["HIV", "Flu"]], k=2).net().initial))
    MMT: (0, [Flu, HIV])
    """
    words = (f"{place}: {multiset(tokens, most=most)}" for place, tokens in tokens)
    return "; ".join(words) or "empty"


def shorten(text: str, longest: int) -> str:
    """Return a text of at most so many characters."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _collection(part: Any) -> str | None:
    """Return a collection of single items, or of others with counts, in words; else None."""
    items = list(map(_item, part)) if isinstance(part, tuple) else []
    return None if not items or None in items else ", ".join(item or "" for item in items)


def _item(item: Any) -> str | None:
    match item:
        case Named():
            return str(item) if item.single else None
        case (Named() as value, int(count)) if not value.single:
            return f"{count}·{value}" if count > 1 else str(value)
    return None
