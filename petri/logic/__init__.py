"""What holds of a state space, of a net within a number of steps, or of every marking."""
