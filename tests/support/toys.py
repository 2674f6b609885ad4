"""A method and a privacy model in a few lines each; whoever calls :func:`register` has them."""

import numpy as np

from kproof.models.base.classes import Classes
from kproof.models.base.parameters import GROUP_K, Whole, Word
from kproof.models.base.verdict import Verdict
from kproof.models.methods import METHODS
from kproof.models.privacies import MODELS
from kproof.models.privacy import KAnonymity
from kproof.models.registry import Kind, Method, Promise, RegisteredModel, by_name
from kproof.models.tables.axes import group_size
from kproof.models.tables.release import Release
from kproof.models.tables.sealing import seal
from kproof.models.tables.table import Table


def one_class(table: Table, *, k: int, side: str = "left") -> Release:
    """Put all rows into one class."""
    asked = {"k": group_size(table, k), "side": side}
    return seal(table, np.zeros(table.rows, dtype=int), method="toy", parameters=asked)


class Crowd:
    """Every class has at least so many people."""

    def __init__(self, crowd: int) -> None:
        self.model = KAnonymity(crowd)

    def check(self, classes: Classes) -> Verdict:
        """Return whether it has."""
        return self.model.check(classes)


TOY = Method(
    name="toy",
    kind=Kind.TABLE,
    run=one_class,
    promises=frozenset({Promise.K_ANONYMITY, Promise.TRUTHFUL, Promise.RECORDS_KEPT}),
    source="this test",
    summary="Everybody is in one class.",
    parameters=by_name(GROUP_K, Word("side", "a side", default="left", words=("left", "right"))),
)
CROWD = RegisteredModel(
    name="crowd",
    model=Crowd,
    summary="every class is a crowd",
    source="this test",
    parameters=by_name(Whole("crowd", "people that make a crowd", example="3", least=1)),
    lead="crowd",
    needs=frozenset(),
    symbol="crowd",
    loosest=(1,),
)


def register() -> None:
    """Add both to the lists of this process."""
    METHODS.register(TOY)
    MODELS.register(CROWD)
