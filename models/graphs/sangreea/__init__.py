"""SaNGreeA: clusters of users with generalized attributes and edges."""
