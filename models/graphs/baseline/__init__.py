"""The baseline of the bounds paper: groups of users by size."""
