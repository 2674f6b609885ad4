r"""Texts that consist of paragraphs: how proofs and claims are written.

A line that is indented goes on with the paragraph above; an empty line, or one that begins with
``#``, ends it and says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    r"""Yield the number of the first line of each paragraph, and the paragraph in one line.

    >>> list(paragraphs("# A remark.\na\n  b\n\nc"))
    [(2, 'a b'), (5, 'c')]
    """
    begun, lines = 0, list[str]()
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.startswith(" "):
            lines.append(line.strip())
            continue
        if lines:
            yield begun, " ".join(lines)
        begun, lines = number, [] if not line or line.startswith("#") else [line]
