"""Where links lead: of Markdown pages as GitHub and Sphinx show them, and of HTML that is built.

``python tests/support/links.py FOLDER`` checks every page of a folder and exits with 1 if a link
leads nowhere.
"""

import re
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FENCED = re.compile(r"^(```+|~~~+).*?^\1\s*$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,6} (.*)$", re.MULTILINE)
LABEL = re.compile(r"^\(([\w-]+)\)=$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
ADDRESS = re.compile(r"https?://[^][\s<>\"`'|(){}\\]*[^][\s<>\"`'|(){}\\.,;:]")
DOI = re.compile(r"\b(?:doi\.org/|doi:\s*|DOI\s+)(\S+?)[.,;)\]]*(?:\s|$)")
WELL_FORMED_DOI = re.compile(r"10\.\d{4,9}/[-._;()/:A-Za-z0-9]+")


NAMESPACES = ("http://www.pnml.org/version-2009/", "http://www.w3.org/")
"""Beginnings of names that look like addresses; their standards say http, and nobody opens them."""
OWN_MACHINE = {"127.0.0.1", "localhost"}


def slug(heading: str) -> str:
    """Return the anchor that GitHub and MyST give a heading.

    >>> slug("Exit status"), slug("What `kproof` *says*: 1, 2")
    ('exit-status', 'what-kproof-says-1-2')
    """
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    plain = re.sub(r"\{\w+\}`([^`<]*?)\s*(?:<[^>]*>)?`", r"\1", plain)
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a Markdown page."""
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    found = []
    for heading in HEADING.findall(text):
        name = slug(heading)
        again = sum(other == name or other.startswith(f"{name}-") for other in found)
        found.append(f"{name}-{again}" if name in found else name)
    return frozenset([*found, *LABEL.findall(text)])


def dead_in_markdown(page: Path) -> list[str]:
    """Return the links of a Markdown page to files or anchors that are not there."""
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    dead = []
    for link in LINK.findall(text):
        if re.match(r"\w+:", link):
            continue
        path, _, anchor = link.partition("#")
        place = page.parent / path if path else page
        there = place.exists()
        if there and anchor and place.suffix == ".md":
            there = anchor in anchors(place.resolve())
        if not there:
            dead.append(link)
    return dead


def ill_formed(text: str) -> Iterator[str]:
    """Yield addresses of other sites that are not secure or not whole, and DOIs that are none.

    >>> list(ill_formed("http://example.org/a and https://example and doi:11.1/x"))
    ['http://example.org/a', 'https://example', '11.1/x']
    >>> list(ill_formed("https://example.org/a?b=c#d, https://doi.org/10.3390/electronics9050716"))
    []
    """
    for address in ADDRESS.findall(text):
        parts = urlsplit(address)
        if parts.hostname in OWN_MACHINE or address.startswith(NAMESPACES):
            continue
        if parts.scheme != "https" or not re.fullmatch(r"([\w-]+\.)+[a-z]{2,}", parts.netloc):
            yield address
    for doi in DOI.findall(text):
        if not WELL_FORMED_DOI.fullmatch(doi):
            yield doi


class _Page(HTMLParser):
    """What a page of HTML has to be led to, and where it leads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names = set()
        self.links = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.names.add(value)
            elif name in {"href", "src"}:
                self.links.append(value)


def dead_in_html(folder: Path) -> Iterator[str]:
    """Yield each link, with its page, to a file or an anchor that a folder does not have."""
    files = sorted(folder.rglob("*.html"))
    pages = {file.resolve(): _Page(file.read_text(encoding="utf-8")) for file in files}
    for file, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            place = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            anchor = unquote(parts.fragment)
            known = pages.get(place)
            # An empty anchor is the top of the page.
            if not place.exists() or (anchor and known and anchor not in known.names):
                yield f"{file.relative_to(folder.resolve())}: {link}"


def main() -> None:
    """Check a folder."""
    dead = list(dead_in_html(Path(sys.argv[1])))
    print(*dead, sep="\n", end="\n" if dead else "")
    raise SystemExit(1 if dead else 0)


if __name__ == "__main__":
    main()
