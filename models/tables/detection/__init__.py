"""Detection: the type of a column, decided by its values and its heading."""
