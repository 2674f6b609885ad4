"""Whether random answers are worth the (ε, δ) that is claimed: pairs, events, certified bounds."""
