"""Work between sessions: importance, segments, summaries, promotion, forgetting."""
