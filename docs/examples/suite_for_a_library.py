# %% [markdown]
# # The suite in another library's tests
#
# A library has a function that replaces ages by decades. Its authors promise k-anonymity. In
# their tests one line holds it to that; `parametrize_with_checks` makes a test of each check for
# pytest.

# %%
from kproof import check_anonymizer
from kproof.proptests import PromiseBroken


def decades(frame, quasi_identifiers, k):
    """Replace numbers by decades, and hope that these hold k people."""
    assert k >= 1
    shown = frame[list(quasi_identifiers)].copy()
    for name in quasi_identifiers:
        shown[name] = [str(value)[:1] + "*" for value in shown[name]]
    return shown


try:
    check_anonymizer(decades, promises=["k-anonymity"], profile="quick", seed=0)
except PromiseBroken as broken:
    print(str(broken)[:400])
    failed = [one.check.name for one in broken.results.failures]
else:
    failed = []

# %% [markdown]
# The promise is broken, and the smallest table on which it is has few rows.

# %%
assert "k-anonymity" in failed
