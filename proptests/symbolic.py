"""Symbolic runs: Hypothesis with CrossHair behind it, for cores in plain Python.

Where inputs are drawn at random, a fault that one number in a thousand shows is mostly missed.
CrossHair runs the same test on symbols and asks an SMT solver for inputs that take each branch, so
that one which is entered at 1009 alone is entered. It follows Python only: what NumPy or compiled
code computes is computed for one input as it is. It is at its best with conditions that are linear
in the inputs; where several are multiplied, the solver may leave them undecided, and the run is no
more than a random one. That nothing is found is no proof.

Needs the extra ``symbolic``.
"""

from importlib.util import find_spec

from hypothesis import HealthCheck, settings

from kproof.errors import InvalidArgument
from kproof.theory.exact.typed import Number, integer

PROVIDER = "hypothesis_crosshair_provider"
"""The module that has to be there."""


def symbolic(*, examples: Number = 100) -> settings:
    """Return the settings under which a Hypothesis test runs on symbols.

    Args:
        examples: Runs, each along another path: 1 or more.

    Raises:
        InvalidArgument: If CrossHair is not installed.

    A decorator, as any settings are: ``@symbolic()`` above ``@given(...)``.
    """
    if find_spec(PROVIDER) is None:
        raise InvalidArgument("backend", "crosshair", "the extra kproof[symbolic]")
    return settings(
        backend="crosshair",
        max_examples=integer("examples", examples, least=1),
        database=None,
        deadline=None,
        # Symbols are slow to draw, and bounds of a strategy may cut paths off.
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
