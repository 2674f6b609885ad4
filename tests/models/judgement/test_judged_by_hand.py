"""Every figure of the judge equals that of an adversary who tries all assignments of rows."""

import os
from fractions import Fraction

import numpy as np
import pytest
from adversary_by_hand import chances, linked, random_publication, surely, together, with_pseudonym

from kproof.models.judgement.classes.linkage import linkage
from kproof.models.judgement.classes.singling import find_singled_out
from kproof.models.judgement.secrets import joined
from kproof.models.judgement.secrets.inference import inference
from kproof.models.judgement.thresholds import THRESHOLDS

TABLES = int(os.environ.get("KPROOF_TABLES", "120"))
"""How many tables are drawn; a longer run is asked for with KPROOF_TABLES=10000."""
AGREEMENT = THRESHOLDS["agreement"]


@pytest.mark.parametrize("part", range(10))
def test_every_figure_is_that_of_all_assignments(part, monkeypatch):
    if part % 2:
        # No table of a dozen rows has weights of more than 64 bits.
        monkeypatch.setattr(joined, "BITS", 0)
        # Nor are its groups so many that they are judged in pieces.
        monkeypatch.setattr("kproof.models.judgement.secrets.changing._MIXED", 1)
    rng = np.random.default_rng(part)
    for _ in range(TABLES // 10):
        publication = random_publication(rng)
        own = chances(publication)
        if not own:
            continue
        largest, mean = find_singled_out(publication, AGREEMENT)
        assert largest.figure == max(own.values())
        assert mean.figure == sum(own.values()) / len(own)
        assert largest.hit == sum(chance > Fraction(1, 5) for chance in own.values())
        assert largest.people == len(own)
        by_rows = linked(publication)
        (finding,) = linkage(publication, AGREEMENT)
        assert finding.hit == sum(chance > Fraction(1, 5) for chance in by_rows.values())
        assert finding.figure == (max(by_rows.values()) if by_rows else None)
        by_column = {}
        for finding in inference(publication, AGREEMENT):
            by_column.setdefault(finding.columns, []).append(finding.hit)
        linked_rows = with_pseudonym(publication)
        worlds = [publication] if linked_rows is publication else [publication, linked_rows]
        for column in publication.secrets:
            sure = [group for world in worlds for group in surely(world, column)]
            assert by_column[(column.name,)] == [*map(len, sure)], (publication, column)
        if len([column for column in publication.secrets if not column.known]) > 1:
            every = together(publication)
            names = tuple(own.name for own in publication.secrets if not own.known)
            sure = [group for world in worlds for group in surely(world, every)]
            assert by_column[names] == [*map(len, sure)]
