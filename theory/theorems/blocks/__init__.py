"""Block bounds: what holds of every event, at every n, for one number of each record.

A record whose law has a block mass b (:mod:`kproof.theory.laws.block_mass`) is, with probability b,
a random start plus a uniform block, and anything otherwise. Given the labels, the starts and the
rest, the sum is a constant plus a sum of N uniform blocks, with N Poisson-binomial. The
hockey-stick divergence is jointly convex, so that δ(ε) <= E D_N(ε): for all events, in both
directions, whatever else the laws are (:mod:`kproof.theory.profiles.blocks`).

The technique is known: Mineka's coupling, privacy blankets (Balle, Bell, Gascón, Nissim 2019) and
clones (Feldman, McMillan, Talwar 2021) rest on the same mixture. Here the bound is kept for any
block and unequal masses, is attained (B3), and comes with certified digits.

Read in this order: ``statements`` says what holds, ``counting`` which records count and with what
masses, ``choosing`` which block gives the least bound, ``bound`` puts them together.
:func:`kproof.theory.theorems.design.design` turns the question round.
"""

from kproof.theory.theorems.blocks.bound import BlockBound, block_bound
from kproof.theory.theorems.blocks.choosing import BlockChoice, Tried
from kproof.theory.theorems.blocks.statements import STATEMENTS, BlockStatement

__all__ = ["STATEMENTS", "BlockBound", "BlockChoice", "BlockStatement", "Tried", "block_bound"]
