"""What holds of the published tables of Khan et al., Electronics 2020, 9(5), 716, in one call each.

The ledger's evidence: privacy models attained, people disclosed, runs of Algorithm 1 on the
paper's own twelve patients, and what the experiment in ``results/tables`` measured.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from kproof.errors import DataError
from kproof.models import privacy
from kproof.models.attacks import attack
from kproof.models.base.classes import Classes
from kproof.models.base.verdict import Figure
from kproof.models.papers.theta_experiment import below
from kproof.models.papers.theta_tables import Published, microdata, published_classes
from kproof.models.tables.theta.method import theta_sensitive
from kproof.theory.exact.typed import Number
from kproof.theory.theorems.theta import theta


def largest_parameters(name: Published) -> dict[str, Figure]:
    """Return the largest parameter of each model that a published table satisfies.

    They are ``k``, distinct ``values`` and ``categories`` of a class, its ``weight`` under
    (p, α)-sensitivity, and ``mu`` of θ-sensitivity for k = 4. Classes are those the paper shows.

    >>> largest_parameters("table-4b")["weight"], largest_parameters("table-4b")["mu"]
    (Fraction(1, 1), Fraction(11, 20))
    """
    models = {
        "k": privacy.KAnonymity(4),
        "values": privacy.DistinctL(1),
        "categories": privacy.PPlusSensitive(1, 4),
        "weight": privacy.PAlphaSensitive(1, 0, 4),
        "mu": privacy.ThetaSensitivity(4, 0),
    }
    classes = published_classes(name)
    return {parameter: model.check(classes).value for parameter, model in models.items()}


def count_disclosed(method: str, name: Published, *, tau: Number = 1) -> int:
    """Return how many people an attack discloses who knows each person's class.

    The sensitive variance attack is the adversary's: she bets on the commonest value.

    >>> count_disclosed("homogeneity", "table-1b")
    6
    """
    options: dict[str, Any] = {"criterion": "posterior"} if method == "sensitive-variance" else {}
    return len(attack(method, published_classes(name), tau=tau, **options))


def low_variance(name: Published) -> int:
    """Return how many published rows are in a class with V < θ, for k = 4 and μ = 0.6.

    >>> low_variance("table-4a")
    4
    """
    return len(attack("sensitive-variance", published_classes(name), k=4, mu="3/5"))


def posterior_without(name: Published, row: int, excluded: Iterable[str]) -> Fraction:
    """Return the best bet on the person of a row (from 1) who is known not to have some diseases.

    >>> posterior_without("table-8b", 1, ["HIV", "Cancer", "Flu"])
    Fraction(1, 1)
    """
    return _posterior(published_classes(name), row, excluded)


def best_bet(name: Published, *, noise: int, row: int, excluded: Iterable[str] = ()) -> Fraction:
    """Return the best bet's probability when it is known which row is noise; rows count from 1.

    >>> best_bet("table-8a", noise=13, row=10)
    Fraction(1, 2)
    """
    classes = published_classes(name)
    real = np.ones(len(classes.of_row), dtype=np.bool_)
    real[noise - 1] = False
    return _posterior(replace(classes, real=real), row, excluded, noise_recognised=True)


def _posterior(classes: Classes, row: int, excluded: Iterable[str], **knows: object) -> Fraction:
    victim = {"row": row - 1, "excluded": list(excluded)}
    background = {"matching": "class", "victims": [victim], **knows}
    return attack("linkage", classes, background=background).posterior(0)


def gain(name: Published) -> Fraction:
    """Return by what factor a table raises the probability of some person's disease at most.

    >>> gain("table-8b")
    Fraction(3, 1)
    """
    worst = attack("skewness", published_classes(name)).worst
    return Fraction(worst.figures["gain"]) if worst is not None else Fraction(0)


def patients(reading: str, *, form: str = "order", mu: Number = "3/5") -> dict[str, int]:
    """Run Algorithm 1 on Table 1a with k = 4; count swaps, noise rows and classes below θ.

    >>> patients("printed")
    {'swaps': 2, 'noise': 0, 'below': 1}
    """
    release = theta_sensitive(microdata(), k=4, mu=mu, reading=reading, form=form)
    return {
        "swaps": len(release.swaps),
        "noise": len(release.noise_class),
        "below": below(release.classes(), theta(4, mu)),
    }


def measured(field: str, method: str, *, folder: str | Path | None = None) -> dict[str, str]:
    """Return what an experiment measured of a method, by k (or selectivity), as written.

    ``field`` is a column of ``measures.csv`` or ``times.csv``, or ``"by selectivity"`` for the
    query errors of ``queries.csv``: those that :mod:`kproof.models.papers.theta_experiment` wrote
    into the folder, or that come with kproof.
    """
    name, key, measure = {
        "by selectivity": ("queries.csv", "selectivity", "intersecting_error"),
        "seconds": ("times.csv", "k", "seconds"),
    }.get(field, ("measures.csv", "k", field))
    path = (files("kproof.datasets") / "experiment" if folder is None else Path(folder)) / name
    try:
        rows = csv.DictReader(path.read_text(encoding="utf-8").splitlines())
        return {row[key]: row[measure] for row in rows if row["method"] == method}
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    except KeyError as error:
        raise DataError(f"{path}: no column {error.args[0]}") from None


def at(field: str, method: str, *k: int, folder: str | Path | None = None) -> tuple[str, ...]:
    """Return what was :func:`measured` at some k, as written."""
    by_k = measured(field, method, folder=folder)
    return tuple(by_k[str(size)] for size in k)


def tendency(field: str, method: str, *, folder: str | Path | None = None) -> str:
    """Say whether what was :func:`measured` ``rises``, ``falls`` or does ``neither`` throughout."""
    steps = [after - before for before, after in pairwise(_numbers(field, method, folder))]
    if all(step >= 0 for step in steps):
        return "rises"
    return "falls" if all(step <= 0 for step in steps) else "neither"


def always_less(field: str, method: str, other: str, *, folder: str | Path | None = None) -> bool:
    """Say whether one method has less of what was :func:`measured` than another at every k."""
    pairs = zip(_numbers(field, method, folder), _numbers(field, other, folder), strict=True)
    return all(value < rival for value, rival in pairs)


def _numbers(field: str, method: str, folder: str | Path | None) -> list[float]:
    # A cell is empty where there is no release with that k.
    cells = measured(field, method, folder=folder).values()
    return [float(Fraction(cell)) for cell in cells if cell]
