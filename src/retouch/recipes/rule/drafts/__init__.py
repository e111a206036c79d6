"""What passed every check and waits for a person: kept in the user's data folder until it is approved or too old."""
