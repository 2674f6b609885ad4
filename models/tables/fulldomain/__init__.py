"""Full-domain recoding: one level for each column, and the best of all such choices."""
