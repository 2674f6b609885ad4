"""Secrets: what is believed of each, from what is published and from what is known beside it."""
