"""A name that is nearly right is answered with the right one, whatever it is the name of."""

import pytest
from shell import refused

from kproof.errors import did_you_mean

_AGE = "table-1a --qi Age --drop ID,Name"

SLIPS = {
    "a sub-command": ("anonimize mondrian", 'Did you mean "anonymize"?'),
    "a sub-command of one": ("net exlore x", 'Did you mean "explore"?'),
    "an option": ("verify mondrian --chek k-anonymity", "Did you mean --check?"),
    "an option's word": ("roles table-1a --header yess", 'Did you mean "yes"?'),
    "a method": (f"anonymize mondrain {_AGE} --k 3 -o o.csv", "mondrian"),
    "a method to verify": ("verify mondrain", "mondrian"),
    "one of several methods": (f"compare {_AGE} --methods mondrain --k 2", "mondrian"),
    "an attack": ("attack homogenity table-1b", "homogeneity"),
    "a check": ("verify mondrian --check k-anonymty", "k-anonymity"),
    "a source": ("verify mondrian --source hundreds", "'hundreds of rows'"),
    "a profile": ("verify mondrian --profile quik", 'Did you mean "quick"?'),
    "a promise": ("verify mondrian --promises truthfull", "truthful"),
    "a shipped table": ("datasets tabel-1a", "table-1a"),
    "a table as data": ("roles tabel-4b", "table-4b"),
    "a column with a role": ("check table-1a --qi Aeg --k 2", "Age"),
    "a column of numbers": ("bound 2 --data table-1a --column zip", "'Zip Code'"),
    "a section": ("report table-1a --sections tabel", "table"),
    "a paper": ("audit --paper region", "regions"),
    "a row of a ledger": ("audit Z66", "Z6"),
    "a ruling": ("audit --verdict provd", "proved"),
    "an assumption": (
        "bound 2 --mean 1/2 --second 1/2 --n 9 --assume independance",
        "independence",
    ),
    "a net": ("net explore theta-sensitve", "theta-sensitive"),
    "a parameter of a method": (f"compare {_AGE} --methods kaca --k 2 --set kaca.sede=3", "seed"),
}


@pytest.mark.parametrize("what", SLIPS)
def test_a_slip_of_the_hand_is_answered_with_what_was_meant(what):
    line, meant = SLIPS[what]
    said = refused(*(line.split()))
    assert (meant if meant.startswith("Did") else f"did you mean {meant}?") in said


def test_nothing_is_guessed_where_nothing_is_like_it():
    assert "did you mean" not in refused("datasets", "something")
    assert did_you_mean(5, ["4"]) == did_you_mean("", ["a"]) == did_you_mean("a", []) == ""
    # Two that begin like it: neither is meant more than the other.
    assert did_you_mean("sen", ["sensitive values", "sensational news"]) == ""
