"""``kproof verify sampled``: a sampler held to its (ε, δ), by its runs."""

from __future__ import annotations

from kproof.cli.base.printing import write_result
from kproof.cli.base.status import ExitStatus
from kproof.errors import InvalidArgument, one_of
from kproof.stages import stage

METHOD = "sampled"
"""What asks for the method itself."""

_RUNS = {"quick": 400, "default": 4000, "deep": 40_000}


def verify_sampled(sampler: str, *, fixed: tuple[str, ...], profile: str, json: bool) -> ExitStatus:
    """Hold a sampler to what its k and beta are worth.

    Args:
        sampler: The method, or ``package.module:publish``.
        fixed: Its k, beta, and the epsilon at which it is judged: NAME=VALUE.
        profile: How many runs there are.
        json: Whether to print a document.
    """
    from kproof.proptests.demands import fixed_texts
    from kproof.proptests.mechanism import check_mechanism, sampled_publisher
    from kproof.proptests.subjects.loading import load

    values = {"k": "5", "beta": "1/2", "epsilon": "1"}
    for name, value in fixed_texts(fixed).items():
        if name not in values:
            raise InvalidArgument("fixed", name, one_of(name, values))
        values[name] = value
    own = sampler == METHOD
    publish = sampled_publisher(values["k"], values["beta"]) if own else load(sampler)
    with stage(f"running {sampler}"):
        results = check_mechanism(publish, **values, runs=_RUNS[profile])
    write_result("verify-mechanism", results, json=json)
    return ExitStatus.VIOLATED if results.refuted else ExitStatus.DONE
