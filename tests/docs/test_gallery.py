"""The pictures of the gallery are those that the commands beside them make."""

import html
import re
import shlex
from pathlib import Path

import pytest
from shell import kproof, same_as_page

DOCS = Path(__file__).parents[2] / "docs"
GALLERY = (DOCS / "gallery.md").read_text(encoding="utf-8")
PICTURE = re.compile(r"!\[(.+?)\]\((pictures/.+?\.svg)\)")
SVG = re.compile(r"<svg[^>]* aria-label=\"([^\"]*)\".*?</svg>", re.DOTALL)
COMMAND = re.compile(r"^```sh\n(.+?)\n```$", re.MULTILINE)


def entries() -> dict[str, list[tuple[str, str]]]:
    """Return what each command makes: the beginning of what a picture says, and its file."""
    _, *parts = COMMAND.split(GALLERY)
    # tests/report/test_report.py is about the README's picture; the calculator is no file.
    pairs = zip(parts[::2], map(PICTURE.findall, parts[1::2]), strict=True)
    return {command: made for command, made in pairs if made and "decision" not in command}


@pytest.mark.parametrize("command", entries())
def test_a_command_makes_its_pictures(command, here):
    assert kproof(*shlex.split(command)[1:]).status == 0
    written = "".join(
        path.read_text(encoding="utf-8")
        for path in sorted(here.rglob("*"))
        if path.suffix in (".svg", ".html")
    )
    drawn = {html.unescape(found[1]): found[0] for found in SVG.finditer(written)}
    for says, name in entries()[command]:
        (label,) = (label for label in drawn if label.startswith(says))
        same_as_page(DOCS / name, f"{drawn[label]}\n")


def test_the_gallery_shows_every_picture_and_no_large_ones():
    shown = {name for _, name in PICTURE.findall(GALLERY)}
    assert shown == {f"pictures/{path.name}" for path in (DOCS / "pictures").iterdir()}
    assert all((DOCS / name).stat().st_size < 70_000 for name in shown)
