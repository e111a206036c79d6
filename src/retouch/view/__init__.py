"""The local viewer: the pages of runs from a server on this machine, which follow a run while it works."""
