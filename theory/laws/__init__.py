"""Laws whose sums can be enclosed exactly."""
