"""Rows: whom they are about, and which row of the source each was."""
