"""A local model and the prefixes it has already computed."""
