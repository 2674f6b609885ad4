"""Ladders: rules that draw levels above the values of a column, whatever type they have."""
