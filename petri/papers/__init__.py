"""The nets of the papers, their properties, and what the papers claim of them."""
