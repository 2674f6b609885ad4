"""What the papers claim and print of tables, places and graphs, run again."""
