"""HTML from templates, in which every value is escaped unless it is markup already.

A template stands in the folder ``templates`` of the package that uses it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


def fill(package: str, template: str, **values: object) -> Markup:
    """Fill a template of a package; a name that it asks for and does not find is an error."""
    from markupsafe import Markup

    return Markup(_environment(package).get_template(template).render(**values))


@cache
def _environment(package: str) -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    return environment
