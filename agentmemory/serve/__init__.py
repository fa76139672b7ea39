"""`agentmemory serve`: a local model with memory behind the chat API, on loopback only."""
