"""Questions put to the graph: wonder and reason."""
