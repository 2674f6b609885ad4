# %% [markdown]
# # Audit a theorem of your own
#
# You read, or wrote: *a count of n records, each with probability p, published if it is at least
# k, has δ ≤ 1/k for every ε ≥ 1*. Is that true? A bound is a function; kproof looks for the
# simplest case at which it is below the exact value.

# %%
from fractions import Fraction

from kproof.theory import falsify
from kproof.theory.falsify.families import Counts, fractions_to


def one_in_k(k, epsilon):
    return Fraction(1, k) if epsilon >= 1 else None


BOX = Counts(sizes=(2, 3, 4, 5), chances=fractions_to(4))
found = falsify(one_in_k, family=BOX)
print(found.witness.call)
print(found.witness)

# %% [markdown]
# It is false, and the witness is small enough to check by hand. A weaker claim has no
# counterexample in the box, which says nothing about what is outside of it.

# %%
weaker = falsify(lambda: 1, family=BOX)
print(weaker)
assert found.outcome.value == "found"
assert weaker.outcome.value == "none"
