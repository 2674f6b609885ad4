"""Full-domain recoding: every row of a column is shown at one level, and the levels lose least.

The optimum over all choices of levels is found under any set of privacy models, with rows left out
up to a budget. Source: P. Samarati, "Protecting respondents' identities in microdata release",
IEEE TKDE 13(6), 2001, for full-domain generalization with suppression; the search is described in
:mod:`kproof.models.tables.fulldomain.search`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from kproof.arguments import FLAG, Need, check_arguments
from kproof.models.base.parameters import COLUMN_LEVELS, COLUMN_WEIGHT, SUPPRESS, format_by_column
from kproof.models.privacy.base import Model
from kproof.models.privacy.counting import KAnonymity
from kproof.models.tables.axes import group_size
from kproof.models.tables.fulldomain.judging import Judge
from kproof.models.tables.fulldomain.lattice import LevelLattice, Measure
from kproof.models.tables.fulldomain.search import search_lattice
from kproof.models.tables.fulldomain.solutions import SolutionSpace, require_models
from kproof.models.tables.release import Release
from kproof.models.tables.sealing import require_promisable
from kproof.models.tables.table import Table
from kproof.theory.exact.typed import Number, choice
from kproof.waiting import show_stages


def full_domain(
    table: Table,
    *,
    k: int,
    models: Sequence[Model] = (),
    suppress: Number | str = "0",
    levels: Mapping[str, int] | str | None = None,
    weight: Mapping[str, Number] | str | None = None,
    measure: Measure | str = Measure.PENALTY,
) -> Release:
    """Publish a table at the levels that lose least.

    Args:
        table: With at least k rows. Its quasi-identifiers are shown at levels from their least to
            their highest; one without a taxonomy has two, the value and ``*``.
        k: Least number of people in a class, from 2.
        models: Further models that the release must have, such as :class:`kproof.DistinctL`.
        suppress: Largest share of rows that may be left out, 0 to 1 or as ``"5%"``.
        levels: Levels that are fixed, by column (``{"age": 2}`` or ``"age=2,zip=1"``); the others
            are searched. Level 0 is the value itself.
        weight: How much the loss of a column counts, above 0, by column; 1 for a column not named.
        measure: What a label costs, see :class:`~kproof.models.tables.fulldomain.lattice.Measure`.
            A row left out costs 1.

    Returns:
        With its levels, and without noise or swaps. Rows left out are in group -1.

    Raises:
        DataError: If a model needs a column that is not there, or a value of a column without a
            taxonomy is ``*``.
        TooLarge: If the lattice has too many nodes.
        Infeasible: If no levels satisfy the models within the budget; names what comes nearest.

    Of levels that lose the same, those are taken that leave out fewest rows, then the lowest from
    the first column on. What is left out under models that compare a class with the whole table
    follows a rule (:mod:`kproof.models.tables.fulldomain.judging`); the optimum is that of the rule
    then.

    >>> import pandas as pd
    >>> from kproof.models.base.taxonomy import Taxonomy
    >>> from kproof.models.tables.table import Table
    >>> ages = Taxonomy.from_paths([
    ...     ("25", "20-29", "*"), ("26", "20-29", "*"), ("31", "30-39", "*"), ("38", "30-39", "*"),
    ... ])
    >>> table = Table.from_frame(
    ...     pd.DataFrame({"age": [25, 26, 31, 38, 38]}),
    ...     quasi_identifiers=["age"], taxonomies={"age": ages},
    ... )
    >>> release = full_domain(table, k=2)
    >>> release.levels, [release.label(index) for index in range(release.count)]
    ({'age': 1}, ['age=20-29', 'age=30-39'])
    >>> full_domain(table, k=2, levels={"age": 0})
    Traceback (most recent call last):
    kproof.errors.Infeasible: no levels satisfy k-anonymity(k=2) within the budget; of those \
looked at age=0 comes nearest: it leaves out 3 of 5 rows, and the budget is 0; allow suppress=60% \
or ask for less
    """
    return solution_space(
        table, k=k, models=models, suppress=suppress, levels=levels, weight=weight, measure=measure
    ).release()


_TABLE = Need("a Table", lambda value: hasattr(value, "quasi_identifiers"))


@show_stages
@check_arguments(table=_TABLE, complete=FLAG)
def solution_space(
    table: Table,
    *,
    k: int,
    models: Sequence[Model] = (),
    suppress: Number | str = "0",
    levels: Mapping[str, int] | str | None = None,
    weight: Mapping[str, Number] | str | None = None,
    measure: Measure | str = Measure.PENALTY,
    complete: bool = False,
) -> SolutionSpace:
    """Return what became of every choice of levels, and the best.

    Args:
        table, k, models, suppress, levels, weight, measure: As for :func:`full_domain`, with the
            same errors, but that nothing is feasible is an answer here.
        complete: Whether every node is judged; otherwise one that cannot be the optimum is told
            with the reason and a lower bound on its loss.
    """
    size = group_size(table, k)
    require_models(models)
    measured = choice("measure", measure, Measure)
    share = SUPPRESS.read(suppress)
    fixed = None if levels is None else COLUMN_LEVELS.read(levels)
    weights = None if weight is None else COLUMN_WEIGHT.read(weight)
    # Without parameters: k is a model here, and what models say of missing values is
    # judged and not promised.
    require_promisable(table, {})
    # First and once: rows are counted by the name of the model, and two of one name
    # would hide one another.
    required = (KAnonymity(size), *(model for model in models if model != KAnonymity(size)))
    parameters: dict[str, object] = {"k": size, "suppress": _percentage(share)}
    if len(required) > 1:
        parameters["models"] = ", ".join(model.name for model in required[1:])
    if fixed is not None:
        parameters["levels"] = format_by_column(fixed)
    if weights is not None:
        parameters["weight"] = format_by_column(weights)
    if measured is not Measure.PENALTY:
        parameters["measure"] = measured.value
    lattice = LevelLattice.of(table, levels=fixed, weight=weights, measure=measured)
    # Rounded down: a budget is the most that may be left out.
    judge = Judge.of(table, required, int(share * table.rows))
    outcome = search_lattice(lattice, judge, complete=complete)
    return SolutionSpace(lattice, judge, outcome, parameters)


def _percentage(share: Fraction) -> str:
    """Return a share as a percentage if that is short."""
    text = f"{float(share * 100):.6g}%"
    return text if Fraction(text[:-1]) == share * 100 else str(share)
