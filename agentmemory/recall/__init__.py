"""From a prompt to the beliefs that speak to it: a tuple of layers."""
