"""The search for a case in which a bound fails."""
