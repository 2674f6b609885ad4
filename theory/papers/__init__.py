"""What the bounds paper claims and prints, run again: rows of the ledger, figures, trends."""
