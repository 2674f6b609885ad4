"""Definitions: steps that give a name to what is known, so that nothing new follows from them."""

from collections.abc import Mapping

import sympy as sp
from sympy.core.function import AppliedUndef

from kproof.errors import Undecided
from kproof.theory.derivations.definedness import summation_symbols
from kproof.theory.derivations.derivation import Step, StepJudgement
from kproof.theory.derivations.formulas import less


def require_fresh(step: Step, judgements: Mapping[str, StepJudgement]) -> None:
    """Refuse a definition that says anything of what is already spoken of.

    A function is defined for all its arguments, or by recursion: a value at a base and, beyond it,
    one from the value before. It has every symbol of its meaning among its arguments, so that
    another step may put other values in.
    """
    if step.given:
        raise Undecided("a definition has no hypotheses")
    name, meanings, before = _definition(step.claim)
    # A meaning is put in wherever the function stands, with its arguments replaced by name: by
    # f(0) = 1 every f(x) would be 1.
    symbols = [argument for argument in name.args if isinstance(argument, sp.Symbol)]
    if len(set(symbols)) < len(name.args):
        raise Undecided("a function is defined at symbols, each another one")
    loose = {symbol for meaning in meanings for symbol in meaning.free_symbols} - set(name.args)
    if loose:
        raise Undecided(f"{', '.join(map(str, loose))} is no argument of {name.func}")
    used = {call for meaning in meanings for call in meaning.atoms(AppliedUndef)} - {before}
    # The paper's own relations count as well: a name means one thing in the whole derivation.
    spoken = (part for judgement in judgements.values() for part in judgement.step.formulas)
    earlier = {call.func for part in spoken for call in part.atoms(AppliedUndef)}
    if name.func in {call.func for call in used} | earlier:
        raise Undecided(f"{name.func} is in use")


def _definition(claim: sp.Basic) -> tuple[AppliedUndef, list[sp.Expr], AppliedUndef | None]:
    """Return the function at its symbols, what it is made of, and itself one step before."""
    if isinstance(claim, sp.Eq) and isinstance(claim.lhs, AppliedUndef):
        return claim.lhs, [claim.rhs], None
    if not isinstance(claim, sp.And) or len(claim.args) != 2:
        raise Undecided("a definition is an equation with a function on its left, or a recursion")
    # SymPy keeps the parts of a conjunction in an order of its own.
    base, beyond = sorted(claim.args, key=lambda part: isinstance(part, sp.Implies))
    steps_on = isinstance(beyond, sp.Implies) and isinstance(beyond.args[1], sp.Eq)
    if not (isinstance(base, sp.Eq) and steps_on):
        raise Undecided("a recursion is a value at a base and an implication beyond it")
    name, start = beyond.args[1].lhs, base.lhs
    if not isinstance(start, AppliedUndef) or name.func != getattr(start, "func", None):
        raise Undecided("a recursion is of one function")
    if len(name.args) != len(start.args):
        raise Undecided("a recursion is of one function of as many arguments")
    pairs = zip(name.args, start.args, strict=True)
    moved = [(argument, value) for argument, value in pairs if argument != value]
    if len(moved) != 1 or not moved[0][0].is_integer:
        raise Undecided("a recursion runs over one whole number")
    ((variable, low),) = moved
    if beyond.args[0] != less(low, variable) or variable in low.free_symbols:
        raise Undecided("a recursion holds beyond its base")
    if variable in base.rhs.free_symbols:
        raise Undecided(f"the value at the base depends on {variable}")
    # A sum over it would make f(m - 1) the value at places that the recursion has yet to reach. At
    # each place of a sum over what the base speaks of, the base is another one: values would rest
    # on values before them without end, and perhaps no function has them all.
    if bound := summation_symbols(claim) & {variable, *low.free_symbols}:
        raise Undecided(f"{min(map(str, bound))} is also a summation variable")
    return name, [base.rhs, beyond.args[1].rhs, low], name.subs(variable, variable - 1)
