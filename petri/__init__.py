"""What can happen: executable high-level Petri nets, their state spaces and properties."""
