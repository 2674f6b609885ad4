"""Nets in PNML files, read and written."""
