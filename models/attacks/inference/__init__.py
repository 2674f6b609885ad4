"""Inference attacks on friendships and traces, and the bound on what they gain."""
