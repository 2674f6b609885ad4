"""Classes: who is picked by them, and what their forming, their order and their gaps tell."""
