"""What the README and the docs show is what happens."""

import doctest
import re
import shlex
from pathlib import Path

import pytest
from shell import kproof, same_as_page

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FOLLOWED = ("add-a-method.md", "add-a-privacy-model.md")
"""Pages whose Python is about a change to kproof: tests/docs/test_how_to_add.py makes it."""
FILES = re.compile(
    r"^```\{code-block\} \w+\n:caption: (\S+)\n\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
"""What a page shows as a file, with its name; its commands find it."""
CONSOLE = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)


def replayed(block: re.Match[str]) -> str:
    """Return a console block with what its commands print now."""
    shown = []
    for line in block.group().splitlines():
        if not line.startswith("$ "):
            continue
        command, _, target = line.removeprefix("$ ").partition(" > ")
        name, *words = shlex.split(command)
        if name == "echo":
            printed = f"{' '.join(words)}\n"
        else:
            assert name == "kproof"
            ran = kproof(*words)
            assert ran.err == "", line
            printed = ran.out
        shown.append(line)
        if target:
            Path(target).write_text(printed, encoding="utf-8")
        else:
            shown += [text.rstrip() for text in printed.splitlines()]
    return "".join(f"{line}\n" for line in shown)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_print_what_the_page_shows(page, here):
    text = page.read_text(encoding="utf-8")
    for name, content in FILES.findall(text):
        Path(name).write_text(content, encoding="utf-8")
    same_as_page(page, CONSOLE.sub(replayed, text))


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.name not in FOLLOWED],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_python_examples_run(page):
    failed, _ = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_that_a_page_names_are_there(page):
    # Other links: tests/docs/test_links.py.
    named = re.findall(r"\{doc\}`(?:[^`<>]*<)?([^`<>]+)>?`", page.read_text(encoding="utf-8"))
    places = {target: (page.parent / target).with_suffix(".md") for target in named}
    assert [target for target, place in places.items() if not place.exists()] == []
