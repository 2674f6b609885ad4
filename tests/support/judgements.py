"""What a judgement holds against a method."""

from kproof.proptests.judgement import Judgement, Violation


def violation_of(judgement: Judgement) -> Violation | None:
    """Return what is wrong, None if nothing was found wrong or the check did not apply."""
    return judgement if isinstance(judgement, Violation) else None
