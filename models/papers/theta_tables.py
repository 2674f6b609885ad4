"""The tables of Khan et al., Electronics 2020, 9(5), 716, ready for anonymizers and checkers.

The data are those of :mod:`kproof.datasets`; here they get their roles, the categories of Table 3
and the two regions that the paper generalizes countries to.
"""

from typing import Literal

from kproof.datasets import read_text_table
from kproof.models.base.classes import Classes
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.tables.readers import read_classes, read_table
from kproof.models.tables.table import Table

QUASI_IDENTIFIERS = ("Age", "Zip Code", "Country")
SENSITIVE = "Disease"

Published = Literal["table-1b", "table-4a", "table-4b", "table-8a", "table-8b"]


def categories() -> dict[object, object]:
    """Return Table 3: the category of each disease.

    >>> categories()["Cancer"], len(set(categories().values()))
    ('1', 4)
    """
    diseases, ranks = read_text_table("table-3").cells
    return dict(zip(diseases, ranks, strict=True))


def countries() -> Taxonomy:
    """Return the regions of the countries of Table 1a.

    >>> countries().label_of(["China", "Pakistan"]), countries().label_of(["China", "USA"])
    ('Asia', '*')
    """
    regions = {"America": ("USA", "Canada"), "Asia": ("China", "Japan", "Pakistan")}
    return Taxonomy.from_paths(
        [(country, region, "*") for region, names in regions.items() for country in names],
        source="the regions of Table 1",
    )


def microdata() -> Table:
    """Return Table 1a: 12 patients.

    >>> microdata().rows, microdata().sensitive.values[:3]
    (12, ('Asthma', 'Cancer', 'Flu'))
    """
    return read_table(
        "table-1a",
        quasi_identifiers=QUASI_IDENTIFIERS,
        sensitive=SENSITIVE,
        identifiers=("ID", "Name"),
        categories=categories(),
        taxonomies={"Country": countries()},
    )


def published_classes(name: Published, *, matching: Literal["id", "label"] = "id") -> Classes:
    """Return the classes of a published table as the paper shows them, or as their labels differ.

    >>> published_classes("table-8a").sizes.tolist()
    [4, 4, 5]
    """
    by_number = matching == "id"
    return read_classes(
        name,
        quasi_identifiers=("Class",) if by_number else QUASI_IDENTIFIERS,
        sensitive=SENSITIVE,
        identifiers=("ID",) if by_number else ("ID", "Class"),
        other=QUASI_IDENTIFIERS if by_number else (),
        categories=categories(),
    )
