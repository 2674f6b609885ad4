"""Social graphs and their releases; each method for graphs has a folder of its own."""
