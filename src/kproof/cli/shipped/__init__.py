"""Commands about what comes with kproof: its tables, its schemas, its service."""
