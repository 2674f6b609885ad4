"""XML as PNML files need it: a plain tree of elements, from input that is not to be trusted.

Nothing outside the document is ever looked up and nothing in it is ever run. A document type, and
with it every entity, is refused; what tools keep for themselves (``toolspecific``) and drawings
(``graphics``) are skipped before they take memory. What remains is bounded by the limits below.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from kproof.errors import DataError, NetError, show

NAMESPACE = "http://www.pnml.org/version-2009/grammar/pnml"
"""Namespace of the elements of ISO/IEC 15909-2."""
BYTES = 64 * 1024 * 1024
"""Largest file."""
ELEMENTS = 1_000_000
"""Most elements, without those that are skipped."""
LEVELS = 10_000
"""Deepest nesting of elements."""
ENCODINGS = ("utf-8", "utf-16", "iso-8859-1", "us-ascii")
"""The encodings of XML itself; for all others a parser would turn to codecs of Python."""

_SKIPPED = ("toolspecific", "graphics")


@dataclass(eq=False, slots=True)
class Element:
    """An element with what stands in it."""

    tag: str
    """Its name, without the namespace."""
    attributes: dict[str, str]
    """Values by name."""
    line: int
    """Where it begins."""
    children: list[Element] = field(default_factory=list)
    """The elements in it, in order."""
    text: str = ""
    """The characters directly in it."""

    def __str__(self) -> str:
        """Name the element for an error message."""
        name = f" {show(self.attributes['id'])}" if "id" in self.attributes else ""
        return f"{self.tag}{name} (line {self.line})"

    def attribute(self, name: str) -> str:
        """Return an attribute that must be there, without spaces around it."""
        value = self.attributes.get(name, "").strip()
        if not value:
            raise NetError(f"{self}: attribute {name} is missing")
        return value

    def child(self, tag: str) -> Element | None:
        """Return the one child with a tag, or None; two of them are refused."""
        children = [element for element in self.children if element.tag == tag]
        if len(children) > 1:
            raise NetError(f"{self}: has {len(children)} elements {tag}, not one")
        return children[0] if children else None

    def needs(self, tag: str) -> Element:
        """Return the one child with a tag, which must be there."""
        child = self.child(tag)
        if child is None:
            raise NetError(f"{self}: {tag} is missing")
        return child

    def only(self) -> Element:
        """Return the only child."""
        if len(self.children) != 1:
            raise NetError(f"{self}: has {len(self.children)} elements in it, not one")
        return self.children[0]

    def label(self) -> str:
        """Return the text of a label (a name, a marking, an inscription), or an empty one."""
        text = self.child("text")
        return "" if text is None else " ".join(text.text.split())


def parse(document: str | bytes) -> Element:
    """Return the root of a document.

    DataError, which says where, if it is too large or not well-formed, or has a document type;
    NetError if an element is not of PNML.

    >>> parse("<pnml><net id='n'/></pnml>").children[0].attribute("id")
    'n'
    >>> parse("<!DOCTYPE pnml [<!ENTITY a 'aaaa'>]><pnml>&a;</pnml>")
    Traceback (most recent call last):
        ...
    kproof.errors.DataError: line 1: a document type (DOCTYPE) is refused, and entities with it
    """
    # A lone surrogate has no bytes: that must not end in an error of Python's own.
    encoded = document.encode("utf-8", "replace") if isinstance(document, str) else document
    if len(encoded) > BYTES:
        raise DataError(f"more than {BYTES // 2**20} MiB, the largest PNML file that is read")
    # No name has a "}": what stands before the last one is the namespace.
    parser = expat.ParserCreate("utf-8" if isinstance(document, str) else None, "}")
    tree = _Tree(parser)
    try:
        parser.Parse(encoded, True)
    except expat.ExpatError as error:
        raise DataError(f"not well-formed XML: {error}") from None
    if tree.root is None:
        raise DataError("not well-formed XML: no element found")
    return tree.root


def read(path: str | Path) -> bytes:
    """Return the content of a file of at most :data:`BYTES`; DataError if it cannot be read."""
    try:
        with open(path, "rb") as file:
            # A byte more than is allowed, by which `parse` sees that there are too many.
            return file.read(BYTES + 1)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}") from None


class _Tree:
    """Builds the tree from the events of a parser."""

    def __init__(self, parser: expat.XMLParserType) -> None:
        self.root: Element | None = None
        self._parser = parser
        self._open: list[Element] = []
        self._texts: list[list[str]] = []
        self._elements = 0
        self._skipping = 0
        parser.buffer_text = True
        parser.XmlDeclHandler = self._require_encoding
        # Entities made of entities blow a few lines up to gigabytes.
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters

    def _require_encoding(self, _: str, encoding: str | None, __: int) -> None:
        if encoding is not None and encoding.lower() not in ENCODINGS:
            raise DataError(
                f"encoding {show(encoding)} is not supported; supported are {', '.join(ENCODINGS)}"
            )

    def _refuse_doctype(self, *_: object) -> None:
        raise DataError(
            f"line {self._parser.CurrentLineNumber}: a document type (DOCTYPE) is refused, and "
            "entities with it"
        )

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        namespace, _, tag = name.rpartition("}")
        line = self._parser.CurrentLineNumber
        if self._skipping or tag in _SKIPPED:
            # A depth, not a flag: what is skipped may have such elements in it.
            self._skipping += 1
            return
        if namespace not in ("", NAMESPACE):
            raise NetError(f"{show(tag)} (line {line}): is of {show(namespace)}, not of PNML")
        self._elements += 1
        if self._elements > ELEMENTS:
            raise DataError(f"line {line}: more than {ELEMENTS:,} elements, the most that are read")
        if len(self._open) >= LEVELS:
            raise DataError(f"line {line}: elements nested in more than {LEVELS:,} levels")
        element = Element(tag, attributes, line)
        # A second root cannot come here: expat refuses what follows the first as ill-formed.
        if self._open:
            self._open[-1].children.append(element)
        else:
            self.root = element
        self._open.append(element)
        # Pieces, joined at the end: added to one string each, they would take time squared.
        self._texts.append([])

    def _end(self, _: str) -> None:
        if self._skipping:
            self._skipping -= 1
        else:
            self._open.pop().text = "".join(self._texts.pop())

    def _characters(self, text: str) -> None:
        if not self._skipping:
            self._texts[-1].append(text)
