"""p+-sensitive and (p, alpha)-sensitive k-anonymity by top-down specialisation."""
