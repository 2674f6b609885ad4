"""A θ-sensitive release as who knows our program sees it."""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from kproof.errors import DataError, TooLarge
from kproof.models.attacks.knowing.beliefs import MOVES, MethodBeliefs, method_beliefs
from kproof.models.attacks.knowing.contents import Ties
from kproof.models.tables.release import Release
from kproof.models.tables.theta.forming import classes_of
from kproof.models.tables.theta.moves import Threshold
from kproof.models.tables.theta.options import Form, Noise, Remainder
from kproof.models.tables.theta.runs import form_classes

MOST_CLASSES = 60
"""Classes whose exchanges with one another are looked through; there are as many pairs as that."""

BLIND = frozenset({Form.COMPACT, Form.SORTED, Form.ORDER})
"""Ways to form classes without a look at any sensitive value."""


def release_beliefs(release: Release, *, most_moves: int = MOVES) -> MethodBeliefs:
    """Return what is believed of somebody in each group by who knows how a release was made.

    She knows the roster and the program, so that she forms the groups again, and its ties. Her
    prior is that everybody has each value with its share of the table. The release is one of
    ``theta-sensitive``; ``most_moves`` is as for
    :func:`~kproof.models.attacks.knowing.beliefs.method_beliefs`. Where it is not computed a
    DataError says why, or a TooLarge.

    >>> import pandas as pd
    >>> from kproof.models.tables.table import Table
    >>> from kproof.models.tables.theta.method import theta_sensitive
    >>> frame = pd.DataFrame({"age": range(8), "illness": [*"FFFF", *"FHCA"]})
    >>> table = Table.from_frame(frame, quasi_identifiers=["age"], sensitive="illness")
    >>> release = theta_sensitive(table, k=4, form="order")
    >>> max(float(max(posterior.values())) for posterior in release_beliefs(release).posteriors)
    0.75
    """
    if release.method != "theta-sensitive":
        raise DataError(f"{release.method}: what who knows it believes is not computed")
    parameters: Mapping[str, Any] = release.parameters
    _require("form", parameters, *BLIND)
    _require("noise", parameters, Noise.FREQUENT, Noise.FIRST)
    secret = release.table.only_secret("theta-sensitive")
    assert secret is not None
    # As typed: θ of a float μ is another number, and a class may lie between the two.
    threshold = Threshold(
        Fraction(str(parameters["mu"])), int(parameters["k"]), bool(parameters["per_class_theta"])
    )
    formed = classes_of(
        release.table, Form(parameters["form"]), Remainder(parameters["remainder"]), threshold
    )
    if release.formed_as is None or not np.array_equal(formed, release.formed_as):
        raise DataError(
            "theta-sensitive: classes that look alike were joined, and what that gives away is not "
            "computed"
        )
    if release.count < release.groups:
        raise DataError(
            "theta-sensitive: groups look alike, and what that gives away is not computed"
        )
    codes, domain = secret.codes.astype(np.int64), len(secret.values)
    if formed.max() >= MOST_CLASSES:
        raise TooLarge(
            f"theta-sensitive: {int(formed.max()) + 1} classes; what who knows it believes is "
            f"computed for {MOST_CLASSES} at most"
        )
    start = form_classes(codes, formed, domain, threshold, noise=Noise(parameters["noise"]))
    if len(start.padding):
        raise DataError(
            "theta-sensitive: a class of fewer than k people was filled up with noise, and what "
            "that gives away is not computed"
        )
    published = [Counter[int]() for _ in range(start.count)]
    shown = release.group_of >= 0
    groups = np.concatenate([release.group_of[shown], release.noise_group])
    values = np.concatenate([codes[shown], release.noise_value])
    for group, value in zip(groups.tolist(), values.tolist(), strict=True):
        published[group][value] += 1
    for group, value in zip(
        release.noise_group.tolist(), release.noise_value.tolist(), strict=True
    ):
        if published[group][value] > 1:
            raise DataError(
                "theta-sensitive: a class that holds every value was filled up with values that it "
                "had, and what that gives away is not computed"
            )
    return method_beliefs(
        published,
        threshold=threshold,
        shares=[Fraction(count, len(codes)) for count in np.bincount(codes).tolist()],
        people=np.bincount(formed[formed >= 0]).tolist(),
        ties=Ties(tuple(start.preference.tolist()), even=False),
        reading=parameters["reading"],
        most_moves=most_moves,
    )


def _require(name: str, parameters: Mapping[str, Any], *admissible: str) -> None:
    if parameters[name] not in admissible:
        raise DataError(
            f"theta-sensitive with {name}={parameters[name]}: what who knows it believes is not "
            "computed"
        )
