"""Generalizing the quasi-identifiers as a transition: what a reader gets, as a token.

Exchanges move whole records, so the labels of a class are known when it is final. Generalize (the
p⁺-sensitive publisher) and MaskData (the θ-sensitive one) are rules about the microdata in the
paper; its prose has them after the records of a class are settled, and so has :func:`masked`: one
transition takes the published classes of records and puts the table that a reader sees.

Source: Khan et al., "θ-Sensitive k-Anonymity", Electronics 2020, 9(5), 716, Section 5.3.
"""

import numpy as np

from kproof.errors import InvalidArgument
from kproof.models.tables.recoding import recode
from kproof.petri.net.colours import Dot, Open
from kproof.petri.net.terms import Constant, Function, Variable
from kproof.petri.papers.attackers import people
from kproof.petri.papers.classes import ByRecord, ECs
from kproof.petri.papers.publisher import Publisher

MASKED = "Masked Table"
"""The place of the table that a reader sees: labels and sensitive values of each class."""
TO_MASK = "To Mask"
"""The place that is marked until the published classes were generalized."""
GENERALIZE = "Generalize QI"
"""The transition that generalizes."""
MaskedClass = tuple[tuple[str, ...], tuple[object, ...]]
"""Labels of the quasi-identifiers, and the sensitive values, noise among them, in order."""


def masked(publisher: Publisher) -> Publisher:
    """Add two places and a transition that generalizes the quasi-identifiers of what is published.

    The publisher is one on the level of records, of a table with quasi-identifiers.

    >>> from kproof.models.papers.theta_tables import microdata
    >>> from kproof.petri.papers.publisher import classes_of
    >>> from kproof.petri.papers.theta_sensitive import theta_publisher
    >>> formed = classes_of(microdata(), k=4)
    >>> net = masked(theta_publisher(formed, k=4, tokens="records")).net()
    >>> [transition.name for transition in net.transitions][-1]
    'Generalize QI'
    """
    if not isinstance(publisher.kind, ByRecord):
        raise InvalidArgument("level", "values", "records: values have no quasi-identifiers")
    table = publisher.formed.table
    if table is None or not table.quasi_identifiers:
        raise InvalidArgument("qi", None, "one quasi-identifier or more to generalize")
    build, dot = publisher.build, Constant("•", Dot())
    build.place(TO_MASK, Dot(), dot, note="the classes are not generalized yet")
    colour = Open("Masked", lambda token: isinstance(token, tuple))
    build.place(MASKED, colour, note="what a reader sees")
    ecs = Variable("ecs", publisher.colour)
    labels = Function(
        "generalized",
        lambda ecs: _mask_classes(publisher, ecs),
        colour,
        "labels and values of classes",
    )
    build.transition(
        GENERALIZE, takes={TO_MASK: dot}, reads={publisher.published: ecs},
        puts={MASKED: labels(ecs)},
        note="Generalize and MaskData: each quasi-identifier becomes the least label of its class",
    )  # fmt: skip
    return publisher


def _mask_classes(publisher: Publisher, ecs: ECs) -> tuple[MaskedClass, ...]:
    table = publisher.formed.table
    assert table is not None
    class_of = np.full(people(publisher), -1, dtype=np.int64)
    for number, ec in enumerate(ecs):
        # Noise is nobody's row: it has no quasi-identifiers that a label would have to cover.
        class_of[[record for record in ec if not record.dummy]] = number
    recoded = [recode(column, class_of, len(ecs)) for column in table.quasi_identifiers]
    names = [value.name for value in publisher.domain]
    return tuple(
        (
            tuple(column.label(number) for column in recoded),
            # Sorted by value: in the order of the records a reader would see whose each of them is.
            tuple(names[code] for code in sorted(record.value for record in ec)),
        )
        for number, ec in enumerate(ecs)
    )
