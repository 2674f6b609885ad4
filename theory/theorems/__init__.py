"""The five theorems: statements, hypotheses, what is known beforehand, and the bounds they give."""
