"""The safe path from a source to a file that may leave: tried, judged, and only then written."""
