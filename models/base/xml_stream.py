"""XML from files that are not to be trusted, element by element, without keeping a tree.

Nothing outside the file is ever looked up. A document type, and with it every entity, is refused;
the size is bounded after unpacking, so that a small packed file cannot fill the memory.
"""

import bz2
import gzip
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol
from xml.parsers import expat

from kproof.errors import DataError, show

BYTES = 2 * 2**30
"""Largest document, unpacked."""

_CHUNK = 1 << 20
_ENCODINGS = ("utf-8", "utf-16", "iso-8859-1", "us-ascii")


class Handler(Protocol):
    """What is told of a document, in its order.

    Errors it raises as :class:`~kproof.errors.DataError` get the file and the line put before.
    """

    def start(self, tag: str, attributes: Mapping[str, str], /) -> None:
        """Take the begin of an element."""

    def end(self, tag: str, text: str, /) -> None:
        """Take the end of an element, with the characters directly in it."""


def parse(path: str | Path, handler: Handler, *, root: str) -> None:
    """Tell a handler the elements of a file, which may be packed by bzip2 or gzip.

    ``root`` is the name of the outermost element; namespaces do not count, there and elsewhere. A
    file that is cut off, not well-formed or larger than :data:`BYTES`, or has another root or a
    document type, is a DataError that names the line.
    """
    reader = _Reader(handler, root)
    parser = expat.ParserCreate()
    # Otherwise a text comes line by line, a call of Python for each.
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    # Before any entity is declared: ten lines of those would unpack to gigabytes.
    parser.StartDoctypeDeclHandler = _no_document_type
    parser.XmlDeclHandler = _require_encoding
    try:
        for chunk in _chunks(Path(path)):
            parser.Parse(chunk, False)
        # Only this call tells a document that is cut off from one that goes on.
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        problem = expat.ErrorString(error.code)
        raise DataError(f"{path}, line {error.lineno}: not well-formed: {problem}") from None
    # What a handler raises comes out of Parse as it is, and only here is the line known.
    except DataError as error:
        raise DataError(f"{path}, line {parser.CurrentLineNumber}: {error}") from None
    # A packed file that is cut off raises EOFError, one that is damaged inside zlib.error: neither
    # is an OSError.
    except (OSError, EOFError, zlib.error) as error:
        problem = getattr(error, "strerror", None) or str(error)
        raise DataError(f"{path}: cannot be read: {problem}") from None


class _Reader:
    """Keeps the text of the open elements."""

    def __init__(self, handler: Handler, root: str) -> None:
        self.handler, self.root = handler, root
        self.texts: list[list[str]] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        tag = name.rpartition(":")[2]
        if not self.texts and tag != self.root:
            raise DataError(f"starts with <{show(tag)}>; need <{self.root}>")
        self.texts.append([])
        self.handler.start(tag, attributes)

    def characters(self, text: str) -> None:
        # Never empty: outside of the root expat takes all but blanks for an error, and hands on
        # none.
        self.texts[-1].append(text)

    def end(self, name: str) -> None:
        self.handler.end(name.rpartition(":")[2], "".join(self.texts.pop()))


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        begin = file.read(3)
        file.seek(0)
        if begin == b"BZh":
            source: bz2.BZ2File | gzip.GzipFile | None = bz2.BZ2File(file)
        elif begin[:2] == b"\x1f\x8b":
            source = gzip.GzipFile(fileobj=file)
        else:
            source = None
        unpacked = 0
        while chunk := (source or file).read(_CHUNK):
            unpacked += len(chunk)
            # Unpacked bytes are counted: a small file may unpack to more than any memory.
            if unpacked > BYTES:
                raise DataError(f"more than {BYTES // 2**20} MiB, the largest document")
            yield chunk


def _no_document_type(*_: object) -> None:
    raise DataError("a document type (DOCTYPE) is refused, and entities with it")


def _require_encoding(_: str, encoding: str | None, __: int) -> None:
    # For any other the parser would turn to the codecs of Python.
    if encoding is not None and encoding.lower() not in _ENCODINGS:
        raise DataError(f"encoding {show(encoding)}; need one of {', '.join(_ENCODINGS)}")
