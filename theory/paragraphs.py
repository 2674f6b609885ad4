r"""Texts that consist of paragraphs: how proofs, claims and numbered statements are written.

A line that is indented goes on with the paragraph above; an empty line, or one that begins with
``#``, ends it and says nothing.
"""

import re
from collections.abc import Collection, Iterator

from kproof.errors import InvalidArgument


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    r"""Yield the number of the first line of each paragraph, and the paragraph in one line.

    >>> list(paragraphs("# A remark.\na\n  b\n\nc"))
    [(2, 'a b'), (5, 'c')]
    """
    begun, lines = 0, list[str]()
    # An empty line is added, or the last paragraph of a file would never be ended.
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.startswith(" "):
            lines.append(line.strip())
            continue
        if lines:
            yield begun, " ".join(lines)
        begun, lines = number, [] if not line or line.startswith("#") else [line]


def read_statements(
    text: str, lists: Collection[str], *, needs: Collection[str] = ()
) -> Iterator[tuple[str, str, dict[str, str]]]:
    r"""Yield the name of each statement, what it says, and its lists by label.

    ``text``: paragraphs ``[NAME] WHAT IT SAYS``, with further lines ``- LABEL: TEXT``. ``lists``:
    the labels there are. ``needs``: those that every statement has.

    >>> list(read_statements("[(1)] Half\n  of it\n    - rows: Z1 Z2", ["rows"]))
    [('(1)', 'Half of it', {'rows': 'Z1 Z2'})]
    >>> list(read_statements("[(1)] Half of it", ["rows"], needs=["rows"]))
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: line 1 = (1): need a line of rows
    """
    for line, paragraph in paragraphs(text):
        # A text may speak of k - 1: only a label and its colon begin a line of their own.
        heading, *labelled = re.split(r" - (?=\w+: )", paragraph)
        name, bracket, says = heading.removeprefix("[").partition("] ")
        if not bracket:
            raise InvalidArgument(f"line {line}", heading, "[NAME] WHAT IT SAYS")
        texts: dict[str, str] = {}
        for entry in labelled:
            label, _, texts[label] = entry.partition(": ")
            if label not in lists:
                raise InvalidArgument(f"line {line}", label, "names of lists")
        for label in needs:
            if label not in texts:
                raise InvalidArgument(f"line {line}", name, f"a line of {label}")
        yield name, says, texts
