"""Strings with a positive word that name or describe something and judge nothing."""

from __future__ import annotations

ELSEWHERE: dict[str, tuple[str, ...]] = {
    "kproof.cli.app": (
        "What Theorems 1 to 5 claim, what can be proved,",
        "The exact epsilon or delta of a law,",
        "Whether a published table satisfies privacy models,",
    ),
    "kproof.cli.exact": ("The exact epsilon or delta of a law under a shift",),
    "kproof.models.papers.theta_experiment": ("theta-sensitive, rows in order",),
    "kproof.models.graphs.release": ("nobody",),
    "kproof.models.tables.detection.dates": (
        "is no day of the calendar; correct it",
        "are no days of the calendar; correct them",
    ),
    "kproof.models.tables.detection.words": ("agree", "strongly agree"),
    "kproof.models.methods": ("full-domain",),
    "kproof.models.partitioned.work": ("does not hold",),
    "kproof.models.tables.fulldomain.solutions": ("full-domain",),
    "kproof.models.registry": ("verdicts agree with the definition",),
    "kproof.models.adversaries": ("a victim in a social graph or traces is where most",),
    "kproof.petri.net.compiled": ("kept",),
    "kproof.petri.papers.p_plus_sensitive": ("full",),
    "kproof.petri.papers.publications": (
        "records are kept, noise apart",
        "What holds of every publication",
    ),
    "kproof.petri.logic.properties": ("the first never holds",),
    "kproof.petri.papers.theta_properties": ("kept in",),
    "kproof.petri.papers.theta_sensitive": ("passes", "the last class has passed"),
    "kproof.petri.papers.theta_tables": ("full",),
    "kproof.petri.net.writing": (".holds(",),
    "kproof.cli.report": ("Are these roles right?",),
    "kproof.report.decision": (
        "Nobody confirmed the roles of the columns",
        "Of a person nobody knows more",
        ": shown as it is or as *, because nobody gave levels",
        "holds",
    ),
    "kproof.report.first_page": ("certain", "nobody is in it", "not judged: it looks for nobody"),
    "kproof.report.nets": ("full", "table-1a, nobody known"),
    "kproof.report.tables": (
        "is certain to whoever finds their class.",
        "of the rows are nobody's.",
    ),
    "kproof.report.templates.bounds": ("corrected: what can be proved",),
    "kproof.report.templates.net": ("states in which an attacker holds something",),
    "kproof.report.templates.nets": (
        "One who knows a little, or thinks in categories,",
        "Adversary gains nothing holds",
        "μ publications noise rows most certain bet",
        "Each claim was put to an SMT solver:",
    ),
    "kproof.report.templates.page": ("Every digit shown of a bound or an exact value is certain:",),
    "kproof.report.templates.places": ("A user asks for what is near",),
    "kproof.report.templates.publications": (
        "What holds of every publication",
        "of which she is certain",
    ),
    "kproof.report.templates.suite": ("A check that passed has not been refuted",),
    "kproof.report.wording": (
        "There is no exact value to hold it against.",
        "It is assumed, and there is no exact value to hold it against.",
    ),
    "kproof.theory.derivations.evaluated": ("mu-sound",),
    "kproof.theory.kernel.checking": (": not accepted:",),
    "kproof.theory.kernel.statements": ("Algorithm 1 as corrected,",),
    "kproof.theory.recheck": (
        "a recursion holds beyond its base",
        "not certain on",
        "not confirmed by the second solver",
        "printed: the relation holds at",
        "the hypotheses hold at no point",
    ),
    "kproof.theory.theorems.blocks.statements": (
        "Nothing smaller holds of all laws with these block masses",
    ),
    "kproof.theory.theorems.theorem1": ("Sound for every epsilon >= 0; Z_0 bounds",),
    "kproof.proptests.checks.conduct": (
        "it is not certain that",
        "published columns and cells hold no identifier",
        "Promises hold in any order",
    ),
    "kproof.proptests.checks.graphs": ("kept",),
    "kproof.proptests.checks.places": (
        "Every region holds",
        "Every sector that is not empty holds",
    ),
    "kproof.proptests.plugin": ("anonymizer to hold", "program to hold", "it may add rows"),
    "kproof.proptests.showing": ("nobody",),
    "kproof.proptests.stateful.service": ("nobody",),
}
