"""The paper's steps beside the repaired ones, as the docs show them: made from the derivations."""

from collections.abc import Iterator

import sympy as sp

from kproof.theory.derivations.derivation import StepJudgement, StepStanding
from kproof.theory.derivations.evidence import Derived, judge_derivations
from kproof.theory.derivations.truth import point_text


def summary() -> str:
    """Return a Markdown table of all derivations: how many steps, and what is assumed."""
    lines = [
        "| derivation | about | steps decided | assumed, and from where |",
        "|---|---|--:|---|",
    ]
    for derived in judge_derivations():
        decided = derived.count(StepStanding.PROVED) + derived.count(StepStanding.CONDITIONAL)
        assumed = "; ".join(derived.assumed) or "nothing"
        lines.append(f"| `{derived.name}` | {derived.title} | {decided} | {assumed} |")
    return "\n".join(lines) + "\n"


def repairs() -> str:
    """Return Markdown: for every step whose printed form is false, both forms and a false point.

    A step that several derivations share is shown where it comes first.
    """
    reasons = set()
    parts = []
    for derived in judge_derivations():
        steps = [step for step in _false(derived) if step.step.because not in reasons]
        reasons.update(step.step.because for step in steps)
        if steps:
            entries = "\n".join(_entry(derived, step) for step in steps)
            parts.append(f"## {derived.title}\n\n{entries}")
    return "\n".join(parts)


def _false(derived: Derived) -> Iterator[StepJudgement]:
    return (one for one in derived.judgements if one.step.printed is not None)


def _entry(derived: Derived, one: StepJudgement) -> str:
    step = one.step
    given = ", ".join(f"${_latex(part)}$" for part in step.given)
    lines = [
        f"**{step.place}** (`{derived.name}`, `{step.id}`). {step.because}",
        "",
        f"- printed, {step.printed.ruling}: ${_latex(step.printed.relation)}$",
        f"- false at {point_text(step.printed.at)}",
        f"- {one.standing}: ${_latex(step.claim)}$" + (f" if {given}" if given else ""),
    ]
    return "\n".join(lines) + "\n"


def _latex(expression: sp.Basic) -> str:
    return str(sp.latex(expression))
