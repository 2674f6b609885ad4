"""The derivations of the bounds paper, its own steps and the repaired ones, and of the corrections.

One module a subject; each is data (:mod:`kproof.theory.derivations.derivation`). ``catalogue``
lists them all.
"""
