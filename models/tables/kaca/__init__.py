"""KACA: k-anonymity by clustering, and what its document publishes."""
