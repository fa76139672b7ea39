"""The page: the memory's graph in a browser, served on the loopback interface."""
