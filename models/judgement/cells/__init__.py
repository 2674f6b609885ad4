"""Cells that identify, whatever their column is: contact data, names, free text, exact numbers."""
