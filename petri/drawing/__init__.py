"""Nets and state graphs as pictures."""
