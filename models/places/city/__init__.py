"""Cities: crossings, streets and who is where, from graphs and files."""
