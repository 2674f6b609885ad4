"""Several releases of the same people: receipts, the register, and what they tell together."""
