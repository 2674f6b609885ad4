# %% [markdown]
# # A city
#
# Requests come from the crossings of a city. Each is answered for a region in which at least k
# people are.

# %%
import kproof
from kproof.models.places.city.city import City

city = City.grid(12, 12, users=400, seed=0)
release = kproof.anonymize("density", city)
print(release.summary())

# %% [markdown]
# As described, most regions are a single crossing, so that they say where each of their users
# is:

# %%
printed = kproof.anonymize("density", city, reading="printed")
print(printed.summary())
assert (release.single.of_one_node, release.single.at_one_node) == (0, 0)
assert printed.single.of_one_node > 0
