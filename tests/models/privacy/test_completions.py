"""Missing values under every registered model: what holds, holds for every way to fill them in.

The models come from the registry, so that a new one is held to this without a line here.
"""

from dataclasses import replace
from itertools import islice, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import error_line
from hypothesis import given, settings
from missing_oracles import GROUPS, completions, with_gaps

from kproof.errors import DataError, InvalidArgument
from kproof.models.base.classes import Classes
from kproof.models.base.missing import MISSING, MissingAs
from kproof.models.base.parameters import Parameter
from kproof.models.base.verdict import Verdict
from kproof.models.privacies import MODELS
from kproof.models.privacy import ThetaSensitivity
from kproof.models.privacy.base import Model
from kproof.models.privacy.several import judge
from kproof.models.tables.sealing import seal
from kproof.models.tables.table import Table

TYPED = ("1", "2", "3", "1/3", "1/2", "2/3", "3/2", "9/10")


def admissible(parameter: Parameter[Any]) -> list[str]:
    """Return typed values that a parameter takes."""
    values = []
    for text in TYPED:
        try:
            parameter.read(text)
        except InvalidArgument:
            continue
        values.append(text)
    return values


def instances(name: str) -> list[Model]:
    """Return a model with up to twelve combinations of its parameters."""
    entry = MODELS[name]
    ways = product(*(admissible(one) for one in entry.parameters.values()))
    return [entry.model(*way) for way in islice(ways, 0, None, 5)][:12]


@pytest.mark.parametrize("name", [name for name, entry in MODELS.items() if entry.needs])
@given(groups=GROUPS)
@settings(max_examples=25)
def test_a_registered_model_holds_if_it_holds_in_every_completion(name, groups):
    gaps, filled = with_gaps(groups), list(completions(groups))
    for model in instances(name):
        assert bool(model.check(gaps)) == all(map(model.check, filled)), model.name


class LeastVariance:
    """The variance of every class is at least so much; nothing is said of missing values."""

    def __init__(self, least: float) -> None:
        self.least = least

    def check(self, classes: Classes) -> Verdict:
        """Return whether it is."""
        values = np.array([float(str(value)) for value in classes.values if value is not MISSING])
        least = min(values[classes.sensitive[classes.of_row == 0]].var(), np.inf)
        return Verdict("variance", least >= self.least, str(least), "least variance", None, "")


def test_a_model_that_says_nothing_of_missing_values_is_not_asked_about_them():
    values = (0, 250, 1000, MISSING)
    rows = Classes(np.zeros(5, dtype=int), 1, np.array([0, 0, 0, 2, 3]), values)
    with pytest.raises(DataError, match="LeastVariance does not say which values are worst"):
        judge(rows, LeastVariance(155_000))
    settled = replace(rows, missing_as=MissingAs.VALUE, values=(0, 250, 1000, 5))
    assert judge(settled, LeastVariance(1))


def test_a_model_has_to_say_which_completion_is_worst():
    class Silent(Model):
        title, meaning = "silent", "nothing"

        def _check(self, classes: Classes) -> Verdict:
            raise AssertionError(classes)

    assert "_worst" in error_line(TypeError, Silent)
    assert ThetaSensitivity(3, "1/2").completes


@pytest.mark.parametrize("name", ["beta", "e", "min_l"])
def test_a_promise_that_nobody_knows_is_refused_beside_missing_values(name):
    frame = pd.DataFrame({"age": [1, 1, 1], "ill": ["Flu", None, "HIV"]})
    table = Table.from_frame(frame, quasi_identifiers=["age"], sensitive="ill")
    one_class = np.zeros(3, dtype=np.int64)
    with pytest.raises(InvalidArgument, match=rf"{name} = 2: need a parameter of a registered"):
        seal(table, one_class, method="mine", parameters={"k": 3, name: 2})
    whole = Table.from_frame(frame, quasi_identifiers=["age"], sensitive="ill", missing_as="value")
    assert seal(whole, one_class, method="mine", parameters={name: 2}).rows == 3
