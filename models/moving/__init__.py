"""People who move: cloaked logs, the rules that make them, and the attack that intersects them."""
