"""Nets of the SNAKES library, made and read."""
