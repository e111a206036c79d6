"""What is so of all calls, found by deciding one of every region; no model and no solver."""
