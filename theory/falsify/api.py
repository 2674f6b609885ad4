"""The search for counterexamples to a bound: ``falsify``, the one function most callers need.

The pieces are next door: scenes (``scenes``, ``blocks``), boxes of them (``families``), what
"smaller" means (``order``), the search (``search``), claim and truth at one point (``gap``). They
are imported when a search starts, so that importing ``falsify`` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kproof.errors import InvalidArgument
from kproof.waiting import show_stages

if TYPE_CHECKING:
    from kproof.cluster import Cluster
    from kproof.theory.falsify.families import Family
    from kproof.theory.falsify.gap import UserBound
    from kproof.theory.falsify.search import Search, Under
    from kproof.theory.reading import Reading
    from kproof.theory.theorems.bounds import Events
    from kproof.theory.theorems.statements import Statement


@show_stages
def falsify(
    bound: int | str | Statement | UserBound,
    *,
    reading: str | Reading | None = None,
    family: Family | None = None,
    claims: str = "delta",
    events: str | Events | None = None,
    under: str | Under = "printed",
    cluster: Cluster | None = None,
) -> Search:
    """Search a family of laws for parameters at which a bound is surely below the exact value.

    Enclosures decide every case of the family's box, simplest first; the first case that refutes
    the bound is shrunk. The same call always gives the same answer.

    Args:
        bound: The number of a shipped theorem, 1 to 5, or the name of a shipped bound, such as
            blocks; a statement of a theorem; or a function of keyword arguments, each one of the
            names that the scenes of the family offer (n, p, k, s, epsilon, variance, ...; see
            ``arguments`` of the scene), that returns a number, an Enclosure or a ball, and None
            where it claims nothing.
        reading: With the number of a theorem: ``printed``, ``derived`` or ``corrected`` (default).
        family: The box; for a shipped theorem, one of its own kind by default. With a function,
            required.
        claims: ``"delta"`` for a given epsilon, or ``"epsilon"`` for a given delta (Theorem 1 and
            functions).
        events: With a function: the events that it covers, all by default. With a shipped theorem,
            which states its own: fewer events, to test it on these only.
        under: ``"printed"``: the claim counts where its stated hypotheses hold; ``"all"``: where
            those that its proof needs hold too.
        cluster: Who looks at the cases, see :func:`kproof.cluster.connect`; this process if None.
            The answer is the same but for the seconds.

    Returns:
        The witness with the call that reproduces it, or the extent of the box that has none.

    Raises:
        InvalidArgument: If an argument is not one of these, or the bound claims nothing in the
            whole box.

    >>> from kproof.theory.falsify.families import Counts
    >>> search = falsify(1, reading="printed")
    >>> print(search.witness.call)
    theorem_gap(1, "printed", n=1, p='1/2', k=1, epsilon=1)
    >>> def hopeful(n, k, epsilon):
    ...     return 1 / (n * k * epsilon)
    >>> print(falsify(hopeful, family=Counts()).witness)
    delta claimed 0.5 < exact 1 at epsilon = 2
    >>> falsify(hopeful)
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: family is not given: need a family with a function, such
    as Counts()
    """
    from kproof.theory.exact.typed import choice
    from kproof.theory.falsify.families import Family, Question
    from kproof.theory.falsify.gap import Target, claim_of_theorem, name_of, user_claim
    from kproof.theory.falsify.scenes import Scene
    from kproof.theory.falsify.search import Under, search
    from kproof.theory.reading import Reading
    from kproof.theory.theorems.bounds import ALL, Events
    from kproof.theory.theorems.registry import OwnBound, find_bound, theorem_of
    from kproof.theory.theorems.statements import Statement

    if claims not in ("delta", "epsilon"):
        raise InvalidArgument("claims", claims, "delta or epsilon")
    excuse = choice("under", under, Under)
    if family is not None and not isinstance(family, Family):
        raise InvalidArgument("family", family, "a family, such as Counts()")
    question = Question.EPSILON if claims == "delta" else Question.DELTA
    if not (callable(bound) or isinstance(bound, Statement)):
        entry = find_bound(bound, "bound")
        if isinstance(entry, OwnBound):
            bound = entry.claim.target
            family = entry.family(Reading.CORRECTED) if family is None else family
    if callable(bound):
        if family is None:
            raise InvalidArgument("family", None, "a family with a function, such as Counts()")
        if reading is not None:
            raise InvalidArgument("reading", reading, "none with a function")
        function, kind = bound, ALL if events is None else Events.parse(events)
        name = name_of(function)

        def judge(scene: Scene) -> Target:
            return user_claim(function, scene, claims=claims, events=kind)
    else:
        fewer = None if events is None else Events.parse(events)
        if isinstance(bound, Statement):
            if reading is not None:
                raise InvalidArgument("reading", reading, "none with a statement, which is one")
            shipped, text = theorem_of(bound.theorem), bound.reading
        else:
            shipped = theorem_of(bound, "bound")
            text = choice("reading", Reading.CORRECTED if reading is None else reading, Reading)
        theorem = shipped.number
        if not shipped.counts:
            if claims == "epsilon":
                raise InvalidArgument("claims", claims, f"delta with theorem {theorem}")
            # The paper's statements hold at an epsilon of their own; the corrected ones at any.
            question = Question.EPSILON if text is Reading.CORRECTED else Question.OWN
        family = shipped.family(text) if family is None else family
        name = f"theorem {theorem}, {text.value}"

        def judge(scene: Scene) -> Target:
            return claim_of_theorem(theorem, text, scene, events=fewer)

    return search(
        judge, bound=name, family=family, question=question, under=excuse, cluster=cluster
    )
