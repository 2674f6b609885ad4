"""Working calls, and what people and accidents make of them.

Hypothesis draws a call, up to three changes of its words and up to two of its files; what fails is
shrunk towards the call that works.
"""

import re
from collections.abc import Callable, Sequence

from fuzz_case import Case
from fuzz_commands import NAMES, calls, content
from hypothesis import strategies as st

HOSTILE = (
    *("", " ", "-", "--", "=", ",", ":", "@", "@missing", "x=y", "=x", "a,,b", "-1", "0", "1", "2"),
    *("3/5", "1/0", "0.5", "5e-1", "1e400", "1e-400", "nan", "inf", "-inf", "True", "None"),
    *(
        "½",
        "٣",
        "0x10",
        "1_000",
        "1:2:3",
        "2:1:5",
        "all",
        "printed",
        "\u202eabc",
        "a\nb",
        "x" * 3000,
    ),
    *(
        ".",
        "..",
        "missing.csv",
        "missing/out.csv",
        "rows.csv",
        "out.csv",
        "out-old.csv",
        "net.pnml",
    ),
    *(
        "released.csv",
        "age",
        "ill",
        "age,age",
        "ill,age",
        "1",
        "[",
        "{}",
        "'",
        '"',
        "\\",
        "{input}",
    ),
)
"""Words that stand where another was meant."""
NUMBERS = (
    *("0", "1", "2", "3", "4", "5", "7", "8", "9", "12", "40", "100", "1000", "1/2", "3/5", "2/3"),
    *("0.1", "0.9", "0.999999", "1e-9", "1.5", "3.7", "-1", "-1/2", "0.5,1", "0:1:3", "1,2,3"),
)
"""Values that many options take, some of them at an edge."""
HUGE = "9" * 21
LITTLE = ("--profile", "quick", "--max-examples", "2")
"""What keeps ``verify`` short: without it a call rightly takes minutes."""
COUNTED = {"--runs", "--steps", "--max-examples", "--observations", "--budget", "--profile"}
"""Options by which a caller may ask for any amount of work."""
TOKENS = (
    *(b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\n", b"\n\n", b",", b",,,", b'"', b"'", b";"),
    *(b"\t", b"<", b">", b"&x;", b"]]>", b"<!DOCTYPE a [<!ENTITY x 'y'>]>", b"[" * 5000, b"{}"),
    *(b"nan", b"NaN", b"inf", b"-1", b"1e999", b"0", b"9" * 5000, b"1/3", b"=cmd()", b"null"),
    *(b"x" * 140_000, b"\xc3", "é".encode("latin-1"), "ſ".encode(), "\u2028".encode(), b"?", b"*"),
)

Words = list[str]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw a call with its files, changed in a few places or in none."""
    words = list(draw(st.sampled_from(calls())))
    for _ in range(draw(st.sampled_from((0, 0, 0, 1, 1, 2, 3)))):
        words = draw(st.sampled_from(WORD_CHANGES))(draw, words)
    if words[:1] == ["verify"]:
        words += [word for i in (0, 2) if LITTLE[i] not in words for word in LITTLE[i : i + 2]]
    files = {name: content(name) for name in NAMES if _read_by(words, name)}
    for _ in range(draw(st.sampled_from((1, 1, 0, 2))) if files else 0):
        name = draw(st.sampled_from(sorted(files)))
        files[name] = draw(st.sampled_from(FILE_CHANGES))(draw, files[name])
    return Case(tuple(words), tuple(files.items()))


def _read_by(words: Words, name: str) -> bool:
    return any(name in re.split(r"[=@,]", word) for word in words)


def _options(words: Sequence[str]) -> list[tuple[int, int]]:
    """Return where options begin and end, with their values."""
    starts = [i for i, word in enumerate(words) if word.startswith("-") and len(word) > 1]
    ends = [i + 1 + (i + 1 < len(words) and not words[i + 1].startswith("-")) for i in starts]
    return list(zip(starts, ends, strict=True))


def _value(draw: st.DrawFn, words: Words) -> Words:
    """Another value for an option: a number, or one that it has in another call."""
    valued = [
        start for start, end in _options(words) if end == start + 2 and words[start] not in LITTLE
    ]
    if not valued:
        return words
    at = draw(st.sampled_from(valued))
    others = {
        call[start + 1]
        for call in calls()
        for start, end in _options(call)
        if call[start] == words[at] and end == start + 2
    }
    pool = (*sorted(others), *NUMBERS, *(() if words[at] in COUNTED else (HUGE,)))
    return [*words[: at + 1], draw(st.sampled_from(pool)), *words[at + 2 :]]


def _without_option(draw: st.DrawFn, words: Words) -> Words:
    if not _options(words):
        return words
    start, end = draw(st.sampled_from(_options(words)))
    return words[:start] + words[end:]


def _borrowed(draw: st.DrawFn, words: Words) -> Words:
    """An option that another call of the same command has, with its value."""
    lent = [
        call[start:end]
        for call in calls()
        if call[:1] == tuple(words[:1])
        for start, end in _options(call)
        if call[start] not in words
    ]
    return [*words, *draw(st.sampled_from(lent))] if lent else words


def _hostile(draw: st.DrawFn, words: Words) -> Words:
    """Anything, anywhere behind the name of the command."""
    if len(words) < 2:
        return words
    at = draw(st.integers(1, len(words) - 1))
    return [*words[:at], draw(st.sampled_from(HOSTILE)), *words[at + 1 :]]


def _garbled(draw: st.DrawFn, words: Words) -> Words:
    """Two words exchanged, the last part left out, or some words twice."""
    a, b = (draw(st.integers(0, len(words) - 1)) for _ in range(2))
    exchanged = list(words)
    exchanged[a], exchanged[b] = words[b], words[a]
    return draw(st.sampled_from((exchanged, words[: a + 1], [*words, *words[a : a + 2]])))


WORD_CHANGES: tuple[Callable[[st.DrawFn, Words], Words], ...] = (
    _value,
    _value,
    _value,
    _without_option,
    _without_option,
    _borrowed,
    _borrowed,
    _hostile,
    _garbled,
)


def _cut(draw: st.DrawFn, data: bytes) -> bytes:
    return data[: draw(st.integers(0, len(data)))]


def _without(draw: st.DrawFn, data: bytes) -> bytes:
    start = draw(st.integers(0, len(data)))
    return data[:start] + data[start + draw(st.integers(0, 40)) :]


def _inserted(draw: st.DrawFn, data: bytes) -> bytes:
    at = draw(st.integers(0, len(data)))
    return data[:at] + draw(st.sampled_from(TOKENS)) + data[at:]


def _cell(draw: st.DrawFn, data: bytes) -> bytes:
    """Another value for one run of letters and digits."""
    spans = [found.span() for found in re.finditer(rb"[\w.]+", data)]
    if not spans:
        return data
    start, end = draw(st.sampled_from(spans))
    return data[:start] + draw(st.sampled_from(TOKENS)) + data[end:]


def _lines(draw: st.DrawFn, data: bytes) -> bytes:
    """A line left out, doubled or moved to the end."""
    rows = data.splitlines(keepends=True)
    if not rows:
        return data
    at = draw(st.integers(0, len(rows) - 1))
    row = rows.pop(at)
    back = draw(st.sampled_from(([], [row, row], [row])))
    return b"".join([*rows, *back] if len(back) == 1 else [*rows[:at], *back, *rows[at:]])


def _another(draw: st.DrawFn, _: bytes) -> bytes:
    """The content of a file of any kind."""
    return content(draw(st.sampled_from(NAMES)))


def _encoded(draw: st.DrawFn, data: bytes) -> bytes:
    encoding = draw(st.sampled_from(("utf-16", "utf-8-sig", "cp500")))
    return data.decode("latin-1").encode(encoding, errors="replace")


FILE_CHANGES: tuple[Callable[[st.DrawFn, bytes], bytes], ...] = (
    _cell,
    _inserted,
    _cut,
    _without,
    _lines,
    _another,
    _encoded,
)
