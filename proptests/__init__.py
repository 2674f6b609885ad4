"""What always holds: Hypothesis strategies, checks and the suite that holds anonymizers to them."""
