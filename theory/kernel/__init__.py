"""Statements that Rocq has checked: what they say, where they stand, and how to check them again.

The proofs are ``theory/rocq/*.v``. :mod:`~kproof.theory.kernel.statements` lists the theorems that
the product rests on, :mod:`~kproof.theory.kernel.checking` runs Rocq on all of them.
"""
