"""Reading published labels: what each admits, whatever tool wrote it."""
