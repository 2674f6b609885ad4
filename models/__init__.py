"""What is done: data types, anonymizers, privacy models, attacks and utility."""
