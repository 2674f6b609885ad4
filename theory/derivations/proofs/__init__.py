"""The derivations of the bounds paper, its own steps and the repaired ones, and of the corrections.

One ``.proof`` file a subject, in the notation of :mod:`kproof.theory.derivations.notation`;
``catalogue`` lists all derivations.
"""
