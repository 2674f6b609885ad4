"""The page as a whole: sections put into one HTML file that needs nothing but itself."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from kproof import __version__
from kproof.errors import DataError
from kproof.report.sections import Context, Section, sections

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

FILE_NAME = "report.html"


def write_report(context: Context, folder: str | Path) -> Path:
    """Build every section and write the page.

    The page is written under a temporary name and renamed once it is whole, so that an error
    leaves an earlier page as it was.

    Parameters
    ----------
    context
        Data and settings.
    folder
        Where ``report.html`` goes; made if it is not there.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    DataError
        If the folder cannot be made or written to, or a named column is not numeric.
    """
    page = render(context, sections())
    target = Path(folder) / FILE_NAME
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, page)
    except OSError as error:
        raise DataError(f"{folder}: cannot write there: {error.strerror}") from None
    return target


def render(context: Context, parts: tuple[Section, ...]) -> str:
    """Return the page with the given sections."""
    built = [
        {"id": section.id, "title": section.title, "body": section.build(context)}
        for section in parts
    ]
    return fragment("page.html", sections=built, tables=context.tables, version=__version__)


def fragment(template: str, **values: object) -> Markup:
    """Fill a template; every value is escaped unless it is markup already."""
    from markupsafe import Markup

    return Markup(_environment().get_template(template).render(**values))


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("kproof.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _replace(target: Path, text: str) -> None:
    """Write text beside the target and rename it over the target."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        # A temporary file is private; the page gets the permissions a new file would have.
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
