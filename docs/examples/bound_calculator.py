# %% [markdown]
# # A calculator of bounds for your own release
#
# The number of patients with a disease is published. Each has it with probability p,
# independently. For several numbers of patients: what does Theorem 2 claim as printed, what can
# be proved, what do block masses prove, and what is true?

# %%
import kproof

found = {
    n: kproof.theory.compare(2, data=[0, 1] * (n // 2), s=1, epsilon="0.5", assume=["independence"])
    for n in (20, 80, 320)
}
for n, one in found.items():
    print(f"n = {n}: printed {one.claimed('printed')}, corrected {one.claimed('corrected')}, ")
    print(f"    blocks {one.blocks and one.blocks.delta}, exact {one.exact}")

# %% [markdown]
# The truth falls as patients become more, and whatever is proved lies above it.

# %%
exact = [one.exact for one in found.values()]
assert exact[0].lower > exact[1].upper > exact[2].upper
for one in found.values():
    assert one.blocks is not None
    assert one.blocks.delta.upper >= one.exact.lower
