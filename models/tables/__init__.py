"""Tables and their releases; each method for tables has a folder of its own."""
