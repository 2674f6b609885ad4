"""Builds the package: folders, and what must not break outside the repository.

The four top-level folders are mapped into the package, with or without the symbolic links.

The README links to files beside it, which an index page does not have. Its links become absolute,
and URLs are given, once ``[tool.kproof] repository`` in pyproject.toml names the public repository.
Until then each link becomes the path of its file, which the source distribution holds.
"""

import re
import tomllib
from pathlib import Path

from setuptools import find_packages, setup

PARTS = ("theory", "models", "petri", "proptests")
FOLDERS = {"": "src"} | {f"kproof.{part}": part for part in PARTS}
NESTED = [f"kproof.{part}.{name}" for part in PARTS for name in find_packages(part)]
OWN = ["kproof"] + [
    f"kproof.{name}" for name in find_packages("src/kproof", exclude=[f"{p}*" for p in PARTS])
]
RELATIVE_LINK = re.compile(r"(!?)\[([^\]]+)\]\((?![a-z]+:|#)([^)\s]+)\)")


def text(path: str) -> str:
    """Return what a file of the checkout says."""
    return Path(path).read_text(encoding="utf-8")


def files_at(repository: str) -> str:
    """Return what stands before a file's path when the release's tag is browsed."""
    (version,) = re.findall(r'^__version__ = "(.+)"$', text("src/kproof/version.py"), re.MULTILINE)
    return f"{repository}/blob/v{version}/"


def long_description(repository: str) -> str:
    """Return the README with links that lead somewhere wherever it is read."""

    def outside(link: re.Match[str]) -> str:
        picture, shown, path = link.groups()
        if repository:
            # A page about a picture is no picture.
            return (
                f"{picture}[{shown}]({files_at(repository)}{path}{'?raw=true' if picture else ''})"
            )
        return shown if shown == path else f"{shown} (`{path}`)"

    return RELATIVE_LINK.sub(outside, text("README.md"))


def urls(repository: str) -> dict[str, str]:
    """Return the addresses that an index shows beside the package."""
    if not repository:
        return {}
    return {
        "Homepage": repository,
        "Documentation": f"{files_at(repository)}docs/index.md",
        "Source": repository,
        "Changelog": f"{files_at(repository)}CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }


REPOSITORY = tomllib.loads(text("pyproject.toml"))["tool"]["kproof"]["repository"]
setup(
    packages=OWN + [f"kproof.{part}" for part in PARTS] + NESTED,
    package_dir=FOLDERS,
    long_description=long_description(REPOSITORY),
    long_description_content_type="text/markdown",
    project_urls=urls(REPOSITORY),
)
