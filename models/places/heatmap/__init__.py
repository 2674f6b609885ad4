"""The QuadTree heat map: its sectors, and the files and page they are written to."""
