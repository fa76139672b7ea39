"""Putting the memory into a client, and taking it out again byte for byte."""
