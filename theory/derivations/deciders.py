"""Who decides the steps of a derivation: normal forms, a solver, balls, counting, induction.

Each decider answers with what it found or raises :class:`Undecided`. None guesses: a normal form
that is not reached, a solver that gives up and a ball that is too wide all leave the step
undecided.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import TypeAlias

import sympy as sp
from sympy.core.function import AppliedUndef

from kproof.errors import InvalidArgument, Undecided
from kproof.theory.derivations import methods as by
from kproof.theory.derivations.asking import (
    Decision,
    Premises,
    ask,
    ask_defined,
    facts_of,
    hypotheses,
    implication,
)
from kproof.theory.derivations.checked import alike, fill, kinds_of, put, same, slope, successor
from kproof.theory.derivations.definedness import (
    conditions,
    conditions_in_order,
    plainly_of_sign,
    require_apart,
    require_free,
    sign,
    summation_symbols,
)
from kproof.theory.derivations.defining import require_fresh
from kproof.theory.derivations.derivation import Derivation, Step, StepJudgement, StepStanding, uses
from kproof.theory.derivations.formulas import at_most, less
from kproof.theory.derivations.signs import whole
from kproof.theory.derivations.sums import rule_conditions
from kproof.theory.derivations.trees import Tree, assumptions, symbols_of, tree
from kproof.theory.derivations.truth import Relation, ball_between, point_text, points, truth

MOST_PIECES = 1 << 18
"""Pieces of a box that are looked at before the decider gives up."""
MOST_HALVINGS = 64
"""How often a piece is halved; where it takes more, both sides are equal or undefined."""
Piece: TypeAlias = tuple[tuple[Fraction, Fraction], ...]


def judge(
    derivation: Derivation, decisions: dict[tuple[int, ...], Decision] | None = None
) -> tuple[StepJudgement, ...]:
    """Decide every step of a derivation, in order.

    ``decisions``: what was decided of steps that derivations share, by the identities of a step and
    its premises, which it keeps alive; it is added to.
    """
    judgements: dict[str, StepJudgement] = {}
    shared = {} if decisions is None else decisions
    for step in derivation.steps:
        premises = [derivation[name] for name in uses(step)]
        judgements[step.id] = _judge_step(step, premises, judgements, shared)
    return tuple(judgements.values())


def _judge_step(
    step: Step,
    premises: Premises,
    judgements: Mapping[str, StepJudgement],
    decisions: dict[tuple[int, ...], Decision],
) -> StepJudgement:
    below = [judgements[premise.id] for premise in premises]
    rests_on = tuple(dict.fromkeys(name for judgement in below for name in judgement.rests_on))
    try:
        # What has no tree has no place in a certificate, and nobody could decide it again.
        for part in step.formulas:
            tree(part)
        if isinstance(step.by, by.Instance):
            for value in step.by.at.values():
                tree(value)
        # Terms are compared by the names of their symbols: what is shown of a positive x must not
        # be taken for a claim about another x.
        symbols_of([part for source in (step, *premises) for part in source.expressions])
        key = (id(step), *map(id, premises))
        # Of assumed steps too: that the paper's own form is false needs no other step.
        if step.printed is not None and key not in decisions:
            _require_false(step)
        if isinstance(step.by, by.Assumed):
            return StepJudgement(step, StepStanding.ASSUMED, (*rests_on, step.id), step.by.source)
        failed = [premise.step.id for premise in below if premise.standing is StepStanding.FAILED]
        if failed:
            raise Undecided(f"{', '.join(failed)} is not decided")
        if isinstance(step.by, by.Defined):
            require_fresh(step, judgements)
            answer, standing = Decision("a new name"), StepStanding.DEFINED
        else:
            # Half of all steps are included from another derivation, their premises with them.
            if key not in decisions:
                decided = DECIDERS[type(step.by)](step, premises)
                decisions[key] = replace(decided, of=(step, *premises))
            answer = decisions[key]
            standing = StepStanding.CONDITIONAL if rests_on else StepStanding.PROVED
    # What SymPy raises over an odd formula leaves it undecided: no error decides anything.
    except (Undecided, InvalidArgument, ValueError, ArithmeticError, RecursionError) as failure:
        return StepJudgement(step, StepStanding.FAILED, rests_on, str(failure))
    return StepJudgement(step, standing, rests_on, answer.finding, answer.queries)


def decide_identity(step: Step, premises: Premises) -> Decision:
    """Bring both sides to one normal form, definitions put in first."""
    if not isinstance(step.claim, sp.Eq):
        raise Undecided("an identity is an equation")
    sides, plain = list(step.claim.args), [tree(side) for side in step.claim.args]
    require_apart([step.claim, *(premise.claim for premise in premises)], step.given)
    required = conditions(step.claim)
    for premise in premises:
        if not isinstance(premise.claim, sp.Eq):
            raise Undecided(f"{premise.id} is no equation to put in")
        # Equals are put in for equals only where they are equal: under what the equation supposes.
        if not set(hypotheses(premise)) <= set(step.given):
            raise Undecided(f"{premise.id} has hypotheses that are not given here")
        name, meaning = premise.claim.args
        defined = isinstance(premise.by, by.Defined)
        # Twice: in SymPy for where terms are defined, and in trees for the comparison, since SymPy
        # simplifies as it puts in.
        for place, side in enumerate(sides):
            required += _conditions_of_meaning(premise, side)
            # Only of a definition: the left side of another equation may be h(n + 1).
            sides[place] = (
                side.replace(name.func, sp.Lambda(name.args, meaning))
                if defined
                else side.subs(name, meaning)
            )
            # x^3 has a value for every x, and x^y, for a y that is 3, is taken for a real power.
            required += [] if defined else conditions(sides[place])
            plain[place] = _replace_lhs(plain[place], tree(name), tree(meaning), defined=defined)
    if not same(plain[0], plain[1], kinds_of(step.claim, *(premise.claim for premise in premises))):
        raise Undecided("both sides differ, or their normal forms were not found")
    return Decision("normal form 0", ask_defined("defined", step.given, required))


def _replace_lhs(node: Tree, name: Tree, meaning: Tree, *, defined: bool) -> Tree:
    """Replace the left side of an equation; a function that it defines, at whatever it stands."""
    if node == name and not defined:
        return meaning
    if isinstance(node, str):
        return node
    # The name of a function is no term: a symbol may have the same one.
    head = 2 if node[0] == "apply" else 1
    filled = (_replace_lhs(part, name, meaning, defined=defined) for part in node[head:])
    parts = [*node[:head], *filled]
    if not defined or parts[:2] != list(name[:2]):
        return parts
    return fill(meaning, dict(zip(map(str, name[2:]), parts[2:], strict=True)))


def _conditions_of_meaning(premise: Step, expression: sp.Expr) -> list[sp.Basic]:
    """Return where the meaning of a name is defined, at all that it is put in for."""
    name, meaning = premise.claim.args
    if not isinstance(premise.by, by.Defined):
        if summation_symbols(expression) & premise.claim.free_symbols:
            raise Undecided(f"{premise.id} speaks of a summation variable")
        return conditions(premise.claim)
    require_free([meaning], {symbol: symbol for symbol in expression.atoms(sp.Symbol)})
    places = [call for call in expression.atoms(AppliedUndef) if call.func == name.func]
    required: list[sp.Basic] = []
    for place in sorted(places, key=str):
        if len(place.args) != len(name.args):
            raise Undecided(f"{place} has another number of arguments than {name}")
        values = dict(zip(name.args, place.args, strict=True))
        # A meaning is stated, and its conditions are found, for arguments of their kind and sign.
        for symbol, value in values.items():
            required += _kept(symbol, value)
        required += [put(condition, values) for condition in conditions(meaning)]
    return required


def _kept(symbol: sp.Symbol, value: sp.Expr) -> list[sp.Basic]:
    """Return what a value must be like to stand where a symbol stands, unless its form shows it.

    Raises Undecided if the symbol is an integer and the form of the value does not show one.
    """
    if symbol.is_integer and not _whole(value):
        raise Undecided(f"{symbol} is an integer, {value} need not be")
    return [] if plainly_of_sign(symbol, value) else sign(symbol, value)


def decide_arithmetic(step: Step, premises: Premises) -> Decision:
    """Ask the solver whether hypotheses and premises leave room for the claim to fail."""
    return Decision("unsat", (ask("claim", facts_of(premises, step.given), step.claim),))


def decide_enclosed(step: Step, premises: Premises) -> Decision:
    """Halve the box until the claim, or the failure of a hypothesis, is certain on every piece."""
    assert isinstance(step.by, by.Enclosed)
    _require_none(premises)
    _require_range(step.by.box, step.claim, *step.given)
    suppositions = [Relation(hypothesis) for hypothesis in step.given]
    claim = Relation(step.claim)
    names = sorted(step.by.box, key=str)
    # Each entry: the ends of a piece, symbol by symbol, and how often it was halved. A piece leaves
    # for good or as two halves, and no piece is halved without end: so the list empties. The last
    # in is the first out, which keeps it as short as the number of halvings.
    waiting = [(tuple(step.by.box[name] for name in names), 0)]
    pieces = 0
    while waiting:
        piece, halved = waiting.pop()
        balls = {name: ball_between(*ends) for name, ends in zip(names, piece, strict=True)}
        # `is False`: None leaves a hypothesis open, and the claim has to hold there.
        if any(relation.holds(balls) is False for relation in suppositions) or claim.holds(balls):
            pieces += 1
        elif not names or halved == MOST_HALVINGS or pieces + len(waiting) > MOST_PIECES:
            box = (f"{n} in [{a}, {b}]" for n, (a, b) in zip(names, piece, strict=True))
            raise Undecided(f"not certain on {', '.join(box)}")
        else:
            waiting += [(part, halved + 1) for part in _halves(piece)]
    return Decision(f"{pieces} pieces")


def _halves(piece: Piece) -> tuple[Piece, Piece]:
    """Halve the widest side."""
    widest = max(range(len(piece)), key=lambda i: piece[i][1] - piece[i][0])
    low, high = piece[widest]
    middle = (low + high) / 2
    before, after = piece[:widest], piece[widest + 1 :]
    return (*before, (low, middle), *after), (*before, (middle, high), *after)


def decide_enumerated(step: Step, premises: Premises) -> Decision:
    """Look at every point of the grid."""
    assert isinstance(step.by, by.Enumerated)
    _require_none(premises)
    _require_range(step.by.grid, step.claim, *step.given)
    admitted = 0
    for point in points(step.by.grid):
        _require_of_its_kind(point)
        if not all(truth(hypothesis, point) for hypothesis in step.given):
            continue
        admitted += 1
        if not truth(step.claim, point):
            raise Undecided(f"false at {point_text(point)}")
    # Else a claim would be proved by points of which none is meant.
    if not admitted:
        raise Undecided("the hypotheses hold at no point of the grid")
    return Decision(f"{admitted} of {prod(len(values) for values in step.by.grid.values())} points")


def decide_monotone(step: Step, premises: Premises) -> Decision:
    """Ask for the order of the points, for a derivative in between, and for its sign."""
    method = step.by
    assert isinstance(method, by.Monotone)
    for point in (method.low, method.high):
        require_free([method.function], {method.variable: point})
    ends = [
        tree(put(method.function, {method.variable: point})) for point in (method.low, method.high)
    ]
    # Where they are put in, what is undefined in them may cancel.
    required = [condition for end in (method.low, method.high) for condition in conditions(end)]
    require_apart([method.low, method.high], step.given)
    rising = tree(step.claim) == ["<=", *ends]
    falling = tree(step.claim) == ["<=", *reversed(ends)]
    if not (rising or falling):
        raise Undecided("the claim does not compare the function at these points")
    facts = facts_of(premises, step.given)
    if method.variable.is_integer:
        raise Undecided(f"{method.variable} is an integer: nothing lies between its values")
    if any(method.variable in term.free_symbols for term in (method.low, method.high, *facts)):
        raise Undecided(f"{method.variable} is spoken of outside the function")
    # Known with both ends: without them the derivative would have to be signed on the whole line.
    between = [*facts, at_most(method.low, method.variable), at_most(method.variable, method.high)]
    steep = slope(method.function, method.variable)
    signed = at_most(sp.S.Zero, steep) if rising else at_most(steep, sp.S.Zero)
    parts = enumerate(conditions_to_differentiate(method.function), start=1)
    queries = (
        ask("order", facts, at_most(method.low, method.high)),
        *(ask("sign", facts, condition) for condition in sign(method.variable, method.low)),
        *ask_defined("defined", facts, required),
        *(ask(f"defined-{number}", between, condition) for number, condition in parts),
        ask("slope", between, signed),
    )
    return Decision("unsat", queries)


def conditions_to_differentiate(expression: sp.Expr) -> list[sp.Basic]:
    """Return what makes an expression defined and differentiable, part by part."""
    conditions: list[sp.Basic] = []
    for node in sp.preorder_traversal(expression):
        if isinstance(node, sp.log):
            conditions.append(less(sp.S.Zero, node.args[0]))
        elif isinstance(node, sp.Pow) and node.exp.is_Integer and node.exp < 0:
            conditions.append(sp.Ne(node.base, 0, evaluate=False))
        elif isinstance(node, sp.Pow) and not node.exp.is_Integer:
            conditions.append(less(sp.S.Zero, node.base))
        elif isinstance(node, sp.Abs | sp.Max | sp.Min | sp.floor | sp.ceiling | sp.LambertW):
            raise Undecided(f"{type(node).__name__} need not have a derivative")
    return list(dict.fromkeys(conditions))


def decide_induction(step: Step, premises: Premises) -> Decision:
    """Ask for the base, and for the claim at the next value from that at this one."""
    method = step.by
    assert isinstance(method, by.Induction)
    if not method.variable.is_integer:
        raise Undecided(f"{method.variable} is not an integer")
    if not _whole(method.base) or method.variable in method.base.free_symbols:
        need = f"an integer that {method.variable} can begin with"
        raise Undecided(f"{method.base} need not be {need}")
    after = {method.variable: successor(method.variable)}
    at_base = {method.variable: method.base}
    statements = [implication(step), *(implication(premise) for premise in premises)]
    for values in (at_base, after):
        require_free(statements, values)
    # What is said of the variable is said of it elsewhere than at its base.
    outside = [part for part in step.given if method.variable not in part.free_symbols]
    required: list[sp.Basic] = []
    require_apart(statements, outside)
    for source in (step, *premises):
        # Of a definition nothing is supposed.
        supposed = () if isinstance(source.by, by.Defined) else hypotheses(source)
        required += conditions_in_order(supposed, source.claim)
    base_defined = [*conditions(method.base), *(put(part, at_base) for part in required)]
    begins = [
        *(ask("sign", outside, condition) for condition in sign(method.variable, method.base)),
        *ask_defined("base-defined", outside, base_defined),
        *ask_defined("next-defined", outside, [put(condition, after) for condition in required]),
    ]
    at_start = [put(relation, at_base) for relation in facts_of(premises, step.given)]
    base = ask("base", at_start, put(step.claim, at_base))
    earlier = [implication(premise) for premise in premises]
    facts = [*earlier, *(put(relation, after) for relation in earlier)]
    facts += [at_most(method.base, method.variable), implication(step)]
    facts += [put(hypothesis, after) for hypothesis in step.given]
    return Decision("unsat", (*begins, base, ask("next", facts, put(step.claim, after))))


def decide_instance(step: Step, premises: Premises) -> Decision:
    """Compare with the earlier claim, and ask for its hypotheses at the new values."""
    method = step.by
    assert isinstance(method, by.Instance)
    general = next(premise for premise in premises if premise.id == method.of)
    require_free([general.claim, *general.given], method.at)
    if not alike(put(general.claim, method.at), step.claim):
        raise Undecided(f"the claim is not that of {method.of} at these values")
    required = [put(hypothesis, method.at) for hypothesis in hypotheses(general)]
    for symbol, value in sorted(method.at.items(), key=lambda pair: pair[0].name):
        if symbol.is_integer and not _whole(value):
            raise Undecided(f"{symbol} is an integer, {value} need not be")
        # The sign that a symbol has by assumption is a hypothesis of the general claim, like any
        # other.
        required += sign(symbol, value)
    facts = facts_of([premise for premise in premises if premise.id != method.of], step.given)
    require_apart([step.claim, general.claim, *general.given, *method.at.values()], step.given)
    general_conditions = conditions_in_order(hypotheses(general), general.claim)
    defined = [
        *(condition for value in method.at.values() for condition in conditions(value)),
        *(put(condition, method.at) for condition in general_conditions),
        *conditions(step.claim),
    ]
    queries = (
        *(ask(f"given-{i}", facts, condition) for i, condition in enumerate(required, start=1)),
        *ask_defined("defined", facts, defined),
    )
    return Decision("unsat" if queries else "the same relation", queries)


def _whole(value: sp.Expr) -> bool:
    return whole(tree(value), kinds_of(value))


def decide_sum_rule(step: Step, premises: Premises) -> Decision:
    """Compare both sides with what the rule says, and ask for its conditions on the range."""
    assert isinstance(step.by, by.SumRule)
    if not isinstance(step.claim, sp.Eq):
        raise Undecided("a rule for sums gives an equation")
    facts = facts_of(premises, step.given)
    required = rule_conditions(step.by.rule, step.claim, step.by.function)
    function = [] if step.by.function is None else [step.by.function]
    require_apart([step.claim, *function], step.given)
    ranges = (ask(f"range-{i}", facts, part) for i, part in enumerate(required, start=1))
    return Decision("unsat", (*ranges, *ask_defined("defined", facts, conditions(step.claim))))


def decide_summed(step: Step, premises: Premises) -> Decision:
    """Compare the summands with the earlier claim, and ask for its hypotheses in the range."""
    method = step.by
    assert isinstance(method, by.Summed)
    general = next(premise for premise in premises if premise.id == method.of)
    sides = step.claim.args
    if not isinstance(step.claim, sp.Le) or not all(isinstance(side, sp.Sum) for side in sides):
        raise Undecided("the claim does not compare two sums")
    lhs, rhs = (list(tree(side)) for side in sides)
    if lhs[2:] != rhs[2:]:
        raise Undecided("the sums differ in their range")
    if tree(general.claim) != ["<=", lhs[1], rhs[1]]:
        raise Undecided(f"the summands are not those of {method.of}")
    ((variable, low, high),) = sides[0].limits
    if not all(_whole(limit) for limit in (variable, low, high)):
        raise Undecided("a sum runs over whole numbers")
    spoken = [low, high, *step.given]
    if any(variable in term.free_symbols for term in spoken):
        raise Undecided(f"{variable} is spoken of outside the sums")
    in_range = [at_most(low, variable), at_most(variable, high)]
    outside = facts_of([premise for premise in premises if premise.id != method.of], step.given)
    # A sum backwards has the opposite sign.
    within, required = [*outside, *in_range], enumerate(hypotheses(general), start=1)
    queries = (
        ask("range", outside, at_most(low, successor(high))),
        *(ask("sign", outside, condition) for condition in sign(variable, low)),
        *(ask(f"given-{i}", within, hypothesis) for i, hypothesis in required),
    )
    return Decision("unsat", queries)


def _require_none(premises: Premises) -> None:
    if premises:
        raise Undecided("this decider uses no other steps")


def _require_range(ranges: Mapping[sp.Symbol, object], *formulas: sp.Basic) -> None:
    loose = {symbol for formula in formulas for symbol in formula.free_symbols} - ranges.keys()
    if loose:
        raise Undecided(f"{min(map(str, loose))} has no range")


def _require_false(step: Step) -> None:
    """Refuse a printed relation that does not fail where its hypotheses hold."""
    assert step.printed is not None
    point = step.printed.at
    _require_range(point, step.printed.relation, *step.paper_hypotheses)
    _require_of_its_kind(point)
    for hypothesis in step.paper_hypotheses:
        if not truth(hypothesis, point):
            raise Undecided(f"a hypothesis fails at {point_text(point)}")
    if truth(step.printed.relation, point):
        raise Undecided(f"the printed relation holds at {point_text(point)}")


def _require_of_its_kind(point: Mapping[sp.Symbol, Fraction]) -> None:
    """Refuse a point at which a symbol is not what is assumed of it."""
    for symbol, value in point.items():
        fraction = symbol.is_integer and value.denominator != 1
        sign_differs = (symbol.is_positive and value <= 0) or (symbol.is_nonnegative and value < 0)
        if fraction or sign_differs:
            raise Undecided(f"{symbol} = {value} is not {' and '.join(assumptions(symbol))}")


DECIDERS: Mapping[type, Callable[[Step, Premises], Decision]] = {
    by.Identity: decide_identity,
    by.Arithmetic: decide_arithmetic,
    by.Enclosed: decide_enclosed,
    by.Enumerated: decide_enumerated,
    by.Monotone: decide_monotone,
    by.Induction: decide_induction,
    by.Instance: decide_instance,
    by.Summed: decide_summed,
    by.SumRule: decide_sum_rule,
}
