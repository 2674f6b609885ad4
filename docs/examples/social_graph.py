# %% [markdown]
# # A social graph
#
# Friendships among sixty people are published as clusters of at least five, or with friendships
# added until each number of friends occurs five times.

# %%
import networkx as nx

import kproof

graph = nx.barabasi_albert_graph(60, 2, seed=1)
clusters = kproof.anonymize("sangreea", graph, k=5)
print(clusters.summary())
added = kproof.anonymize("k-degree", graph, k=5)
print(added.summary())

# %%
assert min(clusters.sizes) >= 5
